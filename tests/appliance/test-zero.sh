#!/bin/sh
# The zero calls in the appliance: sizes that are no multiple of anything, 4096-byte sectors, partitions and their
# caches, what is in use, and giving space back.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need cmp qemu-img qemu-io

aa () { head -c "$1" /dev/zero | tr '\0' '\252'; }
used () { sync "$1"; du -k "$1" | cut -f1; }
# is_zero FILE [OFFSET [BYTES]]: by a look from outside.
is_zero () {
  bytes=${3:-$(($(stat -c %s "$1") - ${2:-0}))}
  cmp -s -n "$bytes" -i "${2:-0}:0" "$1" /dev/zero
}

# Small and odd disks: zero wipes min (size, 128 KiB) to the last byte, zero-device all.
aa 65536 >small
aa 66048 >odd
aa 300032 >head
truncate -s $((4097 * 512)) tail
printf '\1' | dd of=tail bs=1 seek=$((4097 * 512 - 1)) conv=notrunc status=none
aa $((4096 + 512)) >two
zerofish -a small -a odd -a head -a tail -a two >out <<'ZF'
run
zero /dev/sda
zero /dev/sdb
zero /dev/sdc
is-zero-device /dev/sdd
zero-device /dev/sdd
is-zero-device /dev/sdd
zero-device /dev/sde
is-zero-device /dev/sde
ZF
echo "false true true" | tr ' ' '\n' | cmp - out || fail "is-zero-device said: $(cat out)"
is_zero small || fail "the disk of 64 KiB is not zero"
is_zero odd || fail "the disk of 129 sectors is not zero"
is_zero head 0 131072 || fail "the first 128 KiB are not zero"
aa $((300032 - 131072)) | cmp -s -i 131072:0 head - || fail "zero wrote past 128 KiB"
is_zero tail || fail "the last sector is not zero"
is_zero two || fail "the disk of 4.5 KiB is not zero"

# 4096-byte sectors.
aa 1048576 >big-sectors
zerofish --blocksize=4096 -a big-sectors run : blockdev-getss /dev/sda : zero /dev/sda : is-zero-device /dev/sda >out
echo "4096 false" | tr ' ' '\n' | cmp - out || fail "with 4096-byte sectors: $(cat out)"
is_zero big-sectors 0 131072 || fail "with 4096-byte sectors the first 128 KiB are not zero"
aa $((1048576 - 131072)) | cmp -s -i 131072:0 big-sectors - || fail "with 4096-byte sectors zero wrote past 128 KiB"
zerofish --blocksize=4096 -a big-sectors run : zero-device /dev/sda
is_zero big-sectors || fail "with 4096-byte sectors the disk is not zero"

# Each node has its own cache: what was written through the disk is seen through the partition, and the other way
# round.  What is in use is refused, and partitions go when the table does.
truncate -s 64M disk
zerofish -a disk >out 2>err <<'ZF'
run
part-disk /dev/sda mbr
mkfs ext4 /dev/sda1
mount /dev/sda1 /
pread-device /dev/sda 1 40000000 | wc -c
-zero-device /dev/sda
-zero-device /dev/sda1
fill 7 100000 /seven
is-zero /seven
umount /
pwrite-device /dev/sda xxxxxxxx 40000000
is-zero-device /dev/sda1
zero-device /dev/sda1
is-zero-device /dev/sda1
pread-device /dev/sda 8 40000000 | tr '\000x' 0x
echo
pwrite-device /dev/sda xxxxxxxx 40000000
is-zero-device /dev/sda1
zero-device /dev/sda1
list-partitions
zero-device /dev/sda
list-partitions
is-zero-device /dev/sda
ZF
cat >expected <<'EOF_EXPECTED'
1
false
8
false
true
00000000
8
false
/dev/sda1
true
EOF_EXPECTED
cmp expected out || { cat out err >&2; fail "the results through disk and partition are wrong"; }
test "$(grep -c 'busy.*mounted on /' err)" = 2 || { cat err >&2; fail "a mounted device was not refused"; }
is_zero disk || fail "the partitioned disk is not zero"

# Read-only: refused, and the file keeps its bytes.
aa 100352 >readonly
expect_error "read-only" zerofish --ro -a readonly run : zero-device /dev/sda
aa 100352 | cmp -s - readonly || fail "a read-only disk was changed"

# With discard a raw image gives back all of its space, also what it has where it reads as zero.
if fallocate -l 16M reserved 2>/dev/null; then
  aa 65536 | dd of=reserved bs=4096 seek=100 conv=notrunc status=none
  zerofish --discard=enable -a reserved run : zero-device /dev/sda
  is_zero reserved || fail "the reserved disk is not zero"
  test "$(used reserved)" -le 64 || fail "reserved space was not given back: $(used reserved) KiB left"
fi

# Space is given back where the user wants it, and only there; nothing ever grows.
for discard in disable enable; do
  aa 8388608 >raw
  truncate -s 32M raw
  aa 4096 | dd of=raw bs=4096 seek=5001 conv=notrunc status=none
  qemu-img create -q -f qcow2 image.qcow2 32M
  qemu-io -f qcow2 -c 'write -q -P 170 1M 5M' -c 'write -q -P 170 20500k 4k' image.qcow2
  raw_before=$(used raw) qcow2_before=$(used image.qcow2)
  zerofish --discard=$discard -a raw -a image.qcow2 run : zero-device /dev/sda : zero-device /dev/sdb
  is_zero raw || fail "discard=$discard: the raw disk is not zero"
  qemu-img check -q image.qcow2 || fail "discard=$discard: qemu-img check found errors"
  truncate -s 32M zero.img
  qemu-img compare -q -f raw -F qcow2 zero.img image.qcow2 || fail "discard=$discard: the qcow2 disk is not zero"
  raw_after=$(used raw) qcow2_after=$(used image.qcow2)
  test "$raw_after" -le "$raw_before" && test "$qcow2_after" -le "$qcow2_before" \
    || fail "discard=$discard: grew: raw $raw_before -> $raw_after, qcow2 $qcow2_before -> $qcow2_after KiB"
  case $discard in
    enable) test "$raw_after" -le 64 && test "$qcow2_after" -le 1024 \
      || fail "space was not given back: raw $raw_after, qcow2 $qcow2_after KiB left" ;;
    disable) test "$raw_after" -ge 8192 || fail "space was given back unasked: $raw_after KiB left" ;;
  esac
done
