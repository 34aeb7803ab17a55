# Images of 1 TiB without data: whole commands, and whether the file grew.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import images
from report import Ratio, Table, Value

NAME, LETTER = "huge", "d"
TITLE = "1 TiB without data"
ABOUT = "Whole commands, start to exit, and what the file gained by them, in bytes."

SIZE = 1 << 40
IMAGES = {"qcow2": images.qcow2, "raw": images.sparse}
CALLS = {"zero": "zero-device", "iszero": "is-zero-device"}
ROWS = {f"{kind}-{call}": f"{kind}, {CALLS[call]}" for kind in IMAGES for call in CALLS}
TABLES = [
    Table("image, command", ROWS, [
        Value("zerofish", "whole", "zerofish", 2, "s"),
        Value("guestfish", "whole", "guestfish"),
        Ratio("faster", "whole", "zerofish", "guestfish"),
        Value("file longer by: zerofish", "longer", "zerofish", 0, "bytes"),
        Value("file longer by: guestfish", "longer", "guestfish"),
        Value("du more by: zerofish", "more", "zerofish", 0, "bytes"),
        Value("du more by: guestfish", "more", "guestfish"),
    ]),
]
PLOT = None


def space(_):
    # A peer that writes zeroes for a minute can fill that much.
    return 4 << 30


def once(bench, number, tool, kind, call):
    row = f"{kind}-{call}"
    path = images.make(IMAGES[kind], bench.path(f"disk.{kind}"), SIZE)
    length, used = images.length(path), images.space(path)
    outcome = bench.shell(tool, ["-a", path, "run", ":", CALLS[call], "/dev/sda"], limit=bench.peer_limit)
    if outcome.trouble() and not outcome.stopped:
        bench.failed(row, "whole", tool, number, outcome.trouble())
    elif call == "iszero" and not outcome.stopped and outcome.stdout.strip() != "true":
        bench.failed(row, "whole", tool, number, f"it said {outcome.stdout.strip()!r}")
    else:
        bench.record(row, "whole", tool, number, outcome.seconds, "s", outcome.stopped)
        bench.record(row, "longer", tool, number, images.length(path) - length, "bytes", outcome.stopped)
        bench.record(row, "more", tool, number, images.space(path) - used, "bytes", outcome.stopped)
    images.remove(path)


def measure(bench):
    for kind in IMAGES:
        for call in CALLS:
            for number, tool in bench.turns(["zerofish", "guestfish"], peers_once=True, quick_peers=False):
                once(bench, number, tool, kind, call)
            bench.say(ROWS[f"{kind}-{call}"])
