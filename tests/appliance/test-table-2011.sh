#!/bin/sh
# The five images of the 2011 measurement, smaller: content, allocation before and after, qemu-img check, and that nothing
# grew.  The command lines are those of the measuring script, with our shell in its place; no format is given.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

size=96M
bytes=$((96 * 1048576))

zerofish -a /dev/null run
zerofish -a /dev/null run

truncate -s $size sparse.img
head -c $size /dev/zero > prealloc-zero.img
head -c $size /dev/urandom > prealloc-random.img
qemu-img create -q -f qcow2 off.qcow2 $size
qemu-img create -q -f qcow2 -o preallocation=metadata metadata.qcow2 $size

used () { sync "$1"; du -k "$1" | cut -f1; }

for image in sparse.img prealloc-zero.img prealloc-random.img off.qcow2 metadata.qcow2; do
  before=$(used $image) length=$(stat -c %s $image)
  du -sh $image
  zerofish -a $image run : time zero-device /dev/sda > out || fail "$image: zero-device failed"
  grep -q '^elapsed time: [0-9.]* seconds$' out || fail "$image: no time was printed: $(cat out)"
  du -sh $image
  after=$(used $image)
  test "$after" -le "$before" || fail "$image grew from $before KiB to $after KiB"
  test "$(stat -c %s $image)" -le "$length" || fail "$image became longer than $length bytes"
  case $image in
    *.img)
      test "$(stat -c %s $image)" = $bytes || fail "$image changed its length"
      cmp -n $bytes $image /dev/zero || fail "$image is not zero" ;;
    *)
      qemu-img check -q $image || fail "$image: qemu-img check found errors"
      truncate -s $size zero.img
      qemu-img compare -q -f raw -F qcow2 zero.img $image || fail "$image is not zero" ;;
  esac
  test "$(zerofish --ro -a $image run : is-zero-device /dev/sda)" = true || fail "$image: is-zero-device is not true"
done
