/* What the files of the client library share: the handle, drives, backends and the call path.
 *
 * Locks, in the order in which they may be taken: handle->lock, handle->state_lock, handle->error_lock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_INTERNAL_H
#define ZEROFISH_INTERNAL_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "zerofish.h"
#include "conn.h"
#include "wire.h"

struct zf_drive {
  char *path;               /* as given; absolute for files */
  char *format;             /* "raw", "qcow2", ...: never NULL after add */
  bool readonly;
  char *label;              /* SCSI serial, or NULL */
  enum { DISCARD_DISABLE, DISCARD_ENABLE, DISCARD_BESTEFFORT } discard;
  int blocksize;            /* 512 or 4096 */
  char *cachemode;          /* "writeback" or "unsafe" */
  bool block_device;        /* host block device: host_device driver */
  bool scratch;             /* /dev/null: a small throw-away disk */
  char *uri;                /* NBD drive: the parsed form is nbd */
  void *nbd;                /* struct of drive.c, or NULL */
};

enum zf_state { ZF_STATE_CONFIG, ZF_STATE_LAUNCHING, ZF_STATE_READY };

struct zf_event {
  uint64_t mask;            /* 0: deleted */
  zf_event_callback cb;
  void *opaque;
};

struct zf_backend;

struct zf_handle {
  pthread_mutex_t lock;     /* recursive: one call at a time; held across a whole call */

  /* Settings (under lock). */
  bool verbose, trace;
  int memsize, smp;         /* MiB; vCPUs, 0 = 1 */
  char *hv;                 /* emulator, NULL: search */
  char *backend_name;       /* "direct" */
  char **backend_settings;  /* NULL-terminated or NULL */
  char *cachedir, *tmpdir;  /* NULL: environment and defaults */
  struct zf_drive **drives;
  size_t nr_drives;

  struct zf_event *events;
  size_t nr_events;

  /* Errors are per thread. */
  pthread_key_t error_key;

  /* The machine. */
  pthread_mutex_t state_lock;
  enum zf_state state;
  const struct zf_backend *backend;
  void *backend_data;
  struct conn *conn;        /* to the daemon */
  int console_fd;           /* -1: none */
  struct buf console_tail;  /* last lines, for messages */
  char *workdir;            /* private 0700 directory of this launch, NULL if none */
  uint32_t next_serial;
  bool tools_attached;
  int daemon_version;       /* of our private protocol; 0: a stock daemon */
  struct zfi_appliance *appliance;

  atomic_int user_cancel;   /* set by zf_user_cancel */
  int cancel_pipe[2];       /* wakes the waiter; async-signal-safe to write */
  const struct zfi_action *current;   /* for the name in front of messages */
};

/* --- error.c --- */

/* Set this thread's error: printf text, then ": strerror (ERR)" if ERR is not 0 and PERROR-style is used.
 * The name of the current action is put in front once.  Both return -1. */
extern int zfi_error (zf_handle *h, int err, const char *fs, ...) __attribute__ ((format (printf, 3, 4)));
extern int zfi_perror (zf_handle *h, int err, const char *fs, ...) __attribute__ ((format (printf, 3, 4)));
/* Line on standard error (or the appliance-event) if verbose. */
extern void zfi_verbose (zf_handle *h, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));
/* Line always shown to the user once (accelerator chosen, inconsistent image, ...). */
extern void zfi_warning (zf_handle *h, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));

/* --- rpc.c: one call there and back; used by generated actions.c --- */

struct zfi_action {
  const char *name;
  int proc;                 /* 0: library action */
  unsigned flags;           /* ZFI_* */
  const char *types;        /* one letter an argument: s string, d device, p path, i int, I int64, b bool, B buffer (two
                               values: pointer, size), S string list, k key, f local file, o optional struct (skipped) */
};
enum { ZFI_PROGRESS = 1, ZFI_CANCEL = 2, ZFI_TOOLS = 4, ZFI_CONFIG = 8, ZFI_ANY_STATE = 16, ZFI_FILE_IN = 32, ZFI_FILE_OUT = 64,
       ZFI_PRIVATE = 128 };

/* Begin an action: take the lock, clear the error, trace, refuse NULL arguments (EINVAL) and a wrong state.
 * The arguments follow as a->types says.  0, or -1 (everything undone; do not call zfi_leave). */
