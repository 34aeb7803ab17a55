/* What the files of the client library share: the handle, drives, backends and the call path.
 *
 * Locks, in the order in which they may be taken: handle->lock, handle->state_lock, the list of live handles
 * (handle.c).  Everything in the handle belongs to handle->lock, except what says otherwise.
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

/* The parts of an NBD URI (nbd-uri.c). */
struct zfi_nbd {
  char *host, *port;        /* both NULL if socket is set; an IPv6 address without its brackets */
  char *socket;             /* absolute path of a Unix domain socket */
  char *export;             /* exactly as the server knows it; never NULL */
  bool tls;
  char *user;               /* for TLS-PSK, or NULL */
};

/* Does the emulator look for zeroes in what is written, and give their space back? */
enum zf_detect_zeroes { DETECT_ZEROES_OFF, DETECT_ZEROES_ON, DETECT_ZEROES_UNMAP };

struct zf_drive {
  char *path;               /* as given; absolute for files */
  char *format;             /* "raw", "qcow2", ...: never NULL after add */
  /* The user did not state the format: the image names no other file, and must not do so later. */
  bool detected;
  bool readonly;
  char *label;              /* SCSI serial, or NULL */
  enum { DISCARD_DISABLE, DISCARD_ENABLE, DISCARD_BESTEFFORT } discard;
  int blocksize;            /* 512 or 4096 */
  int cluster;              /* of a qcow2 image whose clusters can be marked zero, in bytes; 0: other */
  char *cachemode;          /* "writeback" or "unsafe" */
  enum zf_detect_zeroes detect_zeroes;      /* as the libvirt guest has it; DETECT_ZEROES_UNMAP only with discard */
  bool block_device;        /* host block device: host_device driver */
  bool scratch;             /* /dev/null: a small throw-away disk */
  char *uri;                /* NBD drive: the parsed form is nbd */
  struct zfi_nbd *nbd;      /* or NULL */
  uint64_t dev, ino;        /* of a local file: st_dev and st_ino when it was added */
  int64_t odd_size;         /* length of a raw file that is no multiple of 512 while it is in use; else 0 */
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
  bool no_environment;
  bool no_autosync;
  int memsize, smp;         /* MiB; vCPUs, 0 = 1 */
  char *hv;                 /* emulator, NULL: search */
  char *backend_name;       /* "direct" */
  char **backend_settings;  /* NULL-terminated or NULL */
  char *cachedir, *tmpdir;  /* NULL: environment and defaults */
  char *path;               /* folders of an appliance, NULL: that of the cache */
  struct zf_drive **drives;
  size_t nr_drives;

  struct zf_event *events;
  size_t nr_events;

  /* Errors are per thread (error.c), kept under this number, which no other handle ever has. */
  uint64_t id;
  zf_handle *next_live;     /* list of handles (handle.c) */

  /* The call that runs (handle.c). */
  unsigned depth;           /* 0: none; 2: a call from inside a callback */
  const struct zfi_action *current;   /* for the name in front of messages */
  const struct zfi_action *outer;     /* of depth 1 while depth is 2 */
  char *trace_result;       /* what the trace line at its end says */

  /* The machine. */
  pthread_mutex_t state_lock;
  enum zf_state state;
  const struct zf_backend *backend;
  void *backend_data;
  struct conn *conn;        /* to the daemon */
  int console_fd;           /* -1: none */
  struct buf console_tail;  /* last lines, for messages */
  pid_t launcher;           /* process that launched: a forked copy of it leaves the machine alone */
  char *workdir;            /* private 0700 directory of this launch, NULL if none */
  uint32_t next_serial;
  bool tools_attached;
  int daemon_version;       /* of our private protocol; 0: a stock daemon */
  size_t chunk_max;         /* data bytes of a file's chunk, if the daemon agreed to large ones; else 0 */
  struct zfi_extents *extents;  /* how the images' extents are asked for; NULL: not yet asked */
  struct zfi_appliance *appliance;
  int restore_fd;           /* state that the backend's start is to go on from, -1: none */

  char *lost_why;           /* what backend->check said, for the message */

  /* Waiting and cancelling (wait.c).  RUNNING is odd while a call runs and rises at each begin and end;
   * CANCELLED is the value of RUNNING that zf_user_cancel saw, so a late cancel cannot hit the next call.
   * No lock. */
  atomic_ulong running, cancelled;
  int cancel_pipe[2];       /* wakes the waiter; async-signal-safe to write */
  zf_allocate_callback allocate_cb;   /* or NULL */
  void *allocate_opaque;
  zf_wait_callback wait_cb; /* or NULL */
  void *wait_opaque;
  int64_t last_wait_cb_ms;
  bool interrupted;         /* a signal has come since then */
  int64_t deadline_ms;      /* 0: none but liveness */
  int64_t last_check_ms;
  int cancel_patience_ms;   /* a daemon that has not ended a cancelled call by then is lost */
  bool on_wire;             /* a call was sent and its reply is not yet complete */
  bool may_send_flag;       /* nothing is half sent: a cancel flag may be written */
  bool cancel_sent;
};

