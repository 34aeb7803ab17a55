#!/bin/sh
# Encrypted devices and volumes as places for the zero calls, and drives with discard:
#   - luks_format, luks_open, luks_close, cryptsetup_open with a read-only mapping, a wrong key
#   - what lies in a mapping is zeroed in it, what lies under it is not touched otherwise
#   - a volume group over two disks that is found again in the next session
#   - blkdiscard and fstrim give the space of a raw image back
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

# kib FILE: its allocation on the host.
kib () { sync "$1"; du -k "$1" | cut -f1; }

# with_key KEY... -- ARGUMENTS: a shell that reads these keys, one a line.
with_keys () {
  keys=$1
  shift
  printf "$keys" | zerofish --keys-from-stdin "$@" >out 2>&1
}

truncate -s 64M c.img
cat >crypt.zf <<'ZF'
run
luks-format /dev/sda 0
luks-open /dev/sda secret
is-zero-device /dev/mapper/secret
zero-device /dev/mapper/secret
is-zero-device /dev/mapper/secret
mkfs ext4 /dev/mapper/secret
vfs-type /dev/mapper/secret
luks-close /dev/mapper/secret
vfs-type /dev/sda
-luks-open /dev/sda again
cryptsetup-open /dev/sda again readonly:true
-zero-device /dev/mapper/again
cryptsetup-close /dev/mapper/again
ZF
with_keys 'k1\nk1\nwrong\nk1\n' -a c.img -f crypt.zf || { cat out >&2; fail "the script ended early"; }
cat >want <<'WANT'
false
true
ext4
crypto_LUKS
luks-open
set read-only
WANT
while read -r line; do
  grep -qF -- "$line" out || { cat out >&2; fail "no '$line'"; }
done <want
[ "$(grep -c -e '^true$' -e '^false$' out)" = 2 ] || { cat out >&2; fail "not the right answers"; }

truncate -s 64M a.img b.img
zerofish -a a.img -a b.img run : pvcreate /dev/sda : pvcreate /dev/sdb : vgcreate vg '/dev/sda /dev/sdb' : \
  lvcreate lv vg 100 : mkfs ext4 /dev/vg/lv : list-filesystems >out
grep -q '^/dev/vg/lv: ext4$' out || { cat out >&2; fail "the volume is not listed"; }
cat >volume.zf <<'ZF'
run
vg-activate-all true
lvs
pvs
vfs-type /dev/vg/lv
zero-device /dev/vg/lv
is-zero-device /dev/vg/lv
-zero-device /dev/sda
ZF
zerofish -a b.img -a a.img -f volume.zf >out 2>err
printf '/dev/vg/lv\n/dev/sda\n/dev/sdb\next4\ntrue\n' | cmp - out || { cat out >&2; fail "the next session"; }
grep -q 'held by' err || { cat err >&2; fail "a disk below a volume was not refused"; }
zerofish --ro -a a.img -a b.img run : vg-activate-all true : is-zero-device /dev/vg/lv | grep -q true ||
  fail "the zeroes did not last"

head -c 64M /dev/urandom >d.img
zerofish --discard=enable -a d.img run : blkdiscard /dev/sda
[ "$(kib d.img)" -lt 1024 ] || fail "blkdiscard left $(kib d.img) KiB"
rm d.img
truncate -s 256M d.img
zerofish --discard=enable -a d.img run : part-disk /dev/sda mbr : mkfs ext4 /dev/sda1 : mount /dev/sda1 / : \
  fill 97 100000000 /f : sync : rm /f : fstrim /
[ "$(kib d.img)" -lt 20000 ] || fail "fstrim left $(kib d.img) KiB"
