/* CRC-32, eight bytes at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <pthread.h>

#include "cache.h"

#define POLYNOMIAL UINT32_C (0xedb88320)

/* table[k][b]: what the byte B gives when K more bytes follow it. */
static uint32_t table[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
make_table (void)
{
  for (uint32_t b = 0; b < 256; b++) {
    uint32_t crc = b;

    for (int bit = 0; bit < 8; bit++)
      crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
    table[0][b] = crc;
  }
  for (int k = 1; k < 8; k++)
    for (int b = 0; b < 256; b++)
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

uint32_t
zfi_crc32 (uint32_t crc, const void *data, size_t n)
{
  const unsigned char *p = data;

  pthread_once (&once, make_table);
  crc = ~crc;
  for (; n >= 8; p += 8, n -= 8) {
    crc ^= p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
    crc = table[7][crc & 0xff] ^ table[6][crc >> 8 & 0xff] ^ table[5][crc >> 16 & 0xff] ^ table[4][crc >> 24]
      ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
  }
  for (; n > 0; p++, n--)
    crc = table[0][(crc ^ *p) & 0xff] ^ crc >> 8;
  return ~crc;
}