/* --- handle.c --- */

/* Does H (by its number) still exist?  For error.c. */
extern bool zfi_live (uint64_t id);
/* What the trace line says that zfi_leave prints ("0" if none of these is called; if the call fails, that
 * it did). */
extern void zfi_trace_int (zf_handle *h, int64_t r);
extern void zfi_trace_string (zf_handle *h, const char *s);
extern void zfi_trace_list (zf_handle *h, char *const *list);
extern void zfi_trace_buffer (zf_handle *h, const char *p, size_t n);
extern void zfi_trace_result (zf_handle *h, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));
/* Did zf_user_cancel ask the running call to end?  Long library work looks often and fails with EINTR. */
extern bool zfi_cancelled (zf_handle *h);
/* Longest time between two calls of the program's wait callback while something is waited for. */
#define ZFI_WAIT_CALLBACK_MS 200

/* --- error.c --- */

/* Set this thread's error: printf text, then ": strerror (ERR)" if ERR is not 0 and PERROR-style is used.
 * The name of the current action is put in front once.  Both return -1. */
extern int zfi_error (zf_handle *h, int err, const char *fs, ...) __attribute__ ((format (printf, 3, 4)));
extern int zfi_perror (zf_handle *h, int err, const char *fs, ...) __attribute__ ((format (printf, 3, 4)));
/* As zfi_error, for a text of several lines: newlines stay, other control characters are made visible. */
extern int zfi_error_lines (zf_handle *h, int err, const char *fs, ...)
  __attribute__ ((format (printf, 3, 4)));
/* Line on standard error (or the library event) if verbose. */
extern void zfi_verbose (zf_handle *h, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));
/* The same, and the event comes also if not verbose: for what a program may want to know, a user hardly. */
extern void zfi_notice (zf_handle *h, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));
/* Line always shown to the user once (accelerator chosen, inconsistent image, ...). */
extern void zfi_warning (zf_handle *h, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));

/* Forget this thread's error.  zfi_take_error moves it out (for callbacks, or to add to it), zfi_put_error
 * back. */
struct zfi_saved_error { int err; char *msg; };
extern void zfi_clear_error (zf_handle *h);
extern struct zfi_saved_error zfi_take_error (zf_handle *h);
extern void zfi_put_error (zf_handle *h, struct zfi_saved_error e);
/* Forget all errors of this handle in this thread (zf_close). */
extern void zfi_drop_errors (zf_handle *h);

/* --- rpc.c: one call there and back; used by generated actions.c --- */

struct zfi_action {
  const char *name;
  int proc;                 /* 0: library action */
  unsigned flags;           /* ZFI_* */
  /* One letter an argument: s string, d device, p path, i int, I int64, b bool, B buffer (two values:
   * pointer, size), S string list, k key, f local file, o optional struct. */
  const char *types;
  const struct zfi_optarg *optargs;   /* what is in that struct, or NULL */
};
/* The value of bit I of the optional struct's mask. */
struct zfi_optarg {
  const char *name;         /* NULL: the end */
  char type;
  size_t offset;            /* in the struct */
};
enum { ZFI_PROGRESS = 1, ZFI_CANCEL = 2, ZFI_TOOLS = 4, ZFI_CONFIG = 8, ZFI_ANY_STATE = 16, ZFI_FILE_IN = 32,
       ZFI_FILE_OUT = 64, ZFI_PRIVATE = 128 };

/* Begin an action: take the lock, clear the error, trace, refuse NULL arguments (EINVAL) and a wrong state.
 * The arguments follow as a->types says.  0, or -1 (everything undone; do not call zfi_leave). */
extern int zfi_enter (zf_handle *h, const struct zfi_action *a, ...);
/* End it: trace, release the lock.  OK is false if it failed. Errno and message stay. */
extern void zfi_leave (zf_handle *h, bool ok);

/* Send the call, wait for the reply (progress, cancel, death of the machine), decode into RET (zeroed by
 * the caller; xdr_free it after use, also after failure).  ARGS_PROC or RET_PROC NULL: empty body.  0 or
 * -1 with the error set. If the machine is lost in the ready state this calls zfi_machine_lost; while
 * launching it does not: launch.c cleans up. */
extern int zfi_call (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
                     xdrproc_t args_proc, void *args, xdrproc_t ret_proc, void *ret);
