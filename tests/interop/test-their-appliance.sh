#!/bin/sh
# Our library with a folder of libguestfs-make-fixed-appliance:
# - it launches, drives have their order, files go there and back, read-only drives stay as they are
# - what its daemon does not know, and our private calls, make no noise
# - a list of folders, one of our own, and none at all
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need guestfish qemu-img
ZEROFISH_BACKEND_SETTINGS=force_tcg
export ZEROFISH_BACKEND_SETTINGS

# --- no folder, half a folder: before anything is started ---
truncate -s 100M a.img
expect_error "no appliance in /none:/nowhere ('kernel' is missing)" \
  env ZEROFISH_APPLIANCE=/none:/nowhere "$top_builddir/run" zerofish --format=raw -a a.img run
mkdir half
for f in kernel initrd README.fixed; do echo x >half/$f; done
expect_error "('root' is missing)" zerofish --format=raw -a a.img set-path half : run
head -c 8192 /dev/zero >half/root
expect_error 'half/root is no root of an appliance' zerofish --format=raw -a a.img set-path half : run

# --- theirs ---
stock_appliance
qemu-img create -q -f qcow2 b.img 300M
printf text | dd of=a.img conv=notrunc status=none
cp a.img a.copy
head -c 1000001 /dev/urandom >up
ZEROFISH_APPLIANCE=/none:$stock timeout 300 "$top_builddir/run" zerofish >out 2>err <<'END' ||
add-drive a.img readonly:true format:raw
add-drive b.img format:qcow2
run
blockdev-getsize64 /dev/sda
blockdev-getsize64 /dev/sdb
is-zero-device /dev/sda
is-zero-device /dev/sdb
zero-device /dev/sda
part-disk /dev/sdb mbr
mkfs ext4 /dev/sdb1
mount /dev/sdb1 /
upload up /up
download /up down
checksum md5 /up
-zero-device /dev/sdz
-blkdiscardzeroes /none
ping-daemon
END
  { cat out err >&2; fail "with the appliance of libguestfs"; }
{ printf '104857600\n314572800\nfalse\ntrue\n'; md5sum <up | cut -d' ' -f1; } >want
cmp want out || { cat out err >&2; fail "another output"; }
cmp up down || fail "a file came back changed"
cmp a.img a.copy || fail "a read-only image was changed"
[ "$(wc -l <err)" = 2 ] || fail "more was said than two errors: $(cat err)"
grep -q '/dev/sdz' err || fail "no reason: $(cat err)"

# --- what it wrote is there for ours, in a folder too ---
our_appliance
[ "$(ZEROFISH_APPLIANCE=$ours zerofish --format=qcow2 -a b.img -m /dev/sda1 filesize /up)" = 1000001 ] ||
  fail "what was written is not there"
