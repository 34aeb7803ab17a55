#!/bin/sh
# The glob command: paths, devices, several patterns, no match.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
nl='
'

script "glob rm /*";                        bad 'call launch first'
script "run${nl}glob rm /my*";              ok "rm /my file${nl}rm /my other"
script "run${nl}glob rm /sub/x?";           ok "rm /sub/x1${nl}rm /sub/x2"
script "run${nl}glob rm /*/x[2-9]";         ok "rm /sub/x2"
script "run${nl}glob rm /s*/";              ok "rm /sub/"
script "run${nl}glob rm /plain";            ok "rm /plain"
script "run${nl}glob rm *";                 ok "rm *"
script "run${nl}glob rm /*none";            bad 'glob: /*none: no file or device matches'
script "run${nl}glob rm /plain/*";          bad 'no file or device matches'
script "run${nl}glob echo /sub/* /dev/sd?"
ok "/sub/x1 /dev/sda${nl}/sub/x1 /dev/sdb${nl}/sub/x2 /dev/sda${nl}/sub/x2 /dev/sdb"
script "run${nl}glob is-zero-device /dev/sd[ab]*";  ok "true${nl}false${nl}false${nl}false"
script "run${nl}glob nosuch /my*";          bad "nosuch: unknown command"
script "glob";                              bad 'usage: glob command'
exit $failed
