/* The CRC of POSIX cksum, eight bytes at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <string.h>

#include "crc.h"

void
cksum_init (struct cksum *s)
{
  s->crc = 0;
  s->len = 0;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i << 24;

    for (int bit = 0; bit < 8; bit++)
      crc = (crc << 1) ^ (crc & UINT32_C (0x80000000) ? UINT32_C (0x04c11db7) : 0);
    s->table[0][i] = crc;
  }
  /* table[k][i] is what byte I does to the sum K bytes later. */
  for (int k = 1; k < 8; k++)
    for (int i = 0; i < 256; i++)
      s->table[k][i] = (s->table[k - 1][i] << 8) ^ s->table[0][s->table[k - 1][i] >> 24];
}

static uint32_t
one_byte (const struct cksum *s, uint32_t crc, uint8_t byte)
{
  return (crc << 8) ^ s->table[0][(crc >> 24) ^ byte];
}

static uint32_t
eight_bytes (const struct cksum *s, uint32_t crc, const uint8_t *p)
{
  uint32_t first;

  memcpy (&first, p, sizeof first);
  crc ^= be32toh (first);
  return s->table[7][crc >> 24] ^ s->table[6][crc >> 16 & 0xff] ^
         s->table[5][crc >> 8 & 0xff] ^ s->table[4][crc & 0xff] ^
         s->table[3][p[4]] ^ s->table[2][p[5]] ^ s->table[1][p[6]] ^ s->table[0][p[7]];
}

void
cksum_update (struct cksum *s, size_t n, const uint8_t *p)
{
  uint32_t crc = s->crc;

  s->len += n;
  for (; n >= 8; n -= 8, p += 8)
    crc = eight_bytes (s, crc, p);
  for (; n > 0; n--)
    crc = one_byte (s, crc, *p++);
  s->crc = crc;
}

uint32_t
cksum_end (struct cksum *s)
{
  for (uint64_t len = s->len; len > 0; len >>= 8)
    s->crc = one_byte (s, s->crc, (uint8_t) len);
  return ~s->crc;
}
