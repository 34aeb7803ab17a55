/* Public header of libzerofish: the handle, errors and events; the actions are in zerofish-actions.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_H
#define ZEROFISH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A handle: its drives, settings and, after zf_launch, its appliance.  Calls on one handle from several
 * threads are serialised.  Since 0.1. */
typedef struct zf_handle zf_handle;

/* A new handle in the config state, or NULL with errno set.  zf_close frees it.  Since 0.1. */
extern zf_handle *zf_create (void);

/* The same with FLAGS.  ZF_CREATE_NO_ENVIRONMENT: the variables ZEROFISH_* do not set its defaults.
 * Unknown flags are EINVAL.  Since 0.1. */
#define ZF_CREATE_NO_ENVIRONMENT 1u
extern zf_handle *zf_create_flags (unsigned flags);

/* End the appliance (after a sync) and free the handle; NULL is allowed.  Waits for a call in another
 * thread to end: use zf_user_cancel first to cut that short.  Refused inside a callback (does nothing).
 * Since 0.1. */
extern void zf_close (zf_handle *h);

/* Message and errno value of the last failed call on H in this thread; NULL and 0 if the last call
 * worked.  The message belongs to the handle and stays valid until this thread's next call on H.  Since
 * 0.1. */
extern const char *zf_last_error (zf_handle *h);
extern int zf_last_errno (zf_handle *h);

/* Ask the call that runs on H to end early with EINTR.  Async-signal-safe, from any thread; without a
 * running call it does nothing.  Since 0.1. */
extern void zf_user_cancel (zf_handle *h);

/* Have CB called now and then while a call on H waits or works: at once when a signal has interrupted its
 * wait, else a few times a second.  It runs in the thread of the call; if it returns anything but 0, the
 * call is cancelled as by zf_user_cancel.  For interpreters, which can run a program's signal handlers
 * only there.  CB must not close the handle; NULL: none.  Since 0.1. */
typedef int (*zf_wait_callback) (zf_handle *h, void *opaque);
extern void zf_set_wait_callback (zf_handle *h, zf_wait_callback cb, void *opaque);

/* Have CB give the memory for results that are buffers (zf_pread_device and the like), in place of malloc:
 * those functions return what it returned.  It is called in the thread of the call when SIZE, which may be
 * 0, is known; NULL ends the call with the errno that it sets.  If the call fails afterwards, the memory
 * is still CB's.  NULL: malloc again. Since 0.1. */
typedef void *(*zf_allocate_callback) (zf_handle *h, void *opaque, size_t size);
extern void zf_set_allocate_callback (zf_handle *h, zf_allocate_callback cb, void *opaque);

/* Events.  ARRAY holds four numbers for progress (procedure, serial, position, total).  Since 0.1. */
#define ZF_EVENT_CLOSE           UINT64_C (0x0001)
#define ZF_EVENT_SUBPROCESS_QUIT UINT64_C (0x0002)
#define ZF_EVENT_LAUNCH_DONE     UINT64_C (0x0004)
#define ZF_EVENT_PROGRESS        UINT64_C (0x0008)
#define ZF_EVENT_APPLIANCE       UINT64_C (0x0010)  /* console output */
#define ZF_EVENT_LIBRARY         UINT64_C (0x0020)  /* verbose messages of the library */
#define ZF_EVENT_TRACE           UINT64_C (0x0040)
#define ZF_EVENT_WARNING         UINT64_C (0x0200)
#define ZF_EVENT_ALL             UINT64_C (0x027f)

typedef void (*zf_event_callback) (zf_handle *h, void *opaque, uint64_t event, int event_handle,
                                   const char *buf, size_t buf_len, const uint64_t *array, size_t array_len);

/* Call CB for each event of the set EVENTS; the number of the registration (0 or more), or -1 on error.
 * Callbacks must not close the handle.  Without a callback for them, warnings, trace and verbose messages
 * go to standard error.  Since 0.1. */
extern int zf_set_event_callback (zf_handle *h, zf_event_callback cb, uint64_t events, void *opaque);
extern void zf_delete_event_callback (zf_handle *h, int event_handle);

/* Free a list of strings that an action returned; NULL is allowed.  Since 0.1. */
extern void zf_free_string_list (char **list);

#include <zerofish-structs.h>
#include <zerofish-actions.h>

/* As zf_add_domain for a domain that the program has found itself: DOM is a virDomainPtr of libvirt's, and stays the
 * program's.  OPTS (or NULL) must not have libvirturi and allowuuid.  The number of disks added, or -1.  Since 0.1. */
struct zf_add_domain_opts;
extern int zf_add_libvirt_dom (zf_handle *h, void *dom, const struct zf_add_domain_opts *opts);

#ifdef __cplusplus
}
#endif

#endif /* ZEROFISH_H */
