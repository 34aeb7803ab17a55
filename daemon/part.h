/* Partition tables as bytes, apart from any device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_PART_H
#define ZEROFISH_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PART_START = 128, PART_TAIL = 127 };     /* sectors before and after the one partition */

struct part_layout {
  bool gpt;
  unsigned sector;          /* bytes */
  uint64_t total;           /* sectors of the disk, at least PART_START + PART_TAIL + 1 */
  unsigned char disk_id[16], partition_id[16];  /* random; MBR uses 4 bytes of the first */
};

/* Fill HEAD (PART_START sectors) and TAIL (PART_TAIL sectors) with a table of one partition over the rest. */
extern void part_build (const struct part_layout *l, unsigned char *head, unsigned char *tail);

#endif /* ZEROFISH_PART_H */
