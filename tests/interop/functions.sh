# What the tests with libguestfs begin with: those of the appliance, and the two appliances, made once.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/../appliance/functions.sh"

LIBGUESTFS_BACKEND=direct
LIBGUESTFS_BACKEND_SETTINGS=force_tcg
export LIBGUESTFS_BACKEND LIBGUESTFS_BACKEND_SETTINGS
unset LIBGUESTFS_DEBUG LIBGUESTFS_TRACE LIBGUESTFS_HV LIBGUESTFS_PATH

# make_once NAME NEWER-THAN COMMAND...: the folder NAME beside the tests, made by COMMAND FOLDER unless it is
# there and newer than the file.  Sets $made.
make_once () {
  made=$top_builddir/tests/interop/$1 newer=$2
  shift 2
  exec 9>"$made.lock"
  flock -w 300 9 || fail "another test holds $made.lock"
  if ! [ -f "$made/README.fixed" ] || [ "$newer" -nt "$made/README.fixed" ]; then
    rm -rf "$made"
    timeout 300 "$@" "$made" >"$tmp/make.log" 2>&1 || { cat "$tmp/make.log" >&2; fail "$* $made"; }
    touch "$made/README.fixed"
  fi
  exec 9>&-
}

# Sets $ours: our appliance for the stock library.
our_appliance () {
  need supermin cpio flock
  make_once ours "$top_builddir/daemon/zerofishd" "$top_builddir/run" zerofish-make-fixed-appliance
  ours=$made
}

# Sets $stock: that of libguestfs.
stock_appliance () {
  need libguestfs-make-fixed-appliance flock
  mkdir "$tmp/stock-cache"
  make_once stock "$(command -v guestfish)" \
    env "LIBGUESTFS_CACHEDIR=$tmp/stock-cache" sh -c 'mkdir "$1" && libguestfs-make-fixed-appliance "$1"' sh
  stock=$made
}

# guestfish, and the other programs, with our appliance.
with_ours () {
  LIBGUESTFS_PATH=$ours timeout -k 5 120 "$@"
}

# Sets $python: one that has the module guestfs.  The distribution's has it, which need not be the first.
find_python () {
  for python in python3 /usr/bin/python3; do
    ! "$python" -c 'import guestfs' 2>/dev/null || return 0
  done
  return 1
}

# What the stock library needs to start rig.sh: it looks only at the superblock of its root.
make_rig () {
  mkdir "$tmp/appliance" "$tmp/sysroot"
  for f in kernel initrd README.fixed; do echo x >"$tmp/appliance/$f"; done
  truncate -s 1M "$tmp/appliance/root"
  printf '\123\357' | dd of="$tmp/appliance/root" bs=1 seek=1080 conv=notrunc status=none
  printf 'zerofish-appl-id' | dd of="$tmp/appliance/root" bs=1 seek=1128 conv=notrunc status=none
  printf '#!/bin/sh\nexec sh "%s/rig.sh" "$@"\n' "$here" >"$tmp/hv"
  chmod +x "$tmp/hv"
  LIBGUESTFS_PATH=$tmp/appliance LIBGUESTFS_HV=$tmp/hv LIBGUESTFS_CACHEDIR=$tmp RIG_SYSROOT=$tmp/sysroot
  ZEROFISHD=$top_builddir/daemon/zerofishd
  export LIBGUESTFS_PATH LIBGUESTFS_HV LIBGUESTFS_CACHEDIR RIG_SYSROOT ZEROFISHD
}
