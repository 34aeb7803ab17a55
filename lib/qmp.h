/* A small QMP client: one command at a time with a deadline, and what qemu's events said on the way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_QMP_H
#define ZEROFISH_QMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "buf.h"

#define QMP_LINE_MAX (16 * 1024 * 1024)

struct qmp {
  int fd;                   /* non-blocking; closed by qmp_close */
  struct buf in;            /* bytes of an unfinished line */
  size_t scanned;           /* of those, how many are known to hold no newline */
  unsigned next_id;
  bool busy;                /* a command is under way: the wait hook must not start another */
  bool broken;              /* the stream ended or made no sense */
  int pass_fd;              /* goes along with the next command, -1: none */
  unsigned status_id;       /* of the question after the machine's state that is under way, 0: none */

  /* What events and that question told. */
  bool stopped;             /* the machine does not execute */
  bool panicked;            /* the guest's kernel said so */
  bool shutdown;            /* the guest or qemu is ending */
  char status[32];          /* last known state, "" if never told */

  /* Wait until FD is ready for EVENTS.  0: try; -1 with errno: give up (ETIMEDOUT past DEADLINE_MS, EINTR,
   * ...). */
  int (*wait) (void *opaque, int fd, short events, int64_t deadline_ms);
  void *opaque;
};

/* Take over FD, which becomes non-blocking. */
extern void qmp_init (struct qmp *q, int fd, int (*wait) (void *, int, short, int64_t), void *opaque);
extern void qmp_close (struct qmp *q);

/* Read the greeting and leave negotiation mode.  0, or -1 with *ERROR malloced. */
extern int qmp_open (struct qmp *q, int64_t deadline_ms, char **error);

/* Run COMMAND with ARGS (may be NULL; the reference is taken) and wait for its answer, which goes to *RET if
 * that is not NULL.  0, or -1 with *ERROR malloced (NULL if there is no memory) and errno: EIO if qemu
 * refused the command, or what ended the wait. */
extern int qmp_command (struct qmp *q, const char *command, json_t *args, json_t **ret, int64_t deadline_ms,
                        char **error);

/* Give qemu a copy of FD under NAME.  As qmp_command. */
extern int qmp_pass_fd (struct qmp *q, const char *name, int fd, int64_t deadline_ms, char **error);

/* Wait for background job ID to end, and forget it.  As qmp_command. */
extern int qmp_finish_job (struct qmp *q, const char *id, int64_t deadline_ms, char **error);

/* Take in what has arrived, without waiting, and ask again for the machine's state.  -1 if the stream is
 * broken. */
extern int qmp_look (struct qmp *q);

#endif /* ZEROFISH_QMP_H */
