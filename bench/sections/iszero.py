# is-zero-device: what is sparse, what is allocated and zero, and what is not zero at all.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import images
from report import Ratio, Table, Value

NAME, LETTER = "iszero", "c"
TITLE = "is-zero-device"
ABOUT = "Time of the call on a raw image (1 GiB), opened read-only."

IMAGES = {
    "sparse": ("sparse", images.sparse),
    "zero": ("allocated, zero", images.zeroes),
    "random": ("allocated, random", images.random_data),
    "last": ("allocated, zero but for the last byte", images.last_byte),
}
ROWS = {key: label for key, (label, _) in IMAGES.items()}
TABLES = [
    Table("image", ROWS, [
        Value("zerofish", "call", "zerofish"),
        Value("guestfish", "call", "guestfish"),
        Ratio("faster", "call", "zerofish", "guestfish", {"sparse": 100, "zero": 40}),
    ]),
]
PLOT = None


def space(bench):
    return 2 * bench.size


def measure(bench):
    for row, (label, maker) in IMAGES.items():
        path = images.make(maker, bench.path("disk.raw"), bench.size)
        for number, tool in bench.turns(["zerofish", "guestfish"], quick_peers=False):
            session = bench.session(tool, ["--ro", "-a", path], [["is-zero-device /dev/sda"]])
            bench.record_session(session, tool, number, [(row, "call")])
        images.remove(path)
        bench.say(label)
