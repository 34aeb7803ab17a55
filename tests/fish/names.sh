#!/bin/sh
# Names of commands: - and _, case, aliases; whole names only in scripts and on the command line.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

script 'is_zero_device /dev/sda';    ok true
script 'Is-Zero_Device /dev/sdb';    ok false
script 'run';                        ok ''
script 'is-zero-dev /dev/sda';       bad "is-zero-dev: unknown command; did you mean 'is-zero-device'?"
script 'laun';                       bad 'laun: unknown command'
script 'disk.img';                   bad 'zerofish -a disk.img'
text='command line'
fake is_zero_device /dev/sda;        ok true
fake lis;                            bad 'lis: unknown command'
fake laun;                           bad 'laun: unknown command'
script '"" x';                       bad 'unknown command'
script '| cat';                      bad '|: unknown command'
exit $failed
