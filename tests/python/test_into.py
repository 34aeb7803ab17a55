# NAME_into: results in the caller's own memory.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import array
import errno
import mmap
import unittest

from rig import MIB, Rig


class Into(Rig):
    def test_kinds_of_buffers(self):
        h = self.launch(self.disk(content=b"0123456789"))
        buffer = bytearray(b"........")
        self.assertEqual(h.pread_device_into(buffer, "/dev/sda", 3), 8)
        self.assertEqual(buffer, b"3456789\0")
        buffer = bytearray(b"........")
        self.assertEqual(h.pread_device_into(memoryview(buffer)[2:5], "/dev/sda", 0), 3)
        self.assertEqual(buffer, b"..012...")
        numbers = array.array("H", [0xffff] * 4)
        self.assertEqual(h.pread_device_into(numbers, "/dev/sda", 0), 8)
        self.assertEqual(numbers.tobytes(), b"01234567")
        with mmap.mmap(-1, 4096) as m:
            self.assertEqual(h.pread_device_into(m, "/dev/sda", 0), 4096)
            self.assertEqual(m[:10], b"0123456789")
        self.assertEqual(h.pread_device_into(bytearray(), "/dev/sda", 0), 0)

    def test_end_of_device(self):
        h = self.launch(self.disk())
        buffer = bytearray(b"x" * 8)
        self.assertEqual(h.pread_device_into(buffer, "/dev/sda", 64 * MIB - 3), 3)
        self.assertEqual(buffer, b"\0\0\0xxxxx")
        self.assertEqual(h.pread_device_into(buffer, "/dev/sda", 64 * MIB), 0)

    def test_refused(self):
        h = self.launch(self.disk())
        self.assertRaises(BufferError, h.pread_device_into, b"constant", "/dev/sda", 0)
        self.assertRaises(BufferError, h.pread_device_into, memoryview(bytearray(8))[::2], "/dev/sda", 0)
        self.assertRaises(TypeError, h.pread_device_into, None, "/dev/sda", 0)
        self.assertRaises(TypeError, h.pread_device_into, "text", "/dev/sda", 0)
        buffer = bytearray(b"........")
        self.fails(errno.ENOENT, "pread_device_into: ", h.pread_device_into, buffer, "/dev/sdq", 0)
        self.assertEqual(buffer, b"........")
        self.fails(errno.EINVAL, "at most", h.pread_device_into, bytearray(5 * MIB), "/dev/sda", 0)
        # It can be resized again.
        buffer.extend(b"x")

    def test_resize_meanwhile(self):
        h = self.launch(self.disk())
        buffer = bytearray(8)

        class Offset:
            def __index__(self):
                buffer.extend(b"x")
                return 0

        # The buffer is held from the moment that it is looked at.
        self.assertRaises(BufferError, h.pread_device_into, buffer, "/dev/sda", Offset())

    def test_files(self):
        h = self.launch(self.disk(), sysroot=self.sysroot())
        h.touch("/f")
        h.pwrite("/f", b"content", 0)
        buffer = bytearray(10)
        self.assertEqual(h.pread_into(buffer, "/f", 3), 4)
        self.assertEqual(buffer[:4], b"tent")
        if hasattr(h, "read_file_into"):
            self.assertEqual(h.read_file_into(buffer, "/f"), 7)
            self.assertEqual(buffer[:7], b"content")
            small = bytearray(6)
            self.fails(errno.ERANGE, "7 bytes", h.read_file_into, small, "/f")
            self.assertEqual(h.read_file("/f"), b"content")


if __name__ == "__main__":
    unittest.main()
