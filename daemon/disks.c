/* Which disks the user has: files in tests, SCSI disks found at boot or added one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "disks.h"
#include "serve.h"

/* For the disks that are there at the start to appear, 255 of them under emulation included. */
enum { STATIC_DISKS_MS = 30000 };

/* A new disk at the end of the list, all zero, or NULL with errno. */
static struct disk *
append (struct daemon *d, const char *path, const char *sysname)
{
  struct disk *disks = realloc (d->disks, (d->nr_disks + 1) * sizeof *disks);
  struct disk new = { .path = strdup (path), .sysname = sysname ? strdup (sysname) : NULL };

  if (disks != NULL)
    d->disks = disks;
  if (disks == NULL || new.path == NULL || (sysname && new.sysname == NULL)) {
    free (new.path);
    free (new.sysname);
    errno = ENOMEM;
    return NULL;
  }
  d->disks[d->nr_disks] = new;
  return &d->disks[d->nr_disks++];
}

int
devices_add_file (struct daemon *d, const char *path, bool readonly, bool discard, unsigned block)
{
  char sysname[SYSNAME_MAX], *full;
  bool is_block;
  struct disk *disk;
  struct stat st;

  if (stat (path, &st) == -1)
    return -1;
  is_block = S_ISBLK (st.st_mode);
  if (!S_ISREG (st.st_mode) && !(is_block && sysfs_name_of (d, st.st_rdev, sysname))) {
    errno = S_ISDIR (st.st_mode) ? EISDIR : EINVAL;
    return -1;
  }
  if ((full = realpath (path, NULL)) == NULL)
    return -1;
  disk = append (d, full, is_block ? sysname : NULL);
  free (full);
  if (disk == NULL)
    return -1;
  disk->readonly = readonly;
  disk->discard = discard;
  disk->block = block ? block : 512;
  return 0;
}

/* The block device of the SCSI disk ADDRESS ("2:0:5:0"); false if it has none (yet). */
static bool
block_name (const struct daemon *d, const char *address, char out[SYSNAME_MAX])
{
  DIR *dir = sysfs_opendir (d, "bus/scsi/devices/%s/block", address);
  const char *name;
  bool found = false;

  if (dir == NULL)
    return false;
  if ((name = sysfs_next (dir)) != NULL && strlen (name) < SYSNAME_MAX) {
    strcpy (out, name);
    found = true;
  }
  closedir (dir);
  return found;
}

/* A disk has its directory and its node a little before it can be used. */
static bool
can_be_opened (const struct daemon *d, const char *sysname)
{
  char path[SYSNAME_MAX + 8];
  int fd;

  if (d->sysfs != NULL)     /* a made-up one: there are no nodes for its disks */
    return true;
  snprintf (path, sizeof path, "/dev/%s", sysname);
  if ((fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) != -1)
    close (fd);
  return fd != -1;
}

/* Has the driver done with the SCSI disk ADDRESS, partitions included?  Waits for it if it is at work; the
 * block device's name is then in OUT.  Binding by hand takes the same lock as a probe that runs, and fails
 * where it is over.  (Not so drivers_probe, which looks before it locks.) */
static bool
settled (const struct daemon *d, const char *address, char out[SYSNAME_MAX])
{
  sysfs_write (d, address, "bus/scsi/drivers/sd/bind");
  return block_name (d, address, out) && can_be_opened (d, out);
}

static int
compare_scsi (const void *a, const void *b)
{
  const struct scsi_disk *x = a, *y = b;

#define COMPARE(field) if (x->field != y->field) return x->field < y->field ? -1 : 1
  COMPARE (host);
  COMPARE (channel);
  COMPARE (target);
  COMPARE (lun);
#undef COMPARE
  return 0;
}

