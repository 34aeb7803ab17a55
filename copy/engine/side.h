/* One side of a copy: a struct of functions a kind, and what the engine knows of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_SIDE_H
#define ZEROFISH_SIDE_H

#include <poll.h>

#include "copy.h"
#include "launch.h"

struct nbd_handle;
struct side;

enum { MAX_LANES = 16, MAX_THREADS = 16, MAX_REQUESTS = 256, SECTOR = 512 };
#define MIN_REQUEST     (4u << 10)
#define MAX_REQUEST     (32u << 20)

enum op_kind { OP_READ, OP_WRITE, OP_ZERO, OP_EXTENTS, OP_FLUSH };

/* Flags of OP_ZERO. */
enum { ZERO_KEEP = 1 /* allocate, no holes */, ZERO_FAST = 2 /* fail with ENOTSUP if it is slow */ };

/* What a server says of a piece. */
enum { EXTENT_HOLE = 1, EXTENT_ZERO = 2 };
struct extent {
  uint64_t length;
  unsigned flags;
};

/* Answers to OP_EXTENTS, from the op's offset on: never an empty extent. */
enum { MAX_EXTENTS = 32768 };
struct extents {
  struct extent *e;
  size_t n, allocated;
  bool full;                    /* there were more than MAX_EXTENTS: the rest must be asked again */
};

/* A request.  The caller fills in the first part; it must stay in place until done is set. */
struct op {
  enum op_kind kind;
  unsigned flags;
  uint64_t offset, count;
  unsigned char *buf;           /* OP_READ, OP_WRITE */
  struct extents *extents;      /* OP_EXTENTS */

  struct side *side;
  unsigned lane;
  bool started, done;
  int err;                      /* errno; only once done */

  /* OP_READ over NBD: how much of the buffer was really filled; more than that needs a bit a byte. */
  uint64_t seen;
  unsigned char *filled;
};

/* One way to a side: an NBD connection.  Files have lanes too, which are nothing. */
struct lane {
  struct nbd_handle *nbd;
  unsigned busy;                /* requests under way */
};

struct side_ops {
  /* Begin OP on LANE of its side; sets op->done when it ends, maybe at once. */
  void (*start) (struct side *s, unsigned lane, struct op *op);
  /* What to poll for LANE; fd -1: nothing. */
  void (*pollfd) (struct side *s, unsigned lane, struct pollfd *p);
  /* Something happened there.  0, or -1 with errno: the lane is dead. */
  int (*notify) (struct side *s, unsigned lane, short revents);
  void (*close) (struct side *s);
};

struct side {
  const struct side_ops *ops;
  zf_handle *h;
  bool target;
  char *name;                   /* "source FILE", "target nbd://..." */

  uint64_t size;
  bool can_extents;
  bool can_zero;                /* without sending the zeroes */
  bool can_fast_zero;
  bool can_flush;
  unsigned align;               /* offsets and lengths of requests must be multiples; the end may not be */
  unsigned grain;               /* size of what it allocates at least; 1: not known */
  unsigned max_request;         /* bytes of one read or write */
  uint64_t max_zero;
  struct lane lanes[MAX_LANES];
  unsigned nr_lanes;

  int fd;                       /* files and pipes; else -1 */
  bool block_device;
  bool pipe;                    /* no offsets, no size */
  bool punch_fails, range_fails;        /* this way of zeroing does not work here */

  struct zfi_nbd *nbd;          /* where the server is, for more connections and to know it again */
  uint64_t dev, ino;            /* of a file, a device (0, its number), or a server's socket */

  /* A server of our own. */
  struct zfi_child child;
  bool has_child;
  bool ends_by_itself;          /* once nobody is connected */
  char *workdir;

  /* A new file: written under another name until it is whole. */
  char *path, *temporary;
  bool created;                 /* there was nothing before */
  bool set_size;                /* a raw file, which gets the source's size */
};

/* "reading", ...; for messages. */
extern const char *side_verb (enum op_kind kind);

/* --- side-file.c --- */
extern const struct side_ops side_file_ops;
/* Make S the raw file or device open as FD (taken over). 0, or -1 with the error set. */
extern int side_file_init (struct side *s, int fd);

/* --- side-nbd.c --- */
extern const struct side_ops side_nbd_ops;

/* --- connect.c --- */
/* Connect S to s->nbd with one lane and learn what the server can.  0, or -1 with the error set. */
extern int side_nbd_connect (struct side *s, const struct copy_options *o);
/* More lanes, up to N, if the server allows that; fewer are no error. */
extern void side_nbd_more (struct side *s, unsigned n, const struct copy_options *o);
/* Can the server be used by several connections at once? */
extern bool side_nbd_multi (struct side *s);
/* Are both connected to the same TCP port? */
extern bool side_nbd_same_host (const struct side *a, const struct side *b);
/* Say goodbye and free the lanes. */
extern void side_nbd_close (struct side *s);

/* --- server.c --- */
/* Start qemu-nbd for the image PATH, or COMMAND, with a private socket, and set s->nbd.  0, or -1 with the
 * error set. */
extern int side_serve_image (struct side *s, const char *path, const char *format, unsigned connections);
extern int side_serve_command (struct side *s, char *const *command);
/* Does a server of ours have the file or device with these numbers open (WRITING: to write to it), as its
 * image or below it? */
extern bool side_server_holds (const struct side *s, uint64_t dev, uint64_t ino, bool writing);
/* End it. OK: wait for it to write everything and to end well.  0, or -1 with the error set. */
extern int side_server_end (struct side *s, bool ok);

/* --- open.c --- */
extern void side_init (struct side *s, zf_handle *h, bool target);
/* 0, or -1 with the error set; then side_finish and side_free all the same. */
extern int side_open_source (struct side *s, const struct copy_place *p, const struct copy_options *o);
/* After the source, whose size and identity count. */
extern int side_open_target (struct side *s, const struct copy_place *p, const struct copy_options *o,
                             const struct side *source);
/* Close, end the server, give a new file its name.  OK is false after an error: what is new is removed. */
extern int side_finish (struct side *s, bool ok, const struct copy_options *o);
extern void side_free (struct side *s);

/* --- create.c --- */
/* Make the new image for target S: sets s->path and s->temporary.  0, or -1 with the error set. */
extern int target_create (struct side *s, const char *path, const char *format, uint64_t size);
/* The format that a new file of this name gets. */
extern const char *target_format (const char *name);

#endif /* ZEROFISH_SIDE_H */
