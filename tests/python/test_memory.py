# Memory: nothing grows over many calls, good and failed; a read of 1 MiB makes one allocation and no copy.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import gc
import os
import subprocess
import sys
import time
import tracemalloc
import unittest

import zerofish
from rig import MIB, Rig

CALLS = 10000


def resident():
    """KiB."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


class Memory(Rig):
    def flat(self, function, calls, limit_kib=1024):
        """FUNCTION is called CALLS times; memory is what it was after the first of them."""
        for i in range(calls // 5):
            function()
        gc.collect()
        before, blocks = resident(), sys.getallocatedblocks()
        for i in range(calls):
            function()
        gc.collect()
        self.assertLess(resident() - before, limit_kib)
        self.assertLess(sys.getallocatedblocks() - blocks, 200)

    def test_calls(self):
        h = self.launch(self.disk(), sysroot=self.sysroot())
        h.touch("/file")
        content, buffer = bytearray(5000), bytearray(5000)

        def one_of_each():
            h.pread_device("/dev/sda", 5000, 0)
            h.pread_device_into(buffer, "/dev/sda", 0)
            h.pwrite("/file", content, 0)
            h.list_devices()
            h.statvfs("/")
            h.readdir("/")
            h.blockdev_getsize64("/dev/sda")
            h.exists(b"/file")
            h.version()

        self.flat(one_of_each, CALLS // 9 + 1)

    def test_failures(self):
        h = self.launch(self.disk())
        content = bytearray(5000)

        def fails(exception, function, *args, **kwargs):
            try:
                function(*args, **kwargs)
            except exception:
                return
            self.fail("it worked")

        def one_of_each():
            fails(zerofish.Error, h.pread_device, "/dev/sdq", 5000, 0)
            fails(zerofish.Error, h.pwrite_device, "/dev/sdq", content, 0)
            fails(OverflowError, h.pwrite_device, "/dev/sda", content, 2 ** 70)
            fails(TypeError, h.pread_device, "/dev/sda", "x", 0)
            fails(ValueError, h.zero_device, "/dev/s\0")
            fails(TypeError, h.set_backend_settings, ["a", "b", 3])
            fails(ValueError, h.set_event_callback, print, 0)
            fails(BufferError, h.pread_device_into, b"constant", "/dev/sda", 0)

        self.flat(one_of_each, CALLS // 8 + 1)

    def test_callbacks(self):
        h = self.launch(self.disk())
        h.set_trace(True)
        h.set_event_callback(lambda *args: None, zerofish.EVENT_TRACE)
        self.flat(h.ping_daemon, CALLS // 2)

    def test_handles(self):
        def one():
            h = zerofish.GuestFS()
            h.set_event_callback(lambda *args: h, zerofish.EVENT_ALL)
            h.set_backend_settings(["a", "b"])

        one()
        gc.collect()
        files = len(os.listdir("/proc/self/fd"))
        self.flat(one, 1000)
        self.assertEqual(len(os.listdir("/proc/self/fd")), files)

    def test_tracemalloc(self):
        """What Python itself knows: at most the result, and no second one."""
        h = self.launch(self.disk())
        h.pread_device("/dev/sda", MIB, 0)
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            data = h.pread_device("/dev/sda", MIB, 0)
            after, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        self.assertEqual(len(data), MIB)
        self.assertLess(peak - before, MIB + 16384)
        self.assertGreaterEqual(after - before, MIB)

    def plain_python(self, program, *args, **env):
        """Run PROGRAM without Python's own checks of memory, which fill it; its output."""
        env = dict({k: v for k, v in os.environ.items() if k != "PYTHONDEVMODE"}, **env)
        r = subprocess.run([sys.executable, "-c", program] + list(args), stdout=subprocess.PIPE, timeout=120,
                           check=True, env=env)
        return r.stdout.decode()

    def test_faster_than_bytes(self):
        program = """
import sys, time, zerofish
MIB = 1 << 20
h = zerofish.GuestFS()
h.set_backend(sys.argv[1])
h.launch()
def seconds(convert):
    start = time.perf_counter()
    for i in range(16):
        convert(h.pread_device("/dev/sda", MIB, i * MIB))
    return time.perf_counter() - start
rounds = [(seconds(len), seconds(bytes)) for _ in range(40)]
print(min(r[1] for r in rounds) / min(r[0] for r in rounds))
"""
        disk = self.disk(content=os.urandom(MIB) * 16, size=16 * MIB)
        ratio = float(self.plain_python(program, self.backend(disk)))
        print("bytes takes %.2f times as long as bytearray" % ratio)
        self.assertGreaterEqual(ratio, 1.1)

    def test_one_allocation_no_copy(self):
        library = os.path.abspath(os.path.join(".libs", "libcount.so"))
        self.assertTrue(os.path.exists(library), library)
        backend = self.backend(self.disk())
        program = """
import ctypes, sys, zerofish
h = zerofish.GuestFS()
h.set_backend(sys.argv[1])
h.launch()
library = ctypes.CDLL(sys.argv[2])
allocations = ctypes.c_ulong.in_dll(library, "count_allocations")
copied = ctypes.c_ulong.in_dll(library, "count_copied")
buffer = bytearray(1 << 20)
def measure(function, *args):
    function(*args)
    a, c = allocations.value, copied.value
    r = function(*args)
    print(allocations.value - a, copied.value - c)
    return r
assert len(measure(h.pread_device, "/dev/sda", 1 << 20, 0)) == 1 << 20
assert measure(h.pread_device_into, buffer, "/dev/sda", 0) == 1 << 20
measure(lambda: bytes(h.pread_device("/dev/sda", 1 << 20, 0)))
"""
        out = self.plain_python(program, backend, library, LD_PRELOAD=library)
        plain, into, copied = [tuple(map(int, line.split())) for line in out.splitlines()]
        # The bytearray alone; nothing; and that the counters see a copy at all.
        self.assertEqual(plain, (1, 0))
        self.assertEqual(into, (0, 0))
        self.assertEqual(copied[0], 2)
        self.assertGreaterEqual(copied[1], MIB)


if __name__ == "__main__":
    unittest.main()
