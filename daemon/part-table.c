/* MBR and GPT tables with one partition, byte by byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <string.h>

#include "part.h"

enum { GPT_ENTRIES = 128, GPT_ENTRY_SIZE = 128, GPT_HEADER_SIZE = 92 };

static void
put16 (unsigned char *p, uint16_t v)
{
  v = htole16 (v);
  memcpy (p, &v, sizeof v);
}

static void
put32 (unsigned char *p, uint32_t v)
{
  v = htole32 (v);
  memcpy (p, &v, sizeof v);
}

static void
put64 (unsigned char *p, uint64_t v)
{
  v = htole64 (v);
  memcpy (p, &v, sizeof v);
}

/* CRC-32 as GPT wants it (the one of Ethernet). */
static uint32_t
crc32 (const unsigned char *p, size_t n)
{
  uint32_t crc = UINT32_MAX;

  while (n-- > 0) {
    crc ^= *p++;
    for (int i = 0; i < 8; i++)
      crc = (crc >> 1) ^ (crc & 1 ? UINT32_C (0xedb88320) : 0);
  }
  return ~crc;
}

/* Address in cylinders, heads and sectors of the usual made-up disk; the highest one if it does not fit. */
static void
put_chs (unsigned char *p, uint64_t lba)
{
  uint64_t cylinder = lba / (255 * 63);
  unsigned head = (unsigned) (lba / 63 % 255), sector = (unsigned) (lba % 63 + 1);

  if (cylinder > 1023) {
    cylinder = 1023;
    head = 254;
    sector = 63;
  }
  p[0] = (unsigned char) head;
  p[1] = (unsigned char) (sector | (cylinder >> 8) << 6);
  p[2] = (unsigned char) cylinder;
}

/* First entry of an MBR, and its signature. */
static void
put_mbr (unsigned char *mbr, unsigned char type, uint64_t start, uint64_t size)
{
  unsigned char *entry = mbr + 446;

  put_chs (entry + 1, start);
  entry[4] = type;
  put_chs (entry + 5, start + size - 1);
  put32 (entry + 8, (uint32_t) start);
  put32 (entry + 12, size > UINT32_MAX ? UINT32_MAX : (uint32_t) size);
  mbr[510] = 0x55;
  mbr[511] = 0xaa;
}

static void
put_gpt_entry (const struct part_layout *l, unsigned char *entry)
{
  /* 0FC63DAF-8483-4772-8E79-3D69D8477DE4: Linux filesystem data. */
  static const unsigned char linux_data[16] = {
    0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47, 0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4,
  };

  memcpy (entry, linux_data, 16);
  memcpy (entry + 16, l->partition_id, 16);
  put64 (entry + 32, PART_START);
  put64 (entry + 40, l->total - PART_TAIL - 1);
  put16 (entry + 56, 'p');
  put16 (entry + 58, '1');
}

/* One of the two headers: at sector LBA, the other one at OTHER, its entries at ENTRIES. */
static void
put_gpt_header (const struct part_layout *l, unsigned char *h, uint64_t lba, uint64_t other, uint64_t entries,
                uint32_t entries_crc)
{
  uint64_t sectors = (GPT_ENTRIES * GPT_ENTRY_SIZE + l->sector - 1) / l->sector;

  memcpy (h, "EFI PART", 8);
  put32 (h + 8, 0x00010000);
  put32 (h + 12, GPT_HEADER_SIZE);
  put64 (h + 24, lba);
  put64 (h + 32, other);
  put64 (h + 40, 2 + sectors);
  put64 (h + 48, l->total - 2 - sectors);
  memcpy (h + 56, l->disk_id, 16);
  put64 (h + 72, entries);
  put32 (h + 80, GPT_ENTRIES);
  put32 (h + 84, GPT_ENTRY_SIZE);
  put32 (h + 88, entries_crc);
  put32 (h + 16, crc32 (h, GPT_HEADER_SIZE));
}

static void
build_gpt (const struct part_layout *l, unsigned char *head, unsigned char *tail)
{
  const size_t bytes = GPT_ENTRIES * GPT_ENTRY_SIZE;
  size_t sectors = (bytes + l->sector - 1) / l->sector;
  unsigned char *entries = head + 2 * l->sector;
  unsigned char *last = tail + (size_t) (PART_TAIL - 1) * l->sector;
  uint32_t crc;

  put_mbr (head, 0xee, 1, l->total - 1);
  put_gpt_entry (l, entries);
  crc = crc32 (entries, bytes);
  memcpy (last - sectors * l->sector, entries, bytes);
  put_gpt_header (l, head + l->sector, 1, l->total - 1, 2, crc);
  put_gpt_header (l, last, l->total - 1, 1, l->total - 1 - sectors, crc);
}

void
part_build (const struct part_layout *l, unsigned char *head, unsigned char *tail)
{
  memset (head, 0, (size_t) PART_START * l->sector);
  memset (tail, 0, (size_t) PART_TAIL * l->sector);
  if (l->gpt)
    build_gpt (l, head, tail);
  else {
    memcpy (head + 440, l->disk_id, 4);
    put_mbr (head, 0x83, PART_START, l->total - PART_START - PART_TAIL);
  }
}
