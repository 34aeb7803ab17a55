# The rate of the scan in the appliance against a program on the host, and the memory that the emulator takes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import os

import images
from report import Ratio, Table, Value

NAME, LETTER = "scan", "g"
TITLE = "Scanning rate, and memory"
ABOUT = ("Scanning allocated zeroes (raw, 1 GiB, in the host's page cache), "
         "and the most memory that qemu had during the zero calls.")

RATE = {"zero": "is-zero-device, allocated zeroes"}
MEMORY = {"memory-iszero": "is-zero-device, allocated zeroes", "memory-zero": "zero-device, random data"}
TABLES = [
    Table("scan", RATE, [
        Value("in the appliance", "rate", "zerofish"),
        Value("program on the host", "rate", "scan-host"),
        Ratio("share", "rate", "zerofish", "scan-host", 0.4),
    ], readme=False),
    Table("peak resident memory of qemu", MEMORY, [
        Value("zerofish", "peak", "zerofish", 400e6, "space"),
        Value("guestfish", "peak", "guestfish"),
    ], readme=False),
]
PLOT = None


def space(bench):
    return 2 * bench.size


def scan_host():
    """The host's program, which make builds and does not install."""
    build = os.environ.get("ZEROFISH_BUILDDIR", os.path.join(os.path.dirname(__file__), "..", ".."))
    return os.path.join(build, "bench", "scan-host")


def host_rate(bench, number, path):
    outcome = bench.run([scan_host(), path])
    if outcome.trouble():
        bench.failed("zero", "rate", "scan-host", number, outcome.trouble())
    else:
        size, seconds = outcome.stdout.split()[:2]
        bench.record("zero", "rate", "scan-host", number, int(size) / float(seconds) / 1e6, "MB/s")


def peak(bench, number, tool, row, path, command):
    outcome = bench.shell(tool, ["--format=raw", "-a", path, "run", ":", command, "/dev/sda"],
                          memory="qemu-system")
    if outcome.trouble() and not outcome.stopped:
        bench.failed(row, "peak", tool, number, outcome.trouble())
    else:
        bench.record(row, "peak", tool, number, outcome.peak, "space", outcome.stopped)


def measure(bench):
    path = images.make(images.zeroes, bench.path("disk.raw"), bench.size)
    for number, _ in bench.turns(["zerofish"]):
        session = bench.session("zerofish", ["--ro", "--format=raw", "-a", path],
                                [["is-zero-device /dev/sda"]])
        bench.record_session(session, "zerofish", number, [("zero", "rate")],
                             lambda i, seconds: (bench.size / seconds / 1e6, "MB/s"))
        host_rate(bench, number, path)
    bench.say("rate")
    for number, tool in bench.turns(["zerofish", "guestfish"], peers_once=True, quick_peers=False):
        images.make(images.zeroes, path, bench.size)
        peak(bench, number, tool, "memory-iszero", path, "is-zero-device")
        images.make(images.random_data, path, bench.size)
        peak(bench, number, tool, "memory-zero", path, "zero-device")
    images.remove(path)
    bench.say("memory")
