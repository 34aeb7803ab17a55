/* What the files around launching share: workdir, supervising child, accelerator probe and the direct
 * backend.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_LAUNCH_H
#define ZEROFISH_LAUNCH_H

#include <jansson.h>

#include "internal.h"
#include "qmp.h"

enum { MAX_USER_DRIVES = 255, TOOLS_TARGET = 255 };

/* --- accel.c --- */

/* As zfi_probe_accel, for the device node PATH; *REASON is malloced. */
extern enum zfi_accel zfi_probe_kvm (const char *path, char **reason);

/* --- workdir.c --- */

/* Make a fresh directory, mode 0700, under the handle's tmpdir, $TMPDIR or /tmp.  Malloced, absolute; NULL
 * with the error set. */
extern char *zfi_workdir_create (zf_handle *h);

/* Remove directory PATH and the files in it (it has no folders).  Async-signal-safe: the supervising child
 * calls it too.  NULL and a directory that is gone are fine. */
extern void zfi_workdir_remove (const char *path);

/* --- supervise.c --- */

/* A program that runs under a supervising child of ours, which ends it when this process goes away. */
struct zfi_child {
  pid_t supervisor;         /* our child, 0: none */
  pid_t pid;                /* the program, 0: none */
  int fd;                   /* to the supervisor, -1: none */
  pid_t owner;              /* process that started it; a forked copy of that only closes the descriptor */
  int status;               /* wait status of the program, once it is known to have ended */
  bool ended;
};

/* Start ARGV[0] (a path) with its standard input from /dev/null, output and errors to OUTPUT, and the NR_FDS
 * descriptors of FDS as its descriptors 3, 4, ...; everything else is closed.  WORKDIR (may be NULL) is
 * removed by the supervisor when the program has ended and this process is gone or has asked for it.  0, or
 * -1 with errno. */
extern int zfi_child_start (struct zfi_child *c, char *const *argv, int output, const int *fds, size_t nr_fds,
                            const char *workdir);

/* Has the program ended?  Sets c->status.  Never waits. */
extern bool zfi_child_ended (struct zfi_child *c);

/* Wait for it until DEADLINE_MS (monotonic); true if it has ended. */
extern bool zfi_child_wait (struct zfi_child *c, int64_t deadline_ms);

/* Kill the program if it still runs, collect it and the supervisor; bounded in time. */
extern void zfi_child_stop (struct zfi_child *c);

/* "exited with status 1", "was killed by signal 9 (Killed)": into BUF. */
extern const char *zfi_child_how (const struct zfi_child *c, char *buf, size_t len);

/* --- qemu-args.c --- */

/* Names of the descriptors that qemu gets from us. */
enum { QEMU_FD_CHANNEL = 3, QEMU_FD_QMP = 4, QEMU_FD_CONSOLE = 5, QEMU_NR_FDS = 3,
       QEMU_FD_STATE = 6 };     /* only where the machine goes on from a template */

/* The emulator to use: setting, $ZEROFISH_HV, PATH, usual places.  Malloced, or NULL with the error set. */
extern char *zfi_find_hv (zf_handle *h);

/* The whole command line, a NULL-terminated list that zf_free_string_list frees; NULL with errno ENOMEM. */
extern char **zfi_qemu_argv (zf_handle *h, const char *hv, const struct zfi_appliance *a,
                             enum zfi_accel accel);

/* Add to it that the machine goes on from the state in QEMU_FD_STATE.  The list, which may have moved; NULL
 * with errno ENOMEM and the old one freed. */
extern char **zfi_qemu_argv_restore (char **argv);

/* The kernel command line alone.  Malloced. */
extern char *zfi_kernel_cmdline (zf_handle *h, enum zfi_accel accel);

#if defined __aarch64__
#define ZFI_CONSOLE "ttyAMA0"
#else
#define ZFI_CONSOLE "ttyS0"
#endif

/* --- appliance-fixed.c --- */

/* How the README.fixed begins that zerofish-make-fixed-appliance writes. */
#define ZFI_FIXED_OURS "This is the appliance of zerofish"
/* The kernel command line of an appliance of libguestfs.  Malloced. */
extern char *zfi_stock_cmdline (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel);

/* --- qemu-disk.c --- */

/* Attach user drive INDEX of H over Q: block nodes, then the disk on target INDEX.  0, or -1 with the error
 * set; nodes of it may be left, so the machine is to be ended then. */
extern int zfi_qemu_add_drive (zf_handle *h, struct qmp *q, size_t index);

/* Attach the tools root; it can be tried again after a failure. */
extern int zfi_qemu_add_tools (zf_handle *h, struct qmp *q, const char *root);

/* Attach the root of an appliance of libguestfs, which writes to it: what it writes is thrown away. */
extern int zfi_qemu_add_stock_root (zf_handle *h, struct qmp *q, const char *root);

/* --- qemu-state.c --- */

/* Stop the machine, have its state written to FD, and let it go on.  0, or -1 with *WHY (malloced) and errno;
 * *RUNNING is false if it does not go on. */
extern int zfi_qemu_save (struct qmp *q, int fd, bool *running, char **why);
/* Let a machine run that was started without. */
extern int zfi_qemu_cont (struct qmp *q, char **why);
/* Wait until the state is loaded, then let the machine run.  0, or -1 with *WHY (malloced) and errno. */
extern int zfi_qemu_resume (struct qmp *q, char **why);

/* --- template.c --- */

struct zfi_template {
  int fd;                   /* the state, -1: none */
  uint32_t crc;             /* that it must have */
  char *dir, *name, *entry; /* where in the cache it is, or would be; NULL: there can be none */
  bool spoilt;              /* the machine did not survive that one was made */
};

/* Find the template for a launch of H: true if there is one, with all but the contents of its state checked.
 * Never an error.  Free T with zfi_template_close in any case. */
extern bool zfi_template_open (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel,
                               struct zfi_template *t);
extern void zfi_template_close (struct zfi_template *t);
/* Are the contents of the state what they were?  Takes some hundredths of a second. */
extern bool zfi_template_intact (const struct zfi_template *t);
/* It worked: keep it longer than others. */
extern void zfi_template_used (const struct zfi_template *t);
/* It did not: remove it. */
extern void zfi_template_discard (const struct zfi_template *t);
/* The machine of H has come up and holds nothing of the user's yet: make the template T of it, unless another
 * does.  0, also if none could be made; -1 with the error set if the machine did not survive it. */
extern int zfi_template_make (zf_handle *h, struct zfi_template *t);

/* --- qemu-export.c --- */

/* Start qemu's NBD server in h->workdir; the path of its socket (malloced), or NULL with the error set. */
extern char *zfi_qemu_start_nbd (zf_handle *h, struct qmp *q);
/* Export block node NODE read-only under that name.  1: it has another image below it, 0: not, -1 with the
 * error set. */
extern int zfi_qemu_export (zf_handle *h, struct qmp *q, const char *node);

/* --- backend.c --- */

/* Is NAME among the backend settings? */
extern bool zfi_backend_setting (zf_handle *h, const char *name);
/* Is NAME=VALUE? */
extern bool zfi_backend_setting_is (zf_handle *h, const char *name, const char *value);

#endif /* ZEROFISH_LAUNCH_H */
