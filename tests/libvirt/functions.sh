# What the libvirt tests begin with: the functions of the appliance's tests, and daemons in private directories.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/../appliance/functions.sh"

test "${WITH_LIBVIRT:-yes}" = yes || skip "this build has no libvirt (libvirt-dev, libxml2-dev)"
need libvirtd virsh tini setsid qemu-img

# Paths of sockets must be short.
priv=$(mktemp -d /tmp/zfvirt.XXXXXX)
chmod 755 "$priv"
at_exit 'rm -rf "$priv"'

# wait_for SECONDS COMMAND...: until it works.
wait_for () {
  tries=$(($1 * 10))
  shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    test $tries -gt 0 || return 1
    sleep 0.1
  done
}

# end_daemon PID: end a daemon that start_session started, with its domains first.
end_daemon () {
  for name in $(timeout 20 virsh -q -c "$uri" list --name 2>/dev/null); do
    timeout 20 virsh -q -c "$uri" destroy "$name" >/dev/null 2>&1
  done
  pkill_tree "$1"
}

# End PID, which is a tini, and what it has below it.
pkill_tree () {
  for p in $(ps -o pid= --ppid "$1"); do kill "$p" 2>/dev/null; done
  wait_for 5 no_process "$1" || { for p in $(ps -o pid= --ppid "$1"); do kill -9 "$p"; done; kill -9 "$1"; } 2>/dev/null
}
no_process () { ! kill -0 "$1" 2>/dev/null; }

# start_system: a daemon for root, whose files are all in places of its own.  Sets uri and daemon.
start_system () {
  cat >"$priv/libvirtd.conf" <<CONF
unix_sock_dir = "$priv"
unix_sock_ro_perms = "0777"
unix_sock_rw_perms = "0777"
auth_unix_ro = "none"
auth_unix_rw = "none"
CONF
  cat >"$priv/qemu.conf" <<CONF
stdio_handler = "file"
cgroup_controllers = []
namespaces = []
${remember:-remember_owner = 0}
CONF
  unshare -m true 2>/dev/null || skip "no private mounts can be made here (unshare -m)"
  setsid tini -s -- unshare -m sh -ec '
    for d in /run/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt; do
      mkdir -p $d
      mount -t tmpfs -o mode=0755 none $d
    done
    mount --bind "$1/qemu.conf" /etc/libvirt/qemu.conf
    exec libvirtd -f "$1/libvirtd.conf" -p "$1/libvirtd.pid"' sh "$priv" </dev/null >"$priv/log" 2>&1 &
  daemon=$!
  uri="qemu:///system?socket=$priv/libvirt-sock"
  at_exit "end_daemon $daemon"
  wait_for 30 virsh -c "$uri" version || { cat "$priv/log" >&2; skip "libvirtd does not start here"; }
}
