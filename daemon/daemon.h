/* What the files of the daemon share: the daemon, one call, devices, paths and programs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_DAEMON_H
#define ZEROFISH_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conn.h"
#include "wire.h"

/* --verbose, or zerofish_verbose=1 on the kernel command line; the only global. */
extern int verbose;

enum { MAX_CLUSTER = 2 << 20 };     /* of any qcow2 image */

/* A user's disk.  Index 0 is /dev/sda to the outside, whatever the kernel calls it. */
struct disk {
  char *path;               /* "/dev/sdb" as the kernel has it, or a file's name in tests */
  char *sysname;            /* "sdb": its directory under /sys/block; NULL for files */
  int host, channel, target, lun;
  bool readonly;            /* the user said so (an overlay looks writable) */
  bool discard;             /* the drive has discard on */
  bool raw;                 /* punching holes in it never takes space, wherever it is */
  unsigned cluster;         /* of an image whose clusters can be marked zero, in bytes; 0: other, or unknown */
  unsigned block;           /* files only: logical block size in bytes */
  bool setro;               /* files only: what blockdev_setro said */
};

struct daemon {
  struct conn *conn;
  struct disk *disks;
  size_t nr_disks;
  const char *sysroot;      /* "/sysroot": where the user's filesystems are mounted */
  const char *tools;        /* "/tools": the tools root once attached, else NULL (programs come from /) */
  bool appliance;           /* running as /init of the appliance */
  bool hello;               /* the library has introduced itself: disks come by internal_add_disk */
  uint64_t nr_calls;        /* requests so far, the one that runs included */
  struct hints *hints;      /* for the next call, or NULL */
  struct zero_pool *zero_pool;  /* what the zero engine keeps; NULL: nothing yet */
  size_t chunk_max;         /* what the library agreed to, if more than ZF_CHUNK_MAX; else 0 */
  struct chunk *pages;      /* kept from an earlier call for call_alloc_pages, or NULL */
  char *root_disk;          /* "/dev/sdb": the disk with the tools root, mounted at first need; or NULL */
  const char *sysfs;        /* NULL: "/sys"; unit tests have a tree of their own */
};

/* How a device argument was given and what it is. */
struct device {
  const char *name;         /* translated: "/dev/sda1", or as given for volumes */
  const char *path;         /* what to open */
  struct disk *disk;        /* the user disk it lies on; NULL for volumes over several */
  int partnum;              /* 0: a whole disk or a volume */
  bool readonly;            /* its disk (any of its disks) is read-only */
  bool discard;             /* all of its disks have discard on */
};

struct mountable {
  struct device *dev;
  const char *volume;       /* btrfs subvolume, or NULL */
};

struct device_or_path {
  struct device *dev;       /* exactly one of the two is set */
  const char *path;
};

struct row;                 /* dispatch table row, generated */

/* One request.  Everything allocated with call_alloc and friends goes when it is over. */
struct call {
  struct daemon *d;
  const struct row *row;
  uint32_t serial;
  uint64_t progress_hint;   /* size of the FileIn source, or 0 */
  uint64_t optargs_bitmask;

  struct chunk *memory;     /* of call_alloc */
  struct buf reply;         /* the frame that serve will send */
  char *result;             /* of call_result_buffer, in pages: sent from there; else NULL */
  size_t result_size;

  char *error;              /* message, NULL while there is none */
  int error_errno;

  bool cancelled;           /* the cancel flag was seen, or the library is gone */
  int64_t started_ms, last_progress_ms, last_poll_ms;
  bool progress_sent;
  uint64_t progress_total;  /* as last sent, for the final 100 % */

  enum { FILE_IN_NONE, FILE_IN_OPEN, FILE_IN_END, FILE_IN_CANCELLED, FILE_IN_LOST } file_in;
  int file_in_errno;        /* FILE_IN_LOST: why */
  size_t in_left, in_pad;   /* FileIn: what is unread of the chunk at hand: data, and bytes after them */
  struct buf chunk;         /* FileOut: chunks not yet sent */
  size_t chunk_used;        /* FileOut: where the chunk being filled begins */
  int (*file_out) (struct call *c, void *opaque);   /* FileOut: runs after the ok reply */
  void *file_out_opaque;
  bool file_out_failed;     /* cancelled, or the connection was lost: nothing more is sent */
};

/* Dispatch: rows in procedure order, generated into stubs.c. */
struct row {
  int proc;
  const char *name;
  unsigned flags;           /* ROW_* */
  unsigned nr_optargs;
  int (*stub) (struct call *c, XDR *in);   /* decode, check, run, encode into c->reply; 0 or -1 */
};
enum {
  ROW_DESTRUCTIVE = 1, ROW_PROGRESS = 2, ROW_CANCEL = 4, ROW_FILE_IN = 8, ROW_FILE_OUT = 16,
};
extern const struct row rows[];
extern const size_t nr_rows;

