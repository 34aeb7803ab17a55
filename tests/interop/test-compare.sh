#!/bin/sh
# One list of calls, through the stock library, with our appliance and with that of libguestfs: the same answers, but
# for those that compare.py lists with the reason.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
find_python || skip "python3-guestfs is missing"
our_appliance
stock_appliance
timeout 400 "$python" "$here/compare.py" "$ours" "$stock"
