#!/bin/sh
# The shell in real sessions: -m, --ro, scripts from standard input, local files named "-", pipes, glob; at a terminal
# ^C in a long call, completion of files in the appliance, and the progress bar.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
pty=$top_builddir/tests/fish/pty
HOME=$tmp TERM=xterm
export HOME TERM

same () { printf '%s\n' "$2" | cmp -s - "$1" || { cat "$1" >&2; fail "$1 is not '$2'"; }; }

# A script; the machine that "run" starts must not keep the pipe open.
truncate -s 64M disk.img
printf 'local text\n' > local.txt
zerofish -a disk.img > out <<'EOS' || fail "the script failed"
# a comment
run | cat
part-disk /dev/sda mbr
mkfs ext2 /dev/sda1
mount /dev/sda1 /
mkdir "/my dir"
upload local.txt "/my dir/first file"
upload -<<END "/my dir/second"
here
END
download "/my dir/first file" -
download "/my dir/second" - | tr a-z A-Z
glob filesize "/my dir/*"
glob is-zero-device /dev/sd?
-filesize /missing
echo end
EOS
same out 'local text
HERE
11
5
false
end'

# What is left of standard input, and a pipe as a file.
printf 'run\nmount /dev/sda1 /\nupload - /rest\nrest of\nthe script' | zerofish -a disk.img || fail 'upload -'
zerofish --ro -a disk.img -m /dev/sda1 download /rest - > out || fail 'download -'
printf 'rest of\nthe script' | cmp - out || fail 'upload - did not pass on the rest of the script'

# Mounts.
sum=$(sha256sum disk.img)
zerofish --ro -a disk.img -m /dev/sda1 exists '/my dir/second' : touch /new > out 2> err &&
  fail 'a read-only mount was written'
same out true
grep -q 'zerofish: touch: .*Read-only' err || { cat err >&2; fail 'touch on a read-only mount'; }
[ "$(sha256sum disk.img)" = "$sum" ] || fail 'the image of --ro changed'
zerofish --ro -a disk.img -m /dev/sda7 quit 2> err && fail 'a missing partition was mounted'
grep -q 'the devices are: /dev/sda /dev/sda1' err || { cat err >&2; fail 'devices are not listed'; }

# The line of the failure, and nothing after it.
printf 'run\n\nzero-device /dev/sdb\necho no\n' > script.zf
zerofish -a disk.img -f script.zf > out 2> err && fail 'a failure was ignored'
grep -q 'zerofish: script.zf:3: zero-device: ' err && [ ! -s out ] || { cat err >&2; fail 'the failure has no place'; }

[ -x "$pty" ] || skip 'tests/fish/pty is not built'
terminal () { timeout 300 "$pty" "$top_builddir/run" zerofish "$@" < steps > out 2>&1 || { cat out >&2; fail "$*"; }; }

# ^C in a call of half a minute: it ends, the machine lives on.
truncate -s 8G large.img
cat > steps <<'EOS'
expect ><zf> 
send run\n
expect ><zf> 
send checksum-device sha256 /dev/sda\n
expect ] 
send \x03
expect zerofish: checksum-device: 
expect ><zf> 
send list-devices\n
expect /dev/sda\x0d
expect ><zf> 
send quit\n
exit 0
EOS
terminal -a large.img
cat > steps <<'EOS'
expect go\x0d
sleep 1500
send \x03
expect zerofish: checksum-device: 
refuse no\x0d
exit 1
EOS
terminal -a large.img -- run : echo go : -checksum-device sha256 /dev/sda : echo no

# Completion asks the appliance.
cat > steps <<'EOS'
expect ><zf> 
send filesize /m\t
expect "/my dir/
send f\t\n
expect 11\x0d
expect ><zf> 
send filesize /re\t\n
expect 18\x0d
expect ><zf> 
send is-zero-device /dev/sda\t\t
expect sda1
send \x03
expect ><zf> 
send \x04
exit 0
EOS
terminal --ro -a disk.img -m /dev/sda1
exit 0
