#!/bin/sh
# The stock shell and library of libguestfs drive our daemon, which stands in for the emulator:
# - devices, zeroing, content there and back, results of several types
# - uploads refused early with more than the socket holds on the way, and calls with a file that we do not have
# - after each of these the connection is in step
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

: "${ZEROFISHD:?must name the daemon}"
for program in guestfish qemu-system-x86_64 timeout; do
  command -v $program > /dev/null || { echo "SKIP: no $program here"; exit 77; }
done

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
ZEROFISHD=$(realpath "$ZEROFISHD")
export ZEROFISHD dir

# What the library wants of an appliance; only the superblock of its root is looked at.
mkdir "$dir/appliance" "$dir/sysroot"
for f in kernel initrd README.fixed; do echo x > "$dir/appliance/$f"; done
truncate -s 1M "$dir/appliance/root"
printf '\123\357' | dd of="$dir/appliance/root" bs=1 seek=1080 conv=notrunc status=none
printf 'zerofish-appl-id' | dd of="$dir/appliance/root" bs=1 seek=1128 conv=notrunc status=none

# The emulator: questions about it go to the real one.
cat > "$dir/hv" <<'END'
#!/bin/sh
socket=
for arg; do
  case $arg in socket,path=*) socket=${arg#socket,path=}; socket=${socket%%,*} ;; esac
done
test -n "$socket" || exec qemu-system-x86_64 "$@"
exec "$ZEROFISHD" --socket "$socket" --device "$dir/disk" --sysroot "$dir/sysroot" --verbose
END
chmod +x "$dir/hv"

head -c 64M /dev/zero | tr '\0' '\252' > "$dir/disk"
head -c 5000001 /dev/urandom > "$dir/up"
truncate -s 50M "$dir/big"

LIBGUESTFS_BACKEND=direct LIBGUESTFS_PATH=$dir/appliance LIBGUESTFS_HV=$dir/hv TMPDIR=$dir
LIBGUESTFS_BACKEND_SETTINGS=force_tcg
LC_ALL=C
export LIBGUESTFS_BACKEND LIBGUESTFS_PATH LIBGUESTFS_HV LIBGUESTFS_BACKEND_SETTINGS TMPDIR LC_ALL
cd "$dir" || exit 1
timeout 120 guestfish --format=raw -a disk > out 2> err <<'END'
run
list-devices
blockdev-getsize64 /dev/sda
is-zero-device /dev/sda
zero-device /dev/sda
is-zero-device /dev/sda
upload up /up
download /up down
filesize /up
-upload big /none/file
ping-daemon
-upload big /
-upload up /dev/sdb
ping-daemon
-base64-in big /b
ping-daemon
-download /none x
-zero-device /dev/sdb
echo done
END
status=$?
cat > want <<'END'
/dev/sda
67108864
false
true
5000001
done
END

fail () { echo "FAIL: $*"; cat out err; exit 1; }
test $status -eq 0 || fail "guestfish ends with status $status"
cmp want out || fail "its output is another"
cmp up down || fail "a file came back changed"
test "$(grep -c error err)" -eq 6 || fail "six errors were expected"
! grep -q -i -e synchron -e 'killed by' err || fail "the connection was lost"
grep -q '/none/file: No such file' err || fail "no reason for the refused upload"
cmp -n 67108864 disk /dev/zero || fail "the disk is not zero"
