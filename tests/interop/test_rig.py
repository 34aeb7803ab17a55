"""The stock library, through Python, drives our daemon: calls, errors with their errno, files, progress, cancelling.

SPDX-License-Identifier: LGPL-2.1-or-later
Copyright (C) 2026 The zerofish authors
"""

import ctypes
import errno
import hashlib
import os
import unittest

import guestfs

MIB = 1024 * 1024
SIZES = (0, 1, 8191, 8192, 8193, 50 * MIB)


def make(name, size, byte=b""):
    """A file of SIZE bytes: a hole, or all BYTE."""
    with open(name, "wb") as f:
        for at in range(0, size if byte else 0, MIB):
            f.write(byte * min(MIB, size - at))
        f.truncate(size)
    return os.path.abspath(name)


libguestfs = ctypes.CDLL("libguestfs.so.0", use_errno=True)
libguestfs.guestfs_last_errno.argtypes = [ctypes.c_void_p]
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def last_errno(g):
    """What the Python binding has no method for."""
    return libguestfs.guestfs_last_errno(ctypes.pythonapi.PyCapsule_GetPointer(g._o, b"guestfs_h"))


def digest(name):
    with open(name, "rb") as f:
        return hashlib.file_digest(f, "md5").hexdigest() if hasattr(hashlib, "file_digest") \
            else hashlib.md5(f.read()).hexdigest()


class Rig(unittest.TestCase):
    def launch(self, *disks):
        g = guestfs.GuestFS(python_return_dict=True)
        self.addCleanup(g.close)
        for disk in disks:
            g.add_drive_opts(disk, format="raw")
        g.launch()
        return g

    def refused(self, g, number, text, call, *args):
        """The call fails with this errno and text, and the connection is in step after it."""
        with self.assertRaises(RuntimeError) as caught:
            call(*args)
        self.assertEqual((last_errno(g), text in str(caught.exception)), (number, True), str(caught.exception))
        g.ping_daemon()


class TestZero(Rig):
    def test_four_calls(self):
        g = self.launch(make("data", 8 * MIB, b"x"), make("hole", 8 * MIB))
        self.assertFalse(g.is_zero_device("/dev/sda"))
        self.assertTrue(g.is_zero_device("/dev/sdb"))
        g.zero("/dev/sda")          # the beginning only
        with open("data", "rb") as f:
            self.assertEqual(f.read(4096), bytes(4096))
        self.assertFalse(g.is_zero_device("/dev/sda"))
        g.zero_device("/dev/sda")
        g.zero_device("/dev/sdb")
        self.assertTrue(g.is_zero_device("/dev/sda"))
        self.assertEqual(digest("data"), digest("hole"))
        self.assertEqual(os.stat("hole").st_blocks, 0)
        g.write("/nulls", bytes(10000))
        g.write("/text", b"text")
        self.assertTrue(g.is_zero("/nulls"))
        self.assertFalse(g.is_zero("/text"))

    def test_255_disks(self):
        disks = [make("disk%d" % i, MIB + 512 * i) for i in range(255)]
        g = self.launch(*disks)
        names = g.list_devices()
        self.assertEqual(len(names), 255)
        self.assertEqual([names[i] for i in (0, 25, 26, 254)], ["/dev/sda", "/dev/sdz", "/dev/sdaa", "/dev/sdiu"])
        for i in (0, 25, 26, 253, 254):
            self.assertEqual(g.blockdev_getsize64(names[i]), MIB + 512 * i)
        self.refused(g, errno.ENOENT, "/dev/sdiv", g.blockdev_getsize64, "/dev/sdiv")


