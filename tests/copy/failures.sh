#!/bin/sh
# Servers and disks that fail (F12): the error names side, offset and reason, nothing unread is written, new files go.
# - reads, writes, zeroing, flushes that fail; from the start and now and then; a full target, raw and qcow2
# - answers that are too short, that come twice, that fail half way, out of place; hanging up; never answering
# - a server of ours that ends, cannot start, or is killed; a source file that becomes shorter
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need nbdkit qemu-img cmp python3

gone () { ! test -e d || fail "d was left: $*"; clean; }

refuses 'source nbdkit: reading [0-9]* bytes at offset [0-9]*: Input/output error' \
  [ nbdkit --filter=error pattern 5M error-pread-rate=50% ] d
gone reading
refuses 'target nbdkit: writing [0-9]* bytes at offset [0-9]*: No space left' \
  [ nbdkit pattern 5M ] [ nbdkit --filter=error memory 5M error=ENOSPC error-pwrite-rate=50% ]
grep -q 'only partly written\|nothing was written' err || fail "what became of the target: $(cat err)"
head -c 5M /dev/urandom >old
refuses 'target nbdkit: zeroing [0-9]* bytes at offset 0: Input/output error' \
  [ nbdkit null 5M ] [ nbdkit --filter=error file old error-zero-rate=100% ]
refuses 'target nbdkit: flushing: Input/output error' \
  --flush [ nbdkit pattern 1M ] [ nbdkit eval get_size='echo 1M' pread='head -c $3 /dev/zero' \
  can_write='exit 0' pwrite='cat >/dev/null' can_flush='exit 0' flush='echo EIO no >&2; exit 1' ]
# Without an answer about extents there still is the data.
copies [ nbdkit --filter=error pattern 1M error-extents-rate=100% ] d
copies [ nbdkit pattern 1M ] e
same d e
rm d e

# A full target.
refuses 'target .*: writing .* at offset [0-9]*: No space left on device' \
  [ nbdkit pattern 20M ] [ nbdkit eval get_size='echo 20M' can_write='exit 0' pread='head -c $3 /dev/zero' \
  pwrite='test $4 -lt 10000000 && cat >/dev/null || { echo ENOSPC full >&2; exit 1; }' ]
for o in raw qcow2; do
  ( ulimit -f 4000; trap '' XFSZ; refuses 'File too large\|No space\|Input/output' \
      -O $o [ nbdkit pattern 20M ] d ) || exit 1
  gone full $o
done

# Answers that must not be believed.  The target must not get a byte of them.
for m in short twice half-error outside; do
  head -c 4M /dev/zero | tr '\0' '\252' >t
  cp t before
  refuses 'source .*fake-nbd' [ $FAKE $m ] t
  $FAKE --content $m >content
  # Every byte is the old one, or the source's.
  python3 -c 'import sys
old, source, now = (open (f, "rb").read () for f in ("before", "content", "t"))
sys.exit (any (c not in (a, b) for a, b, c in zip (old, source, now)))' ||
    fail "$m: the target holds what was never read"
  refuses 'source .*fake-nbd' [ $FAKE $m ] d
  gone $m
done
refuses 'source .*reading .* at offset [0-9]*:' [ $FAKE hang-up ] d
gone hang-up
refuses 'source .*: reading [0-9]* bytes at offset [0-9]*: no answer for 1 seconds' --timeout=1 [ $FAKE silent ] d
gone silent
refuses 'source .*: connecting: no answer within 1 seconds' --timeout=1 [ $FAKE mute ] d
refuses 'source .*: asking for extents .*: no answer for 1 seconds' --timeout=1 [ $FAKE mute-extents ] d
refuses 'no answer for 1 seconds' --timeout=1 [ nbdkit pattern 1M ] \
  [ nbdkit --filter=delay memory 1M delay-write=60 ]
gone slow

# Servers of ours.
refuses 'source false: the server exited with status 1 before it answered' [ false ] d
refuses 'source .*: the server .* before it answered' [ /nonexistent/server ] d
refuses 'no answer within 1 seconds' --timeout=1 [ sleep 60 ] d
qemu-img create -q -f qcow2 garbage 1M
printf '\0\0\0\77' | dd of=garbage bs=1 seek=20 conv=notrunc status=none     # clusters of 2^63 bytes
refuses 'source garbage: the server exited with status 1' -f qcow2 garbage d
gone garbage
ZEROFISH_QEMU_NBD=/nonexistent/qemu-nbd
export ZEROFISH_QEMU_NBD
qemu-img create -q -f qcow2 q 1M
refuses 'source q: the server exited' q d
unset ZEROFISH_QEMU_NBD
gone servers

# A server that is killed while it is used.
serve sock nbdkit -f -U "$tmp/sock" --filter=delay pattern 100M rdelay=200ms
( sleep 0.5; kill -9 $pid ) &
refuses 'source .*: reading .* at offset' "nbd+unix:///?socket=sock" d
gone killed
