# Arguments that are not what they should be: a clear exception, and the handle goes on working.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import array
import errno
import pathlib
import unittest

import zerofish
from rig import MIB, Rig


class Args(Rig):
    def setUp(self):
        super().setUp()
        self.h = self.launch(self.disk())

    def tearDown(self):
        self.assertEqual(self.h.list_devices(), ["/dev/sda"])

    def refused(self, exception, text, function, *args, **kwargs):
        with self.assertRaises(exception) as caught:
            function(*args, **kwargs)
        self.assertIn(text, str(caught.exception))
        self.assertIs(type(caught.exception), exception)

    def test_wrong_types(self):
        h = self.h
        self.refused(TypeError, "'device' must be str, bytes or a path, not NoneType", h.zero_device, None)
        self.refused(TypeError, "'device' must be str, bytes or a path, not int", h.zero_device, 5)
        self.refused(TypeError, "'count' must be int, not str", h.pread_device, "/dev/sda", "4", 0)
        self.refused(TypeError, "'count' must be int, not NoneType", h.pread_device, "/dev/sda", None, 0)
        self.refused(TypeError, "'offset' must be int, not float", h.pread_device, "/dev/sda", 4, 1.0)
        self.refused(TypeError, "'content' must be bytes or another buffer, not str",
                     h.pwrite_device, "/dev/sda", "text", 0)
        self.refused(TypeError, "'content' must be bytes", h.pwrite_device, "/dev/sda", None, 0)
        self.refused(TypeError, "'verbose' must be int, not str", h.set_verbose, "no")
        self.refused(TypeError, "'label' must be str", h.add_drive, "/dev/null", label=3)

    def test_counts(self):
        self.refused(TypeError, "missing 1 required positional argument: 'offset'",
                     self.h.pread_device, "/dev/sda", 4)
        self.refused(TypeError, "takes 1 arguments, not 2", self.h._o.zero_device, "/dev/sda", 1)
        self.refused(TypeError, "zero_device() takes more than 0 arguments", self.h._o.zero_device)
        self.refused(TypeError, "unexpected keyword argument 'iface'",
                     self.h.add_drive, "/dev/null", iface="ide")

    def test_numbers(self):
        h = self.h
        for huge in (2 ** 31, -2 ** 31 - 1, 10 ** 30):
            self.refused(OverflowError, "'count' does not fit in 32 bits",
                         h.pread_device, "/dev/sda", huge, 0)
        for huge in (2 ** 63, -2 ** 63 - 1, 10 ** 30):
            self.refused(OverflowError, "'offset' does not fit in 64 bits",
                         h.pread_device, "/dev/sda", 1, huge)
        self.fails(errno.EINVAL, "negative", h.pread_device, "/dev/sda", -1, 0)
        self.fails(errno.EINVAL, "negative", h.pread_device, "/dev/sda", 1, -1)
        self.fails(errno.EINVAL, "", h.pread_device, "/dev/sda", 2 ** 31 - 1, 0)
        self.assertEqual(h.pread_device("/dev/sda", 10, 2 ** 62), b"")

        class Index:
            def __index__(self):
                return 3

        self.assertEqual(h.pread_device("/dev/sda", Index(), True), bytes(3))

    def test_exceptions_while_converting(self):
        class Bad:
            def __index__(self):
                raise RuntimeError("index")

            def __fspath__(self):
                raise RuntimeError("path")

            def __iter__(self):
                raise RuntimeError("iter")

        self.refused(RuntimeError, "index", self.h.pread_device, "/dev/sda", Bad(), 0)
        self.refused(RuntimeError, "path", self.h.zero_device, Bad())
        self.refused(RuntimeError, "iter", self.h.set_backend_settings, Bad())

    def test_zero_bytes(self):
        for text in ("/dev/sd\0a", b"/dev/sd\0a", "\0", pathlib.Path("/dev/s\0")):
            self.refused(ValueError, "'device' has a zero byte in it", self.h.zero_device, text)
        self.refused(ValueError, "has a zero byte", self.h.set_backend_settings, ["a", "b\0"])

    def test_lone_surrogate(self):
        # What no bytes can have been decoded to.
        self.refused(UnicodeEncodeError, "surrogates not allowed", self.h.zero_device, "/dev/\ud800")

    def test_lists(self):
        h = self.h
        self.refused(TypeError, "must be a list of str, not str", h.set_backend_settings, "force_tcg")
        self.refused(TypeError, "must be a list of str, not bytes", h.set_backend_settings, b"force_tcg")
        self.refused(TypeError, "must be a list of str, not NoneType", h.set_backend_settings, None)
        self.refused(TypeError, "must be str, bytes or a path, not int", h.set_backend_settings, ["a", 1])
        for settings in ([], ["a"], ("a", "b"), (s for s in "ab"), ["\u00e9", b"b"]):
            wanted = list(settings)
            h.set_backend_settings(wanted)
            self.assertEqual(h.get_backend_settings(),
                             [s if isinstance(s, str) else s.decode() for s in wanted])

    def test_names(self):
        for name in ("/dev/sda", b"/dev/sda", pathlib.Path("/dev/sda")):
            self.assertEqual(self.h.blockdev_getsize64(name), 64 * MIB)

    def test_buffers(self):
        h = self.h
        numbers = array.array("I", [1, 2, 3])
        for content in (b"abcdefgh", bytearray(b"bcdefghi"), memoryview(b"cdefghij"),
                        memoryview(b"xdefghijx")[1:8], numbers,
                        memoryview(numbers).cast("B").cast("B", (3, 4))):
            n = len(bytes(content))
            self.assertEqual(h.pwrite_device("/dev/sda", content, 4096), n)
            self.assertEqual(h.pread_device("/dev/sda", n, 4096), bytes(content))
        self.assertEqual(h.pwrite_device("/dev/sda", b"", 0), 0)
        self.refused(BufferError, "not C-contiguous",
                     h.pwrite_device, "/dev/sda", memoryview(b"abcdef")[::2], 0)
        self.fails(errno.EMSGSIZE, "use smaller pieces", h.pwrite_device, "/dev/sda", bytes(5 * MIB), 0)
        # The caller's memory is let go of in every case.
        content = bytearray(10)
        self.fails(errno.ENOENT, "/dev/sdq", h.pwrite_device, "/dev/sdq", content, 0)
        self.refused(OverflowError, "offset", h.pwrite_device, "/dev/sda", content, 2 ** 64)
        content.extend(b"more")

    def test_optional_none(self):
        h = zerofish.GuestFS()
        h.add_drive("/dev/null", readonly=None, format=None, label=None)
        h.close()


if __name__ == "__main__":
    unittest.main()