/* --- serve.c --- */

/* Send the launch flag (if FLAG) and answer requests until the peer goes away: 0, or -1 with errno when the
 * stream broke.  The only place that replies. */
extern int serve (struct daemon *d, bool flag);

/* --- zero.c --- */

/* Get in advance what the zero calls need: then none of them has to wait for it. */
extern void zero_prepare (struct daemon *d);

/* --- call.c --- */

/* Memory of the call.  NULL only after call_error (ENOMEM). */
extern void *call_alloc (struct call *c, size_t n);       /* zeroed */
/* N bytes at the beginning of a page, as O_DIRECT wants them; not zeroed.  Data in them can be sent without
 * a copy. */
extern char *call_alloc_pages (struct call *c, size_t n);
extern char *call_strdup (struct call *c, const char *s);
extern char *call_printf (struct call *c, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));
/* A list that grows in the call's memory, NULL at the end; start with a zeroed struct. */
struct list { char **v; size_t n, cap; };
extern int list_add (struct call *c, struct list *l, const char *s);   /* copies S; 0 or -1 */
extern char **list_end (struct call *c, struct list *l);               /* never NULL but on ENOMEM */

/* Set the call's error (the first one stays) and return -1.  ERR is an errno value.  The text says what
 * failed on which object at which offset, without strerror: call_error appends ": " and strerror (ERR)
 * itself if ERR is not 0; call_refuse does not. */
extern int call_error (struct call *c, int err, const char *fs, ...) __attribute__ ((format (printf, 3, 4)));
extern int call_refuse (struct call *c, int err, const char *fs, ...) __attribute__ ((format (printf, 3, 4)));
/* As call_refuse, for a text of several lines: newlines stay as they are, other control characters do not. */
extern int call_refuse_lines (struct call *c, int err, const char *fs, ...)
  __attribute__ ((format (printf, 3, 4)));
/* Forget the error: for a handler that goes on after a failed attempt. */
extern void call_forget_error (struct call *c);

/* Report POSITION of TOTAL (sent after 2 s, then at most three times a second) and look for the cancel flag.
 * 0, or -1 with the error EINTR set.  Cheap: call it as often as you like. */
extern int call_progress (struct call *c, uint64_t position, uint64_t total);
/* The same without a known total (pulse). */
extern int call_poll (struct call *c);

/* Encode the result into the reply: used by the stubs.  0, or -1 with the error set (too large for a
 * message). */
extern int call_result (struct call *c, xdrproc_t proc, void *value);
/* The same for a buffer. */
extern int call_result_buffer (struct call *c, char *p, size_t n);

/* FileIn: read the next N bytes, fewer only before the end of the file: bytes, 0 at the end, -1 with the
 * error set (the library cancelled, or the connection was lost). */
extern ssize_t file_in_read (struct call *c, void *p, size_t n);

/* FileOut: the handler opens what it needs, calls this as its last step and returns 0; FN then runs after
 * the reply and writes with file_out_write; its return value -1 becomes a cancelled chunk.  FN also frees
 * what OPAQUE holds: it is called in every case, and finds file_out_write failing where the reply could
 * not be sent. */
extern void call_set_file_out (struct call *c, int (*fn) (struct call *c, void *opaque), void *opaque);
/* 0, or -1: cancelled by the library or connection lost; stop then. */
extern int file_out_write (struct call *c, const void *p, size_t n);
/* The same without a copy where the library takes large chunks.  P is what call_alloc_pages gave; the bytes
 * are lost. */
extern int file_out_pages (struct call *c, char *p, size_t n);

/* --- devices.c: what disks there are, their names inside and out --- */

/* NAME as the user gives it to a device in the call's memory; refuses everything that is not a user disk,
 * a partition or volume on one (EINVAL, ENOENT, ENODEV, ENOTBLK).  ROW_DESTRUCTIVE in FLAGS: EROFS on
 * read-only ones. */
extern struct device *device_resolve (struct call *c, const char *name, unsigned flags);
extern struct mountable *mountable_resolve (struct call *c, const char *name, unsigned flags);
extern struct device_or_path *device_or_path_resolve (struct call *c, const char *name, unsigned flags);
/* "/" at the start, something mounted; else EINVAL. */
extern const char *path_check (struct call *c, const char *path);

/* Translated name of a kernel path ("/dev/sdb1" -> "/dev/sda1") in the call's memory; NULL if it is not a
 * user's (no error set).  Volumes keep their names. */
