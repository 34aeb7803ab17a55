#!/bin/sh
# The tools root: what is missing is named; the image has the programs and the places to mount on.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need supermin debugfs

mkdir out
printf 'need bash\nneed no-such-package-1|no-such-package-2\nwant no-such-package-3\n' >list
ZEROFISH_PACKAGES=$tmp/list expect_error "not installed: no-such-package-1" "$script" tools "$tmp/out"
[ -z "$(ls out)" ] || fail "a failed build left $(ls out)"

"$script" tools "$tmp/out"
[ "$(ls out)" = root ] || fail "the build left $(ls out)"
for path in /dev /proc /sys /run /tmp /sysroot /etc/mke2fs.conf; do
  debugfs -R "stat $path" out/root 2>/dev/null | grep -q ^Inode || fail "no $path in the tools root"
done
for program in mke2fs sfdisk wipefs mkfs.xfs mkfs.vfat; do
  command -v $program >/dev/null || continue
  for dir in /sbin /usr/sbin; do
    debugfs -R "stat $dir/$program" out/root 2>/dev/null
  done | grep -q ^Inode ||
    fail "no $program in the tools root"
done
# Not a hole that a copy could lose: the file is as long as the filesystem.
[ "$(dumpe2fs -h out/root 2>/dev/null | awk '/^Block count/ { n = $3 } /^Block size/ { print n * $3 }')" = \
  "$(stat -c %s out/root)" ] || fail "the image's length is not that of its filesystem"
