# With the appliance: the main job, events of a launch, and ^C in a launch and in a call.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import zerofish

MIB = 1024 * 1024


class Appliance(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="zerofish-python-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.image = os.path.join(self.dir, "caf\udce9.img")     # not UTF-8
        with open(self.image, "wb") as f:
            f.write(os.urandom(MIB))
            f.truncate(64 * MIB)

    def test_main_job(self):
        with zerofish.open(self.image, format="raw") as h:
            self.assertEqual(h.list_devices(), ["/dev/sda"])
            self.assertFalse(h.is_zero_device("/dev/sda"))
            with open(self.image, "rb") as f:
                self.assertEqual(h.pread_device("/dev/sda", MIB, 0), f.read(MIB))
            h.zero_device("/dev/sda")
            self.assertTrue(h.is_zero_device("/dev/sda"))
            h.part_disk("/dev/sda", "mbr")
            h.mkfs("ext4", "/dev/sda1", label="hello")
            self.assertEqual(h.list_filesystems(), {"/dev/sda1": "ext4"})
            self.assertEqual(h.vfs_label("/dev/sda1"), "hello")
            h.mount("/dev/sda1", "/")
            h.mkdir(b"/caf\xe9")
            self.assertIn("caf\udce9", [e["name"] for e in h.readdir("/")])

    def test_readonly(self):
        with zerofish.open(self.image, format="raw", readonly=True) as h:
            with self.assertRaises(zerofish.Error):
                h.zero_device("/dev/sda")

    def test_interrupt_in_launch(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        h = zerofish.GuestFS()
        h.add_drive(self.image, format="raw")
        # The console speaks early, and after that the launch still takes time.
        h.set_event_callback(lambda *args: os.kill(os.getpid(), signal.SIGINT), zerofish.EVENT_APPLIANCE)
        timer = threading.Timer(5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            h.launch()
            # Quicker than the console and the timer.
            timer.join()
        timer.cancel()
        h.close()

    def test_lost(self):
        with zerofish.open(self.image, format="raw") as h:
            seen = []
            h.set_event_callback(lambda *args: seen.append(args[0]),
                                 zerofish.EVENT_SUBPROCESS_QUIT | zerofish.EVENT_CLOSE)
            h.shutdown()
            with self.assertRaises(zerofish.Error):
                h.nr_devices()
        self.assertEqual(seen[-1], zerofish.EVENT_CLOSE)

    def test_aio(self):
        async def main():
            h = zerofish.GuestFS()
            await h.aio.add_drive(self.image, format="raw")
            await h.aio.launch()
            await h.aio.zero_device("/dev/sda", progress=lambda position, total: None)
            self.assertTrue(await h.aio.is_zero_device("/dev/sda"))
            await h.aio.close()

        asyncio.run(main())

    def test_exit_with_an_open_handle(self):
        program = "import sys, zerofish; h = zerofish.open(sys.argv[1], format='raw'); print(h.nr_devices())"
        r = subprocess.run([sys.executable, "-c", program, os.fsencode(self.image)],
                           stdout=subprocess.PIPE, timeout=200)
        self.assertEqual((r.returncode, r.stdout), (0, b"1\n"))


if __name__ == "__main__":
    unittest.main()
