/* Drives as qemu sees them: a graph of block nodes for each, then a SCSI disk, all over QMP as JSON, so that
 * no file name can become an option.
 *
 * Every node says its driver, format, discard mode, read-only mode and cache mode explicitly: nothing is
 * detected, inherited or switched by qemu.
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
#include <unistd.h>

#include "launch.h"

enum { SCRATCH_SIZE = 4096, QMP_MS = 30000, JOB_MS = 60000 };

/* What the nodes of one drive have in common. */
struct node_mode {
  bool readonly;            /* may be in use by another program: opened read-only without a lock */
  bool unmap;               /* pass the guest's discards on */
  bool unsafe;              /* no flush reaches the host's disk */
  enum zf_detect_zeroes detect_zeroes;      /* by the format node */
};

/* --- one QMP command --- */

/* Is this qemu's way of saying that another program holds the image's lock? */
static bool
is_lock_error (const char *text)
{
  return text != NULL && strstr (text, "Failed to get") != NULL && strstr (text, "lock") != NULL;
}

/* Run COMMAND for the drive called WHAT. 0, or -1 with the error set. */
static int
run (zf_handle *h, struct qmp *q, const char *what, const char *command, json_t *args)
{
  char *text;
  int err;

  if (qmp_command (q, command, args, NULL, zfi_now_ms () + QMP_MS, &text) == 0)
    return 0;
  err = errno;
  if (err == EIO && is_lock_error (text))
    zfi_error (h, EBUSY, "%s is in use by another program (or was added twice): end that first, or add it "
               "read-only (%s)", what, text);
  else if (err == EILSEQ)
    zfi_error (h, EILSEQ, "%s: the name is not valid UTF-8", what);
  else
    zfi_error (h, err, "%s: %s", what, text != NULL ? text : "out of memory");
  free (text);
  return -1;
}

/* --- nodes --- */

/* The options that every node has.  NULL if NAME or DRIVER is no valid text. */
static json_t *
new_node (const char *driver, const char *name, const struct node_mode *m)
{
  json_t *node = json_pack ("{s:s, s:s, s:b, s:b, s:s, s:s, s:{s:b, s:b}}",
                            "driver", driver, "node-name", name,
                            "read-only", (int) m->readonly, "auto-read-only", 0,
                            "discard", m->unmap ? "unmap" : "ignore", "detect-zeroes", "off",
                            "cache", "direct", 0, "no-flush", (int) m->unsafe);

  if (node != NULL && m->readonly)
    json_object_set_new (node, "force-share", json_true ());
  return node;
}

/* Where the NBD server of D is, as the nbd driver wants it.  NULL: no memory, or no valid text. */
static json_t *
nbd_server (const struct zfi_nbd *n)
{
  if (n->socket != NULL)
    return json_pack ("{s:s, s:s}", "type", "unix", "path", n->socket);
  return json_pack ("{s:s, s:s, s:s}", "type", "inet", "host", n->host, "port", n->port);
}

/* The protocol node called NAME of drive D: file, host device or NBD server. */
static int
add_protocol_node (zf_handle *h, struct qmp *q, const struct zf_drive *d, size_t index, const char *name,
                   const struct node_mode *m)
{
  json_t *node;
  char *path;

  if (d->nbd != NULL) {
    node = new_node ("nbd", name, m);
    if (d->nbd->tls || json_object_set_new (node, "server", nbd_server (d->nbd)) == -1
        || json_object_set_new (node, "export", json_string (d->nbd->export)) == -1) {
      json_decref (node);
      return zfi_error (h, ENOTSUP, "%s: this address cannot be passed to qemu%s", d->uri,
                        d->nbd->tls ? " (TLS is not supported)" : "");
    }
    return run (h, q, d->uri, "blockdev-add", node);
  }
  if ((path = zfi_drive_filename (h, index)) == NULL)
    return -1;
  node = new_node (d->block_device ? "host_device" : "file", name, m);
  json_object_set_new (node, "filename", json_string (path));
  free (path);
  return run (h, q, d->path, "blockdev-add", node);
}

/* A format node on top of the node called FILE, and of BACKING if that is not NULL. */
static int
add_format_node (zf_handle *h, struct qmp *q, const char *what, const char *format, const char *name,
                 const char *file, const char *backing, const struct node_mode *m)
{
  json_t *node = new_node (format, name, m);

  if (node == NULL)
    return zfi_error (h, EINVAL, "%s: the format is not valid text", what);
  json_object_set_new (node, "file", json_string (file));
  json_object_set_new (node, "detect-zeroes", json_string (zfi_detect_zeroes_name (m->detect_zeroes)));
  if (backing != NULL)
    json_object_set_new (node, "backing", json_string (backing));
  /* Where space is to be given back, zeroes that a filesystem writes need not take any in the first place. */
  if (m->unmap)
    json_object_set_new (node, "detect-zeroes", json_string ("unmap"));
  return run (h, q, what, "blockdev-add", node);
}

