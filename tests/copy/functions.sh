# What the tests of zerocp share: a folder of their own, servers, and checks that end the test.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

set -u
umask 022
unset ZEROFISH_QEMU_NBD ZEROFISH_TRACE ZEROFISH_DEBUG
name=$(basename "$0" .sh)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/zerocp-$name-XXXXXX") || exit 99
pids=
# Everything of zerocp's own goes here too, so that what it leaves behind is seen.
mkdir "$tmp/private" || exit 99
ZEROFISH_TMPDIR=$tmp/private
export ZEROFISH_TMPDIR

finish () {
  for p in $pids; do kill "$p" 2>/dev/null; done
  cd / && rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 99' INT TERM HUP
cd "$tmp" || exit 99

need () {
  for p; do command -v "$p" >/dev/null || { echo "skipped: $p is missing"; exit 77; }; done
}

fail () { echo "FAILED: $*"; exit 1; }

# zerocp, which must not take long.  Its messages go to err.
zerocp () { timeout "${LIMIT:-120}" $ZEROCP "$@" 2>err; }

copies () {
  zerocp "$@" >out || fail "zerocp $*: $(cat err)"
}

# refuses TEXT ARGUMENT...: it fails, and says TEXT (a basic regular expression).
refuses () {
  text=$1
  shift
  zerocp "$@" >out
  r=$?
  test $r != 0 || fail "zerocp $*: it worked"
  test $r -lt 124 || fail "zerocp $*: ended with $r: $(cat err)"
  grep -q -e "$text" err || fail "zerocp $*: no \"$text\" in: $(cat err)"
}

same () { cmp "$1" "$2" || fail "$1 and $2 differ: ${3-}"; }

# A number of the last --json line.
number () { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" out | tail -n 1; }
is () { test "$(number "$1")" = "$2" || fail "$1 is $(number "$1"), not $2: $(cat out)"; }

kib () { du -k "$1" | cut -f 1; }

# serve SOCKET COMMAND...: run a server until the end of the test; $pid is its number.
serve () {
  socket=$1
  shift
  rm -f "$socket"
  "$@" &
  pid=$!
  pids="$pids $pid"
  i=0
  while ! test -S "$socket"; do
    i=$((i + 1))
    test $i -lt 200 && kill -0 $pid || fail "$* does not serve"
    sleep 0.05
  done
}

# Nothing private may be left, and no file under a temporary name.
clean () {
  test -z "$(ls -A "$tmp/private")" || fail "left in the private folder: $(ls -A "$tmp/private")"
  for f in *.partial-*; do ! test -e "$f" || fail "$f is left"; done
}
