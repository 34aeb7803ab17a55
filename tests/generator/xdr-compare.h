/* Between test-xdr.c and the generated list of structs that it compares.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_XDR_COMPARE_H
#define ZEROFISH_XDR_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include <rpc/types.h>
#include <rpc/xdr.h>

/* A struct as ours and as rpcgen's. */
struct xdr_case {
  const char *name;
  unsigned nr_optargs;
  void (*fill) (void *ours, void *theirs);
  size_t our_size;
  xdrproc_t our_proc;
  size_t their_size;
  xdrproc_t their_proc;
};
extern const struct xdr_case xdr_cases[];
extern const size_t nr_xdr_cases;

/* The next value of a kind: edge values in turn, beginning elsewhere in each round.  Memory lives until the round ends. */
extern int next_int (void);
extern int64_t next_int64 (void);
extern bool_t next_bool (void);
extern char next_char (void);
extern char *next_string (void);
extern char *next_bytes (u_int *len);
extern char **next_list (u_int *len);
extern u_int next_count (void);
extern void *next_array (size_t n, size_t size);

#endif /* ZEROFISH_XDR_COMPARE_H */
