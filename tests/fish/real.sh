#!/bin/sh
# The real shell without an appliance: all help, errors of add, disk-create, settings, calls before run.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
FAKE=$ZEROFISH
nl='
'

text='help of each command'
fake -h
sed -n '/^Command/d; /^$/q; s/ .*//p' out > commands
for c in zero-device is-zero-device zero is-zero run launch add add-ro disk-create list-devices upload \
  download; do
  grep -qx $c commands || fail "no command $c"
done
sed 's/^/help /' commands > in
run $ZEROFISH < in
[ $status = 0 ] && [ ! -s err ] || fail 'help'
[ "$(grep -c '^DESCRIPTION' out)" = "$(wc -l < commands)" ] || fail 'a command has no description'
[ "$(sed '/^SYNOPSIS/,/^DESCRIPTION/d' out | awk 'length > 84' | wc -l)" = 0 ] ||
  fail 'lines of the help are too long'

script 'add missing.img';                  bad 'missing.img: No such file'
script 'add .';                            bad 'add-drive: '
: > empty.img
script 'add empty.img';                    bad 'empty.img'
text='-a'
fake -a missing.img run;                   bad 'missing.img'
fake --format=nosuch -a empty.img run;     bad 'add-drive: '
script 'run';                              bad 'launch'

script 'zero-device /dev/sda';             bad 'launch it first ("run" in the shell)'
script 'list-devices';                     bad 'launch it first ("run" in the shell)'
script 'is-config';                        ok true
script 'is-ready';                         ok false
script "set-memsize 0x400${nl}get-memsize${nl}set-memsize 1K${nl}get-memsize";   ok "1024${nl}1024"
script 'set-memsize 1T';                   bad 'too large'
script "set-verbose oN${nl}get-verbose${nl}set-verbose f${nl}get-verbose"
[ "$status:$(cat out)" = "0:true${nl}false" ] || fail 'set-verbose'
script "set-backend-settings \"a 'b c'\"${nl}get-backend-settings";  ok "a${nl}b c"
script 'version'
[ $status = 0 ] && grep -q '^major: ' out && grep -q '^minor: ' out || fail version

script "disk-create x.raw raw 1M${nl}disk-virtual-size x.raw";                       ok 1048576
script "disk-create x.qcow2 qcow2 10G preallocation:metadata
disk-format x.qcow2${nl}disk-virtual-size x.qcow2"
ok "qcow2${nl}10737418240"
script 'disk-create y.raw raw 1Q';         bad "disk-create: size: '1Q'"
script 'disk-create y.raw nosuch 1M';      bad 'disk-create: '
[ ! -e y.raw ] || fail 'a file is left over'
script "add x.raw readonly:true format:raw label:x${nl}add-ro x.qcow2${nl}add_drive x.raw";   ok ''
script 'add x.raw readonly:true readonly:true';   bad 'more than once'
script 'add x.raw foo:true';               bad "unknown optional argument 'foo:true'"
script 'add';                              bad 'usage: add-drive filename [readonly:true|false]'
exit $failed