class TestErrors(Rig):
    def test_errno(self):
        g = self.launch(make("disk", MIB))
        self.refused(g, errno.ENOENT, "zero_device: /dev/sdb", g.zero_device, "/dev/sdb")
        self.refused(g, errno.ENOENT, "/none", g.is_zero, "/none")
        self.refused(g, errno.ENOENT, "/none", g.filesize, "/none")
        self.refused(g, errno.EINVAL, "checksum", g.checksum, "nonsense", "/")
        g.mkdir("/dir")
        self.refused(g, errno.EEXIST, "/dir", g.mkdir, "/dir")
        self.refused(g, errno.EISDIR, "/dir", g.is_zero, "/dir")
        self.refused(g, errno.EINVAL, "pread_device", g.pread_device, "/dev/sda", -1, 0)

    def test_unknown_action(self):
        """One that we do not have: an ordinary error."""
        g = self.launch(make("disk", MIB))
        with self.assertRaises(RuntimeError):
            g.aug_init("/", 0)
        g.ping_daemon()

    def test_features(self):
        g = self.launch(make("disk", MIB))
        self.assertFalse(g.feature_available(["augeas"]))
        self.refused(g, 0, "nonsense", g.feature_available, ["nonsense"])


class TestFiles(Rig):
    def test_sizes(self):
        g = self.launch(make("disk", MIB))
        for size in SIZES:
            with self.subTest(size=size):
                make("up", size, b"%d|" % size)
                g.upload("up", "/file")
                self.assertEqual(g.filesize("/file"), os.path.getsize("up"))
                g.download("/file", "down")
                self.assertEqual(digest("up"), digest("down"))
                self.assertEqual(g.checksum("md5", "/file"), digest("up"))

    def test_parts(self):
        g = self.launch(make("disk", MIB))
        make("up", 20000, b"u")
        try:
            g.upload_offset("up", "/dev/sda", 5000)
        except RuntimeError as error:
            if "unknown procedure" not in str(error):
                raise
            self.skipTest("the daemon has no upload_offset")
        g.download_offset("/dev/sda", "down", 4999, 20002)
        with open("down", "rb") as f:
            self.assertEqual(f.read(), b"\0" + b"u" * 20000 + b"\0")
        self.assertEqual(g.pread_device("/dev/sda", 3, 4999), b"\0uu")
        self.assertEqual(g.pwrite_device("/dev/sda", b"abc", 0), 3)

    def test_write_and_read(self):
        g = self.launch(make("disk", MIB))
        for size in (0, 1, 2 * MIB, 3 * MIB):
            content = os.urandom(size)
            g.write("/file", content)
            g.write_append("/file", b"end")
            self.assertEqual(g.read_file("/file"), content + b"end")

    def test_early_failures(self):
        """The daemon refuses at once, or in the middle, what is still being sent."""
        g = self.launch(make("disk", MIB))
        make("big", 50 * MIB, b"b")
        self.refused(g, errno.ENOENT, "/none/file", g.upload, "big", "/none/file")
        self.refused(g, errno.EISDIR, "upload", g.upload, "big", "/")
        self.refused(g, errno.ENOENT, "/dev/sdb", g.upload, "big", "/dev/sdb")
        self.refused(g, errno.ENOSPC, "upload", g.upload, "big", "/dev/sda")
        make("small", 1, b"s")
        self.refused(g, errno.ENOENT, "/none/file", g.upload, "small", "/none/file")
        with self.assertRaises(RuntimeError):
            g.download("/none", "x")
        with self.assertRaises(RuntimeError):
            g.download("/dev/sda", "/none/x")
        g.ping_daemon()


class TestLongCalls(Rig):
    def setUp(self):
        self.seen = []

    def progress(self, event, handle, buf, array):
        self.seen.append(array)

    def test_progress(self):
        g = self.launch(make("disk", 3 * 1024 * MIB))
        g.set_event_callback(self.progress, guestfs.EVENT_PROGRESS)
        g.checksum_device("sha512", "/dev/sda")
        self.assertTrue(self.seen)
        self.assertTrue(all(0 <= position <= total for _, _, position, total in self.seen))
        self.assertEqual(self.seen[-1][2], self.seen[-1][3])

    def test_cancelled_download(self):
        g = self.launch(make("disk", 1024 * 1024 * MIB))

        def cancel(event, handle, buf, array):
            self.seen.append(array)
            g.user_cancel()

        g.set_event_callback(cancel, guestfs.EVENT_PROGRESS)
        with self.assertRaises(RuntimeError):
            g.download("/dev/sda", "/dev/null")
        self.assertEqual(last_errno(g), errno.EINTR)
        g.ping_daemon()
        self.assertEqual(len(g.list_devices()), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
