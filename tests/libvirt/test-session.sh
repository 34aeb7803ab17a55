# The libvirt backend as a normal user on a session daemon.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

# Root's daemon would be the system's: become nobody.
if test "$(id -u)" = 0; then
  need setpriv
  uid=65534
  as_user () { setpriv --reuid $uid --regid $uid --clear-groups env HOME="$priv/home" XDG_RUNTIME_DIR="$priv/run" \
    XDG_CONFIG_HOME="$priv/home/c" XDG_CACHE_HOME="$priv/home/k" TMPDIR="$priv/home" "$@"; }
else
  uid=$(id -u)
  as_user () { env HOME="$priv/home" XDG_RUNTIME_DIR="$priv/run" XDG_CONFIG_HOME="$priv/home/c" \
    XDG_CACHE_HOME="$priv/home/k" TMPDIR="$priv/home" "$@"; }
fi
mkdir -m 700 "$priv/run" "$priv/home" "$priv/home/cache"
truncate -s 4M "$priv/home/disk.img"
echo x | dd of="$priv/home/disk.img" bs=64k seek=3 conv=notrunc status=none
test "$(id -u)" != 0 || chown -R $uid "$priv/run" "$priv/home"
as_user test -r "$top_builddir/lib/.libs/libzerofish.so" || skip "the user $uid cannot read the build folder"
ZEROFISH_CACHEDIR=$priv/home/cache
ZEROFISH_BACKEND=libvirt
export ZEROFISH_BACKEND
cd "$priv/home"

as_user setsid tini -s -- libvirtd </dev/null >"$priv/log" 2>&1 &
daemon=$!
uri=qemu:///session
virsh () { as_user "$(command -v virsh)" "$@"; }
end_session () {
  for p in $(ps -o pid= --ppid "$1"); do kill -CONT "$p"; kill "$p"; done
  wait_for 5 no_process "$1" || kill -9 "$1"
} 2>/dev/null
at_exit "end_session $daemon"
wait_for 30 test -S "$priv/run/libvirt/libvirt-sock" || { cat "$priv/log" >&2; skip "libvirtd does not start here"; }

as_user timeout 120 "$top_builddir/run" zerofish -a disk.img run : is-zero-device /dev/sda : zero-device /dev/sda \
  : is-zero-device /dev/sda >out 2>err </dev/null || { cat err "$priv/log" >&2; fail "the run as a user"; }
test "$(cat out)" = "false
true" || fail "other answers: $(cat out)"
test -z "$(find . -name 'zerofish-??????')" || fail "a working directory is left"