/* --- throw-away files in the work directory --- */

static int
make_file (zf_handle *h, const char *path, off_t size)
{
  int fd = open (path, O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600);
  int r = 0;

  if (fd == -1 || ftruncate (fd, size) == -1)
    r = zfi_perror (h, errno, "%s", path);
  if (fd != -1)
    close (fd);
  return r;
}

/* Visible size of the node called NAME, or -1 with the error set. */
static int64_t
node_size (zf_handle *h, struct qmp *q, const char *what, const char *name)
{
  json_t *nodes, *node;
  int64_t size = -1;
  char *text;
  size_t i;

  if (qmp_command (q, "query-named-block-nodes", json_pack ("{s:b}", "flat", 1), &nodes,
                   zfi_now_ms () + QMP_MS, &text) == -1) {
    zfi_error (h, errno, "%s: %s", what, text != NULL ? text : "out of memory");
    free (text);
    return -1;
  }
  json_array_foreach (nodes, i, node) {
    const char *s = json_string_value (json_object_get (node, "node-name"));

    if (s != NULL && strcmp (s, name) == 0)
      size = json_integer_value (json_object_get (json_object_get (node, "image"), "virtual-size"));
  }
  json_decref (nodes);
  if (size <= 0)
    return zfi_error (h, EINVAL, "%s is empty: a disk of size 0 cannot be used", what);
  return size;
}

/* Put an empty qcow2 overlay called NAME over the node called BASE; what the guest writes goes there and is
 * thrown away. */
static int
add_overlay (zf_handle *h, struct qmp *q, const char *what, size_t index, const char *base, const char *name)
{
  const struct node_mode m = { .unsafe = true };
  char file[32], job[32], *path = NULL, *text = NULL;
  json_t *node, *options;
  int64_t size;
  int r = -1;

  snprintf (file, sizeof file, "overlay%zu-file", index);
  snprintf (job, sizeof job, "overlay%zu-create", index);
  if ((size = node_size (h, q, what, base)) == -1)
    goto out;
  if (asprintf (&path, "%s/overlay%zu", h->workdir, index) == -1) {
    path = NULL;
    zfi_perror (h, ENOMEM, "%s", what);
    goto out;
  }
  if (make_file (h, path, 0) == -1)
    goto out;
  node = new_node ("file", file, &m);
  json_object_set_new (node, "filename", json_string (path));
  if (run (h, q, path, "blockdev-add", node) == -1)
    goto out;
  options = json_pack ("{s:s, s:{s:s, s:s, s:I}}", "job-id", job, "options",
                       "driver", "qcow2", "file", file, "size", (json_int_t) size);
  if (run (h, q, path, "blockdev-create", options) == -1)
    goto out;
  if (qmp_finish_job (q, job, zfi_now_ms () + JOB_MS, &text) == -1) {
    zfi_error (h, errno, "cannot make the overlay %s: %s", path, text != NULL ? text : "out of memory");
    goto out;
  }
  r = add_format_node (h, q, what, "qcow2", name, file, base, &m);
 out:
  free (path);
  free (text);
  return r;
}

/* --- drives --- */

/* Does another program hold the image open for writing?  qemu's lock for that is on byte 101. */
static bool
written_elsewhere (const char *path)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 101, .l_len = 1 };
  int fd = open (path, O_RDONLY|O_CLOEXEC|O_NONBLOCK);
  bool r;

  if (fd == -1)
    return false;
  r = fcntl (fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close (fd);
  return r;
}

/* Nodes of a drive that is only read: base-file, base, and the overlay on top, called TOP. */
static int
add_readonly_nodes (zf_handle *h, struct qmp *q, const struct zf_drive *d, size_t index, const char *top)
{
  const struct node_mode m = { .readonly = true };
  const char *what = d->uri != NULL ? d->uri : d->path;
  char file[32], base[32];

  if (d->nbd == NULL && written_elsewhere (d->path))
    zfi_warning (h, "%s is in use by another program: what is read from it may be inconsistent", what);
  snprintf (file, sizeof file, "base%zu-file", index);
  snprintf (base, sizeof base, "base%zu", index);
  if (add_protocol_node (h, q, d, index, file, &m) == -1
      || add_format_node (h, q, what, d->format, base, file, NULL, &m) == -1)
    return -1;
  return add_overlay (h, q, what, index, base, top);
}

/* Nodes of a drive that may be written. */
static int
add_writable_nodes (zf_handle *h, struct qmp *q, const struct zf_drive *d, size_t index, const char *top)
{
  const struct node_mode m = {
    .unmap = d->discard != DISCARD_DISABLE,
    .unsafe = d->cachemode != NULL && strcmp (d->cachemode, "unsafe") == 0,
    .detect_zeroes = d->detect_zeroes,
  };
  const char *what = d->uri != NULL ? d->uri : d->path;
  char file[32];

  snprintf (file, sizeof file, "drive%zu-file", index);
  if (add_protocol_node (h, q, d, index, file, &m) == -1
      || add_format_node (h, q, what, d->format, top, file, NULL, &m) == -1)
    return -1;
  /* The length of a raw file was looked at when it was added. */
  if ((d->nbd != NULL || strcmp (d->format, "raw") != 0) && node_size (h, q, what, top) == -1)
    return -1;
  return 0;
}