ssize_t
disks_list_scsi (const struct daemon *d, struct scsi_disk **list)
{
  DIR *dir = sysfs_opendir (d, "bus/scsi/devices");
  struct scsi_disk *v = NULL, *bigger, one;
  const char *name;
  size_t n = 0;
  int end;

  *list = NULL;
  if (dir == NULL)
    return errno == ENOENT ? 0 : -1;
  while ((name = sysfs_next (dir)) != NULL) {
    end = 0;
    if (sscanf (name, "%d:%d:%d:%d%n", &one.host, &one.channel, &one.target, &one.lun, &end) != 4 ||
        name[end] != '\0' || !block_name (d, name, one.sysname))
      continue;
    if ((bigger = realloc (v, (n + 1) * sizeof *v)) == NULL)
      break;
    v = bigger;
    v[n++] = one;
  }
  closedir (dir);
  if (n > 0)
    qsort (v, n, sizeof *v, compare_scsi);
  *list = v;
  return (ssize_t) n;
}

static int
add_scsi (struct daemon *d, const struct scsi_disk *s)
{
  char path[SYSNAME_MAX + 8], ro[8] = "0";
  struct disk *disk;

  snprintf (path, sizeof path, "/dev/%s", s->sysname);
  if ((disk = append (d, path, s->sysname)) == NULL)
    return -1;
  disk->host = s->host;
  disk->channel = s->channel;
  disk->target = s->target;
  disk->lun = s->lun;
  sysfs_read (d, ro, sizeof ro, "class/block/%s/ro", s->sysname);
  disk->readonly = strcmp (ro, "1") == 0;
  return 0;
}

/* UUID of the appliance's root from the kernel command line, as 16 bytes; false if it names none. */
bool
disks_root_uuid (const char *cmdline, unsigned char uuid[16])
{
  const char *p = cmdline;
  unsigned byte;

  while (p != NULL && strncmp (p, "root=UUID=", 10) != 0)
    if ((p = strchr (p, ' ')) != NULL)
      p += strspn (p, " ");
  if (p == NULL)
    return false;
  p += 10;
  for (int i = 0; i < 16; i++, p += 2) {
    if (*p == '-')
      p++;
    if (strspn (p, "0123456789abcdefABCDEF") < 2 || sscanf (p, "%2x", &byte) != 1)
      return false;
    uuid[i] = (unsigned char) byte;
  }
  return true;
}

/* Does the disk hold an ext filesystem with this UUID? */
static bool
has_uuid (const char *sysname, const unsigned char uuid[16])
{
  char path[SYSNAME_MAX + 8];
  unsigned char sb[1024];
  bool r = false;
  int fd;

  snprintf (path, sizeof path, "/dev/%s", sysname);
  if ((fd = open (path, O_RDONLY | O_CLOEXEC)) == -1)
    return false;
  if (pread (fd, sb, sizeof sb, 1024) == (ssize_t) sizeof sb)
    r = sb[0x38] == 0x53 && sb[0x39] == 0xef && memcmp (sb + 0x68, uuid, 16) == 0;
  close (fd);
  return r;
}

/* The UUID of the appliance's root, if the kernel was told one. */
static bool
read_root_uuid (unsigned char uuid[16])
{
  char cmdline[4096] = "";
  FILE *fp = fopen ("/proc/cmdline", "re");

  if (fp != NULL) {
    if (fgets (cmdline, sizeof cmdline, fp) == NULL)
      cmdline[0] = '\0';
    fclose (fp);
  }
  return disks_root_uuid (cmdline, uuid);
}

/* Which of the disks is the appliance's own?  The last with the UUID: a user's disk may hold a copy of it,
 * but the appliance's stands on the highest target.  N if none is. */
static size_t
find_root (const struct scsi_disk *v, size_t n, const unsigned char uuid[16])
{
  size_t i = n;

  while (i-- > 0)
    if (has_uuid (v[i].sysname, uuid))
      return i;
  return n;
}

/* Is every disk that the SCSI layer knows ready for use, its partitions read?  Those whose driver is at work
 * are waited for. */
