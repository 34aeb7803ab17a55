#!/bin/sh
# A host block device as a drive: found, read, zeroed, and read-only where asked.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

need losetup cmp
truncate -s 10M image
printf text | dd of=image conv=notrunc 2>/dev/null
loop=$(losetup -f --show "$PWD/image" 2>/dev/null) || skip "loop devices cannot be made here (only root can)"
at_exit "losetup -d $loop"

test "$(zerofish --ro -a "$loop" run : is-zero-device /dev/sda)" = false || fail "read-only: is-zero-device"
expect_error "read-only" run zerofish --ro -a "$loop" run : zero-device /dev/sda
test "$(head -c 4 "$loop")" = text || fail "a read-only device changed"

printf '%s\n' run 'blockdev-getsize64 /dev/sda' 'is-zero-device /dev/sda' 'zero-device /dev/sda' \
  'is-zero-device /dev/sda' >script
test "$(zerofish -a "$loop" -f script | tr '\n' ' ')" = "10485760 false true " || fail "writable"
cmp -n 10485760 "$loop" /dev/zero || fail "$loop is not zero"
