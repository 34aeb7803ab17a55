/* What the C tests of real machines begin with: a handle, image files, and a look at what is left afterwards.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_RIG_H
#define ZEROFISH_RIG_H

#include "../unit/test.h"

#include "launch.h"

/* The handle of the test and a directory for its images, which is also its directory for temporary files. */
extern zf_handle *h;
extern char dir[64];

/* For cmocka: make both; close the handle, and fail if a process or (apart from images) a file is left. */
extern int rig_setup (void **state);
extern int rig_teardown (void **state);

/* Make a further handle use DIR too, and keep its warnings off the terminal. */
extern void rig_prepare (zf_handle *handle);

/* A raw file of SIZE bytes in DIR with TEXT at its start (NULL: none); its malloced path. */
extern char *make_image (const char *name, int64_t size, const char *text);

/* The first bytes of a file. */
extern void read_file (const char *path, char *buf, size_t len);

/* Add an image to a handle, as raw. */
extern void add_image (zf_handle *handle, const char *path, bool readonly);

/* Launch, or fail the test with the handle's message. */
extern void launch (zf_handle *handle);

/* A device in the appliance begins with TEXT, or the test fails; make it so. */
extern void expect_text (zf_handle *handle, const char *device, const char *text);
extern void put_text (zf_handle *handle, const char *device, const char *text);

/* Is the process there, and no zombie? */
extern bool alive (pid_t pid);
extern bool gone_within (pid_t pid, int ms);

/* Process id of the handle's emulator. */
extern pid_t emulator (zf_handle *handle);

#endif /* ZEROFISH_RIG_H */
