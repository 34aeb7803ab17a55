# Handles and threads: four of each, one for all, and that other threads run during a call.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import errno
import os
import threading
import time
import unittest

import zerofish
from rig import MIB, Rig


class Threads(Rig):
    def run_threads(self, n, function):
        errors = []

        def run(i):
            try:
                function(i)
            except BaseException as e:
                errors.append(e)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            self.assertFalse(thread.is_alive())
        self.assertEqual(errors, [])

    def test_four_handles(self):
        handles = [self.launch(self.disk("disk%d" % i)) for i in range(4)]

        def work(i):
            h, content = handles[i], bytes([i]) * 1000
            for n in range(250):
                self.assertEqual(h.pwrite_device("/dev/sda", content, n * 1000), 1000)
                self.assertEqual(h.pread_device("/dev/sda", 1000, n * 1000), content)
                self.fails(errno.ENOENT, "/dev/sd%d" % i, h.zero_device, "/dev/sd%d" % i)

        self.run_threads(4, work)
        for i, h in enumerate(handles):
            self.assertEqual(h.pread_device("/dev/sda", 250000, 0), bytes([i]) * 250000)

    def test_one_handle(self):
        h = self.launch(self.disk())

        def work(i):
            for n in range(250):
                offset = (i * 250 + n) * 100
                h.pwrite_device("/dev/sda", bytes([i + 1]) * 100, offset)
                self.assertEqual(h.pread_device("/dev/sda", 100, offset), bytes([i + 1]) * 100)
                # Each thread has its own error.
                self.fails(errno.ENOENT, "/dev/sd%d" % i, h.zero_device, "/dev/sd%d" % i)

        self.run_threads(4, work)

    def test_closed_under_four_threads(self):
        h = self.launch(self.disk())
        ends = []

        def work(i):
            try:
                while True:
                    h.ping_daemon()
            except zerofish.ClosedHandle:
                ends.append(i)

        threading.Timer(0.5, h.close).start()
        self.run_threads(4, work)
        self.assertEqual(sorted(ends), [0, 1, 2, 3])

    def test_other_threads_run(self):
        h = self.launch(self.disk(), sysroot=self.sysroot())
        os.mkfifo(self.path("fifo"))

        def writer():
            # Opens only because the call lets this thread run.
            with open(self.path("fifo"), "wb") as f:
                f.write(b"from the other thread")

        thread = threading.Thread(target=writer)
        thread.start()
        h.upload(self.path("fifo"), "/x")
        thread.join(60)
        self.assertEqual(h.pread("/x", 100, 0), b"from the other thread")

    def test_fork(self):
        h = self.launch(self.disk(content=b"mine"))
        child = os.fork()
        if child == 0:
            h.close()
            os._exit(0)
        deadline = time.monotonic() + 60
        pid = 0
        while pid == 0 and time.monotonic() < deadline:
            pid, status = os.waitpid(child, os.WNOHANG)
            time.sleep(0.01)
        self.assertEqual((pid, status), (child, 0))
        self.assertEqual(h.pread_device("/dev/sda", 4, 0), b"mine")


if __name__ == "__main__":
    unittest.main()
