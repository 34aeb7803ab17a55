#!/bin/sh
# NBD peers that mean no good (F55, F59): an error with bounded time and memory, never a crash, never a copy.
# - hanging up at each step of the handshake, impossible sizes, lengths of 2^32-1, wrong cookies and contexts
# - TLS asked for and not given; URIs with unknown, missing, doubled parts; names that are too long
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need nbdkit

LIMIT=30
# The sanitizers want more addresses than that.
most=4000000
( ulimit -v $most && $ZEROCP --version ) >/dev/null 2>&1 || most=unlimited
for m in close-1 close-2 close-3 close-10 close-11 size-2^63 size-2^64-1 huge-option huge-reply wrong-cookie no-extents; do
  ( ulimit -v $most; refuses 'source .*fake-nbd' --timeout=3 [ $FAKE "$m" ] d ) || exit 1
  ! test -e d || fail "$m: d was made"
done
copies [ $FAKE size-0 ] d
test "$(stat -c %s d)" = 0 || fail "a disk of 0 bytes"
rm d

# TLS that is asked for is never done without.
serve plain nbdkit -f -U "$tmp/plain" memory 1M
refuses 'source .*: connecting' "nbds+unix:///?socket=plain" d
copies "nbd+unix:///?socket=plain" d
rm d

# URIs.
for u in 'nbd://' 'nbd+unix:///x' 'nbd:///?socket=' 'nbd://host:0/' 'nbd://host:99999/' 'nbd://h/?tls-psk=x' \
         'nbd+unix:///?socket=plain&socket=plain' 'nbd+vsock:///' 'nbd://[::1/' 'nbd://h/%zz'; do
  refuses 'NBD URI' "$u" d
  copies "nbd+unix:///?socket=plain" d
  refuses 'NBD URI' d "$u"
  rm d
done
refuses 'this kind of URI is unknown' 'http://example.com/x' d
long=$(head -c 4097 /dev/zero | tr '\0' x)
refuses 'bytes; 4096 are allowed' "nbd+unix:///$long?socket=plain" d
refuses 'source' "nbd+unix:///$(echo "$long" | cut -c 2-)?socket=$tmp/nowhere" d
refuses 'NBD URI' 'nbd://user:secret@127.0.0.1:1/' d
! grep -q secret err || fail "a password in a message: $(cat err)"
clean
