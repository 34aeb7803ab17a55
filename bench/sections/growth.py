# How the cost of zero-device and is-zero-device grows with the size of a disk that holds almost nothing.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import images
from report import Ratio, Table, Value

NAME, LETTER = "growth", "f"
TITLE = "Growth with the size of the disk"
ABOUT = ("zero-device on sparse raw images with eight spread extents of 1 MiB of data, then is-zero-device; "
         "times of the calls.")

SIZES = {"1": 1 << 30, "4": 4 << 30, "16": 16 << 30, "64": 64 << 30}
ROWS = {key: f"{key} GiB" for key in SIZES}
TABLES = [
    Table("size", ROWS, [
        Value("zero-device: zerofish", "zero", "zerofish"),
        Value("zero-device: guestfish", "zero", "guestfish"),
        Ratio("faster", "zero", "zerofish", "guestfish"),
        Value("is-zero-device: zerofish", "iszero", "zerofish"),
        Value("is-zero-device: guestfish", "iszero", "guestfish"),
        Ratio("faster", "iszero", "zerofish", "guestfish"),
    ]),
]
PLOT = {"kind": "lines", "title": "zero-device on a sparse disk with 8 MiB of data", "metric": "zero",
        "rows": ROWS, "tools": ["zerofish", "guestfish"],
        "xlabel": "size of the disk, GiB", "ylabel": "seconds"}


def space(_):
    # The peer may fill what it gets through within its limit.
    return 8 << 30


def measure(bench):
    given_up = set()
    for row, size in SIZES.items():
        if bench.quick and size > 4 << 30:
            continue
        for number, tool in bench.turns(["zerofish", "guestfish"], peers_once=True, quick_peers=False):
            if tool in given_up:
                continue
            path = images.make(images.islands, bench.path("disk.raw"), size)
            session = bench.session(tool, ["--format=raw", "-a", path],
                                    [["zero-device /dev/sda"], ["is-zero-device /dev/sda"]],
                                    limit=2.5 * bench.peer_limit)
            bench.record_session(session, tool, number, [(row, "zero"), (row, "iszero")])
            # It would not be through with a larger disk either.
            if session.outcome.stopped:
                given_up.add(tool)
            images.remove(path)
        bench.say(ROWS[row])
