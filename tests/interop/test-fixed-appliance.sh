#!/bin/sh
# zerofish-make-fixed-appliance, and stock programs with what it makes:
# - wrong arguments and folders that are in use are refused, and nothing is left behind
# - guestfish, the virt tools and Python work; disks are in their order, the appliance's own is not among them
# - words on the kernel's command line: quiet says nothing, verbose says more; the end of a session keeps the data
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need guestfish virt-ls virt-cat virt-df qemu-img

make_fixed () { run zerofish-make-fixed-appliance "$@"; }

# --- the program ---
make_fixed --help | grep -q 'LIBGUESTFS_PATH=DIR' || fail "--help"
make_fixed --version | grep -q 'zerofish) [0-9]' || fail "--version"
expect_error usage: make_fixed
expect_error usage: make_fixed a b
expect_error usage: make_fixed --what
mkdir full && echo kept >full/kernel
expect_error 'full is not empty' make_fixed full
echo x >file
expect_error 'file exists and is not a folder' make_fixed file
expect_error 'none does not exist' make_fixed none/dir
ln -s nowhere link
expect_error 'link exists and is not a folder' make_fixed link
mkdir empty
expect_error 'no usable kernel' env ZEROFISH_KERNEL="$tmp/file" "$top_builddir/run" \
  zerofish-make-fixed-appliance empty
echo 'need no-such-package' >packages
expect_error 'no-such-package' env ZEROFISH_PACKAGES="$tmp/packages" "$top_builddir/run" \
  zerofish-make-fixed-appliance new
[ "$(cat full/kernel)" = kept ] && [ -z "$(ls -A empty)" ] || fail "a refused folder was changed"
rm -f error.out
[ "$(ls | tr '\n' ' ')" = 'empty file full link packages ' ] || fail "something was left behind: $(ls)"

our_appliance
[ "$(ls "$ours" | tr '\n' ' ')" = 'README.fixed initrd kernel root ' ] || fail "in the folder are: $(ls "$ours")"

# --- guestfish: three disks that can be told apart, the second read-only ---
truncate -s 100M a.img
truncate -s 200M b.img
qemu-img create -q -f qcow2 c.img 300M
cp "$ours/root" copy.img
with_ours guestfish >out 2>err <<'END' || { cat out err >&2; fail "guestfish"; }
add a.img format:raw
add b.img format:raw readonly:true
add c.img format:qcow2
add copy.img format:raw
run
list-devices
blockdev-getsize64 /dev/sda
blockdev-getsize64 /dev/sdb
blockdev-getsize64 /dev/sdc
-blockdev-getsize64 /dev/sde
part-disk /dev/sda mbr
mkfs ext4 /dev/sda1
mount /dev/sda1 /
write /hello "some text"
upload /etc/passwd /passwd
END
cat >want <<'END'
/dev/sda
/dev/sdb
/dev/sdc
/dev/sdd
104857600
209715200
314572800
END
cmp want out || { cat out err >&2; fail "guestfish: another output"; }
grep -q 'error: blockdev_getsize64: /dev/sde: there is no such device' err ||
  fail "the disk after the last: $(cat err)"
[ "$(wc -l <err)" = 1 ] || fail "more was said than one error: $(cat err)"

# --- the virt tools ---
[ "$(with_ours virt-cat -a a.img -m /dev/sda1 /hello)" = 'some text' ] || fail "virt-cat"
with_ours virt-ls -a a.img -m /dev/sda1 / >out || fail "virt-ls"
[ "$(tr '\n' ' ' <out)" = 'hello lost+found passwd ' ] || fail "virt-ls: $(cat out)"
with_ours virt-df -a a.img >out || fail "virt-df"
grep -q '^a.img:/dev/sda1  *[0-9]' out || fail "virt-df: $(cat out)"

# --- Python, and the words of the command line ---
cat >verbose.py <<'END'
import guestfs
g = guestfs.GuestFS(python_return_dict=True)
g.set_verbose(1)
lines = []
g.set_event_callback(lambda event, handle, buf, array: lines.append(buf), guestfs.EVENT_APPLIANCE)
g.add_drive_opts("a.img", format="raw")
g.launch()
g.mount("/dev/sda1", "/")
assert g.read_file("/passwd") == open("/etc/passwd", "rb").read()
g.shutdown()
assert "Run /init" in "".join(lines), lines
END
if find_python; then
  with_ours "$python" verbose.py || fail "Python"
else
  echo "no python3-guestfs here: that part is left out"
fi
