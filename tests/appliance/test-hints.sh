#!/bin/sh
# Extent hints: answers are right and images do not grow, whatever the image is and whatever happened to it before the call;
# what is a hole is not read; discard gives back all space.  Every kind of image is also tried with hints=off.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need cmp qemu-img qemu-io timeout

used () { sync "$1"; du -k "$1" | cut -f1; }
put () { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
# Bytes that have a place in the image.
data () { qemu-img map -f "$2" --output=json "$1" | sed -n 's/.*"length": \([0-9]*\),.*"data": true.*/\1/p' | awk '{ n += $1 } END { print n + 0 }'; }
# same FORMAT IMAGE FORMAT IMAGE
same () { qemu-img compare -q -f "$1" -F "$3" "$2" "$4" >/dev/null; }
# The shell, verbose, with what it said about itself in the file log.
zv () { zerofish -v "$@" 2>log || { cat log >&2; fail "zerofish $*"; }; }
hinted () { grep -q '[0-9] extent hints' log || { cat log >&2; fail "$1: there were no hints"; }; }
not_hinted () { ! grep -q '[0-9] extent hints' log || fail "$1: there were hints"; }

# --- huge images with nothing in them: reading them would take ten minutes ---

qemu-img create -q -f qcow2 huge.qcow2 1T
truncate -s 1T huge.raw
before=$(stat -c %s huge.qcow2)
for d in disable enable; do
  zv --discard=$d --format=qcow2 -a huge.qcow2 --format=raw -a huge.raw run : zero-device /dev/sda : is-zero-device /dev/sda \
    : zero-device /dev/sdb : is-zero-device /dev/sdb >out
  hinted huge
  test "$(cat out)" = "true
true" || fail "huge images are zero, but: $(cat out)"
  test "$(stat -c %s huge.qcow2)" = "$before" || fail "huge.qcow2 grew from $before to $(stat -c %s huge.qcow2)"
  test "$(used huge.raw)" = 0 || fail "huge.raw took $(used huge.raw) KiB"
done
# One byte in the middle of nothing is found, and zeroed, without reading the rest.
qemu-io -f raw -c 'write -q -P 1 700G 1' huge.raw
qemu-io -f qcow2 -c 'write -q -P 1 700G 1' huge.qcow2
zv -a huge.qcow2 --format=raw -a huge.raw run : is-zero-device /dev/sda : zero-device /dev/sda : is-zero-device /dev/sda \
  : is-zero-device /dev/sdb : zero-device /dev/sdb : is-zero-device /dev/sdb >out
test "$(tr '\n' ' ' <out)" = "false true false true " || fail "one byte in 1 TiB: $(cat out)"
rm -f huge.raw huge.qcow2

# --- kinds of images ---

# What they hold: a little at both ends, a full MiB, and zeroes that are written.
truncate -s 24M data.raw
put data.raw 0 x
head -c 1M /dev/urandom | dd of=data.raw bs=1M seek=3 conv=notrunc status=none
dd if=/dev/zero of=data.raw bs=1M seek=8 count=3 conv=notrunc status=none
put data.raw 15728641 abc
put data.raw 25165823 y
for i in $(seq 0 2 200); do put data.raw $((18874368 + i * 4096)) z; done

# judge IMAGE FORMAT SIZE: the reply was "false, then true", and all of it is zero.
judge () {
  test "$(tr '\n' ' ' <out)" = "false true " || fail "$1: is-zero-device said $(cat out)"
  truncate -s "$3" zero.raw
  same raw zero.raw "$2" "$1" || fail "$1 is not zero"
  test "$2" != qcow2 || qemu-img check -q "$1" || fail "$1: qemu-img check found errors"
}

# try IMAGE FORMAT [OPTION...]: without hints, with, and with discard.  Hints must not make a difference to the space that it
# takes.  (Without them it may be a little more than before: qemu fills up the table of a cluster that becomes zero.)
try () {
  i=$1 f=$2
  shift 2
  size=$(qemu-img info -f "$f" --output=json "$i" | sed -n '/virtual-size/{s/[^0-9]//g;p;q}')
  for mode in off hints discard; do
    cp "$i" "try.$f"
    length=$(stat -c %s "try.$f")
    set_off= discard=disable
    test $mode != off || set_off=hints=off
    test $mode != discard || discard=enable
    ZEROFISH_BACKEND_SETTINGS=$set_off zv "$@" --discard=$discard --format="$f" -a "try.$f" run : is-zero-device /dev/sda \
      : zero-device /dev/sda : is-zero-device /dev/sda >out
    if test $mode = off; then not_hinted "$i"; else hinted "$i"; fi
    judge "try.$f" "$f" "$size"
    now=$(used "try.$f")
    test $mode != off || most=$now
    test $mode = discard || test "$now" -le "$most" || fail "$i, $mode: it takes $now KiB, without hints $most"
    test "$(stat -c %s "try.$f")" -le $(((length + 511) / 512 * 512)) || fail "$i, $mode: it is longer than before"
    if test $mode = discard; then
      test "$now" -le ${rest:-600} || fail "$i: after discarding it still takes $now KiB"
      test "$(data "try.$f" "$f")" -le 4096 || fail "$i: after discarding there are still data in it"
    fi
    rm -f "try.$f"
  done
}

try data.raw raw
for o in compat=1.1 compat=0.10 cluster_size=512 cluster_size=2M preallocation=metadata lazy_refcounts=on extended_l2=on; do
  # Its own tables are as large as its clusters.
  test $o = cluster_size=2M && rest=8400 || rest=600
  qemu-img convert -f raw -O qcow2 -o $o data.raw kind.qcow2
  try kind.qcow2 qcow2
done
rest=600
qemu-img convert -c -f raw -O qcow2 data.raw packed.qcow2
try packed.qcow2 qcow2
# Every cluster is there, most of them zero.
qemu-img convert -S 0 -f raw -O qcow2 data.raw full.qcow2
try full.qcow2 qcow2
fallocate -l 24M falloc.raw 2>/dev/null && put falloc.raw 7777777 x && try falloc.raw raw
try data.raw raw --blocksize=4096

# Lengths that are no multiple of anything.  (The emulator fills up the last sector.)
for n in 1000 1536 1049089 1052672; do
  rm -f odd.raw
  truncate -s $n odd.raw
  put odd.raw $((n - 1)) x
  try odd.raw raw
done
truncate -s $((8 * 1024 * 1024 + 512)) odd.raw
qemu-img convert -f raw -O qcow2 odd.raw odd.qcow2
qemu-io -f qcow2 -c 'write -q -P 3 8M 512' odd.qcow2
try odd.qcow2 qcow2

# Other formats have no discard.
qemu-img convert -f raw -O vdi data.raw other.vdi
zv --format=vdi -a other.vdi run : is-zero-device /dev/sda : zero-device /dev/sda : is-zero-device /dev/sda >out
hinted other.vdi
judge other.vdi vdi 24M

# --- backing files and snapshots: what is below does not change ---

for o in compat=1.1 compat=0.10; do
  cp data.raw base.raw
  qemu-img create -q -f qcow2 -o $o -b base.raw -F raw top.qcow2 24M
  qemu-io -f qcow2 -c 'write -q -P 7 20M 64k' -c 'write -q -P 0 3M 64k' top.qcow2
  zv --format=qcow2 -a top.qcow2 run : is-zero-device /dev/sda : zero-device /dev/sda : is-zero-device /dev/sda >out
  hinted top.qcow2
  judge top.qcow2 qcow2 24M
  cmp data.raw base.raw || fail "the backing file was written to"
done
truncate -s 24M empty.raw
qemu-img create -q -f qcow2 -b empty.raw -F raw top.qcow2 24M
was=$(used top.qcow2)
zv --format=qcow2 -a top.qcow2 run : is-zero-device /dev/sda : zero-device /dev/sda >out
test "$(cat out)" = true || fail "nothing over nothing is zero, but: $(cat out)"
test "$(used top.qcow2)" = "$was" || fail "an empty overlay grew"

qemu-img convert -f raw -O qcow2 data.raw snap.qcow2
qemu-img snapshot -c before snap.qcow2
for d in disable enable; do
  zv --discard=$d --format=qcow2 -a snap.qcow2 run : zero-device /dev/sda : is-zero-device /dev/sda >out
  test "$(cat out)" = true || fail "snap.qcow2: $(cat out)"
  qemu-img check -q snap.qcow2 || fail "snap.qcow2: qemu-img check found errors"
  qemu-img convert -l snapshot.name=before -f qcow2 -O raw snap.qcow2 back.raw
  same raw data.raw raw back.raw || fail "the snapshot was changed"
done

# --- read-only drives: the question goes to the throw-away overlay, which knows of the image below ---

qemu-img convert -f raw -O qcow2 data.raw ro.qcow2
qemu-img create -q -f qcow2 blank.qcow2 1T
sum=$(sha256sum ro.qcow2 blank.qcow2 data.raw)
zv --ro --format=qcow2 -a ro.qcow2 -a blank.qcow2 --format=raw -a data.raw run : is-zero-device /dev/sda \
  : is-zero-device /dev/sdb : is-zero-device /dev/sdc >out
hinted ro.qcow2
test "$(tr '\n' ' ' <out)" = "false true false " || fail "read-only drives: $(cat out)"
test "$(sha256sum ro.qcow2 blank.qcow2 data.raw)" = "$sum" || fail "a read-only image was changed"

# --- what happened before the call, in the same machine ---

truncate -s 64M work.raw
cat >script <<'SCRIPT'
run
is-zero-device /dev/sda
pwrite-device /dev/sda x 33554432
is-zero-device /dev/sda
zero-device /dev/sda
is-zero-device /dev/sda
part-disk /dev/sda mbr
is-zero-device /dev/sda
is-zero-device /dev/sda1
pwrite-device /dev/sda y 20000001
is-zero-device /dev/sda1
zero-device /dev/sda1
is-zero-device /dev/sda1
is-zero-device /dev/sda
pwrite-device /dev/sda1 z 1000
is-zero-device /dev/sda
is-zero-device /dev/sda1
mkfs ext4 /dev/sda1
mount /dev/sda1 /
is-zero-device /dev/sda1
fill 104 5 /f
is-zero-device /dev/sda1
is-zero-device /dev/sda
-zero-device /dev/sda
pread /f 5 0
echo
umount /
zero-device /dev/sda1
is-zero-device /dev/sda1
zero-device /dev/sda
is-zero-device /dev/sda
SCRIPT
for format in raw qcow2; do
  test $format = raw || qemu-img convert -f raw -O qcow2 work.raw work.qcow2
  for discard in disable enable; do
    zv --discard=$discard --format=$format -a work.$format -f script >out
    hinted work
    tr '\n' ' ' <out >got
    test "$(cat got)" = "true 1 false true false true 1 false true false 1 false false false false false hhhhh true true " ||
      fail "calls in a row, $format, discard $discard: $(cat got)"
  done
done

# --- what is no file ---

zv -a /dev/null run : is-zero-device /dev/sda : pwrite-device /dev/sda x 100 : is-zero-device /dev/sda : zero-device /dev/sda \
  : is-zero-device /dev/sda >out
test "$(tr '\n' ' ' <out)" = "true 1 false true " || fail "scratch drive: $(cat out)"

if loop=$(losetup -f --show data.raw 2>/dev/null); then
  at_exit "losetup -d $loop"
  zv --ro -a "$loop" run : is-zero-device /dev/sda >out
  test "$(cat out)" = false || fail "a block device: $(cat out)"
  cp --sparse=always data.raw loop.raw
  loop2=$(losetup -f --show loop.raw)
  at_exit "losetup -d $loop2"
  zv --format=raw -a "$loop2" run : zero-device /dev/sda : is-zero-device /dev/sda >out
  not_hinted "a block device"
  test "$(cat out)" = true || fail "a block device after zeroing: $(cat out)"
  sync
  same raw zero.raw raw loop.raw || fail "a block device is not zero"
else
  echo "there are no loop devices here: host block devices were not tried"
fi

if command -v qemu-nbd >/dev/null; then
  cp --sparse=always data.raw nbd.raw
  qemu-nbd -t -f raw -k "$tmp/sock" --pid-file="$tmp/pid" nbd.raw &
  at_exit 'kill $(cat "$tmp/pid")'
  for _ in $(seq 100); do test -s pid && break; sleep 0.1; done
  zv -a "nbd+unix:///?socket=$tmp/sock" run : is-zero-device /dev/sda : zero-device /dev/sda : is-zero-device /dev/sda >out
  not_hinted "an NBD drive"
  judge nbd.raw raw 24M
fi
