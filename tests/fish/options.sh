#!/bin/sh
# Options: what is added and mounted and how, --help, --version, options of other tools, wrong ones.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

src=$(cd "${srcdir:-.}" && pwd)
. "$src/functions.sh"
nl='
'
text='options'

fake -a x --add y quit;                                ok "drive x${nl}drive y"
fake --ro -a x quit;                                   ok 'drive x readonly:1'
fake -a x -r quit;                                     ok 'drive x readonly:1'
fake -a x -r --rw quit;                                ok 'drive x'
fake -a x quit --ro;                                   ok 'drive x readonly:1'
fake --format=raw -a x --format -a y quit;             ok "drive x format:raw${nl}drive y"
fake --blocksize=4096 -a x --blocksize -a y quit;      ok "drive x blocksize:4096${nl}drive y"
fake --discard=enable -a x --discard -a y --discard=disable -a z quit
ok "drive x discard:enable${nl}drive y discard:besteffort${nl}drive z discard:disable"
fake --ro --discard -a x quit;                         ok 'drive x readonly:1'
fake -a 'nbd://host/x y' quit;                         ok 'drive nbd://host/x y'
fake -a 'a,readonly=on' quit;                          ok 'drive a,readonly=on'

fake -n quit;                                          ok 'autosync 0'
fake -m /dev/sda1 -m /dev/sda2:/boot is-zero-device /dev/sda
ok "mount /dev/sda1 /${nl}mount /dev/sda2 /boot${nl}true"
fake --ro --mount /dev/sda1 quit;                      ok 'mount-ro /dev/sda1 /'
fake -m /dev/sda1:/:ro quit;                           ok 'mount-ro /dev/sda1 /'
fake -m btrfsvol:/dev/sda1/v:/x quit;                  ok 'mount btrfsvol:/dev/sda1/v /x'
fake -m /dev/nope echo no
bad 'mount: /dev/nope: no such device' 'mount /dev/nope /'
grep -q 'devices are: /dev/sda /dev/sdb /dev/sda1' err || fail 'devices are not listed'
fake -m /dev/sda1:/:acl quit;                          bad 'not available yet'

fake -d g quit;                                        ok 'guest g readonly:0 uri:none'
fake --ro -d g -c test:///x quit;                      ok 'guest g readonly:1 uri:test:///x'

for o in -i '-N fs' '--key x:key:y' --network; do
  fake $o;                                             bad 'not available yet in this version'
done
fake --nosuch;                                         bad "zerofish: unrecognized option '--nosuch'"
grep -q "zerofish --help" err || fail 'no pointer to --help'
fake disk-create x.q qcow2 -5;                         bad "words that begin with '-' put '--'"
fake --blocksize=1000 -a x;                            bad 'expected 512 or 4096'
fake --discard=maybe -a x;                             bad 'expected enable, disable or besteffort'
fake -a;                                               bad 'requires an argument'
fake --version
[ $status = 0 ] && grep -q '^zerofish [0-9]' out || fail version
fake -V
[ $status = 0 ] && grep -q '^zerofish [0-9]' out || fail version
fake -x echo a
[ "$status$(cat out)$(cat err)" = '0aecho a' ] || fail '-x'

# Every option that --help shows is in the manual, and the other way round.
fake --help
[ $status = 0 ] || fail '--help'
grep -o -e '--[a-z-]*' out | sort -u > help.list
sed -n '/^=head1 OPTIONS/,/^=head1 [^O]/s/^=item B<\(--[a-z-]*\)>.*/\1/p' \
  "$src/../../docs/zerofish.pod" | sort -u > man.list
diff help.list man.list > out || fail 'options in --help (<) and in the manual (>)'
exit $failed
