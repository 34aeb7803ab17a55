# A machine that is killed, calls that are cancelled, a launch from a thread; nothing is left behind.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need truncate pgrep

truncate -s 2G disk.img
mkdir work
ZEROFISH_TMPDIR=$tmp/work
export ZEROFISH_TMPDIR

run timeout 700 "$top_builddir/tests/appliance/machine" disk.img || fail "status $?"
test -z "$(ls work)" || fail "left behind: $(ls -R work)"
! pgrep -f "$tmp" || fail "a process is left behind"
