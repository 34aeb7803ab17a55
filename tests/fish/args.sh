#!/bin/sh
# Arguments: quoting as typed, in a script and on the command line; lists; optional ones; numbers; how many.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
nl='
'

script 'echo "a b" '"'c  d'"' e"f';          ok 'a b c  d e"f'
script 'echo "\x41\n\101"';                  ok "A${nl}A"
script 'echo a\nb';                          ok 'a\nb'
script 'echo "a"b';                          bad 'stdin:1: text follows the closing quote'
script "echo 'it''s'";                       bad 'text follows the closing quote'
script 'echo "\x00"';                        bad 'zero byte'
script 'echo "a\q"';                         bad 'unknown escape'
script "echo ok${nl}${nl}echo \"open";       bad 'stdin:3: the double quote has no end' ok
text='command line'
fake echo 'a b' '"c"' "d'e" '\x41';          ok 'a b "c" d'"'"'e \x41'
fake echo a '|' cat;                         ok 'a | cat'

# Lists.
script "show-list \"x 'y z' w \\'q\\'\"";    ok "[x]${nl}[y z]${nl}[w]${nl}['q']"
script 'show-list ""';                       ok ''
script "show-list \"'a'b\"";                 bad 'show-list: items: in the list'
text='list on the command line'
fake show-list "x 'y z'";                    ok "[x]${nl}[y z]"

# Optional arguments.
script 'show a 1 2G yes label:x:y force:off';            ok 'a 1 2147483648 1 label:x:y force:0'
script "show a 1 2 no \"label:x y\" \"items:a 'b c'\"";  ok 'a 1 2 0 label:x y item:a item:b c'
script 'show a 1 2 no label:';                           ok 'a 1 2 0 label:'
script 'show a 1 2 no label:x label:y';                  bad "'label' is given more than once"
script 'show a 1 2 no colour:red';                       bad "unknown optional argument 'colour:red'"
script 'show a 1 2 no extra';                            bad "unknown optional argument 'extra'"

# Numbers and booleans.
script 'show a 0x7fffffff 9223372036854775807 T';  ok 'a 2147483647 9223372036854775807 1'
script 'show a -2G -8E oFf';                 ok 'a -2147483648 -9223372036854775808 0'
script 'show a 2G 0 no';                     bad "show: small: '2G': number too large"
script 'show a 0 8E no';                     bad "show: large: '8E': number too large"
script 'show a 0 1Q no';                     bad "large: '1Q': not a number"
script 'show a 0 08 no';                     bad "large: '08': not a number"
script 'show a 0 0 maybe';                   bad "flag: 'maybe': expected true or false"

# How many.
script 'show a';                             bad 'show: expected at least 4 arguments, got 1'
script 'rm';                                 bad 'rm: expected 1 argument, got 0'
script 'rm /a /b';                           bad 'usage: rm path'
many=$(seq -s ' ' 1 65)
script "echo $many";                         ok "$many"
script "list-devices 1";                     bad 'expected 0 arguments, got 1'

# A line of a megabyte.
{ printf 'show-list "'; head -c 1048576 /dev/zero | tr '\0' x; printf '"\necho end\n'; } > in
text='long line'
run $FAKE < in
[ $status = 0 ] && [ "$(wc -c < out)" = $((1048576 + 3 + 4)) ] || fail "a long line was not passed on whole"
exit $failed
