# What the tests of the appliance begin with: a folder of their own, the uninstalled programs, and a cache
# that they share.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

set -eu
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin

here=$(cd "${srcdir:-.}" && pwd)
top_builddir=$(cd "${top_builddir:-../..}" && pwd)
script=$top_builddir/appliance/zerofish-build-appliance
# Not the user's cache, and one for all tests, so that the appliance is built once.
ZEROFISH_CACHEDIR=${ZEROFISH_TEST_CACHEDIR:-$top_builddir/tests/appliance/cache}
export ZEROFISH_CACHEDIR

fail () { echo "FAIL: $*" >&2; exit 1; }
skip () { echo "SKIP: $*" >&2; exit 77; }

# need PROGRAM...: skip if one is missing.
need () {
  for p; do command -v "$p" >/dev/null 2>&1 || skip "the program $p is missing"; done
}

# run PROGRAM ARGUMENT...: of the uninstalled build.
run () { "$top_builddir/run" "$@"; }
zerofish () { run zerofish "$@"; }

# expect_error TEXT COMMAND...: the command must fail and say TEXT.
expect_error () {
  text=$1
  shift
  ! "$@" >error.out 2>&1 </dev/null || fail "'$*' worked, and should have failed with '$text'"
  grep -qF -- "$text" error.out || { cat error.out >&2; fail "'$*' did not say '$text'"; }
}

# at_exit COMMAND: run it when the test ends; the last registered comes first.
cleanup=
at_exit () {
  cleanup="$1; $cleanup"
}
trap 'status=$?; set +e; cd /; eval "$cleanup" exit $status' EXIT
trap 'exit 1' HUP INT TERM

tmp=$(mktemp -d)
at_exit 'chmod -R u+rwx "$tmp"; rm -rf "$tmp"'
cd "$tmp"
