#!/bin/sh
# Copies in the appliance, between disks, partitions, volumes and files:
#   - the same bytes arrive, on a disk with 4 KiB sectors too, and the image takes no more space than its data
#   - sparse files, and a target that holds something else
#   - with discard and sparse, the space of what becomes zero goes back to the host
#   - a volume is not copied over from the disk it lies on; a mounted disk and a read-only one are not written to
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need cmp qemu-img

kib () { sync "$1"; du -k "$1" | cut -f1; }

# A gigabyte with two megabytes of data, to an image of each kind.
truncate -s 1G src.img
head -c 1000000 /dev/urandom | dd of=src.img bs=1M seek=300 conv=notrunc status=none
head -c 1000000 /dev/urandom >tail
dd if=tail of=src.img bs=1000000 seek=1073 conv=notrunc status=none
truncate -s 1G src.img
truncate -s 1G raw.img sectors.img
qemu-img create -q -f qcow2 cow.img 1G
zerofish >out <<'ZF'
add-drive-ro src.img
add-drive raw.img format:raw
add-drive cow.img format:qcow2
add-drive sectors.img format:raw blocksize:4096
run
copy-device-to-device /dev/sda /dev/sdb
copy-device-to-device /dev/sda /dev/sdc
copy-device-to-device /dev/sda /dev/sdd sparse:true
pwrite-device /dev/sdd neighbours 4000
copy-device-to-device /dev/sda /dev/sdd srcoffset:314572800 destoffset:4003 size:3
pread-device /dev/sdd 10 4000 | tr '\000-\010\016-\037\200-\377' . | wc -c
ZF
test "$(tr -d '\n' <out)" = 1010 || fail "what was said is $(cat out)"
cmp src.img raw.img || fail "the copy is different"
qemu-img convert -f qcow2 -O raw cow.img cow.raw
cmp src.img cow.raw || fail "the copy to qcow2 is different"
{ head -c 4000 src.img; printf nei; tail -c +314572801 src.img | head -c 3; printf ours; tail -c +4011 src.img; } |
  cmp - sectors.img || fail "the copy to 4 KiB sectors is different"
for f in raw.img cow.img sectors.img; do
  test "$(kib $f)" -lt 5000 || fail "$f takes $(kib $f) KiB"
done
rm -f cow.raw cow.img sectors.img

# Files, in a filesystem on a volume; and a target that holds something else.
truncate -s 500M disk.img
head -c 64M /dev/urandom >rand.img
zerofish >out 2>err <<'ZF'
add-drive-ro src.img
add-drive disk.img format:raw
add-drive rand.img format:raw
run
pvcreate /dev/sdb
vgcreate vg /dev/sdb
lvcreate lv vg 400
mkfs xfs /dev/vg/lv
-copy-device-to-device /dev/sdb /dev/vg/lv size:1000000
-copy-device-to-device /dev/sda /dev/sdb size:1000000
mount /dev/vg/lv /
copy-device-to-file /dev/sda /big sparse:true
filesize /big
checksum md5 /big
copy-file-to-file /big /also srcoffset:314000000 size:2000000
copy-file-to-device /also /dev/sdc destoffset:12345
-copy-device-to-device /dev/sdc /dev/vg/lv size:10
-copy-device-to-device /dev/sdc /dev/sda size:10
copy-device-to-file /dev/sdc /part srcoffset:12345 size:2000000
equal /part /also
statvfs /
ZF
test "$(head -n 3 out)" = "$(stat -c %s src.img; md5sum <src.img | cut -d' ' -f1; echo true)" || fail "files: $(cat out err)"
grep -q 'overlap' err || fail "a volume was written over: $(cat err)"
test "$(grep -c busy err)" = 2 || fail "a device in use was not refused: $(cat err)"
grep -q 'read-only' err || fail "a read-only drive was not refused: $(cat err)"
test "$(kib disk.img)" -lt 90000 || fail "the volume's image takes $(kib disk.img) KiB"

# Space goes back.
zerofish add-drive-ro src.img : add-drive rand.img format:raw discard:enable : run : \
  copy-device-to-device /dev/sda /dev/sdb size:67108864 sparse:true : is-zero-device /dev/sdb >out
test "$(cat out)" = true || fail "the target is not zero"
test "$(kib rand.img)" -lt 1000 || fail "the target takes $(kib rand.img) KiB still"