extern int zfi_enter (zf_handle *h, const struct zfi_action *a, ...);
/* End it: trace, release the lock.  OK is false if it failed. Errno and message stay. */
extern void zfi_leave (zf_handle *h, bool ok);

/* Send the call, wait for the reply (progress, cancel, death of the machine), decode into RET (zeroed by the caller;
 * xdr_free it after use, also after failure).  ARGS_PROC or RET_PROC NULL: empty body.  0 or -1 with the error set. */
extern int zfi_call (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
                     xdrproc_t args_proc, void *args, xdrproc_t ret_proc, void *ret);
/* With a file that is streamed to (FileIn) or from (FileOut) the daemon. */
extern int zfi_call_file (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
                          xdrproc_t args_proc, void *args, const char *filename);
/* Private calls have generated wrappers in actions.c: zfi_int_NAME, declared in generated lib/private-actions.h;
 * they take the handle as locked. */

/* --- events.c --- */
extern bool zfi_has_event (zf_handle *h, uint64_t event);
extern void zfi_event (zf_handle *h, uint64_t event, const char *buf, size_t len, const uint64_t *array, size_t array_len);

/* --- launch.c --- */

/* The machine is gone or cannot be trusted: kill it, event subprocess-quit once, state back to config. */
extern void zfi_machine_lost (zf_handle *h);
/* Attach the tools root if it is not yet (first F_TOOLS action). */
extern int zfi_need_tools (zf_handle *h);
/* Deadlines are milliseconds on the monotonic clock. */
extern int64_t zfi_now_ms (void);
/* The wait hook of h->conn with a deadline: also pumps the console and watches the backend.  Launch and rpc set
 * the deadline (0: none but liveness). */
extern void zfi_set_deadline (zf_handle *h, int64_t deadline_ms);

/* --- accel.c --- */
enum zfi_accel { ACCEL_KVM, ACCEL_TCG };
/* Run a real vCPU.  *REASON (static or malloced into the handle's message space, one line) says why not KVM, NULL if KVM. */
extern enum zfi_accel zfi_probe_accel (zf_handle *h, char **reason);

/* --- appliance.c: the cached kernel, initramfs and tools root --- */
struct zfi_appliance {
  char *dir;                /* cache directory of this key */
  char *kernel;             /* vmlinux or bzImage */
  char *initrd;
  char *root;               /* tools root (ext2), may be NULL until zfi_appliance_tools */
};
/* Find or build; under a lock; checked before use.  NULL with the error set. */
extern struct zfi_appliance *zfi_appliance_get (zf_handle *h);
/* Make sure that a->root is there and good. */
extern int zfi_appliance_tools (zf_handle *h, struct zfi_appliance *a);
extern void zfi_appliance_free (struct zfi_appliance *a);

/* --- drive.c and qemu-img.c --- */
extern void zfi_drive_free (struct zf_drive *d);
/* Run qemu-img with ARGV (NULL-terminated, without argv[0]); its standard output in *OUT (malloced). 0 or -1. */
extern int zfi_qemu_img (zf_handle *h, const char *const *argv, char **out);

/* --- backends --- */

/* What launch.c asks of a way to run the appliance. */
struct zf_backend {
  const char *name;
  bool hotplug;             /* disks are added with add_drive once the daemon is up; else all are static */
  /* Start the machine.  Sets h->conn's fd and h->console_fd through the out parameters. *DATA is the backend's own. */
  int (*start) (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel, void **data, int *channel_fd, int *console_fd);
  /* Attach user drive INDEX (target INDEX, lun 0), or the tools root (target 255). */
  int (*add_drive) (zf_handle *h, void *data, size_t index);
  int (*add_tools) (zf_handle *h, void *data, const char *root);
  /* Is the machine alive and executing?  0, or -1 with *WHY (malloced). Quick; called about once a second during waits. */
  int (*check) (zf_handle *h, void *data, char **why);
  /* End it (politely first if not FORCE), bounded in time; frees DATA.  -1 if something was not flushed. */
  int (*stop) (zf_handle *h, void *data, bool force);
  /* Process id of the emulator, 0 if none (tests). */
  pid_t (*pid) (void *data);
};
extern const struct zf_backend zfi_backend_direct;
extern const struct zf_backend *zfi_backend_find (zf_handle *h, const char *name, const char **arg);

#endif /* ZEROFISH_INTERNAL_H */
