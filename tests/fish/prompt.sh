#!/bin/sh
# The prompt: prefixes, errors that do not end it, completion and quoting, history, its own settings, the end.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

text='prefixes and errors'
terminal $FAKE <<'EOS'
expect This is zerofish
expect ><zf> 
send l\n
expect zerofish: l: could be any of: lcd, launch, list-devices
expect ><zf> 
send li\n
expect zerofish: list-devices: call launch first (run)
expect ><zf> 
send nosuch\n
expect zerofish: nosuch: unknown command
send echo "open\n
expect zerofish: the double quote has no end
send fail\n
expect zerofish: fail-now: it failed
send <!echo la\n
expect zerofish: <!:1: la: unknown command
expect ><zf> 
send upload -<<END /p\nabc\nEND\n
expect /p <- abc
expect ><zf> 
send \x04
exit 0
EOS

text='completion'
touch 'local file' 'local"quote'
mkdir 'local dir'
terminal $FAKE <<'EOS'
expect ><zf> 
send ru\t\n
send is-ze\t/dev/sdb\n
expect false
send is-zero-device /dev/sda\t\t
expect sda2
send 1\n
expect false
send rm /my\t
expect "/my 
send fi\t\n
expect rm /my file
send rm '/my fi\t\n
expect rm /my file
send rm /q\t\n
expect rm /q"uo\\te
send rm /su\t
expect /sub/
send x1\n
expect rm /sub/x1
send rm "/sub/x\t2"\n
expect rm /sub/x2
send upload "local f\t /x\n
expect /x <- 
send upload 'local"q\t /x\n
expect /x <- 
send lcd "local d\t\n
expect ><zf> 
send !pwd\n
expect local dir
send help fail\t\n
expect fail-now - a test
send show a 1 2 no la\tx\n
expect label:x
send show a 1 2 no force:t\t\n
expect force:1
send quit\n
exit 0
EOS

text='--no-dest-paths'
terminal $FAKE --no-dest-paths <<'EOS'
expect ><zf> 
send run\n
expect ><zf> 
send rm /pl\t\n
expect rm /pl\x0d\n
send quit\n
exit 0
EOS

text='history'
[ "$(stat -c %a .zerofish-history)" = 600 ] || fail 'others may read the history'
grep -qx 'rm "/my file" ' .zerofish-history || fail 'a line is not in the history'
terminal $FAKE <<'EOS'
expect ><zf> 
send echo remembered\n
expect ><zf> 
EOS
terminal $FAKE <<'EOS'
expect ><zf> 
send \e[A\n
expect remembered\x0d\n
send quit\n
exit 0
EOS

text='settings of the prompt'
ZEROFISH_PS1='(\x41) ' ZEROFISH_OUTPUT='[out]' ZEROFISH_INIT='[init]' ZEROFISH_RESTORE='[restore]'
export ZEROFISH_PS1 ZEROFISH_OUTPUT ZEROFISH_INIT ZEROFISH_RESTORE
terminal $FAKE <<'EOS'
expect [init]
expect (A) 
send echo x\n
expect [out]
expect x\x0d\n
send quit\n
expect [restore]
exit 0
EOS
unset ZEROFISH_PS1 ZEROFISH_OUTPUT ZEROFISH_INIT ZEROFISH_RESTORE

text='keys'
terminal $FAKE secret <<'EOS'
expect Key or passphrase (key): 
send hidden\n
expect key hidden
exit 0
EOS
script "secret
from the script
echo after" --keys-from-stdin
ok "key from the script
after"

text='a home that cannot be written'
HOME=/nosuch
terminal $FAKE <<'EOS'
expect ><zf> 
send echo x\n
expect x\x0d\n
expect ><zf> 
send \x04
exit 0
EOS
exit $failed