/* The same for a buffer result: the program's or malloc's memory and its size, or NULL. */
extern char *zfi_call_buffer (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
                              xdrproc_t args_proc, void *args, size_t *size_r);
/* Into the caller's memory: how many bytes came, or -1 with the error set (ERANGE: there is no room for all). */
extern int64_t zfi_call_into (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
                              xdrproc_t args_proc, void *args, void *buf, size_t buf_size);
/* The count that fills a buffer; the daemon refuses what is too large. */
extern int zfi_into_count (size_t buf_size);
/* With a file that is streamed to (FileIn) or from (FileOut) the daemon. */
extern int zfi_call_file (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
                          xdrproc_t args_proc, void *args, const char *filename);
/* Private calls have generated wrappers in actions.c: zfi_int_NAME, declared in generated
 * lib/private-actions.h; they take the handle as locked. */

/* --- extents.c --- */

/* Before a call that looks at DEVICE: tell the daemon where the image has no data.  Without that the call
 * has the same result, only later, so -1 (with the error set) means that the machine is lost. */
extern int zfi_send_hints (zf_handle *h, const char *device);
/* Forget what is known of the machine's images: it is gone. */
extern void zfi_extents_free (struct zfi_extents *x);

/* --- events.c --- */
extern bool zfi_has_event (zf_handle *h, uint64_t event);
extern void zfi_event (zf_handle *h, uint64_t event, const char *buf, size_t len, const uint64_t *array,
                       size_t array_len);

/* --- wait.c: the wait hook of the connection, deadlines, the console --- */

/* A connection over FD (made non-blocking) whose wait hook is zfi_wait; free it with free.  NULL with the
 * error set. */
extern struct conn *zfi_conn_new (zf_handle *h, int fd);
/* Wait until FD (any descriptor, -1: none) is ready for EVENTS.  Meanwhile: reads the console, sends the
 * cancel flag if a call is on the wire, asks the backend once a second.  0, or -1 with errno: ETIMEDOUT
 * (deadline), ECONNRESET (the machine is dead or stuck: h->lost_why), EINTR (cancelled, and no call is on
 * the wire). */
extern int zfi_wait (void *handle, int fd, short events);
/* Deadlines are milliseconds on the monotonic clock. */
extern int64_t zfi_now_ms (void);
extern void zfi_set_deadline (zf_handle *h, int64_t deadline_ms);
/* Read what the console has without waiting: keeps the last 4 KiB, passes it on as event or (verbose) to
 * standard error.  At end of file it closes h->console_fd and sets it to -1. */
extern void zfi_pump_console (zf_handle *h);
/* The last N lines of the console as printable text (malloced, never NULL but without memory; "" if there
 * are none). */
extern char *zfi_console_lines (zf_handle *h, unsigned n);

/* --- launch.c --- */

/* The machine is gone or cannot be trusted: kill it, event subprocess-quit once, state back to config. */
extern void zfi_machine_lost (zf_handle *h);
/* --- tools.c --- */

/* Attach the tools root if it is not yet (first F_TOOLS action). */
extern int zfi_need_tools (zf_handle *h);
/* --- accel.c --- */
enum zfi_accel { ACCEL_KVM, ACCEL_TCG };
/* Run a real vCPU.  *REASON (static or malloced into the handle's message space, one line) says why not
 * KVM, NULL if KVM. */
extern enum zfi_accel zfi_probe_accel (zf_handle *h, char **reason);

/* --- appliance.c: the cached kernel, initramfs and tools root --- */
struct zfi_appliance {
  char *dir;                /* cache directory of this key */
  char *kernel;             /* vmlinux or bzImage */
  char *initrd;
  char *root;               /* tools root (ext2), may be NULL until zfi_appliance_tools */
  /* That of libguestfs: its disks are all there from the start, with ROOT (which has this UUID) as the last, and it
   * is never sent a private call. */
  bool stock;
  char uuid[37];
};
/* Find or build; under a lock; checked before use.  NULL with the error set. */
extern struct zfi_appliance *zfi_appliance_get (zf_handle *h);
/* Make sure that a->root is there and good. */
extern int zfi_appliance_tools (zf_handle *h, struct zfi_appliance *a);
/* The one in PATH, a folder or a list of them; likewise (appliance-fixed.c). */
extern struct zfi_appliance *zfi_appliance_fixed (zf_handle *h, const char *path);
extern void zfi_appliance_free (struct zfi_appliance *a);

