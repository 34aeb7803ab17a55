/* What the files of the libvirt backend and of libvirt guests as input share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_LIBVIRT_H
#define ZEROFISH_LIBVIRT_H

#include <libvirt/libvirt.h>
#include <libxml/tree.h>
#include <libxml/xmlwriter.h>

#include "internal.h"

/* --- libvirt-worker.c: libvirt's calls have no deadlines, so a thread of their own makes them --- */

/* A job: runs in the worker's thread, and uses nothing but V.  0, or -1 after a libvirt call failed. */
struct virt;
typedef int (*virt_job) (struct virt *v);

/* The connection, and what jobs take and give.  While a job runs, all from "uri" on belongs to the worker. */
struct virt {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  virt_job job;             /* the next or running one, NULL: idle */
  bool quit;
  int done_fd;              /* an eventfd that is readable once a job has ended */
  int64_t since_ms;         /* when the job was given */
  pid_t owner;              /* a forked copy has no such thread */

  char *uri;
  bool readonly;            /* of the connection */
  virConnectPtr conn;
  bool borrowed;            /* DOM is the program's: leave its flags alone */
  virDomainPtr dom;
  char *name;               /* of a domain to look up, or what libvirt calls it */
  bool by_uuid;             /* a name may be a uuid */
  unsigned char uuid[VIR_UUID_BUFLEN];
  bool created, graceful;
  char *xml;                /* malloced by libvirt or us */
  int state, reason;
  int r;                    /* of the last job */
  int code;                 /* if that is -1: virErrorNumber and message of libvirt */
  char *message;
};

/* A worker for URI (copied); NULL with the error set. */
extern struct virt *virt_new (zf_handle *h, const char *uri);
/* Give it up; never waits.  A job that still runs is ended on its own, then all is freed. */
extern void virt_free (struct virt *v);
/* Have JOB done within MS milliseconds.  0, or -1 with the error set, which begins with WHAT.  A cancel ends the wait
 * unless PLAINLY.  After ETIMEDOUT and EINTR the job may still be running. */
extern int virt_do (zf_handle *h, struct virt *v, virt_job job, int ms, bool plainly, const char *what);
/* The same without waiting; virt_busy says whether it (or one before it) still runs. */
extern void virt_give (struct virt *v, virt_job job);
extern bool virt_busy (struct virt *v);
/* A job: connect to v->uri. */
extern int virt_job_open (struct virt *v);

/* --- libvirt-caps.c: what the host says of itself --- */

struct virt_caps {
  bool kvm;                 /* offers domains of type kvm for this architecture */
  bool dac;                 /* UID and GID are those that emulators run as */
  uid_t uid;
  gid_t gid;
  bool selinux;
};
/* From the XML of the capabilities.  0, or -1 with the error set. */
extern int virt_caps_parse (zf_handle *h, const char *xml, struct virt_caps *caps);

/* Parse XML that libvirt gave; nothing is loaded from elsewhere.  NULL with the error set. */
extern xmlDocPtr virt_xml_parse (zf_handle *h, const char *xml, const char *what);
/* The first child element of NODE called NAME (or any, if that is NULL) at or after FROM; or NULL. */
extern xmlNodePtr virt_xml_child (xmlNodePtr node, const char *name);
extern xmlNodePtr virt_xml_next (xmlNodePtr node, const char *name);
/* An attribute's value, malloced; NULL: there is none (or NODE is NULL). */
extern char *virt_xml_attr (xmlNodePtr node, const char *name);
/* Is it there, with that value? */
extern bool virt_xml_attr_is (xmlNodePtr node, const char *name, const char *value);

/* --- libvirt-files.c: what a launch needs besides the domain --- */

/* A local image: may the emulator use it as it is, or must libvirt change its owner meanwhile? */
struct virt_image {
  char *name;               /* for the emulator; NULL: no local file */
  char *overlay;            /* overlay or scratch disk, or NULL */
  bool accessible;
  uid_t uid;                /* as it was */
  gid_t gid;
};

struct virt_files {
  struct virt_caps caps;
  bool foreign;             /* the emulator runs as somebody else */
  char *channel, *console;  /* paths of the sockets that we listen on */
  int channel_fd, console_fd;
  char *kernel, *initrd;    /* copies */
  struct virt_image *images;        /* by drive */
  size_t nr_images;
};

/* Fill h->workdir with what the domain needs; f->caps is set, the rest of F zero.  0, or -1 with the error set; call
 * virt_files_free in any case. */
extern int virt_files_prepare (zf_handle *h, const struct zfi_appliance *a, struct virt_files *f);
/* Once the emulator has gone: images whose owner was changed and not put back get theirs. */
extern void virt_files_restore (zf_handle *h, struct virt_files *f);
extern void virt_files_free (struct virt_files *f);
/* A copy of FROM called NAME in the workdir, holes and all.  Its path (malloced), or NULL with the error set. */
extern char *virt_files_copy (zf_handle *h, const char *from, const char *name);

/* --- libvirt-xml.c --- */

/* The domain, or the tools root ROOT as a disk for a running one.  Malloced, or NULL with the error set.  NAME is the
 * domain's.  RELABEL: libvirt may change the root's owner. */
extern char *virt_domain_xml (zf_handle *h, enum zfi_accel accel, const char *name, const struct virt_files *f);
extern char *virt_tools_xml (zf_handle *h, const char *root, bool relabel);

#endif /* ZEROFISH_LIBVIRT_H */
