/* One call there and back: sending the frame, reading the reply, progress, cancel, and every way in which
 * it can fail.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc.h"

/* --- failures that end the machine --- */

/* The error is set; the connection cannot be used any more. */
static int
give_up (zf_handle *h)
{
  h->on_wire = h->may_send_flag = false;
  if (h->state == ZF_STATE_READY)
    zfi_machine_lost (h);
  return -1;
}

static void
set_ended_error (zf_handle *h)
{
  char *lines;

  zfi_pump_console (h);
  lines = zfi_console_lines (h, 10);
  zfi_error_lines (h, ECONNRESET, "the appliance ended unexpectedly%s%s%s%s", h->lost_why ? ": " : "",
                   h->lost_why ? h->lost_why : "", lines && lines[0] ? "; last lines of its console:\n" : "",
                   lines ? lines : "");
  free (lines);
}

int
rpc_lost (struct rpc *c)
{
  zf_handle *h = c->h;
  int err = errno;

  if (err == ECONNRESET || err == EPIPE)
    set_ended_error (h);
  else if (err == ETIMEDOUT && zfi_cancelled (h))
    zfi_error (h, err, "the appliance did not react to the cancel within %d seconds and was stopped",
               h->cancel_patience_ms / 1000);
  else if (err == ETIMEDOUT)
    zfi_error (h, err, "the appliance did not answer in time");
  else
    zfi_perror (h, err, "connection to the appliance");
  return give_up (h);
}

int
rpc_violation (struct rpc *c, const char *fs, ...)
{
  char text[128];
  va_list args;

  va_start (args, fs);
  vsnprintf (text, sizeof text, fs, args);
  va_end (args);
  zfi_error (c->h, EPROTO, "protocol error: the appliance sent %s; the connection was closed", text);
  return give_up (c->h);
}

/* --- cancel --- */

int
zfi_send_cancel (zf_handle *h)
{
  int64_t limit = zfi_now_ms () + h->cancel_patience_ms;

  if (h->deadline_ms == 0 || h->deadline_ms > limit)
    h->deadline_ms = limit;
  if (h->cancel_sent || !h->may_send_flag)
    return 0;
  h->cancel_sent = true;
  return conn_write_word (h->conn, ZF_CANCEL_FLAG);
}

/* A daemon that always has something to say keeps the wait hook from running, so cancel and deadline are
 * looked at here too.  0, or -1 with errno. */
static int
stay_awake (zf_handle *h)
{
  if (zfi_cancelled (h) && zfi_send_cancel (h) == -1)
    return -1;
  if (h->deadline_ms != 0 && zfi_now_ms () >= h->deadline_ms) {
    errno = ETIMEDOUT;
    return -1;
  }
  return 0;
}

/* --- progress --- */

/* Is A/B less than C/D? */
static bool
less (uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
  return (unsigned __int128) a * d < (unsigned __int128) c * b;
}

static void
emit_progress (struct rpc *c, uint64_t position, uint64_t total)
{
  const uint64_t array[4] = { c->a->proc, c->serial, position, total };

  zfi_event (c->h, ZF_EVENT_PROGRESS, NULL, 0, array, 4);
}

/* Pass on a progress message: never backwards, never past the total.  The full 100 % is kept back until
 * the call has succeeded, since only then it is true. */
static void
pass_progress (struct rpc *c, const struct wire_progress *p)
{
  uint64_t total = p->total ? p->total : 1;
  uint64_t position = p->position < total ? p->position : total;

  if (p->serial != c->serial || p->proc != (uint32_t) c->a->proc)
    return;
  if (c->total == 0 || !less (position, total, c->position, c->total)) {
    c->position = position;
    c->total = total;
  }
  if (c->position < c->total)
    emit_progress (c, c->position, c->total);
}

static int
read_progress (struct rpc *c)
{
  unsigned char raw[ZF_PROGRESS_SIZE];
  struct wire_progress p;

  if (conn_read (c->h->conn, raw, sizeof raw) == -1)
    return rpc_lost (c);
  wire_get_progress (raw, &p);
  pass_progress (c, &p);
  return 0;
}

/* --- words --- */

/* A flag, already read: 0 if it was dealt with. */
static int
take_flag (struct rpc *c, uint32_t w)
{
  if (w == ZF_PROGRESS_FLAG)
    return read_progress (c);
  if (w == ZF_CANCEL_FLAG && (c->a->flags & ZFI_FILE_IN) && c->h->on_wire && !c->daemon_cancelled) {
    c->daemon_cancelled = true;
    return 0;
  }
  return rpc_violation (c, "an unexpected %s flag", w == ZF_CANCEL_FLAG ? "cancel" : "launch");
}

