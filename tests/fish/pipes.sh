#!/bin/sh
# Pipes: where the output goes, whose failure counts, and readers that go away.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
nl='
'

script 'echo a | cat -A';                          ok 'a$'
script 'echo a |tr a b; echo "c | d" > f';         ok b
[ "$(cat f)" = 'c | d' ] || fail 'the shell did not get the whole text'
script 'echo a|cat';                               ok 'a|cat'
script 'echo "|" a';                               ok '| a'
script 'time echo a | grep -c .';                  ok 2
script "fail-now | cat${nl}echo no";               bad 'stdin:1: fail-now' ''
script "-fail-now | cat${nl}echo yes"
[ "$status:$(cat out)" = 0:yes ] || fail '- with a pipe'
script "echo a | false${nl}echo yes";              ok yes
script "echo a | exit 7${nl}echo yes";             ok yes
script 'echo a |';                                 ok ''
script '<! echo echo x | cat';                     ok x

# Much output into a command that does not read it.
big=$(seq -s ' ' 1 60000)
script "echo $big | true${nl}echo yes";            ok yes
script "echo $big | head -c 3${nl}echo yes";       ok "1 2yes"
script "echo $big | exec <&-; sleep 1${nl}echo yes" --pipe-error;   bad 'cannot write to the pipe'

# Our own reader goes: it ends quietly.
printf '%s\n' "echo $big" 'echo again' > in
timeout 60 $FAKE < in 2> err | head -c 1 > out
[ ! -s err ] || fail 'messages about a reader that has gone'
# The pipe does not take away the output of what follows.
script "echo a | cat${nl}!echo b${nl}echo c";      ok "a${nl}b${nl}c"
exit $failed
