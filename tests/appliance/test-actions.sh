#!/bin/sh
# The tests that stand in the action table, all in one appliance.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

generated=$top_builddir/tests/appliance
truncate -s 512M a.img
truncate -s 64M b.img
zerofish -a a.img -a b.img -f "$generated/actions.zf" >out 2>&1 </dev/null ||
  fail "the script ended early: $(tail -n 5 out)"
awk -f "$here/compare-actions.awk" "$generated/actions.expect" out
