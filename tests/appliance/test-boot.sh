#!/bin/sh
# The appliance boots, is built once, and is built again when its cache is damaged; filesystems that are
# modules can be mounted; a kernel without the disk driver gives its reason, not a timeout.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

truncate -s 400M disk.img

# --- an empty cache is filled, then used ---
ZEROFISH_CACHEDIR=$tmp/cache
zerofish -v -a disk.img run : list-devices >out 2>err ||
  { tail -n 20 err >&2; fail "launch with an empty cache"; }
grep -q '^/dev/sda$' out || fail "no /dev/sda: $(cat out)"
grep -q 'built the appliance in' err || fail "the first launch did not build"
zerofish -v -a disk.img run >out 2>err || { tail -n 20 err >&2; fail "second launch"; }
! grep -q 'built the appliance in' err || fail "the second launch built again"

# --- damage is found before the boot ---
kernel=$(ls -d cache/kernel-*)
truncate -s -1048576 "$kernel/kernel"
zerofish -a disk.img run >out 2>err || fail "launch with a truncated kernel: $(cat err)"
grep -q 'damaged and is built again.*/kernel has' err ||
  fail "the truncated kernel was not noticed: $(cat err)"
rm "$kernel/initrd"
zerofish -a disk.img run >out 2>err || fail "launch without an initramfs: $(cat err)"
grep -q 'damaged and is built again.*initrd' err || fail "the missing initramfs was not noticed: $(cat err)"

# --- a tools root that lost its last hole; filesystems in modules ---
zerofish -a disk.img run : mkfs vfat /dev/sda : mount /dev/sda / : touch /x : exists /x >out 2>err ||
  fail "vfat: $(cat err)"
[ "$(tail -n 1 out)" = true ] || fail "vfat: $(cat out)"
truncate -s -1M cache/tools-*/root
zerofish -a disk.img run : mkfs xfs /dev/sda : mount /dev/sda / : touch /x : exists /x >out 2>err ||
  fail "xfs: $(cat err)"
[ "$(tail -n 1 out)" = true ] || fail "xfs: $(cat out)"
grep -q 'damaged and is built again.*/root has' err || fail "the truncated root was not noticed: $(cat err)"

# --- an initramfs without a driver: the launch fails with the reason, within a time limit of its own ---
# launch_without MODULE TEXT
launch_without () {
  rm -rf build
  mkdir -p build/appliance
  cp "$(dirname "$script")"/* build/appliance/
  ln -s "$top_builddir/daemon" build/daemon
  sed -i "/$1/d" build/appliance/modules.list
  start=$(date +%s)
  ! run env "ZEROFISH_BUILDDIR=$tmp/build" zerofish -a disk.img run >out 2>err ||
    fail "launch without $1 worked"
  [ $(($(date +%s) - start)) -lt 100 ] || fail "without $1 it took too long to fail"
  grep -q "$2" err || fail "without $1 there is no '$2': $(cat err)"
}
launch_without virtio_console 'no virtio-serial port named'
launch_without virtio_scsi 'no disk can be attached: there is no SCSI adapter'
