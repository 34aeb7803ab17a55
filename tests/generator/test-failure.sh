# What the generator does when something is wrong:
# - a bad table: a message with the entry's name, status 1, nothing written;
# - a full disk, a limit of file sizes, a file where a folder should be: a message, status 1, no file changed,
#   nothing left behind;
# - wrong options: a message, status 1; --help: how to add an action.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

set -eu
tmp=test-failure.tmp
rm -rf $tmp
mkdir $tmp
trap 'rm -rf $tmp' EXIT
fail () { echo "FAIL: $*" >&2; exit 1; }

# Run the arguments: must fail with status 1 and a message that contains $1.
fails () {
  text=$1
  shift
  r=0
  "$@" >$tmp/stdout 2>$tmp/stderr || r=$?
  test $r -eq 1 || fail "$*: status $r"
  test ! -s $tmp/stdout || fail "$*: printed $(cat $tmp/stdout)"
  grep -qF -- "$text" $tmp/stderr || fail "$*: no \"$text\" in: $(cat $tmp/stderr)"
}

fails "second_of_a_number: the procedure number 50 is also that of only_in_c" ./bad-generator --output $tmp/bad
test ! -e $tmp/bad || fail "a bad table made files"
fails "second_of_a_number" ./bad-generator --check

# A good set of files, which a failure must leave as it is.
./sample-generator --output $tmp/out
echo "old" > $tmp/out/daemon/stubs.c
cp -R $tmp/out $tmp/before
unchanged () {
  diff -r $tmp/before $tmp/out || fail "$1: files were changed or left behind"
}

if test -w /dev/full; then
  for file in common/protocol.h tests/generator/xdr-compare.c; do
    ln -s /dev/full $tmp/out/$file.tmp
    fails "No space left on device" ./sample-generator --output $tmp/out
    unchanged "full disk at $file"
  done
fi

(
  trap '' XFSZ
  ulimit -f 8
  fails "File too large" ./sample-generator --output $tmp/out
)
unchanged "limit of file sizes"

echo > $tmp/file
fails "Not a directory" ./sample-generator --output $tmp/file/sub
mkdir $tmp/taken
mkdir -p $tmp/taken/common/protocol.h
fails "protocol.h" ./sample-generator --output $tmp/taken
test -z "$(find $tmp/taken -name '*.tmp')" || fail "temporary files were left behind"

fails "--help" ./sample-generator --nonsense
fails "nonsense" ./sample-generator nonsense
./sample-generator --help | grep -q "To add an action" || fail "--help does not help"
