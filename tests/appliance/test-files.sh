#!/bin/sh
# Filesystems in the appliance: what a hostile guest may put there, sparse files on their way in and out, formatting
# again and again, two partitions of which one is mounted, and drives that are read-only.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need cmp debugfs mke2fs sfdisk

used () { sync "$1"; du -k "$1" | cut -f1; }

# Device nodes, a FIFO, and links that lead out: every call returns at once, with nothing opened or blocked.
truncate -s 64M guest.img
mke2fs -q -F -t ext4 guest.img
debugfs -w -f - guest.img >/dev/null 2>&1 <<'D'
mknod zero c 1 5
mknod console c 5 1
mknod disk b 8 0
mknod fifo p
symlink to-zero zero
symlink to-fifo fifo
symlink out ../../../../etc/passwd
symlink magic /proc/self/root/init
symlink loop loop
mkdir dir
D
debugfs -R 'ls -p /' guest.img 2>/dev/null | grep -q '/zero/' || skip "debugfs cannot make device nodes"
{
  echo run
  echo mount /dev/sda /
  for f in /zero /console /disk /fifo /to-zero /to-fifo /dir /missing /out /magic /loop; do
    for call in "is-zero" "checksum md5" "truncate-size" "touch"; do
      case $call in
        truncate-size) echo "-$call $f 0" ;;
        touch) case $f in /missing|/out|/magic) ;; *) echo "-$call $f" ;; esac ;;
        *) echo "-$call $f" ;;
      esac
    done
    echo "-download $f got"
    echo "-pread $f 10 0"
  done
  echo ping-daemon
  echo filesize /fifo
  echo exists /loop
} >script
timeout 300 "$top_builddir/run" zerofish -a guest.img -f script >out 2>err || { cat err >&2; fail "special files"; }
printf '0\nfalse\n' | cmp - out || { cat out err >&2; fail "a special file gave something"; }
test "$(grep -c 'not a regular file' err)" = 36 || { cat err >&2; fail "not all special files were refused"; }
test "$(grep -c 'No such file' err)" = 15 || { cat err >&2; fail "a link led out of the filesystem"; }
test "$(grep -c 'Is a directory' err)" = 6 || { cat err >&2; fail "a directory was taken for a file"; }

# A sparse file stays sparse on its way in, in the image, and on its way out.
rm -f guest.img && truncate -s 512M guest.img
truncate -s 200M sparse
printf 'the end' >>sparse
zerofish -a guest.img run : mkfs ext4 /dev/sda blocksize:4096 : mount /dev/sda / : touch /f
before=$(used guest.img)
zerofish -a guest.img run : mount /dev/sda / : upload sparse /f : checksum sha256 /f : download /f back >out
cmp sparse back || fail "the file came back different"
test "$(cat out)" = "$(sha256sum <sparse | cut -d' ' -f1)" || fail "the checksum of the file is wrong: $(cat out)"
test $(($(used guest.img) - before)) -lt 1024 || fail "the image grew by $(($(used guest.img) - before)) KiB"
test "$(used back)" -lt 1024 || fail "the downloaded file takes $(used back) KiB"

# Partition, write, format, again and again: the partition's node is always the right one.
truncate -s 64M disk.img
{
  echo run
  for i in 1 2 3 4 5 6 7 8 9 10; do
    printf '%s\n' "part-disk /dev/sda mbr" "pwrite-device /dev/sda boot 0" "mkfs ext4 /dev/sda1" \
      "zero /dev/sda" "list-partitions" "part-disk /dev/sda gpt" "blockdev-getsize64 /dev/sda1" \
      "mkfs vfat /dev/sda" "list-partitions"
  done
} >script
zerofish -a disk.img -f script >out
test "$(sort out | uniq -c | tr -s ' \n' '  ')" = " 10 4 10 66978304 " || fail "partitions were wrong: $(cat out)"

# Two partitions, the first mounted: the second's bytes are the same through every node, in the file too.
truncate -s 0 disk.img && truncate -s 64M disk.img
printf 'start=128, size=40000\nstart=60000, size=60000\n' | sfdisk -q disk.img
zerofish -a disk.img >out <<'ZF'
run
list-partitions
mkfs ext4 /dev/sda1
mount /dev/sda1 /
pwrite-device /dev/sda CCCCCCCC 30720512
is-zero-device /dev/sda2
pread-device /dev/sda2 4 512 | grep -c CCCC
zero-device /dev/sda2
is-zero-device /dev/sda2
pread-device /dev/sda 8 30720512 | tr -d '\0' | wc -c
pwrite-device /dev/sda2 DDDD 512
pread-device /dev/sda 4 30720512
echo
ZF
printf '/dev/sda1\n/dev/sda2\n8\nfalse\n1\ntrue\n0\n4\nDDDD\n' | cmp - out || fail "nodes disagree: $(cat out)"
test "$(tail -c +30720513 disk.img | head -c 4)" = DDDD || fail "the file does not hold what was written"

# Read-only drives: refused, the file keeps its bytes and its time; mounted files may be written, and are lost.
touch -d '2020-01-01' disk.img
cp -p disk.img copy.img
zerofish --ro -a disk.img >out 2>err <<'ZF'
run
-part-disk /dev/sda gpt
-mkfs ext4 /dev/sda2
-pwrite-device /dev/sda x 0
-upload script /dev/sda1
-zero /dev/sda
-blockdev-setrw /dev/sda
mount /dev/sda1 /
fill 65 100000 /f
filesize /f
ZF
test "$(cat out)" = 100000 || fail "a file on a read-only drive could not be written: $(cat out err)"
test "$(grep -c 'added read-only' err)" = 6 || { cat err >&2; fail "a read-only drive was not refused"; }
cmp disk.img copy.img || fail "a read-only drive was changed"
test disk.img -ot script || fail "the time of a read-only drive's file was changed"
