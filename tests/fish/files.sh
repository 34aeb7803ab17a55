#!/bin/sh
# Local files: "-" and "-<<END" in uploads and downloads; alloc and sparse.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
nl='
'

text='upload - of a file and of a pipe'
echo data > data
run $FAKE upload - /x < data;                              ok '/x <- data'
run sh -c "echo data | $FAKE upload - /x";                 ok '/x <- data'
script 'upload data /x';                                   ok '/x <- data'
script "upload - /x${nl}rest of${nl}the script";           ok "/x <- rest of${nl}the script"
script "upload -<<END /x${nl}a${nl} END${nl}b${nl}END${nl}echo after";   ok "/x <- a${nl} END${nl}b${nl}after"
script "upload -<<E${nl}E${nl}";                           bad 'expected 2 arguments'
script "upload -<<END /x${nl}a";                           bad "has no line 'END'"
script 'upload "-" /x';                                    bad 'cannot open'
text='here-document on the command line'
fake -- upload '-<<END' /x;                                bad "has no line 'END'"
script 'upload missing /x';                                bad 'upload: cannot open'

script "echo first${nl}download /x -${nl}echo last";       ok "first${nl}content of /x${nl}last"
script "download /x - | tr a-z A-Z";                       ok 'CONTENT OF /X'
script "download /x f${nl}!cat f";                         ok 'content of /x'
text='download - to a full device'
timeout 60 $FAKE download /x - > /dev/full 2> err < /dev/null
status=$? ; : > out
[ $status = 1 ] || fail 'lost output is no error'

script "sparse s 10M${nl}alloc a 64K${nl}allocate b 1K"
ok "drive s format:raw${nl}drive a format:raw${nl}drive b format:raw"
[ "$(stat -c %s s a b | tr '\n' ' ')" = '10485760 65536 1024 ' ] || fail 'wrong sizes'
[ "$(stat -c %b s)" = 0 ] && [ "$(stat -c %b a)" -ge 128 ] || fail 'wrong allocation'
cmp -n 65536 a /dev/zero || fail 'not zero'
printf old > a
script "sparse a 1K";                                      ok 'drive a format:raw'
cmp -n 1024 a /dev/zero || fail 'old content is left'
script "sparse x 0";                                       bad 'expected a size above 0'
script "sparse x -1";                                      bad 'expected a size above 0'
script "sparse x 1Q";                                      bad 'not a number'
script "sparse x 8E";                                      bad 'too large'
script "sparse x";                                         bad 'usage: sparse filename size'
script "alloc /nosuch/x 1K";                               bad 'alloc: /nosuch/x: No such file'
script "alloc . 1K";                                       bad 'alloc: .: Is a directory'
script "alloc x 4P";                                       bad 'cannot make a file of'
script "run${nl}sparse x 1K";                              bad 'before launch'
[ ! -e x ] || fail 'a file is left over'
mkfifo p
script "sparse p 1K";                                      bad 'p:'
exit $failed
