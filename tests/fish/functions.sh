# What the tests of the shell share: a folder of their own, and checks that say what was wrong.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
HOME=$dir TERM=xterm LC_ALL=C
export HOME TERM LC_ALL
failed=0
name=${0##*/}

# Run a command with a limit; its output goes to the files out and err, its exit status to $status.
run () {
  timeout 60 "$@" > out 2> err
  status=$?
}

# The same with the shell of the tests, and with standard input given as text: script TEXT [OPTION...]
fake () { run $FAKE "$@" < /dev/null; }
script () {
  text=$1
  shift
  printf '%s\n' "$text" > in
  run $FAKE "$@" < in
}

fail () {
  echo "$name: $*" >&2
  sed 's/^/  out: /' out >&2
  sed 's/^/  err: /' err >&2
  failed=1
}

# ok EXPECTED-OUTPUT: status 0, exactly this output, nothing on standard error.
ok () {
  printf '%s' "$1" > want
  [ $status = 0 ] || fail "status $status, expected 0 ($text)"
  [ "$(cat out)" = "$1" ] || fail "expected output '$1' ($text)"
  [ ! -s err ] || fail "unexpected messages ($text)"
}

# bad MESSAGE-PART [EXPECTED-OUTPUT]: status 1 and the message.
bad () {
  [ $status = 1 ] || fail "status $status, expected 1 ($text)"
  grep -qF -e "$1" err || fail "expected the message '$1' ($text)"
  [ $# -lt 2 ] || [ "$(cat out)" = "$2" ] || fail "expected output '$2' ($text)"
}

# terminal PROGRAM [ARG...] with the steps of pty.c on standard input.
terminal () {
  cat > steps
  timeout 100 $PTY "$@" < steps > out 2> err
  status=$?
  [ $status = 77 ] && { echo "$name: no pseudo-terminals here" >&2; exit 77; }
  [ $status = 0 ] || fail "at the terminal"
}