static bool
is_flag (uint32_t w)
{
  return w == ZF_PROGRESS_FLAG || w == ZF_CANCEL_FLAG || w == ZF_LAUNCH_FLAG;
}

int
rpc_read_length (struct rpc *c, uint32_t *len)
{
  for (;;) {
    if (stay_awake (c->h) == -1 || conn_read_word (c->h->conn, len) == -1)
      return rpc_lost (c);
    if (!is_flag (*len))
      return 0;
    if (take_flag (c, *len) == -1)
      return -1;
  }
}

int
rpc_poll_flags (struct rpc *c)
{
  uint32_t w;
  int r;

  while ((r = conn_peek_word (c->h->conn, &w)) == 1) {
    if (!is_flag (w))
      return rpc_violation (c, "a message that nobody asked for");
    if (stay_awake (c->h) == -1 || conn_read_word (c->h->conn, &w) == -1)
      return rpc_lost (c);
    if (take_flag (c, w) == -1)
      return -1;
  }
  return r == -1 ? rpc_lost (c) : 0;
}

/* --- the call --- */

int
rpc_send (struct rpc *c, uint64_t mask, uint64_t hint, xdrproc_t args_proc, void *args)
{
  zf_handle *h = c->h;
  const struct wire_header hdr = {
    .prog = ZF_PROGRAM, .vers = ZF_VERSION, .proc = c->a->proc, .direction = ZF_CALL, .serial = c->serial,
    .progress_hint = hint, .optargs_bitmask = mask, .status = ZF_OK,
  };

  if (wire_begin (&c->frame) == -1 || (args_proc && wire_append (&c->frame, args_proc, args) == -1)) {
    /* EINVAL: a single string is longer than any message, as NULLs were refused before. */
    if (errno == EMSGSIZE || errno == EINVAL)
      return zfi_error (h, EMSGSIZE, "the arguments are too large: a call holds at most 4 MiB");
    return zfi_perror (h, errno, "encoding the arguments");
  }
  wire_end (&c->frame, &hdr);
  h->cancel_sent = h->may_send_flag = h->on_wire = false;
  zfi_pump_console (h);
  if (rpc_poll_flags (c) == -1)
    return -1;
  h->on_wire = true;
  if (conn_write (h->conn, c->frame.data, c->frame.len) == -1)
    return rpc_lost (c);
  return 0;
}