extern const char *device_name_out (struct call *c, const char *path);
/* "/dev/sda" ... "/dev/sdaa" of a disk index. */
extern char *device_index_name (struct call *c, size_t index);
/* TEXT of a program in the call's memory, with kernel paths of user disks translated. */
extern char *device_text_out (struct call *c, const char *text);

/* Open for O_RDONLY/O_RDWR, O_DIRECT etc. in FLAGS; O_EXCL is added for destructive whole-device work by the
 * callers.  Errors name the device; EBUSY says by what (mounted on /, held by dm-0, ...). */
extern int device_open (struct call *c, const struct device *dev, int flags);
/* Size in bytes and logical block size of an open device (or file). */
extern int device_geometry (struct call *c, const struct device *dev, int fd, uint64_t *size,
                            unsigned *block);

/* Where a partition begins on its disk, in bytes; 0 for everything else. */
extern uint64_t device_start (const struct call *c, const struct device *dev);
/* Rule 8: sync filesystems and drop the caches of the disk, its partitions and their holders.  Before and
 * after. */
extern int device_flush_caches (struct call *c, const struct device *dev);
/* The same for all disks, where a program may look at any of them. */
extern int devices_flush_all (struct call *c);
/* Less, before reading or writing with O_DIRECT: what is dirty goes to the drive, whose own cache is left
 * alone; DROP: the caches are empty then, as they have to be after the write. */
extern int device_write_back (struct call *c, const struct device *dev, bool drop);
/* Rule 9: after anything that wrote to a whole disk: BLKRRPART and wait for the nodes to match. */
extern int device_reread (struct call *c, const struct device *dev);

/* Fill d->disks with files (tests) or with what SCSI has (stock client). */
extern int devices_add_file (struct daemon *d, const char *path, bool readonly, bool discard, unsigned block);
extern int devices_scan (struct daemon *d);
/* Wait up to TIMEOUT_MS for the SCSI disk TARGET:LUN; its kernel name ("sdb") or NULL with the error set. */
extern char *devices_wait (struct call *c, int target, int lun, int timeout_ms);

/* --- sysroot.c: paths of the user's filesystems --- */

/* openat2 under the sysroot with RESOLVE_IN_ROOT (and no magic links); -1 with the error set, naming PATH. */
extern int sysroot_open (struct call *c, const char *path, int flags, mode_t mode);
/* The same, and it must be a regular file: EISDIR for directories, EINVAL "not a regular file" for the
 * rest.  Never blocks on FIFOs and never opens device nodes. */
extern int sysroot_open_regular (struct call *c, const char *path, int flags, mode_t mode);
/* Directory that holds PATH (resolved), and its last component in *NAME: for unlink, mkdir, ... */
extern int sysroot_open_parent (struct call *c, const char *path, const char **name);
extern bool sysroot_mounted (struct daemon *d);

/* --- run.c: external programs of the tools root --- */

/* Run ARGV (argv[0] an absolute path) in a child rooted in the tools root.  Standard output goes to *OUT
 * (call's memory, NUL-terminated, bounded) if OUT is not NULL.  0 if it exited 0; else -1 with an error
 * that holds the program's name and what it wrote to standard error.  Sends pulses, obeys cancel;
 * TIMEOUT_S 0: none. */
extern int run_program (struct call *c, const char *const *argv, char **out, int timeout_s);
/* Is the program in the tools root?  For feature groups. */
extern bool run_exists (struct daemon *d, const char *path);

/* --- init.c: being process 1 of the appliance --- */

/* Mount /proc, /sys, /dev, load the modules that are needed at start, open the port; the port's fd or -1
 * (a message is on the console). */
extern int init_appliance (struct daemon *d);
/* Unmount all, sync, and power off. Does not return. */
extern void init_power_off (struct daemon *d) __attribute__ ((noreturn));

/* --- modules.c: kernel modules of the appliance --- */

/* What the kernel runs when it wants a module (a filesystem's at mount, a character set's, a cipher's):
 * /init by another name.  So handlers need not load anything themselves. */
#define INIT_MODPROBE "/modprobe"
extern bool init_is_modprobe (const char *argv0);
extern int init_modprobe (int argc, char **argv);   /* exit status */
/* Load the module NAME (or what has this alias) and what it depends on: 0, or -1 with errno; ENOENT: the
 * appliance does not have it (which is no error if it is built into the kernel). */
extern int init_load_module (const char *name);
/* Those of /modules/order; 0, or -1 if one failed (messages are on the console). */
extern int init_load_boot_modules (void);

#endif /* ZEROFISH_DAEMON_H */
