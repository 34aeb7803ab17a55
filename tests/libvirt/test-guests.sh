# Libvirt guests as input, through libvirt's test driver, which needs no daemon: what is kept of a disk, what is
# refused, all disks or none, names, running guests.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
unset LIBVIRT_DEFAULT_URI

truncate -s 1M a.img 'b&<">.img' ro.img
qemu-img create -q -f qcow2 q.img 1M
name='b&amp;&lt;&quot;&gt;.img'

# guest NAME UUID DISKS [RUNSTATE]
guest () {
  cat <<XML
<domain type='test' xmlns:test='http://libvirt.org/schemas/domain/test/1.0'>
  <name>$1</name><uuid>$2</uuid><memory>65536</memory>
  <os><type arch='x86_64'>hvm</type></os>
  <test:runstate>${4:-5}</test:runstate>
  <devices>$3</devices>
</domain>
XML
}
disk () { echo "<disk type='file' device='disk'><driver name='qemu' type='$2' ${4:-}/><source file='$1'/><target dev='$3'/>${5:-}</disk>"; }
id () { echo "11111111-1111-1111-1111-11111111111$1"; }

{
  echo "<node>"
  guest good "$(id 1)" "$(disk "$tmp/a.img" raw vda "discard='unmap' detect_zeroes='unmap'" '<serial>WD-12_x</serial>')
    $(disk "$tmp/$name" raw vdb "" "<blockio logical_block_size='4096' physical_block_size='4096'/>")
    <disk type='file' device='cdrom'><source file='$tmp/ro.img'/><target dev='hda'/><readonly/></disk>
    $(disk "$tmp/ro.img" raw vdc "" '<readonly/>')
    $(disk "$tmp/q.img" qcow2 vdd "")"
  guest running "$(id 2)" "$(disk "$tmp/a.img" raw vda "")" 1
  guest paused "$(id 3)" "$(disk "$tmp/a.img" raw vda "")" 3
  guest half "$(id 4)" "$(disk "$tmp/a.img" raw vda "") $(disk "$tmp/missing.img" raw vdb "")"
  guest dir "$(id 5)" "$(disk "$tmp/a.img" raw vda "")
    <disk type='dir' device='disk'><source dir='/tmp'/><target dev='vdb'/></disk>"
  guest nbd "$(id 6)" "<disk type='network' device='disk'><driver name='qemu' type='raw'/>
      <source protocol='nbd' name='an export/x'><host name='localhost' port='10810'/></source><target dev='vda'/></disk>
    <disk type='network' device='disk'><driver name='qemu' type='raw'/>
      <source protocol='nbd'><host transport='unix' socket='/tmp/a &amp; b'/></source><target dev='vdb'/></disk>"
  guest rbd "$(id 7)" "<disk type='network' device='disk'><source protocol='rbd' name='pool/image'><host name='x'/></source>
    <target dev='vda'/></disk>"
  guest "$(id 1)" "$(id 8)" "$(disk "$tmp/a.img" raw vda "")"
  guest empty "$(id 9)" ""
  guest raw "$(id a)" "$(disk "$tmp/q.img" raw vda "")"
  echo "</node>"
} >node.xml
uri=test://$tmp/node.xml
virsh -q -c "$uri" list --all >/dev/null || fail "the test driver does not take the guests"

zf () { run zerofish -c "$uri" "$@"; }
expect () { wanted=$1; shift; got=$("$@" 2>&1 </dev/null) || fail "$*: $got"; test "$got" = "$wanted" || fail "$*: '$got', not '$wanted'"; }

expect 4 run zerofish add-domain good libvirturi:"$uri"
expect 3 run zerofish add-domain good libvirturi:"$uri" readonlydisk:ignore
expect_error 'vdc is marked read-only' run zerofish add-domain good libvirturi:"$uri" readonlydisk:error
expect_error 'readonlydisk must be' run zerofish add-domain good libvirturi:"$uri" readonlydisk:x
expect_error 'not supported' run zerofish add-domain good libvirturi:"$uri" live:true
expect_error 'is running' zf -d running quit
expect_error 'is running' zf -d paused quit
run zerofish --ro -c "$uri" -d running quit 2>warning </dev/null || fail "a running guest cannot be added read-only"
grep -q 'warning: .*running' warning || fail "no warning about a running guest"
expect_error 'missing.img' zf -d half quit
expect_error 'disk vdb of the guest dir cannot be used: its type is dir' zf -d dir quit
expect_error 'this is rbd' zf -d rbd quit
expect 2 run zerofish add-domain nbd libvirturi:"$uri"
expect_error 'rename the one' zf -d "$(id 1)" quit
expect 1 run zerofish add-domain "$(id 1)" libvirturi:"$uri"
zf -d "$(id 6)" quit </dev/null || fail "a UUID is not taken"
expect_error 'has no disks' zf -d empty quit
expect_error "the guest 'nobody'" zf -d nobody quit
expect_error 'libvirt error' zf -d nobody quit
expect_error 'libvirt error' run zerofish -c "test://$tmp/none.xml" -d x quit
expect_error 'libvirt error' run zerofish -c nosuch:///system -d x quit

# All or none: the good disk of the pair is not left behind.
run zerofish >out 2>&1 <<SCRIPT || fail "$(cat out)"
- add-domain half libvirturi:$uri
- run
SCRIPT
grep -q 'there is no drive' out || fail "a drive is left of a guest that could not be added: $(cat out)"
