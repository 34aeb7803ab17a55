# The libvirt backend as root: the same answers as on the direct backend, owners and files as before, and no domain
# left.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
. "$here/common.sh"

test "$(id -u)" = 0 || skip "only root can start a system daemon"
start_system
chmod 755 "$tmp"

make_drives direct
make_drives libvirt
stat -c '%n %u:%g %a' libvirt/* >owners.before
use_drives direct
ZEROFISH_BACKEND="libvirt:$uri" use_drives libvirt
diff -u direct.out libvirt.out || fail "the answers differ"
grep -q 'some text' libvirt.out || { cat libvirt.out; fail "the run ended early"; }
stat -c '%n %u:%g %a' libvirt/* >owners.after
diff -u owners.before owners.after || fail "owners have changed"
cmp direct/disk.qcow2 libvirt/disk.qcow2 || echo "the qcow2 images differ in layout"
test -z "$(virsh -q -c "$uri" list --name | grep zerofish)" || fail "a domain is left"
test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'zerofish-??????' -newer owners.before -user libvirt-qemu)" \
  || fail "a working directory is left"
