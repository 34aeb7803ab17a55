/* Preloaded into Python by test_memory.py: counts large allocations, and the bytes of large copies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <dlfcn.h>
#include <stdlib.h>

enum { LARGE = 4096 };

unsigned long count_allocations, count_copied;

void *
malloc (size_t size)
{
  static void *(*real) (size_t);

  if (real == NULL)
    real = (void *(*) (size_t)) dlsym (RTLD_NEXT, "malloc");
  if (size >= LARGE)
    count_allocations++;
  return real (size);
}

void *
realloc (void *p, size_t size)
{
  static void *(*real) (void *, size_t);

  if (real == NULL)
    real = (void *(*) (void *, size_t)) dlsym (RTLD_NEXT, "realloc");
  if (size >= LARGE)
    count_allocations++;
  return real (p, size);
}

/* The real ones may be chosen by the processor and be reached only through what these replace, so copy by
 * hand.  The empty asm keeps the compiler from making a call of memmove out of the loop. */
extern void *memcpy (void *restrict to, const void *restrict from, size_t n);
extern void *memmove (void *to, const void *from, size_t n);

static void *
copy (void *to, const void *from, size_t n)
{
  char *t = to;
  const char *f = from;

  if (n >= LARGE)
    count_copied += n;
  if (t <= f || t >= f + n)
    for (size_t i = 0; i < n; i++) {
      t[i] = f[i];
      __asm__ volatile ("" : : : "memory");
    }
  else
    for (size_t i = n; i-- > 0; ) {
      t[i] = f[i];
      __asm__ volatile ("" : : : "memory");
    }
  return to;
}

void *
memmove (void *to, const void *from, size_t n)
{
  return copy (to, from, n);
}

void *
memcpy (void *restrict to, const void *restrict from, size_t n)
{
  return copy (to, from, n);
}

extern void *__memcpy_chk (void *to, const void *from, size_t n, size_t room);
extern void *__memmove_chk (void *to, const void *from, size_t n, size_t room);

void *
__memcpy_chk (void *to, const void *from, size_t n, size_t room)
{
  if (n > room)
    abort ();
  return copy (to, from, n);
}

void *
__memmove_chk (void *to, const void *from, size_t n, size_t room)
{
  if (n > room)
    abort ();
  return copy (to, from, n);
}
