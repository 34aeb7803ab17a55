# One run of the shell on all kinds of drives, on both backends; sourced by the tests of the backend.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

# make_drives DIR: the same drives each time.
make_drives () {
  mkdir -p "$1"
  (
    cd "$1"
    truncate -s 16M raw.img
    yes data | head -c 1048576 | dd of=raw.img bs=64k seek=10 conv=notrunc status=none
    cp raw.img 'a&b<c>,"'"'"'=.img'
    qemu-img convert -f raw -O qcow2 raw.img disk.qcow2
    cp disk.qcow2 base.qcow2
    qemu-img create -q -f qcow2 -F qcow2 -b base.qcow2 top.qcow2
    cp raw.img ro.img
    cp disk.qcow2 ro.qcow2
    echo "some text" >text
    chmod 666 ./*
  )
}

# use_drives DIR: what is done with them, and what was found.
use_drives () {
  (
    cd "$1"
    zerofish -n -a raw.img -a 'a&b<c>,"'"'"'=.img' --discard=enable -a disk.qcow2 --discard --format=qcow2 \
      -a top.qcow2 --format -a /dev/null <<'SCRIPT'
add-drive-ro ro.img
add-drive ro.qcow2 readonly:true label:mylabel
run
list-devices
is-zero-device /dev/sda
zero-device /dev/sda
is-zero-device /dev/sda
blockdev-getsize64 /dev/sdd
checksum-device md5 /dev/sdb
zero-device /dev/sdc
is-zero-device /dev/sdc
is-zero-device /dev/sdd
zero-device /dev/sdd
checksum-device md5 /dev/sdf
- zero-device /dev/sdf
checksum-device md5 /dev/sdg
list-disk-labels
part-disk /dev/sdb mbr
mkfs ext4 /dev/sdb1
mount /dev/sdb1 /
upload text /hello
download /hello -
umount /
shutdown
SCRIPT
    for f in *.img; do du -k --apparent-size "$f"; done
    test "$(du -k raw.img | cut -f1)" -le 1100 || echo "raw.img has grown"
    cmp -n 16777216 raw.img /dev/zero
    qemu-img info top.qcow2 | grep -E '^(virtual|backing)'
  ) 2>&1 | grep -v 'building the appliance' >"$1.out" || { cat "$1.out" >&2; fail "the run on $1 failed"; }
}
