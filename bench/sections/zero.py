# The table of 2011: zero-device on five kinds of image, time of the call and of the command, and space.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import re

import images
from report import Ratio, Table, Value

NAME, LETTER = "zero", "a"
TITLE = "zero-device on five images"
ABOUT = ("The command is `TOOL -a IMAGE run : time zero-device /dev/sda`, on a fresh 1 GiB image each time; "
         "call: the time that it prints, whole: start to exit of the command.")

IMAGES = {
    "raw-sparse": ("raw, sparse", "raw", images.sparse),
    "raw-zero": ("raw, preallocated, zero", "raw", images.zeroes),
    "raw-random": ("raw, preallocated, random", "raw", images.random_data),
    "qcow2": ("qcow2", "qcow2", images.qcow2),
    "qcow2-metadata": ("qcow2, preallocation=metadata", "qcow2", images.qcow2_metadata),
}
ROWS = {key: label for key, (label, _, _) in IMAGES.items()}
TOOLS = ["zerofish", "guestfish", "zerofish-discard"]

TABLES = [
    Table("image", ROWS, [
        Value("call: zerofish", "call", "zerofish"),
        Value("call: guestfish", "call", "guestfish"),
        Ratio("faster", "call", "zerofish", "guestfish", 40),
        Value("whole: zerofish", "whole", "zerofish"),
        Value("whole: guestfish", "whole", "guestfish"),
        Ratio("faster", "whole", "zerofish", "guestfish", 25),
    ]),
    Table("space on the host", ROWS, [
        Value("before", "before", "zerofish"),
        Value("after zerofish", "after", "zerofish"),
        Value("growth", "growth", "zerofish", 0, "space"),
        Value("after guestfish", "after", "guestfish"),
        Value("after zerofish, discard on", "after", "zerofish-discard", 1 << 20, "space"),
        Value("call, discard on", "call", "zerofish-discard"),
    ]),
]
PLOT = {"kind": "bars", "title": "zero-device on a 1 GiB image, seconds", "metric": "call", "rows": ROWS,
        "tools": ["zerofish", "guestfish"]}


def space(bench):
    return 2 * bench.size


def once(bench, number, tool, row):
    """One image, one command."""
    _, kind, maker = IMAGES[row]
    path = images.make(maker, bench.path(f"disk.{kind}"), bench.size)
    before = images.space(path)
    outcome = bench.shell(tool, ["-a", path, "run", ":", "time", "zero-device", "/dev/sda"])
    elapsed = re.search(r"elapsed time: ([\d.]+) seconds", outcome.stdout)
    if outcome.stopped:
        bench.record(row, "whole", tool, number, outcome.seconds, "s", bound=True)
    elif outcome.trouble() or not elapsed:
        bench.failed(row, "whole", tool, number, outcome.trouble() or "no time was printed")
    elif number == 1 and not images.is_zero(path, bench.size, bench.path("blank")):
        bench.failed(row, "whole", tool, number, "the image is not zero afterwards")
    else:
        # Both print hundredths; less than one counts as one.
        bench.record(row, "call", tool, number, max(float(elapsed.group(1)), 0.01), "s")
        bench.record(row, "whole", tool, number, outcome.seconds, "s")
        after = images.space(path)
        bench.record(row, "before", tool, number, before, "space")
        bench.record(row, "after", tool, number, after, "space")
        bench.record(row, "growth", tool, number, max(0, after - before), "space")
    images.remove(path)


def measure(bench):
    # With --quick the slow peer takes part in one row only.
    for row in IMAGES:
        for number, tool in bench.turns(TOOLS, quick_peers=row == "raw-random"):
            once(bench, number, tool, row)
        bench.say(ROWS[row])
