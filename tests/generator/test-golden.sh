# The generator's output for the sample table:
# - is what golden/ holds, file by file;
# - is written into folders that did not exist;
# - is written again only where it changed, silently;
# - --list names exactly these files.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

set -eu
golden=$srcdir/golden
tmp=test-golden.tmp
rm -rf $tmp
trap 'rm -rf $tmp' EXIT
fail () { echo "FAIL: $*" >&2; exit 1; }

./sample-generator --output $tmp/new/folder >$tmp.out 2>&1 || fail "status $?"
out=$(cat $tmp.out)
rm -f $tmp.out
test -z "$out" || fail "it printed: $out"
diff -ru -x .deps -x .dirstamp -x '*.o' "$golden" $tmp/new/folder || fail "the output changed; if that is wanted: make update-golden"

./sample-generator --list | sort > $tmp/list
(cd $tmp/new/folder && find . -type f | sed 's|^\./||' | sort) > $tmp/found
diff -u $tmp/list $tmp/found || fail "--list does not name what is written"

# Nothing changed: times stay.  One file changed: only that one is written.
find $tmp/new -type f -exec touch -d '2001-01-01' {} +
./sample-generator --output $tmp/new/folder
test -z "$(find $tmp/new -type f -newermt 2002-01-01)" || fail "unchanged files were written"
echo x >> $tmp/new/folder/common/protocol.h
touch -d '2001-01-01' $tmp/new/folder/common/protocol.h
rm $tmp/new/folder/lib/actions.c
./sample-generator --output $tmp/new/folder
changed=$(find $tmp/new -type f -newermt 2002-01-01 | sort | tr '\n' ' ')
test "$changed" = "$tmp/new/folder/common/protocol.h $tmp/new/folder/lib/actions.c " || fail "written: $changed"
diff -ru -x .deps -x .dirstamp -x '*.o' "$golden" $tmp/new/folder
