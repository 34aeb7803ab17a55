/* Zero scanners for several kinds of machine, and the timing that picks one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

#include "zero-scan.h"
#include "zero-scan-impl.h"

/* Without this the compiler turns the loop over words into vector code, which an emulated processor runs at
 * half the speed or less. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define SCALAR_ONLY __attribute__ ((target ("general-regs-only")))
#else
#define SCALAR_ONLY
#endif

static bool
always (void)
{
  return true;
}

SCALAR_ONLY static inline uint64_t
word (const unsigned char *p)
{
  uint64_t w;

  __builtin_memcpy (&w, p, sizeof w);
  return w;
}

/* What is left after a scanner's main loop, and short pieces. */
SCALAR_ONLY static bool
short_is_zero (const unsigned char *p, size_t len)
{
  unsigned char rest = 0;

  for (; len >= 8; p += 8, len -= 8)
    if (word (p) != 0)
      return false;
  while (len > 0)
    rest |= p[--len];
  return rest == 0;
}

SCALAR_ONLY static bool
words_is_zero (const void *v, size_t len)
{
  const unsigned char *p = v;
  uint64_t all;

  for (; len >= 128; p += 128, len -= 128) {
    all = word (p) | word (p + 8) | word (p + 16) | word (p + 24)
      | word (p + 32) | word (p + 40) | word (p + 48) | word (p + 56)
      | word (p + 64) | word (p + 72) | word (p + 80) | word (p + 88)
      | word (p + 96) | word (p + 104) | word (p + 112) | word (p + 120);
    if (all != 0)
      return false;
  }
  return short_is_zero (p, len);
}

/* Once the first 16 bytes are zero, the rest is zero if it equals itself 16 bytes earlier. */
static bool
memcmp_is_zero (const void *v, size_t len)
{
  const unsigned char *p = v;

  if (len <= 16)
    return short_is_zero (p, len);
  return short_is_zero (p, 16) && memcmp (p, p + 16, len - 16) == 0;
}

#if defined __x86_64__

static bool
sse2_is_zero (const void *v, size_t len)
{
  const unsigned char *p = v;

  for (; len >= 64; p += 64, len -= 64) {
    const __m128i *q = (const __m128i *) p;
    __m128i all = _mm_or_si128 (_mm_or_si128 (_mm_loadu_si128 (q), _mm_loadu_si128 (q + 1)),
                                _mm_or_si128 (_mm_loadu_si128 (q + 2), _mm_loadu_si128 (q + 3)));

    if (_mm_movemask_epi8 (_mm_cmpeq_epi8 (all, _mm_setzero_si128 ())) != 0xffff)
      return false;
  }
  return short_is_zero (p, len);
}

static bool
has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2");
}

__attribute__ ((target ("avx2"))) static bool
avx2_is_zero (const void *v, size_t len)
{
  const unsigned char *p = v;

  for (; len >= 128; p += 128, len -= 128) {
    const __m256i *q = (const __m256i *) p;
    __m256i all = _mm256_or_si256 (_mm256_or_si256 (_mm256_loadu_si256 (q), _mm256_loadu_si256 (q + 1)),
                                   _mm256_or_si256 (_mm256_loadu_si256 (q + 2), _mm256_loadu_si256 (q + 3)));

    if (!_mm256_testz_si256 (all, all))
      return false;
  }
  return short_is_zero (p, len);
}

#endif /* __x86_64__ */

const struct zero_scanner zero_scanners[] = {
  { "words",  always,   words_is_zero },
#if defined __x86_64__
  { "sse2",   always,   sse2_is_zero },
  { "avx2",   has_avx2, avx2_is_zero },
#endif
  { "memcmp", always,   memcmp_is_zero },
};
const size_t nr_zero_scanners = sizeof zero_scanners / sizeof zero_scanners[0];

static _Atomic (const struct zero_scanner *) chosen = &zero_scanners[0];

static int64_t
now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

/* Best time of a few rounds over LEN bytes.  The first round, in which an emulator translates the code
 * and the caches fill, can only be beaten by the later ones. */
static int64_t
time_scanner (const struct zero_scanner *s, const void *p, size_t len)
{
  int64_t best = INT64_MAX, t;
  int i;

  for (i = 0; i < 4; i++) {
    t = now_ns ();
    if (!s->is_zero (p, len))
      return INT64_MAX;
    t = now_ns () - t;
    if (t < best)
      best = t;
  }
  return best;
}

void
zero_scan_calibrate (void)
{
  static const unsigned char zeroes[32768];
  const struct zero_scanner *best = &zero_scanners[0];
  int64_t best_time = INT64_MAX, t;
  size_t i;

  for (i = 0; i < nr_zero_scanners; i++) {
    if (!zero_scanners[i].usable ())
      continue;
    t = time_scanner (&zero_scanners[i], zeroes, sizeof zeroes);
    if (t < best_time) {
      best_time = t;
      best = &zero_scanners[i];
    }
  }
  atomic_store (&chosen, best);
}

const char *
zero_scan_name (void)
{
  return atomic_load (&chosen)->name;
}

bool
zero_scan_is_zero (const void *p, size_t len)
{
  return atomic_load (&chosen)->is_zero (p, len);
}

enum { PIECE_MAX = 256 << 10 };

/* Length of the zero blocks at P.  The piece looked at doubles while all is zero, so that large runs cost few
 * calls, and shrinks again where something is found. */
static size_t
zero_run (const struct zero_scanner *s, const unsigned char *p, size_t len, size_t block)
{
  size_t done = 0, piece = block, n;

  while (done < len) {
    n = piece < len - done ? piece : len - done;
    if (s->is_zero (p + done, n)) {
      done += n;
      if (piece < PIECE_MAX)
        piece *= 2;
    }
    else if (n <= block)
      break;
    else
      piece = block;
  }
  return done;
}

/* Most blocks that hold something do so in their first bytes, and looking there is cheap. */
static inline bool
starts_with_data (const unsigned char *p, size_t n)
{
  return n >= 8 && word (p) != 0;
}

size_t
zero_scan_run (const void *v, size_t len, size_t block, bool *zero)
{
  const struct zero_scanner *s = atomic_load (&chosen);
  const unsigned char *p = v;
  size_t done, n;

  done = zero_run (s, p, len, block);
  *zero = done > 0;
  if (done > 0)
    return done;

  while (done < len) {
    n = block < len - done ? block : len - done;
    if (!starts_with_data (p + done, n) && s->is_zero (p + done, n))
      break;
    done += n;
  }
  return done;
}
