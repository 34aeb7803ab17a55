/* The checksum of POSIX cksum.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_CRC_H
#define ZEROFISH_CRC_H

#include <stddef.h>
#include <stdint.h>

struct cksum {
  uint32_t table[8][256];
  uint32_t crc;
  uint64_t len;
};

extern void cksum_init (struct cksum *s);
extern void cksum_update (struct cksum *s, size_t n, const uint8_t *p);
/* The result; S is used up. */
extern uint32_t cksum_end (struct cksum *s);

#endif /* ZEROFISH_CRC_H */
