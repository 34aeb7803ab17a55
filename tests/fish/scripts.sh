#!/bin/sh
# Scripts: comments, line ends, the first failure ends them with its file and line, "-cmd", "<!", "!", setenv.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
nl='
'

script "# c${nl}   # d${nl}${nl}  echo x # y${nl}#";   ok 'x # y'
script "echo 1${nl}fail-now${nl}echo 2";               bad 'zerofish: stdin:2: fail-now: it failed' 1
script "-fail-now${nl}echo 2"
[ "$status:$(cat out)" = 0:2 ] && grep -q 'stdin:1: fail-now' err || fail '-cmd'
script "- nosuch${nl}-echo \"${nl}echo 2"
[ "$status:$(cat out)" = 0:2 ] || fail '-cmd with bad input'
script "quit${nl}echo no";                             ok ''
script "exit${nl}echo no";                             ok ''

text='CRLF, byte order mark, no newline at the end'
printf '\357\273\277echo a\r\n# x\r\n\r\necho "b"\r\necho c' > in
run $FAKE < in;                                        ok "a${nl}b${nl}c"
text='a zero byte'
printf 'echo a\necho b\000c\n' > in
run $FAKE < in;                                        bad 'stdin:2: the line holds a zero byte' a

text='a file'
printf '#!/usr/bin/zerofish -f\necho a\nnosuch\n' > script.zf
fake -f script.zf;                                     bad 'zerofish: script.zf:3: nosuch: unknown command' a
fake -f missing.zf;                                    bad 'missing.zf: No such file'
fake -f .;                                             bad 'cannot read'
fake -f script.zf echo x;                              bad 'not from both' ''

text='the command line'
fake echo a : echo b : fail-now : echo c;              bad 'zerofish: fail-now: it failed' "a${nl}b"
fake -- echo a : -fail-now : echo c
[ "$status:$(cat out)" = "0:a${nl}c" ] || fail '-cmd on the command line'
fake : echo a;                                         bad 'empty command' ''
fake echo a : : echo b;                                bad 'empty command' a
fake echo a :;                                         ok a
fake 'echo a';                                         bad 'unknown command'

# Local commands.
script "setenv X 'a  b'${nl}!echo \"\$X\"${nl}unsetenv X${nl}!echo \"X=\$X\"";   ok "a  b${nl}X="
script "!exit 3${nl}echo no"
bad "stdin:1: the local command 'exit 3' failed with exit status 3" ''
script "-!false${nl}echo yes"
[ "$status:$(cat out)" = 0:yes ] || fail '-!false'
script '<! for i in 1 2 3; do echo echo $i; done';     ok "1${nl}2${nl}3"
script "<! echo echo 1; echo fail-now; echo echo 2";   bad '<!:2: fail-now' 1
script "<! echo echo 1; exit 4";                       bad 'exit status 4' 1
script "lcd /${nl}!pwd";                               ok /
script "lcd /nosuch";                                  bad 'lcd: /nosuch: No such file'
script "setenv X";                                     bad 'usage: setenv variable value'
script 'setenv A=B x';                                 bad "setenv: 'A=B': Invalid argument"

# Time.
script 'time echo a'
[ $status = 0 ] && grep -qx 'elapsed time: [0-9.]* seconds' out && [ "$(head -1 out)" = a ] || fail time
script 'time time echo a'
[ "$(grep -c elapsed out)" = 2 ] || fail 'time time'
script 'time fail-now';                                bad 'stdin:1: fail-now' ''
script 'time';                                         bad 'usage: time command'

# The end of the session is part of it.
text='shutdown fails'
FAKE_SHUTDOWN_FAILS=1 fake run;                        bad 'could not be flushed'
# An output that cannot be written is an error.
text='full output'
timeout 60 $FAKE echo a > /dev/full 2> err < /dev/null
status=$? ; : > out
bad 'cannot write the output: No space left'
exit $failed
