#!/bin/sh
# Bit-identical copies:
# - from and to raw, qcow2, vmdk, vdi, vpc, vhdx; new targets, existing ones, targets with old data
# - sizes of 0, 1, 511, 512, 513, 64 KiB less and more a sector, 4097 sectors, a hole of 5 GiB
# - one byte of data at the ends of clusters (F24); a compressed source; small and large clusters
# - raw targets keep exact sizes and are sparse; others say their size and stay small
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need qemu-img cmp

# image FILE SIZE: data, zeroes that are written, and holes.
image () {
  rm -f "$1"
  truncate -s "$2" "$1"
  test "$2" -le 1000000000 || { printf x | dd of="$1" bs=1 seek=$(($2 - 1)) conv=notrunc status=none; return; }
  head -c $(($2 / 3)) random | dd of="$1" conv=notrunc status=none
  test "$2" -lt 200000 || dd if=/dev/zero of="$1" bs=4096 count=7 seek=1 conv=notrunc status=none
  test "$2" = 0 || printf x | dd of="$1" bs=1 seek=$(($2 - 1)) conv=notrunc status=none
}

compare () { qemu-img compare -q -f raw -F "$2" "$1" "$3" || fail "$1 and $3 differ"; }

head -c 3000000 /dev/urandom >random
for size in 0 1 511 512 513 $((65536 - 512)) $((65536 + 512)) $((4097 * 512)) $((5 << 30)); do
  image s "$size"
  copies s d
  test "$(stat -c %s d)" = "$size" || fail "the copy has $(stat -c %s d) bytes, not $size"
  test "$size" -gt 1000000000 || same s d "$size"
  test "$(kib d)" -le $(($(kib s) + 8)) || fail "the copy of $size bytes takes $(kib d) KiB"
  copies -f raw -O qcow2 --verify s q
  test "$size" = 0 || compare s qcow2 q
  copies -f qcow2 q back
  test "$size" -gt 1000000000 || cmp -n "$size" s back || fail "$size: back from qcow2"
  rm -f d q back
done

# Every byte of these may be the only one that is lost.
for at in 0 1 511 512 4095 65024 65535; do
  truncate -s 1M s
  for k in 0 3 15; do printf x | dd of=s bs=1 seek=$((k * 65536 + at)) conv=notrunc status=none; done
  copies -O qcow2 s q
  compare s qcow2 q
  copies q d
  same s d "byte $at"
  rm -f s d q
done

image s 5000192
for format in qcow2 vmdk vdi vpc vhdx qcow qed; do
  copies -O $format --verify s d.$format
  compare s $format d.$format
  copies -f $format d.$format back
  cmp -n 5000192 s back || fail "back from $format"
  # Onto old data that is in the way.
  qemu-img create -q -f $format old 8M
  qemu-io -f $format -c 'write -q -P 0xaa 0 8M' old >/dev/null || fail "old $format"
  copies -f raw -O $format s old
  qemu-img convert -f $format -O raw old flat
  cmp -n 5000192 s flat || fail "onto an old $format"
  test "$(tail -c +5000193 flat | head -c 3388416 | tr -d '\252' | wc -c)" = 0 || fail "$format: what is behind the source was touched"
  rm -f back old flat d.$format
done

for cluster in 512 4096 2M; do
  qemu-img create -q -f qcow2 -o cluster_size=$cluster d 8M
  copies s d
  qemu-img convert -f qcow2 -O raw d flat
  cmp -n 5000192 s flat || fail "clusters of $cluster"
done
qemu-img convert -c -O qcow2 s c
copies c d.raw
cmp -n 5000192 s d.raw || fail "compressed source"

# The name of a new file decides if nothing else does.
copies s new.qcow2
test "$(qemu-img info new.qcow2 | sed -n 's/file format: //p')" = qcow2 || fail "new.qcow2 is not qcow2"
copies s new.img
same s new.img
clean
