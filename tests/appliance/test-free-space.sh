#!/bin/sh
# zero_free_space on every kind of filesystem and place:
#   - nothing of deleted files is left, files that are there stay as they are, and the check finds no error
#   - ext2, ext3, ext4 (blocks of 1 and 4 KiB) and XFS: the image does not grow; nor a qcow2 image, in whose
#     clusters free extents are next to used ones
#   - on a whole disk, a partition that begins at an odd sector, a volume on an encrypted device
#   - with discard the space goes back to the host
#   - FAT is filled, and no file is left; with discard the image does not grow meanwhile
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need e2fsck sfdisk qemu-img

kib () { sync "$1"; du -k "$1" | cut -f1; }

# secrets FILE: how many blocks of the deleted files are left in it.  What a qcow2 file still has where its clusters
# are marked zero is not in the disk.
secrets () {
  if [ "$format" = raw ]; then
    LC_ALL=C grep -c 'deleted-secret' "$1" || true
  else
    qemu-img convert -f "$format" -O raw "$1" secrets.raw
    LC_ALL=C grep -c 'deleted-secret' secrets.raw || true
    rm secrets.raw
  fi
}

# A filesystem is filled with files of all sizes, a third of them is deleted, and the others must stay.
yes 'deleted-secret-deleted-secret-deleted-secret-deleted-secret' | head -c 3000000 >gone
yes 'this-file-is-to-stay-where-it-is-and-as-it-is-from-the-first' | head -c 50000 >stays
write_files () {
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    echo "upload gone /gone$i"
    echo "upload stays /stays$i"
    echo "fill-pattern deleted-secret $((i * 700 + 15)) /small$i"
  done
  echo sync
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    printf 'rm /gone%s\nrm /small%s\n' $i $i
  done
}
check_files () {
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "checksum md5 /stays$i"; done
}
sum=$(md5sum <stays | cut -d' ' -f1)

# attempt NAME DEVICE SIZE COMMANDS: make it by COMMANDS (which do not mount), and look at all.
attempt () {
  name=$1 device=$2 size=$3 make=$4
  rm -f disk.img
  qemu-img create -q -f $format disk.img "$size"
  { echo run; printf '%b' "$make"; echo "mount $device /"; write_files; } >make.zf
  zerofish $options -a disk.img -f make.zf <keys || fail "$name: cannot be made"
  [ "$(secrets disk.img)" -gt 500 ] || [ "$name" = luks ] || fail "$name: there is nothing to be zeroed"
  before=$(kib disk.img)
  { echo run; printf '%b' "$again"; printf 'mount %s /\nzero-free-space /\n' "$device"; check_files; echo "ls0 / names"; } >zero.zf
  zerofish $options -a disk.img -f zero.zf <keys >out || fail "$name: zero-free-space"
  after=$(kib disk.img)
  [ "$(grep -c "^$sum\$" out)" = 12 ] || fail "$name: a file changed: $(cat out)"
  ! grep -aq 'tmp\|gone' names || fail "$name: something was left: $(tr '\0' ' ' <names)"
  [ "$(secrets disk.img)" = 0 ] || fail "$name: $(secrets disk.img) blocks are left"
  echo "$name: $before KiB before, $after after"
}
grown () { echo $((after - before)); }
options= again= format=raw
printf 'key\nkey\nkey\n' >keys

for type in ext2 ext3 ext4; do
  attempt $type /dev/sda 256M "mkfs $type /dev/sda\n"
  [ "$(grown)" -lt 1000 ] || fail "$type: grew by $(grown) KiB"
  e2fsck -fn disk.img >fsck.out 2>&1 || fail "$type: $(cat fsck.out)"
done
attempt ext4-1k /dev/sda1 256M 'part-init /dev/sda mbr\npart-add /dev/sda p 63 -1\nmkfs ext4 /dev/sda1 blocksize:1024\n'
[ "$(grown)" -lt 1000 ] || fail "small blocks: grew by $(grown) KiB"
dd if=disk.img of=part.img bs=512 skip=63 status=none
e2fsck -fn part.img >fsck.out 2>&1 || fail "small blocks: $(cat fsck.out)"
rm part.img
attempt xfs /dev/sda1 400M 'part-disk /dev/sda gpt\nmkfs xfs /dev/sda1\n'
[ "$(grown)" -lt 1000 ] || fail "xfs: grew by $(grown) KiB"

format=qcow2
for at in sda sda1; do
  part=
  [ $at = sda ] || part='part-init /dev/sda mbr\npart-add /dev/sda p 63 -1\n'
  for type in ext4 xfs; do
    attempt $type-$format /dev/$at 400M "$part""mkfs $type /dev/$at\n"
    [ "$(grown)" -lt 1000 ] || fail "$name: grew by $(grown) KiB"
    options=--discard=enable
    attempt $type-$format-discard /dev/$at 400M "$part""mkfs $type /dev/$at\n"
    [ "$(grown)" -lt 1000 ] || fail "$name: grew by $(grown) KiB"
    options=
  done
done
format=raw

# Inside encryption the image holds no zeroes: the volume is looked at from inside.  What was never written is
# no zero there, so that this one grows.
again='luks-open /dev/sda x\nvg-activate-all true\n'
options=--keys-from-stdin
attempt luks /dev/vg/lv 180M "luks-format /dev/sda 0\nluks-open /dev/sda x\npvcreate /dev/mapper/x\n\
vgcreate vg /dev/mapper/x\nlvcreate lv vg 128\nmkfs ext4 /dev/vg/lv\n"
{ echo run; printf "$again"; echo 'copy-device-to-device /dev/vg/lv /dev/sdb'; } >look.zf
truncate -s 128M look.img
zerofish $options -a disk.img -a look.img -f look.zf <keys
[ "$(secrets look.img)" = 0 ] || fail "luks: $(secrets look.img) blocks are left"
[ "$(kib look.img)" -lt 20000 ] || fail "luks: $(kib look.img) KiB are not zero"
e2fsck -fn look.img >fsck.out 2>&1 || fail "luks: $(cat fsck.out)"
again= options=

options=--discard=enable
attempt discard /dev/sda 256M 'mkfs ext4 /dev/sda\n'
[ "$(grown)" -lt -20000 ] || fail "with discard: $(grown) KiB"
e2fsck -fn disk.img >fsck.out 2>&1 || fail "with discard: $(cat fsck.out)"
# On its way there too: look every now and then how large the image is.
(while sleep 0.2; do du -k disk.img 2>/dev/null; done) >sizes &
watcher=$!
at_exit 'kill $watcher 2>/dev/null'
attempt vfat-discard /dev/sda 128M 'mkfs vfat /dev/sda\n'
kill $watcher
[ "$after" -lt 5000 ] || fail "vfat with discard: $after KiB"
most=$(cut -f1 sizes | sort -n | tail -n 1)
[ "$most" -lt $((before + 16000)) ] || fail "vfat with discard: $most KiB meanwhile, $before before"
options=
attempt vfat /dev/sda1 64M 'part-disk /dev/sda mbr\nmkfs vfat /dev/sda1\n'
