# What one call costs, and how fast data goes in and out: scripts of many commands in one shell.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import images
from report import Ratio, Table, Value

NAME, LETTER = "calls", "e"
TITLE = "Calls and transfers"
ABOUT = "Many commands in one script of each shell; reading the script counts too."

ROWS = {
    "ping": "ping-daemon, one round trip",
    "pread": "pread-device, 1 MiB each",
    "pwrite": "pwrite-device, 4 KiB each",
    "upload": "upload to a device",
    "download": "download from a device",
}
TABLES = [
    Table("call", ROWS, [
        Value("zerofish", "cost", "zerofish"),
        Value("guestfish", "cost", "guestfish"),
        Ratio("better", "cost", "zerofish", "guestfish", {"pread": 12, "download": 5, "upload": 6}),
    ]),
]
PLOT = {"kind": "bars", "title": "transfers, MB/s", "metric": "cost", "tools": ["zerofish", "guestfish"],
        "rows": {"pread": "pread", "pwrite": "pwrite", "upload": "upload", "download": "download"}}


def space(bench):
    return 3 * transfer_size(bench) + (256 << 20)


def transfer_size(bench):
    return (32 if bench.quick else 256) << 20


def counts(bench):
    """How many pings, reads and writes; the peer takes a third of a second for a write."""
    return (200, 8, 20) if bench.quick else (2000, 64, 100)


def groups(bench, data, copy):
    pings, reads, writes = counts(bench)
    # A line of a script of guestfish cannot be much longer.
    block = "x" * 4096
    return [
        ["ping-daemon"] * pings,
        [f"pread-device /dev/sda {1 << 20} {i << 20}" for i in range(reads)],
        [f"pwrite-device /dev/sda {block} {i << 12}" for i in range(writes)],
        [f"upload {data} /dev/sda"],
        [f"download /dev/sda {copy}"],
    ]


def measure(bench):
    size = transfer_size(bench)
    pings, reads, writes = counts(bench)
    sizes = [None, reads << 20, writes << 12, size, size]
    data = images.make(images.random_data, bench.path("data"), size)
    for number, tool in bench.turns(["zerofish", "guestfish"]):
        disk = images.make(images.random_data, bench.path("disk.raw"), size)
        session = bench.session(tool, ["--format=raw", "-a", disk], groups(bench, data, bench.path("copy")))
        bench.record_session(session, tool, number, [(row, "cost") for row in ROWS], lambda i, seconds:
                             (seconds / pings, "s") if i == 0 else (sizes[i] / seconds / 1e6, "MB/s"))
        if number == 1 and len(session.seconds) == len(ROWS) and not same(data, bench.path("copy")):
            bench.failed("download", "cost", tool, number, "what was downloaded is not what was uploaded")
        bench.say(f"{tool}, round {number}")
    for name in ("data", "disk.raw", "copy"):
        images.remove(bench.path(name))


def same(a, b):
    with open(a, "rb") as x, open(b, "rb") as y:
        while True:
            block = x.read(1 << 20)
            if block != y.read(1 << 20):
                return False
            if not block:
                return True
