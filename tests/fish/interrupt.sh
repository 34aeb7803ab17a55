#!/bin/sh
# ^C: cancels the call and ends a script with status 1; at the prompt it cancels, or gives a fresh line.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

text='command line'
terminal $FAKE echo go : work 100 : echo no <<'EOS'
expect go\x0d
sleep 500
send \x03
expect zerofish: work: cancelled by the user
refuse no
exit 1
EOS

text='script; - does not protect it'
printf -- 'echo go\n-work 100\necho no\n' > s.zf
terminal $FAKE -f s.zf <<'EOS'
expect go\x0d
sleep 500
send \x03
expect stopped by ^C
exit 1
EOS

text='between calls'
printf 'echo go\n!sleep 5\necho no\n' > s.zf
terminal $FAKE -f s.zf <<'EOS'
expect go\x0d
sleep 500
send \x03
expect zerofish: s.zf:2: 
exit 1
EOS

text='a second ^C ends it in any case'
printf "echo go\n!trap '' INT; sleep 5\n" > s.zf
terminal $FAKE -f s.zf <<'EOS'
expect go\x0d
sleep 500
send \x03
sleep 300
send \x03
exit 130
EOS

text='waiting for a script'
terminal sh -c "cat | $FAKE -f -" <<'EOS'
sleep 500
send \x03
exit 130
EOS

text='at the prompt'
terminal $FAKE <<'EOS'
expect ><zf> 
send echo no\x03
expect ><zf> 
send echo yes\n
expect yes\x0d\n
expect ><zf> 
send work 100\n
sleep 500
send \x03
expect work: cancelled by the user
expect ><zf> 
send work 1\n
expect ><zf> 
send upload -<<END /x\n
expect 2004h> 
send abc\n
expect 2004h> 
send \x03
expect has no line 'END'
expect ><zf> 
send \x12ech
expect search
send \x03
expect ><zf> 
send echo again\n
expect again\x0d\n
expect ><zf> 
send !sleep 5\n
sleep 500
send \x03
expect ><zf> 
send echo on\n
expect on\x0d\n
send quit\n
exit 0
EOS

# Started in the background with ^C ignored: it stays so.
text='ignored'
run sh -c "trap '' INT; $FAKE work 10 : echo done & pid=\$!; sleep 0.5; kill -INT \$pid; wait \$pid"
ok done
exit $failed
