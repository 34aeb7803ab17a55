# The sample's output, which has every type, compiles without a warning; its public headers are also C++.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

set -eu
golden=$srcdir/golden
tmp=test-compile.tmp
rm -rf $tmp
mkdir $tmp
trap 'rm -rf $tmp' EXIT

: > $tmp/config.h
flags="-Wall -Wextra -Wshadow -Werror -O1 -fsyntax-only -D_GNU_SOURCE -I$tmp"
for d in common lib daemon fish; do
  flags="$flags -I$golden/$d -I$top_srcdir/$d"
done
for f in common/protocol.c daemon/stubs.c lib/actions.c fish/commands.c; do
  $CC -std=gnu11 -Wvla -Wmissing-prototypes -Wstrict-prototypes $flags $TIRPC_CFLAGS "$golden/$f"
done

echo '#include "zerofish.h"' > $tmp/header.c
$CC -std=c99 $flags $tmp/header.c
if $CXX --version >/dev/null 2>&1; then
  cp $tmp/header.c $tmp/header.cc
  $CXX $flags $tmp/header.cc
fi