/* /dev/null as a drive: a small disk that starts empty and is thrown away. */
static int
add_scratch_nodes (zf_handle *h, struct qmp *q, size_t index, const char *top)
{
  const struct node_mode m = { .unmap = true, .unsafe = true };
  char file[32], *path;
  json_t *node;
  int r = -1;

  snprintf (file, sizeof file, "drive%zu-file", index);
  if (asprintf (&path, "%s/scratch%zu", h->workdir, index) == -1)
    return zfi_perror (h, ENOMEM, "scratch disk");
  if (make_file (h, path, SCRATCH_SIZE) == -1)
    goto out;
  node = new_node ("file", file, &m);
  json_object_set_new (node, "filename", json_string (path));
  if (run (h, q, path, "blockdev-add", node) == 0)
    r = add_format_node (h, q, path, "raw", top, file, NULL, &m);
 out:
  free (path);
  return r;
}

/* The SCSI disk in front of node TOP.  Errors are reported to the guest: with qemu's default a full host
 * would pause the machine for ever. */
static int
add_disk (zf_handle *h, struct qmp *q, const char *what, const char *top, const char *id, size_t target,
          const char *serial, int blocksize)
{
  json_t *args = json_pack ("{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:i, s:i}",
                            "driver", "scsi-hd", "id", id, "bus", "scsi0.0", "drive", top,
                            "channel", 0, "scsi-id", (int) target, "lun", 0,
                            "serial", serial, "werror", "report", "rerror", "report",
                            "logical_block_size", blocksize, "physical_block_size", blocksize);

  if (args == NULL)
    return zfi_error (h, EINVAL, "%s: the label is not valid text", what);
  return run (h, q, what, "device_add", args);
}

int
zfi_qemu_add_drive (zf_handle *h, struct qmp *q, size_t index)
{
  const struct zf_drive *d = h->drives[index];
  char top[32], id[32], serial[32];
  int r;

  snprintf (top, sizeof top, "drive%zu", index);
  snprintf (id, sizeof id, "disk%zu", index);
  snprintf (serial, sizeof serial, "zf-%08x-%zu", (unsigned) (zfi_now_ms () & 0xffffffff), index);
  if (d->scratch)
    r = add_scratch_nodes (h, q, index, top);
  else if (d->readonly)
    r = add_readonly_nodes (h, q, d, index, top);
  else
    r = add_writable_nodes (h, q, d, index, top);
  if (r == -1)
    return -1;
  return add_disk (h, q, d->uri != NULL ? d->uri : d->path, top, id, index,
                   d->label != NULL ? d->label : serial, d->blocksize != 0 ? d->blocksize : 512);
}

static void
del_node (struct qmp *q, const char *name)
{
  char *ignored;

  qmp_command (q, "blockdev-del", json_pack ("{s:s}", "node-name", name), NULL, zfi_now_ms () + QMP_MS,
               &ignored);
  free (ignored);
}

/* The root is shared by all appliances of the user and never written. */
int
zfi_qemu_add_tools (zf_handle *h, struct qmp *q, const char *root)
{
  const struct node_mode m = { .readonly = true };
  json_t *node = new_node ("file", "tools-file", &m);

  if (json_object_set_new (node, "filename", json_string (root)) == -1) {
    json_decref (node);
    return zfi_error (h, EILSEQ, "%s: the name is not valid UTF-8", root);
  }
  if (run (h, q, root, "blockdev-add", node) == -1)
    return -1;
  if (add_format_node (h, q, root, "raw", "tools", "tools-file", NULL, &m) == 0
      && add_disk (h, q, root, "tools", "tools-disk", TOOLS_TARGET, "zerofish-tools", 512) == 0)
    return 0;
  /* So that a later try finds the names free. */
  del_node (q, "tools");
  del_node (q, "tools-file");
  return -1;
}

int
zfi_qemu_add_stock_root (zf_handle *h, struct qmp *q, const char *root)
{
  const struct node_mode m = { .readonly = true };
  json_t *node = new_node ("file", "root-file", &m);

  if (json_object_set_new (node, "filename", json_string (root)) == -1) {
    json_decref (node);
    return zfi_error (h, EILSEQ, "%s: the name is not valid UTF-8", root);
  }
  if (run (h, q, root, "blockdev-add", node) == -1
      || add_format_node (h, q, root, "raw", "root-base", "root-file", NULL, &m) == -1
      || add_overlay (h, q, root, TOOLS_TARGET, "root-base", "root") == -1)
    return -1;
  return add_disk (h, q, root, "root", "root-disk", TOOLS_TARGET, "appliance", 512);
}
