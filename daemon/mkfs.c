/* Making filesystems with the programs of the tools root.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "actions.h"
#include "io.h"
#include "run.h"
#include "zero-scan.h"

enum { MKFS_TIMEOUT_S = 4 * 3600, WIPE_SIZE = 1024 * 1024, WIPE_BLOCK = 4096 };

/* How one program wants to be asked.  An option is a flag and a form for its value; NULL: there is none. */
struct option {
  const char *flag, *form;
};

struct maker {
  const char *type;
  const char *program;
  const char *fixed[5];
  struct option block, inode, sector, features, label;
  bool block_in_sectors;    /* the block size is asked for as a number of sectors */
  size_t label_max;         /* bytes */
  const char *no_discard[3];
  bool no_dashes;           /* it does not take "--" before the device */
};

#define EXT(name) \
  { name, "mke2fs", { "-q", "-F", "-t", name }, { "-b", "" }, { "-I", "" }, { NULL, NULL }, { "-O", "" }, \
    { "-L", "" }, false, 16, { "-E", "nodiscard" }, false }
#define FAT(name) \
  { name, "mkfs.vfat", { "-I", "--mbr=n" }, { "-s", "" }, { NULL, NULL }, { "-S", "" }, { NULL, NULL }, \
    { "-n", "" }, true, 11, { NULL }, false }

static const struct maker makers[] = {
  EXT ("ext2"), EXT ("ext3"), EXT ("ext4"), FAT ("vfat"), FAT ("fat"), FAT ("msdos"),
  { "xfs", "mkfs.xfs", { "-q", "-f" }, { "-b", "size=" }, { "-i", "size=" }, { "-s", "size=" },
    { NULL, NULL }, { "-L", "" }, false, 12, { "-K" }, false },
  { "btrfs", "mkfs.btrfs", { "-q", "-f" }, { NULL, NULL }, { NULL, NULL }, { "-s", "" }, { "-O", "" },
    { "-L", "" }, false, 255, { "-K" }, false },
  /* -F: a whole disk will do; -Q: without writing all of it. */
  { "ntfs", "mkntfs", { "-q", "-Q", "-F" }, { "-c", "" }, { NULL, NULL }, { "-s", "" }, { NULL, NULL },
    { "-L", "" }, false, 128, { NULL }, true },
};

static const struct maker *
find_maker (struct call *c, const char *type)
{
  for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
    if (strcmp (makers[i].type, type) == 0)
      return &makers[i];
  call_refuse (c, EINVAL, "cannot make a filesystem of type \"%s\": use ext2, ext3, ext4, xfs, btrfs, vfat "
               "or ntfs", type);
  return NULL;
}

/* Add an option, which the program must have. */
static int
add_option (struct call *c, struct list *argv, const struct maker *m, const struct option *o,
            const char *what, const char *value)
{
  char *text;

  if (o->flag == NULL)
    return call_refuse (c, EINVAL, "a filesystem of type %s has no %s option", m->type, what);
  text = call_printf (c, "%s%s", o->form, value);
  return text == NULL || list_add (c, argv, o->flag) == -1 ? -1 : list_add (c, argv, text);
}

static int
add_number (struct call *c, struct list *argv, const struct maker *m, const struct option *o,
            const char *what, int value)
{
  const char *text = call_printf (c, "%d", value);

  if (value <= 0)
    return call_refuse (c, EINVAL, "%s has to be more than 0, not %d", what, value);
  return text ? add_option (c, argv, m, o, what, text) : -1;
}

static int
add_label (struct call *c, struct list *argv, const struct maker *m, const char *label)
{
  if (strlen (label) > m->label_max)
    return call_refuse (c, EINVAL, "the label \"%s\" is too long: %s takes at most %zu bytes", label, m->type,
                        m->label_max);
  return add_option (c, argv, m, &m->label, "label", label);
}

