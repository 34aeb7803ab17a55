/* The appliance's cache: its directory, what an entry depends on, and checking that an entry is whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_CACHE_H
#define ZEROFISH_CACHE_H

#include "internal.h"

/* A kind of entry.  The entry is the directory NAME-HASH of the cache. */
struct cache_kind {
  const char *name;         /* also the build script's command: "kernel", "tools" */
  const char *what;         /* for messages */
  const char *const *files; /* what the script makes, NULL at the end */
  int timeout_s;            /* for the script */
  /* Nobody else may read it, and it can be lost: it is not brought to the disk with care. */
  bool private;
};
extern const struct cache_kind cache_kernel, cache_tools, cache_template;

/* --- cache-dir.c --- */

/* The cache directory (malloced), made if need be, and checked: ours, mode 0700, no symbolic link.  NULL
 * with the error set. */
extern char *zfi_cache_dir (zf_handle *h);
/* Remove PATH and what is in it; what cannot be removed stays. */
extern void zfi_remove_tree (const char *path);
/* Remove what killed builders of KIND left in DIR.  Only under the lock. */
extern void zfi_cache_remove_stale (const char *dir, const struct cache_kind *kind);
/* Remove the entries of KIND that were not used for the longest time, beyond a fixed number; never KEEP. */
extern void zfi_cache_prune (const char *dir, const struct cache_kind *kind, const char *keep);

/* --- cache-key.c --- */

/* The build script (malloced): of the build directory or the installed one.  NULL with the error set. */
extern char *zfi_build_script (zf_handle *h);
/* What an entry of KIND depends on (malloced): a line "FILE SIZE MTIME" for each file, the same text as the
 * script's key command prints.  NULL: no memory. */
extern char *zfi_cache_key (const char *script, const struct cache_kind *kind);
/* Name of the entry with this key (malloced); NULL: no memory. */
extern char *zfi_cache_entry_name (const struct cache_kind *kind, const char *key);

/* --- cache-entry.c --- */

/* Is the entry ENTRY whole and untouched?  NULL if so; else why not (malloced).  *MISSING: there is none at
 * all. */
extern char *zfi_cache_check (const char *entry, const struct cache_kind *kind, bool *missing);
/* Open the first file of the entry, if all but its contents is as it was sealed; *CRC is what they must have.
 * The descriptor, or -1 with *REASON (malloced) and *MISSING. */
extern int zfi_cache_open (const char *entry, const struct cache_kind *kind, uint32_t *crc, bool *missing,
                           char **reason);
/* The CRC of all that FD holds; the descriptor's offset does not matter and stays.  0, or -1 with errno. */
extern int zfi_cache_sum (int fd, uint32_t *crc);
/* Write the manifest of a freshly built ENTRY and bring all to the disk: NULL, or what is wrong, malloced. */
extern char *zfi_cache_seal (const char *entry, const struct cache_kind *kind);
/* Note that the entry is in use, for zfi_cache_prune. */
extern void zfi_cache_touch (const char *entry);

/* --- cache-build.c --- */

/* Run the script's command for KIND with output directory OUTDIR; 0, or -1 with the error set. */
extern int zfi_cache_run_script (zf_handle *h, const char *script, const struct cache_kind *kind,
                                 const char *outdir);
/* Take the lock of KIND in DIR: a descriptor for zfi_cache_unlock, or -1 with the error set.  Excludes
 * other processes and other threads. */
extern int zfi_cache_lock (zf_handle *h, const char *dir, const struct cache_kind *kind);
/* The same without waiting and without an error: -1 with errno (EAGAIN, EACCES: another has it). */
extern int zfi_cache_try_lock (const char *dir, const struct cache_kind *kind);
extern void zfi_cache_unlock (int fd);

/* --- crc32.c --- */

/* CRC-32 (of IEEE 802.3) of N bytes after those that gave CRC; 0 at the start. */
extern uint32_t zfi_crc32 (uint32_t crc, const void *p, size_t n);

#endif /* ZEROFISH_CACHE_H */
