# Copies of images: zerocp against nbdcopy and qemu-img convert, between two servers and between files.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import contextlib
import glob
import os
import subprocess
import time

import images
from report import Ratio, Table, Value

NAME, LETTER = "copy", "h"
TITLE = "Copies"
ABOUT = "Between two qemu-nbd servers, if not said otherwise; a new target each time."

GIB = 1 << 30
TOOLS = ["zerocp", "nbdcopy", "qemu-img"]
ROWS = {
    "empty": "empty 1 TiB qcow2 to a new qcow2",
    "old": "empty 1 TiB qcow2 onto a qcow2 with 1 GiB of old data",
    "random": "4 GiB of random data, raw to raw",
    "random-file": "the same, file to file",
    "root": "root filesystem in 20 GiB, qcow2 to qcow2",
    "root-raw": "root filesystem in 20 GiB, raw to qcow2",
}
FASTER = {"empty": 20, "random": 0.95, "random-file": 0.95, "root": 1.5, "root-raw": 1.5}
TABLES = [
    Table("copy", ROWS, [
        Value("zerocp", "time", "zerocp"),
        Value("nbdcopy", "time", "nbdcopy"),
        Value("qemu-img", "time", "qemu-img"),
        Ratio("faster than nbdcopy", "time", "zerocp", "nbdcopy", FASTER),
        Ratio("faster than qemu-img", "time", "zerocp", "qemu-img", FASTER),
    ]),
    Table("space of the target, memory", ROWS, [
        Value("target: zerocp", "space", "zerocp", {"empty": 1 << 20}),
        Value("target: nbdcopy", "space", "nbdcopy"),
        Value("target: qemu-img", "space", "qemu-img"),
        Value("memory: zerocp", "peak", "zerocp", 100e6, "space"),
        Value("memory: nbdcopy", "peak", "nbdcopy"),
        Value("memory: qemu-img", "peak", "qemu-img"),
    ]),
]
PLOT = {"kind": "bars", "title": "copies, seconds", "metric": "time", "tools": TOOLS,
        "rows": {"empty": "empty, 1 TiB", "old": "onto old data", "random": "random", "random-file": "files",
                 "root": "root, qcow2", "root-raw": "root, raw"}}


def data_size(bench):
    return (256 << 20) if bench.quick else 4 * GIB


def space(bench):
    return 2 * data_size(bench) + 2 * GIB


# --- the images ---

def old_data(path, size):
    """A qcow2 that is all empty but for 1 GiB of data in its middle."""
    images.qcow2(path, size)
    subprocess.run(["qemu-io", "-f", "qcow2", "-c", f"write -q -P 0x5a {size // 2} {GIB}", path], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=300)


def root_filesystem():
    """The appliance's own root, which is a real one; None if there is no such file."""
    cache = os.environ.get("ZEROFISH_CACHEDIR") or os.path.expanduser("~/.cache/zerofish")
    found = sorted(glob.glob(os.path.join(cache, "tools-*", "root")), key=os.path.getmtime)
    return found[-1] if found else None


def root(path, size):
    kind = "qcow2" if path.endswith("qcow2") else "raw"
    images.qemu_img("convert", "-f", "raw", "-O", kind, root_filesystem(), path)
    images.qemu_img("resize", "-q", "-f", kind, path, str(size))


# What is copied and what is there before: kind, how it is made, and whether servers serve both.
CASES = {
    "empty": ("qcow2", images.qcow2, "qcow2", images.qcow2, True),
    "old": ("qcow2", images.qcow2, "qcow2", old_data, True),
    "random": ("raw", images.random_data, "raw", images.sparse, True),
    "random-file": ("raw", images.random_data, "raw", images.sparse, False),
    "root": ("qcow2", root, "qcow2", images.qcow2, True),
    "root-raw": ("raw", root, "qcow2", images.qcow2, True),
}


def size_of(bench, row):
    if row.startswith("random"):
        return data_size(bench)
    return 20 * GIB if row.startswith("root") else 1024 * GIB


# --- the copy ---

@contextlib.contextmanager
def served(bench, name, path, kind):
    """The address of a qemu-nbd that serves PATH while the block runs."""
    socket = bench.path(name + ".sock")
    with subprocess.Popen(["qemu-nbd", "-t", "-e", "16", "-f", kind, "-k", socket, path],
                          stdin=subprocess.DEVNULL, start_new_session=True) as server:
        try:
            end = time.monotonic() + 10
            while not os.path.exists(socket):
                if server.poll() is not None or time.monotonic() > end:
                    raise SystemExit(f"bench: qemu-nbd does not serve {path}")
                time.sleep(0.01)
            yield socket
        finally:
            server.terminate()
            try:
                server.wait(60)
            except subprocess.TimeoutExpired:
                server.kill()
            images.remove(socket)


def command(bench, tool, source, target, nbd):
    """The command line that copies SOURCE to TARGET, which are sockets of servers if NBD."""
    if tool == "qemu-img":
        form = "nbd:unix:{}" if nbd else "{}"
        return ["qemu-img", "convert", "-n", "-W", "-f", "raw", "-O", "raw",
                form.format(source), form.format(target)]
    form = "nbd+unix:///?socket={}" if nbd else "{}"
    return bench.tools[tool].command + [form.format(source), form.format(target)]


def copy(bench, tool, row, source, target):
    """One copy; returns its outcome."""
    source_kind, _, target_kind, _, nbd = CASES[row]
    name = os.path.basename(bench.tools[tool].command[0])
    if not nbd:
        return bench.run(command(bench, tool, source, target, False), memory=name)
    with served(bench, "source", source, source_kind) as a, served(bench, "target", target, target_kind) as b:
        return bench.run(command(bench, tool, a, b, True), memory=name)


def alike(row, source, target):
    source_kind, _, target_kind, _, _ = CASES[row]
    return subprocess.run(["qemu-img", "compare", "-q", "-f", source_kind, "-F", target_kind, source, target],
                          stdin=subprocess.DEVNULL, timeout=600, check=False).returncode == 0


def once(bench, number, tool, row, source):
    _, _, kind, maker, _ = CASES[row]
    target = images.make(maker, bench.path("target." + kind), size_of(bench, row))
    outcome = copy(bench, tool, row, source, target)
    if outcome.stopped:
        bench.record(row, "time", tool, number, outcome.seconds, "s", bound=True)
    elif outcome.trouble():
        bench.failed(row, "time", tool, number, outcome.trouble())
    elif number == 1 and not alike(row, source, target):
        bench.failed(row, "time", tool, number, "the copy differs from its source")
    else:
        bench.record(row, "time", tool, number, outcome.seconds, "s")
        bench.record(row, "space", tool, number, images.space(target), "space")
        if outcome.peak:
            bench.record(row, "peak", tool, number, outcome.peak, "space")
    images.remove(target)


def measure(bench):
    for row, (kind, maker, _, _, _) in CASES.items():
        if maker is root and root_filesystem() is None:
            bench.say(f"{ROWS[row]}: skipped, the appliance's tools are not built yet")
            continue
        source = images.make(maker, bench.path("source." + kind), size_of(bench, row))
        for number, tool in bench.turns(TOOLS):
            once(bench, number, tool, row, source)
        images.remove(source)
        bench.say(ROWS[row])