/* The options that the user gave.  SECTOR is the device's. */
static int
add_options (struct call *c, struct list *argv, const struct maker *m, const struct zf_mkfs_opts *opts,
             unsigned sector)
{
  const uint64_t given = opts ? opts->bitmask : 0;
  int block = given & ZF_MKFS_OPTS_BLOCKSIZE ? opts->blocksize : 0;

  if (given & ZF_MKFS_OPTS_SECTORSIZE) {
    if (add_number (c, argv, m, &m->sector, "sectorsize", opts->sectorsize) == -1)
      return -1;
    sector = (unsigned) opts->sectorsize;
  } else if (sector != 512 && m->sector.flag != NULL &&
             add_number (c, argv, m, &m->sector, "sectorsize", (int) sector) == -1)
    return -1;
  if (m->block_in_sectors && block > 0) {
    if ((unsigned) block % sector != 0)
      return call_refuse (c, EINVAL, "blocksize %d is no multiple of the sector size %u", block, sector);
    block /= (int) sector;
  }
  if (((given & ZF_MKFS_OPTS_BLOCKSIZE) && add_number (c, argv, m, &m->block, "blocksize", block) == -1) ||
      ((given & ZF_MKFS_OPTS_FEATURES) &&
       add_option (c, argv, m, &m->features, "features", opts->features) == -1) ||
      ((given & ZF_MKFS_OPTS_INODE) && add_number (c, argv, m, &m->inode, "inode", opts->inode) == -1) ||
      ((given & ZF_MKFS_OPTS_LABEL) && add_label (c, argv, m, opts->label) == -1))
    return -1;
  return 0;
}

static int
add_all (struct call *c, struct list *argv, const char *const *v)
{
  for (; *v != NULL; v++)
    if (list_add (c, argv, *v) == -1)
      return -1;
  return 0;
}

/* The whole command line, or NULL with the error set. */
static char **
make_argv (struct call *c, const struct maker *m, const struct device *dev, const struct zf_mkfs_opts *opts,
           unsigned sector)
{
  const char *program = run_find (c, m->program);
  struct list argv = { 0 };

  if (program == NULL || list_add (c, &argv, program) == -1 || add_all (c, &argv, m->fixed) == -1 ||
      add_options (c, &argv, m, opts, sector) == -1 ||
      /* A drive without discard takes the request and does nothing: a waste of time. */
      (!dev->discard && add_all (c, &argv, m->no_discard) == -1) ||
      (!m->no_dashes && list_add (c, &argv, "--") == -1) || list_add (c, &argv, dev->path) == -1)
    return NULL;
  return list_end (c, &argv);
}

/* Zero those blocks of the N bytes at OFFSET that hold anything. */
static int
wipe_range (struct call *c, const struct device *dev, int fd, char *buf, size_t n, uint64_t offset)
{
  static const char zeroes[WIPE_BLOCK];
  size_t len;

  if (io_read (c, dev->name, fd, buf, n, offset) == -1)
    return -1;
  for (size_t at = 0; at < n; at += len) {
    len = n - at < WIPE_BLOCK ? n - at : WIPE_BLOCK;
    if (!zero_scan_is_zero (buf + at, len) && io_write (c, dev->name, fd, zeroes, len, offset + at) == -1)
      return -1;
  }
  return 0;
}

/* Remove what was there before from both ends, where every kind of filesystem, volume and partition table has
 * its marks, so that nobody finds an old one beside the new. */
static int
wipe (struct call *c, const struct device *dev, int fd, uint64_t size)
{
  size_t n = size < WIPE_SIZE ? (size_t) size : WIPE_SIZE;
  char *buf = call_alloc (c, n + 1);

  if (buf == NULL || wipe_range (c, dev, fd, buf, n, 0) == -1 ||
      wipe_range (c, dev, fd, buf, n, size - n) == -1)
    return -1;
  return io_sync (c, dev->name, fd);
}

/* See that the device is free, find its sector size, and wipe it if the command line could be made. */
static char **
prepare (struct call *c, const struct maker *m, const struct device *dev, const struct zf_mkfs_opts *opts)
{
  int fd = device_open (c, dev, O_RDWR | O_EXCL);
  char **argv = NULL;
  unsigned sector;
  uint64_t size;

  if (fd == -1)
    return NULL;
  if (device_geometry (c, dev, fd, &size, &sector) == 0)
    argv = make_argv (c, m, dev, opts, sector);
  if (argv != NULL && wipe (c, dev, fd, size) == -1)
    argv = NULL;
  close (fd);
  return argv;
}

int
do_mkfs (struct call *c, const char *fstype, struct device *dev, const struct zf_mkfs_opts *opts)
{
  const struct maker *m = find_maker (c, fstype);
  char **argv;

  if (m == NULL || device_flush_caches (c, dev) == -1 || (argv = prepare (c, m, dev, opts)) == NULL ||
      device_flush_caches (c, dev) == -1 ||
      run_program (c, (const char *const *) argv, NULL, MKFS_TIMEOUT_S) == -1 ||
      device_flush_caches (c, dev) == -1)
    return -1;
  return device_reread (c, dev);
}
