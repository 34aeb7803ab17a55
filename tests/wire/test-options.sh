#!/bin/sh
# The daemon's command line:
# - --help and --version
# - no connection, a bad descriptor, a missing socket, a path too long for a socket
# - bad numbers, missing files, unknown options and left-over arguments
# - a listener that closes at once
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

: "${ZEROFISHD:?must name the daemon}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
: > "$dir/disk"
status=0

# refused TEXT OPTION...: exits 1 within the time limit and says TEXT.
refused ()
{
  text=$1
  shift
  timeout 20 "$ZEROFISHD" "$@" > "$dir/out" 2> "$dir/err" < /dev/null
  r=$?
  if [ $r -ne 1 ] || ! grep -q -e "$text" "$dir/err" || [ -s "$dir/out" ]; then
    echo "zerofishd $*: status $r, and it said:"
    cat "$dir/err"
    status=1
  fi
}

"$ZEROFISHD" --help | grep -q 'zerofishd --fd N' || { echo "--help says nothing"; status=1; }
"$ZEROFISHD" --version | grep -q '^zerofishd [0-9]' || { echo "--version says nothing"; status=1; }

refused 'needed'
refused 'needed' --verbose
refused 'descriptor 77' --fd 77
refused 'not a number' --fd x
refused 'not a number' --fd -1
refused 'not a number' --fd ''
refused 'not a number' --fd 99999999999999999999
refused "$dir/none" --socket "$dir/none"
refused 'at most' --socket "$dir/$(printf %0120d 0)"
refused "$dir/none" --device "$dir/none" --fd 0
refused 'not a number' --device "$dir/disk,blocksize=x" --fd 0
refused 'blocksize' --device "$dir/disk,blocksize=1000" --fd 0
refused "$dir" --device "$dir" --fd 0
refused 'unexpected' --fd 0 word
refused 'see zerofishd --help' --nonsense
exit $status
