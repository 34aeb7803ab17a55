#!/bin/sh
# Files to and from devices: a hole on one side is one on the other, zeroes are written only over other data, pieces
# at odd offsets and at the end are exact, and what a mounted filesystem holds back is seen.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need cmp qemu-img sfdisk

used () { sync "$1"; du -k "$1" | cut -f1; }

# A file with a hole of 512 MiB, to new disks: they hardly grow, and what comes back has the hole again.
{ head -c 65536 /dev/urandom; truncate -s 513M /dev/stdout; } >sparse
printf 'the end' >>sparse
for format in raw qcow2; do
  image=new.$format
  qemu-img create -q -f $format $image 520M
  before=$(used $image)
  zerofish --format=$format -a $image run : upload sparse /dev/sda
  after=$(used $image)
  test $((after - before)) -lt 1024 || fail "$image grew from $before to $after KiB"
  zerofish --format=$format -a $image run : download /dev/sda back
  cmp -n "$(stat -c %s sparse)" sparse back || fail "$image: the file came back different"
  test "$(stat -c %s back)" = $((520 << 20)) || fail "$image: the copy of the disk has another size"
  test "$(used back)" -lt 1024 || fail "$image: the copy of the disk is not sparse: $(used back) KiB"
done
rm -f new.raw new.qcow2 back sparse

# Zeroes over data: as well as new data they have to arrive, and nothing else may change.
head -c 10485760 /dev/urandom >old
cp old disk.img
head -c 3000000 /dev/urandom >new
head -c 4000000 /dev/zero >>new
printf 'some bytes more' >>new
zerofish --format=raw -a disk.img run : upload new /dev/sda : download /dev/sda back
cmp -n "$(stat -c %s new)" new disk.img || fail "zeroes over data: not what was uploaded"
cmp -i "$(stat -c %s new)" old disk.img || fail "an upload changed what lies behind it"
cmp back disk.img || fail "download is not what is on the disk"

# Pieces at every kind of offset, and the end: bytes and offset.
pieces='1,0 512,511 4096,4096 4097,4095 1048576,1048575 3000001,77 100,10485750 10,10485760 0,5'
{
  echo run
  n=0
  for piece in $pieces; do
    echo "pread-device /dev/sda ${piece%,*} ${piece#*,} | cat >piece.$n"
    n=$((n + 1))
  done
  echo "pwrite-device /dev/sda abcdefg 1000001"
  echo "pread-device /dev/sda 9 1000000 | cat >piece.written"
} >script
zerofish --format=raw -a disk.img -f script >/dev/null
n=0
for piece in $pieces; do
  tail -c +$((${piece#*,} + 1)) back | head -c "${piece%,*}" >want
  cmp want piece.$n || fail "pread-device $piece"
  n=$((n + 1))
done
tail -c +1000001 disk.img | head -c 9 >want
cmp want piece.written || fail "what pwrite-device wrote is not on the disk"
tail -c +1000002 disk.img | head -c 7 | grep -q '^abcdefg$' || fail "pwrite-device wrote something else"

# Dirty data of a mounted partition, seen through the whole disk; and written there, seen by the partition.
truncate -s 64M part.img
echo 'start=2048, type=83' | sfdisk -q part.img
cat >script <<'S'
run
mkfs ext4 /dev/sda1
mount /dev/sda1 /
fill 90 5000000 /z
download /dev/sda mounted
umount /
download /dev/sda after
pwrite-device /dev/sda 0123456789 2097152
pread-device /dev/sda1 10 1048576 | cat >piece.1
pread-device /dev/sda 10 2097152 | cat >piece.2
S
zerofish --format=raw -a part.img -f script
for copy in mounted after; do
  test "$(tr -dc Z <$copy | wc -c)" -ge 5000000 || fail "$copy: the file's data are missing"
done
printf 0123456789 >want
cmp want piece.1 || fail "the partition has not what was written to the disk"
cmp want piece.2 || fail "the disk has not what was written to it"
exit 0
