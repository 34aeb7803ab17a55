#!/bin/sh
# The stock library drives our daemon without a virtual machine: test_rig.py says what is tested.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need qemu-system-x86_64
find_python || skip "python3-guestfs is missing"
make_rig
timeout 250 "$python" "$here/test_rig.py"
