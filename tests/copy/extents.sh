#!/bin/sh
# What servers say of themselves, and what is made of it (F22, F23):
# - extents of 512 bytes and of single bytes, one extent an answer, all four pairs of flags (a hole that is not zero is read)
# - empty extents, only empty ones, past the end, answers that change, an error, an unknown context
# - pieces of a read in any order; the right number of bytes is read each time
# - servers without extents, zeroing, several connections; minimum blocks of 4096 and 65536 on either side
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need nbdkit qemu-img cmp

half=2097152
# mode, bytes read
while read -r mode read; do
  $FAKE --content "$mode" >expect
  copies --json [ $FAKE "$mode" ] d
  same expect d "$mode"
  test "$read" = any || is read "$read"
  copies --json --verify [ $FAKE "$mode" ] d.qcow2
  qemu-img compare -q -f raw -F qcow2 expect d.qcow2 || fail "$mode: qcow2"
  rm -f d d.qcow2
done <<LIST
alternate 4194304
bytes 4194304
one-at-a-time $half
pairs $half
empty-extents $half
past-end $half
changing any
all-empty any
refused-extents 4194304
wrong-context 4194304
wrong-id 4194304
backwards $half
LIST
# Zeroes that nobody told of are found by looking.
copies --json [ $FAKE refused-extents ] d
is written $half
is skipped $half
test "$(kib d)" -le 2200 || fail "zeroes were written"

# A real disk with holes, zeroes and data through every kind of server.
head -c 3M /dev/urandom >s
truncate -s 20000768 s
head -c 70000 /dev/urandom | dd of=s bs=1M seek=9 conv=notrunc status=none
dd if=/dev/zero of=s bs=64K count=20 seek=200 conv=notrunc status=none

# filters WORDS: the nbdkit options of a kind of server, in $f and $o.
filters () {
  f= o=
  for word; do
    case $word in
      single) f="$f --filter=multi-conn" o="$o multi-conn-mode=disable" ;;
      min*) f="$f --filter=blocksize-policy" o="$o blocksize-minimum=${word#min} blocksize-preferred=65536 blocksize-error-policy=error" ;;
      *) f="$f --filter=$word" ;;
    esac
  done
}

head -c 20054016 /dev/zero | tr '\0' '\252' >old
for source in "" noextents single min512 "noextents single"; do
  for target in "" noextents nozero "noextents nozero" single min4096 "min65536 noextents"; do
    filters $source
    sf=$f so=$o
    filters $target
    cp old d                            # its size is a multiple of 65536
    copies --json [ nbdkit $sf file s $so ] [ nbdkit $f file d $o ]
    cmp -n 20000768 s d || fail "from \"$source\" to \"$target\""
    test "$(tail -c 53248 d | tr -d '\252' | wc -c)" = 0 || fail "to \"$target\": too much was written"
  done
done
clean
