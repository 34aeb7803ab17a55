#!/bin/sh
# What zero-device leaves allocated: no image ever grows, whatever its clusters are, and no hole is written to.  Compressed
# images, clusters from 512 bytes to 2 MiB in both versions of qcow2, raw files with holes smaller than a page, partitions that
# begin at odd sectors.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need cmp qemu-img qemu-io

used () { sync "$1"; du -k "$1" | cut -f1; }
# Clusters with data in them, in bytes.
data () { qemu-img map --output=json "$1" | sed -n 's/.*"length": \([0-9]*\),.*"data": true.*/\1/p' | awk '{ n += $1 } END { print n + 0 }'; }

truncate -s 16M zero.img
printf '\1' >one
head -c 1024 /dev/zero | tr '\0' '\252' >kib
# put FILE OFFSET: a byte other than zero.
put () { dd if=one of="$1" bs=1 seek="$2" conv=notrunc status=none; }
put_kib () { dd if=kib of="$1" bs=512 seek="$2" conv=notrunc status=none; }

# before IMAGE...: remember what they are; the disks are then /dev/sda, /dev/sdb, ...
before () {
  for f; do
    used "$f" >"$f.used"
    stat -c %s "$f" >"$f.size"
    data "$f" >"$f.data"
  done
}
# after IMAGE...: all zero, and not more than before.
after () {
  for f; do
    case $f in
      *.qcow2)
        qemu-img check -q "$f" || fail "$f: qemu-img check found errors"
        qemu-img compare -q -f raw -F qcow2 zero.img "$f" || fail "$f is not zero" ;;
      *) cmp -s "$f" zero.img || fail "$f is not zero" ;;
    esac
    test "$(used "$f")" -le "$(cat "$f.used")" || fail "$f grew from $(cat "$f.used") to $(used "$f") KiB"
    test "$(stat -c %s "$f")" -le "$(cat "$f.size")" || fail "$f became longer than $(cat "$f.size") bytes"
    test "$(data "$f")" -le "$(cat "$f.data")" || fail "$f had $(cat "$f.data") bytes of data and has $(data "$f")"
  done
}

# Compressed: one byte in each cluster at its end, at its start, and clusters that are full.
truncate -s 16M last.img
truncate -s 16M first.img
for i in $(seq 0 255); do
  put last.img $((i * 65536 + 65535))
  put first.img $((i * 65536))
done
truncate -s 16M full.img
for i in 1 3 20 21 40; do
  dd if=/dev/urandom of=full.img bs=64k seek=$i count=1 conv=notrunc status=none
  head -c 65536 /dev/zero | tr '\0' '\125' | dd of=full.img bs=64k seek=$((i + 100)) conv=notrunc status=none
done
qemu-img convert -c -f raw -O qcow2 last.img last.qcow2
qemu-img convert -c -f raw -O qcow2 first.img first.qcow2
qemu-img convert -c -f raw -O qcow2 full.img full.qcow2
qemu-img convert -c -f raw -O qcow2 -o cluster_size=2M last.img large.qcow2
qemu-img convert -c -f raw -O qcow2 -o cluster_size=4k full.img small.qcow2
before last.qcow2 first.qcow2 full.qcow2 large.qcow2 small.qcow2
zerofish -a last.qcow2 -a first.qcow2 -a full.qcow2 -a large.qcow2 -a small.qcow2 \
  run : zero-device /dev/sda : zero-device /dev/sdb : zero-device /dev/sdc : zero-device /dev/sdd : zero-device /dev/sde
after last.qcow2 first.qcow2 full.qcow2 large.qcow2 small.qcow2