/* --- drive.c, drive-holes.c, nbd-uri.c, probe.c and qemu-img.c --- */
extern void zfi_drive_free (struct zf_drive *d);
/* Forget all drives: the machine is gone, and the next one starts with none. */
extern void zfi_drives_forget (zf_handle *h);
/* "off", "on" or "unmap". */
extern const char *zfi_detect_zeroes_name (enum zf_detect_zeroes d);
/* A name for the emulator that opens exactly drive INDEX and is valid UTF-8 without control characters, as JSON and
 * XML need: the absolute path, or a symbolic link to it in h->workdir.  Malloced; NULL with the error set.  Not for NBD and
 * scratch drives. */
extern char *zfi_drive_filename (zf_handle *h, size_t index);
/* Is what the guest discards given back?  Can the emulator do so in any place of the image, which is a raw
 * one?  Where it cannot punch holes, it writes zeroes instead. */
extern bool zfi_drive_discards (const struct zf_drive *d);
extern bool zfi_drive_punches (const struct zf_drive *d);
/* Can it be seen which parts of this raw file are holes?  Some filesystems have them but call them data. */
extern bool zfi_drive_shows_holes (const struct zf_drive *d);
/* Launch calls the first just before the emulator opens the drives, the second after it is gone: raw files
 * whose length is no multiple of 512 get their length back if only padding was added. */
extern void zfi_drives_opened (zf_handle *h);
extern void zfi_drives_closed (zf_handle *h);
/* The parts of URI (malloced), or NULL with the error set, without any password in it. */
extern struct zfi_nbd *zfi_nbd_parse (zf_handle *h, const char *uri);
extern void zfi_nbd_free (struct zfi_nbd *n);
/* Format of the image open as FD by its first bytes ("raw" if nothing is known), and in *NAMES what other
 * file the header names ("a backing file", ...) or NULL.  *SIZE is the virtual size if the header says so
 * plainly, else -1.  NULL with errno. */
extern const char *zfi_probe_format (int fd, const char **names, int64_t *size);
/* Bytes of a cluster if the image is qcow2 of a version whose clusters can be marked zero; 0: other. */
extern int zfi_probe_cluster (int fd);
/* Run qemu-img with ARGV (NULL-terminated, without argv[0]); its standard output in *OUT (malloced). 0 or
 * -1. */
extern int zfi_qemu_img (zf_handle *h, const char *const *argv, char **out);

/* --- backends --- */

/* What launch.c asks of a way to run the appliance. */
struct zf_backend {
  const char *name;
  bool hotplug;             /* disks are added with add_drive once the daemon is up; else all are static */
  /* The machine is not ours (unix:PATH): no accelerator, no appliance (NULL), no drives. */
  bool external;
  bool stock;               /* it can start an appliance of libguestfs */
  /* Start the machine.  *CHANNEL_FD leads to the daemon; *DATA is the backend's own.  A backend with a console sets
   * both h->console_fd, which is read (and closed at its end) while it starts, and *CONSOLE_FD, also on failure: then
   * the error is explained by what the console said. */
  int (*start) (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel, void **data,
                int *channel_fd, int *console_fd);
  /* Attach user drive INDEX (target INDEX, lun 0; no function: start has attached all), or the tools root (target
   * 255). */
  int (*add_drive) (zf_handle *h, void *data, size_t index);
  int (*add_tools) (zf_handle *h, void *data, const char *root);
  /* Only where launches can go on from a template (NULL: they cannot).  Write the state of the machine to FD
   * and let it go on; 0, or -1 with *WHY (malloced); *RUNNING is false if it did not go on. */
  int (*save) (zf_handle *h, void *data, int fd, bool *running, char **why);
  /* After a start with h->restore_fd: wait until the state is loaded and let the machine run.  0, or -1 with
   * *WHY (malloced). */
  int (*resume) (zf_handle *h, void *data, char **why);
  /* Export user drive INDEX read-only over NBD, once.  The path of the server's socket (malloced), its
   * name there in NAME; *BACKED: the image has another one below it.  NULL with the error set.  No
   * function: it cannot. */
  char *(*export_drive) (zf_handle *h, void *data, size_t index, char name[32], bool *backed);
  /* Is the machine alive and executing?  0, or -1 with *WHY (malloced). Quick; called about once a second
   * during waits. */
  int (*check) (zf_handle *h, void *data, char **why);
  /* End it (politely first if not FORCE), bounded in time; frees DATA.  -1 if something was not flushed. */
  int (*stop) (zf_handle *h, void *data, bool force);
  /* Process id of the emulator, 0 if none (tests). */
  pid_t (*pid) (void *data);
};
extern const struct zf_backend zfi_backend_direct;
extern const struct zf_backend zfi_backend_unix;   /* its argument is what follows ':' in h->backend_name */
extern const struct zf_backend zfi_backend_libvirt;
extern const struct zf_backend *zfi_backend_find (zf_handle *h, const char *name, const char **arg);

#endif /* ZEROFISH_INTERNAL_H */
