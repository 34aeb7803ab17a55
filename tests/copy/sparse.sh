#!/bin/sh
# Never read a hole, never write a zero that is there (F18, F20, F22):
# - an empty 1 TiB image: nothing is read or written, the target stays under 1 MiB, it takes seconds
# - the same onto 1 GiB of old data: that is zeroed in one request, nothing else is; the 32-bit limit of requests
# - a target that cannot tell is read before it is zeroed, and only what is not zero is zeroed
# - a target that cannot zero, one that would be slow, one that takes no large requests
# - zeroes found in data are zeroed in a target with old data, skipped in an empty one
# - --allocated; memory
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need nbdkit qemu-img qemu-io cmp

qemu-img create -q -f qcow2 empty 1T
LIMIT=20
copies --json empty -O qcow2 new
is read 0; is written 0; is zeroed 0; is skipped 1099511627776
test "$(kib new)" -lt 1024 || fail "an empty image of $(kib new) KiB"
copies --json empty -O qcow2 new          # once more, onto it
is zeroed 0
LIMIT=120

qemu-img create -q -f qcow2 old 1T
qemu-io -f qcow2 -c 'write -q -P 0x5a 512G 1G' old >/dev/null || fail "old data"
copies --json empty old
is read 0; is written 0; is zeroed 1073741824; is checked 0
qemu-img compare -q -f qcow2 -F qcow2 empty old || fail "the old data is still there"

# count WORD: how many requests of that kind the target's log has.
count () { grep -c " $1 id=" log; }

# logged SIZE WORD...: copy an empty source to a target of all data whose requests are logged and done by the WORDs.
logged () {
  rm -f log
  size=$1
  shift
  copies --json [ nbdkit null "$size" ] [ nbdkit --filter=log eval logfile=log get_size="echo $size" \
    can_write="exit 0" pread='dd if=/dev/zero bs=$3 count=1 status=none | tr "\0" "\252"' pwrite='cat >/dev/null' "$@" ]
}
logged 10737418240 can_extents='exit 0' extents='echo $4 $3' can_zero='exit 0' zero=: can_trim='exit 0' trim=:
is zeroed 10737418240; is checked 0; is written 0
test "$(count Zero)" = 3 || fail "10 GiB were zeroed in $(count Zero) requests"
test "$(count Trim)" = 0 || fail "trim was used"

# It takes no more than 32 MiB, and says so.
logged 268435456 can_extents='exit 0' extents='echo $4 $3' can_zero='exit 0' \
  zero='test $3 -le 33554432 || { echo EINVAL too large >&2; exit 1; }'
is zeroed 268435456

# Zeroing would be slow: what is there is looked at first.  Zeroing is not there at all: it is written.
logged 1048576 can_extents='exit 0' extents='echo $4 $3' can_zero='exit 0' can_fast_zero='exit 0' \
  zero='case $5 in *fast*) echo ENOTSUP slow >&2; exit 1;; esac'
is zeroed 1048576; is checked 1048576
logged 1048576 can_extents='exit 0' extents='echo $4 $3' can_zero='exit 3'
is zeroed 1048576; is checked 1048576
test "$(count Write)" -ge 4 || fail "zeroes were not written"

# It cannot tell: 1 MiB of old data in 64 MiB is found and zeroed, the rest is left alone.
truncate -s 64M s t
head -c 1M /dev/urandom | dd of=t bs=1M seek=17 conv=notrunc status=none
copies --json s [ nbdkit --no-sr file t ]
is checked 67108864; is zeroed 1048576
same s t
test "$(kib t)" -le 1032 || fail "the target has grown to $(kib t) KiB"

# The last sector only, onto 0xff everywhere, and onto nothing (F20).
printf x | dd of=s bs=1 seek=67108000 conv=notrunc status=none
head -c 64M /dev/zero | tr '\0' '\377' >t
copies --json s t
same s t
is read 4096; is written 4096; is zeroed 67104768
test "$(kib t)" -le 64 || fail "zeroes take $(kib t) KiB"
rm t
copies --json s t
same s t
is zeroed 0; is skipped 67104768

# A source that is all data, half of it zeroes.
rm -f t s
for i in 1 2 3 4 5 6 7 8; do head -c 512K /dev/urandom; head -c 512K /dev/zero; done >s
copies --json [ nbdkit --filter=noextents file s ] t
is read 8388608; is written 4194304; is skipped 4194304
test "$(kib t)" -le 4200 || fail "zeroes were written"
head -c 8M /dev/urandom >t
copies --json s t
same s t
is zeroed 4194304
copies --json --allocated s u
same s u
test "$(kib u)" -ge 8192 || fail "--allocated left holes"
rm u
truncate -s 8M e
copies --json --allocated e u
same e u
test "$(kib u)" -ge 8192 || fail "--allocated: $(kib u) KiB of 8 MiB"

# Memory, with the largest settings that are allowed.
truncate -s 300M s
head -c 100M /dev/urandom | dd of=s conv=notrunc status=none
peak () {
  rm -f t
  $ZEROCP "$@" & p=$!
  most=0
  while kill -0 $p 2>/dev/null; do
    m=$(sed -n 's/VmHWM: *\([0-9]*\) kB/\1/p' /proc/$p/status 2>/dev/null)
    test "${m:-0}" -le $most || most=$m
    sleep 0.02
  done
  wait $p || fail "zerocp $*"
  # Under valgrind it is another program's memory.
  test -n "${ZEROFISH_WRAPPER-}" || test $most -lt 100000 || fail "$most kB: $*"
}
peak --verify s t
peak --verify --threads=16 --connections=16 --requests=256 --request-size=32M [ nbdkit file s ] t
clean