# Small pieces of data among clusters that are not allocated.
images= drives= commands=run letters="a b c d e f g h i j"
for version in 0.10 1.1; do
  for cluster in 512 1024 2048 65536 2M; do
    i=$version-$cluster.qcow2
    qemu-img create -q -f qcow2 -o cluster_size=$cluster,compat=$version "$i" 16M
    qemu-io -f qcow2 -c 'write -q -P 170 1M 1k' -c 'write -q -P 170 2052k 1k' -c 'write -q -P 170 3059k 1k' \
      -c 'write -q -P 170 4090k 1k' -c 'write -q -P 170 5119k 2k' -c 'write -q -P 170 16383k 1k' "$i"
    images="$images $i" drives="$drives -a $i" commands="$commands : zero-device /dev/sd${letters%% *}"
    letters=${letters#* }
  done
done
# Clusters in 32 parts; and a file that writes go to, above one that has the data.
qemu-img create -q -f qcow2 -o extended_l2=on extended.qcow2 16M
qemu-io -f qcow2 -c 'write -q -P 170 1M 1k' -c 'write -q -P 170 2052k 1k' -c 'write -q -P 170 4094k 10k' extended.qcow2
qemu-img create -q -f qcow2 -b last.img -F raw overlay.qcow2
images="$images extended.qcow2"
before $images overlay.qcow2
# All that it may need is one table of 64 KiB, and its length is rounded up to clusters then.
echo $(($(cat overlay.qcow2.used) + 64)) >overlay.qcow2.used
echo $(($(cat overlay.qcow2.size) + 131072)) >overlay.qcow2.size
zerofish -a extended.qcow2 --format=qcow2 -a overlay.qcow2 run : zero-device /dev/sda : zero-device /dev/sdb
after overlay.qcow2
zerofish $drives $commands
after $images

# A partition that begins at sector 63: its clusters are those of the disk.  Nothing before it is touched.  (The first
# cluster is half the partition's: data in it would have to be unpacked.)
truncate -s 16M odd.img
printf '\0\0\0\0\203\0\0\0\77\0\0\0\301\177\0\0' | dd of=odd.img bs=1 seek=446 conv=notrunc status=none
printf '\125\252' | dd of=odd.img bs=1 seek=510 conv=notrunc status=none
for i in 70000 131071 8388608 8454143 16777215; do put odd.img $i; done
qemu-img convert -c -f raw -O qcow2 odd.img odd.qcow2
qemu-img convert -f raw -O qcow2 -o cluster_size=512 odd.img odd512.qcow2
for i in odd odd512; do
  before $i.qcow2
  zerofish -a $i.qcow2 run : zero-device /dev/sda1 : is-zero-device /dev/sda1 >out
  test "$(cat out)" = true || fail "$i: the partition is not zero"
  qemu-img convert -f qcow2 -O raw $i.qcow2 out.img
  cmp -s -n 32256 odd.img out.img || fail "$i: what is before the partition was changed"
  dd if=/dev/zero of=out.img bs=512 count=63 conv=notrunc status=none
  cmp -s out.img zero.img || fail "$i: the partition is not zero"
  test "$(used $i.qcow2)" -le "$(cat $i.qcow2.used)" || fail "$i grew"
  test "$(data $i.qcow2)" -le "$(cat $i.qcow2.data)" || fail "$i: a hole was written to"
done

# A raw file with holes: 4 KiB on most filesystems, and smaller ones where we may mount a filesystem that has them.
holes () {
  truncate -s 16M "$1/raw.img"
  for i in $(seq 1 63); do put_kib "$1/raw.img" $((i * 512 + i * 4 % 64)); done
  before "$1/raw.img"
  zerofish --format=raw -a "$1/raw.img" run : zero-device /dev/sda
  after "$1/raw.img"
}
holes .
truncate -s 64M fs.img
mkdir mnt
if mkfs.ext4 -q -b 1024 -O ^has_journal fs.img 2>/dev/null && mount -o loop fs.img mnt 2>/dev/null; then
  at_exit 'umount "$tmp/mnt"'
  holes mnt
else
  echo "a filesystem with blocks of 1 KiB cannot be mounted here: raw files with holes of that size were not tried"
fi