static bool
all_settled (const struct daemon *d)
{
  DIR *dir = sysfs_opendir (d, "bus/scsi/devices");
  char type[8], sysname[SYSNAME_MAX];
  const char *name;
  bool r = true;

  while (dir != NULL && r && (name = sysfs_next (dir)) != NULL)
    if (sysfs_read (d, type, sizeof type, "bus/scsi/devices/%s/type", name) != -1 && strcmp (type, "0") == 0)
      r = settled (d, name, sysname);
  if (dir != NULL)
    closedir (dir);
  return r;
}

/* List the disks that were there at the start once all of them have appeared: they come one after the other,
 * by their addresses, and the appliance's own is the last.  *ROOT is its place, or the number of disks where
 * the command line names none; then only those that are known now can be waited for. */
static ssize_t
list_complete (const struct daemon *d, struct scsi_disk **v, size_t *root)
{
  const struct timespec pause = { .tv_nsec = 2 * 1000 * 1000 };
  int64_t end = serve_now_ms () + STATIC_DISKS_MS;
  unsigned char uuid[16];
  bool named = read_root_uuid (uuid);
  ssize_t n;

  for (;;) {
    bool complete = all_settled (d);

    n = disks_list_scsi (d, v);
    *root = n > 0 && named ? find_root (*v, (size_t) n, uuid) : n > 0 ? (size_t) n : 0;
    if (n == -1 || (complete && (!named || *root < (size_t) n)))
      return n;
    if (serve_now_ms () > end)
      break;
    free (*v);
    nanosleep (&pause, NULL);
  }
  fprintf (stderr, "zerofishd: after %d seconds %s\n", STATIC_DISKS_MS / 1000, named && *root == (size_t) n
           ? "the appliance's own disk has not appeared" : "not all disks can be used");
  return n;
}

int
devices_scan (struct daemon *d)
{
  struct scsi_disk *v = NULL;
  size_t root;
  ssize_t n = list_complete (d, &v, &root);
  int r = n == -1 ? -1 : 0;

  for (size_t i = 0; r == 0 && i < (size_t) n; i++) {
    if (i != root)
      r = add_scsi (d, &v[i]);
    else if (asprintf (&d->root_disk, "/dev/%s", v[i].sysname) == -1)
      r = -1;
  }
  free (v);
  return r;
}

struct disk *
disks_add_scsi (struct daemon *d, const struct scsi_disk *s)
{
  return add_scsi (d, s) == 0 ? &d->disks[d->nr_disks - 1] : NULL;
}

bool
disks_find_scsi (const struct daemon *d, int target, int lun, struct scsi_disk *out)
{
  DIR *dir = sysfs_opendir (d, "bus/scsi/devices");
  const char *name;
  bool found = false;

  while (dir != NULL && !found && (name = sysfs_next (dir)) != NULL) {
    if (sscanf (name, "%d:%d:%d:%d", &out->host, &out->channel, &out->target, &out->lun) != 4 ||
        out->target != target || out->lun != lun)
      continue;
    found = settled (d, name, out->sysname);
  }
  if (dir != NULL)
    closedir (dir);
  return found;
}

int
disks_wait_scsi (struct call *c, int target, int lun, int timeout_ms, struct scsi_disk *out)
{
  const struct timespec pause = { .tv_nsec = 2 * 1000 * 1000 };
  int64_t end = serve_now_ms () + timeout_ms;

  for (;;) {
    if (disks_find_scsi (c->d, target, lun, out))
      return 0;
    if (serve_now_ms () > end)
      return call_refuse (c, ETIMEDOUT, "the SCSI disk at target %d, lun %d did not appear within %d ms",
                          target, lun, timeout_ms);
    if (call_poll (c) == -1)
      return -1;
    nanosleep (&pause, NULL);
  }
}

char *
devices_wait (struct call *c, int target, int lun, int timeout_ms)
{
  struct scsi_disk s;

  return disks_wait_scsi (c, target, lun, timeout_ms, &s) == 0 ? call_strdup (c, s.sysname) : NULL;
}
