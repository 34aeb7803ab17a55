# The stock guestfish with our appliance, against the same with its own.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import re
import shutil

import images
from machine import Tool
from report import Ratio, Table, Value

NAME, LETTER = "interop", "i"
TITLE = "guestfish with our appliance"
ABOUT = ("The stock guestfish with the appliance of zerofish-make-fixed-appliance, and with its own; launch: the "
         "time that `-a /dev/null time run` prints; the others: that of zero-device on a fresh 1 GiB image.")

IMAGES = {
    "raw-sparse": ("zero-device: raw, sparse", "raw", images.sparse),
    "raw-zero": ("zero-device: raw, preallocated, zero", "raw", images.zeroes),
    "raw-random": ("zero-device: raw, preallocated, random", "raw", images.random_data),
    "qcow2": ("zero-device: qcow2", "qcow2", images.qcow2),
    "qcow2-metadata": ("zero-device: qcow2, preallocation=metadata", "qcow2", images.qcow2_metadata),
}
ROWS = {"launch": "launch", **{key: label for key, (label, _, _) in IMAGES.items()}}
AIMS = {"launch": 3, **{key: 20 for key in IMAGES}}
TABLES = [
    Table("guestfish, and its call", ROWS, [
        Value("our appliance", "call", "guestfish-ours"),
        Value("its own", "call", "guestfish"),
        Ratio("faster", "call", "guestfish-ours", "guestfish", AIMS),
    ]),
]
PLOT = {"kind": "bars", "title": "guestfish: seconds", "metric": "call", "rows": ROWS,
        "tools": ["guestfish-ours", "guestfish"]}


def space(bench):
    return 2 * bench.size + (512 << 20)


def once(bench, number, tool, row, args):
    outcome = bench.shell(tool, args, limit=bench.peer_limit)
    elapsed = re.search(r"elapsed time: ([\d.]+) seconds", outcome.stdout)
    if outcome.trouble() or not elapsed:
        bench.failed(row, "call", tool, number, outcome.trouble() or "no time was printed")
        return False
    bench.record(row, "call", tool, number, max(float(elapsed.group(1)), 0.01), "s")
    return True


def zero(bench, number, tool, row):
    _, kind, maker = IMAGES[row]
    path = images.make(maker, bench.path(f"disk.{kind}"), bench.size)
    args = [f"--format={kind}", "-a", path, "run", ":", "time", "zero-device", "/dev/sda"]
    if once(bench, number, tool, row, args) and number == 1 and not images.is_zero(path, bench.size, bench.path("blank")):
        bench.failed(row, "call", tool, number, "the image is not zero afterwards")
    images.remove(path)


def measure(bench):
    stock = bench.tools.get("guestfish")
    maker = shutil.which("zerofish-make-fixed-appliance")
    if stock is None or maker is None:
        bench.say("guestfish or zerofish-make-fixed-appliance is not here")
        return
    folder = bench.path("fixed")
    outcome = bench.run([maker, folder], limit=600)
    if outcome.trouble():
        bench.failed("launch", "call", "guestfish-ours", 1, outcome.trouble())
        return
    bench.tools["guestfish-ours"] = Tool(stock.command, True, {**stock.env, "LIBGUESTFS_PATH": folder})
    try:
        for row in ROWS:
            for number, tool in bench.turns(["guestfish-ours", "guestfish"], quick_peers=row == "launch"):
                if row == "launch":
                    once(bench, number, tool, row, ["-a", "/dev/null", "time", "run"])
                else:
                    zero(bench, number, tool, row)
            bench.say(ROWS[row])
    finally:
        del bench.tools["guestfish-ours"]
        shutil.rmtree(folder, ignore_errors=True)