/* The daemon's message is shown on terminals, and the daemon may be in bad hands: no control characters. */
static void
clean_message (char *s)
{
  for (; *s != '\0'; s++)
    if (((unsigned char) *s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7f)
      *s = '?';
}

/* The body of an error reply becomes the handle's error. */
static int
decode_error (struct rpc *c, unsigned char *body, size_t size)
{
  struct wire_error e = { 0 };
  XDR xdr;
  bool ok;

  xdrmem_create (&xdr, (char *) body, size, XDR_DECODE);
  ok = xdr_wire_error (&xdr, &e);
  xdr_destroy (&xdr);
  if (ok) {
    clean_message (e.message);
    zfi_error_lines (c->h, wire_errno_from_name (e.errno_name), "%s",
                     e.message[0] ? e.message : "failed, and the appliance did not say why");
  }
  xdr_free ((xdrproc_t) xdr_wire_error, (char *) &e);
  return ok ? 0 : rpc_violation (c, "an error reply that cannot be decoded");
}

static int
check_header (struct rpc *c, const struct wire_header *hdr)
{
  if (hdr->prog != ZF_PROGRAM || hdr->vers != ZF_VERSION)
    return rpc_violation (c, "a message of another program or version");
  if (hdr->direction != ZF_REPLY)
    return rpc_violation (c, "a call instead of a reply");
  if (hdr->proc != c->a->proc || hdr->serial != c->serial)
    return rpc_violation (c, "the reply to another call");
  if (hdr->status != ZF_OK && hdr->status != ZF_ERROR)
    return rpc_violation (c, "a reply with an unknown status");
  return 0;
}

/* The length of a message whose header comes with it. */
static int
read_length (struct rpc *c, uint32_t *len)
{
  c->h->may_send_flag = true;
  if (rpc_read_length (c, len) == -1)
    return -1;
  if (*len < ZF_HEADER_SIZE || *len > ZF_MESSAGE_MAX)
    return rpc_violation (c, "a message of %u bytes", *len);
  return 0;
}

static int
take_header (struct rpc *c, const unsigned char *raw)
{
  struct wire_header hdr;

  wire_get_header (raw, &hdr);
  if (check_header (c, &hdr) == -1)
    return -1;
  c->ok = hdr.status == ZF_OK;
  if (c->ok && c->daemon_cancelled && !c->sent_cancelled_chunk)
    return rpc_violation (c, "success after it had cancelled the transfer");
  return 0;
}

int
rpc_read_head (struct rpc *c, unsigned char header[ZF_HEADER_SIZE], uint32_t *len)
{
  if (read_length (c, len) == -1)
    return -1;
  if (conn_read (c->h->conn, header, ZF_HEADER_SIZE) == -1)
    return rpc_lost (c);
  *len -= ZF_HEADER_SIZE;
  return take_header (c, header);
}

int
rpc_read_error (struct rpc *c, uint32_t len)
{
  if (conn_read_body (c->h->conn, len, &c->frame) == -1)
    return rpc_lost (c);
  return decode_error (c, c->frame.data, c->frame.len);
}

int
rpc_read_reply (struct rpc *c)
{
  uint32_t len;

  if (read_length (c, &len) == -1)
    return -1;
  if (conn_read_body (c->h->conn, len, &c->frame) == -1)
    return rpc_lost (c);
  if (take_header (c, c->frame.data) == -1)
    return -1;
  return c->ok ? 0 : decode_error (c, c->frame.data + ZF_HEADER_SIZE, c->frame.len - ZF_HEADER_SIZE);
}

static int
decode_result (struct rpc *c, xdrproc_t ret_proc, void *ret)
{
  XDR xdr;
  bool ok;

  if (ret_proc == NULL)
    return 0;
  xdrmem_create (&xdr, (char *) c->frame.data + ZF_HEADER_SIZE, c->frame.len - ZF_HEADER_SIZE, XDR_DECODE);
  ok = ret_proc (&xdr, ret);
  xdr_destroy (&xdr);
  return ok ? 0 : rpc_violation (c, "a result that cannot be decoded");
}

int
rpc_finish (struct rpc *c, int r)
{
  zf_handle *h = c->h;

  h->on_wire = h->may_send_flag = false;
  if (h->state == ZF_STATE_READY)
    zfi_set_deadline (h, 0);
  if (r == 0 && c->total != 0)
    emit_progress (c, c->total, c->total);
  buf_free (&c->frame);
  return r;
}

int
rpc_prepare (zf_handle *h, const struct zfi_action *a)
{
  if (h->conn == NULL)
    return zfi_error (h, ENOTCONN, "there is no connection to the appliance");
  if ((a->flags & ZFI_TOOLS) && zfi_need_tools (h) == -1)
    return -1;
  return 0;
}

int
zfi_call (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
          xdrproc_t args_proc, void *args, xdrproc_t ret_proc, void *ret)
{
  struct rpc c = { .h = h, .a = a, .frame.max = 4 + ZF_MESSAGE_MAX };
  int r;

  if (rpc_prepare (h, a) == -1)
    return -1;
  c.serial = h->next_serial++;
  r = rpc_send (&c, optargs_bitmask, 0, args_proc, args);
  if (r == 0)
    r = rpc_read_reply (&c);
  if (r == 0)
    r = c.ok ? decode_result (&c, ret_proc, ret) : -1;
  return rpc_finish (&c, r);
}

int
zfi_call_file (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
               xdrproc_t args_proc, void *args, const char *filename)
{
  struct rpc c = { .h = h, .a = a, .frame.max = 4 + ZF_MESSAGE_MAX };
  struct local_file f = { .fd = -1 };
  bool in = a->flags & ZFI_FILE_IN;
  int r;

  if (rpc_prepare (h, a) == -1 || (in && file_open_in (h, &f, filename) == -1))
    return -1;
  c.serial = h->next_serial++;
  r = rpc_send (&c, optargs_bitmask, f.size, args_proc, args);
  if (r == 0)
    r = in ? file_send (&c, &f) : rpc_read_reply (&c);
  if (r == 0 && !c.ok)
    r = -1;
  if (r == 0 && !in)
    r = file_receive (&c, filename);
  file_close_in (&f);
  return rpc_finish (&c, r);
}
