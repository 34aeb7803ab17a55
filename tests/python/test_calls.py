# Results of every type, errors, names that are not UTF-8, and the module's own functions.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import ast
import copy
import errno
import hashlib
import os
import pickle
import unittest

import zerofish
from rig import MIB, Rig


class Calls(Rig):
    def test_results(self):
        h = self.launch(self.disk(), self.disk("second"), sysroot=self.sysroot())
        self.assertIsNone(h.sync())
        self.assertIs(h.is_zero_device("/dev/sda"), True)
        self.assertEqual(h.nr_devices(), 2)
        self.assertEqual(h.blockdev_getsize64("/dev/sda"), 64 * MIB)
        self.assertEqual(h.list_devices(), ["/dev/sda", "/dev/sdb"])
        self.assertEqual(h.checksum_device("md5", "/dev/sda"), hashlib.md5(bytes(64 * MIB)).hexdigest())
        self.assertEqual(h.version()["major"], 0)
        self.assertIsInstance(h.version()["extra"], str)
        self.assertEqual(sorted(h.statvfs("/")), sorted([
            "bsize", "frsize", "blocks", "bfree", "bavail", "files", "ffree", "favail", "fsid", "flag",
            "namemax"]))
        h.mkdir("/folder")
        entries = [(e["name"], e["ftyp"]) for e in h.readdir("/") if e["name"][0] != "."]
        self.assertEqual(entries, [("folder", "d")])
        h.part_disk("/dev/sda", "mbr")
        self.assertEqual([p["part_num"] for p in h.part_list("/dev/sda")], [1])

    def test_hash(self):
        for as_dict in (True, False):
            h = zerofish.GuestFS(python_return_dict=as_dict)
            h.set_backend(self.backend(self.disk()))
            h.launch()
            r = h.list_filesystems()
            self.assertEqual(r, {"/dev/sda": "unknown"} if as_dict else [("/dev/sda", "unknown")])
            h.close()

    def test_buffers(self):
        h = self.launch(self.disk(content=b"0123456789"))
        r = h.pread_device("/dev/sda", 4, 3)
        self.assertEqual(r, b"3456")
        self.assertIs(type(r), bytearray)
        self.assertEqual(h.pread_device("/dev/sda", 100, 64 * MIB - 7), bytes(7))
        self.assertEqual(h.pread_device("/dev/sda", 100, 64 * MIB), b"")
        self.assertEqual(h.pread_device("/dev/sda", 0, 0), b"")

    def test_errors(self):
        h = self.launch(self.disk())
        with self.assertRaises(RuntimeError) as caught:
            h.zero_device("/dev/sdx")
        e = caught.exception
        self.assertIsInstance(e, zerofish.Error)
        self.assertEqual(e.errno, errno.ENOENT)
        self.assertTrue(str(e).startswith("zero_device: /dev/sdx: "), e)
        for again in (pickle.loads(pickle.dumps(e)), copy.copy(e)):
            self.assertEqual((again.args, again.errno), (e.args, e.errno))
        # Not about a call: there is no appliance.
        self.fails(errno.EINVAL, "launch it first", zerofish.GuestFS().nr_devices)

    def test_names_that_are_not_utf8(self):
        root = self.sysroot()
        raw = b"caf\xe9 \xff"
        name = raw.decode("utf-8", "surrogateescape")
        h = self.launch(self.disk(), sysroot=root)
        h.touch("/" + name)
        self.assertIn(raw, os.listdir(os.fsencode(root)))
        self.assertIn(name, [e["name"] for e in h.readdir("/")])
        self.assertIs(h.exists(b"/" + raw), True)
        h.rm(b"/" + raw)
        self.assertIs(h.exists("/" + name), False)
        self.fails(errno.ENOENT, "caf\\xe9", h.rm, b"/" + raw)
        # Local names: uploaded from and downloaded to such a name.
        local = os.path.join(os.fsencode(self.dir), raw)
        with open(local, "wb") as f:
            f.write(b"content")
        h.upload(local, "/up")
        h.upload(os.fsdecode(local), "/up")
        h.download("/up", local + b"2")
        with open(local + b"2", "rb") as f:
            self.assertEqual(f.read(), b"content")
        # And drives.
        h2 = zerofish.GuestFS()
        h2.add_drive(local, format="raw", readonly=True)
        h2.close()

    def test_open(self):
        os.environ["ZEROFISH_BACKEND"] = self.backend(self.disk())
        try:
            with zerofish.open() as h:
                self.assertEqual(h.list_filesystems(), {"/dev/sda": "unknown"})
            self.assertRaises(zerofish.ClosedHandle, h.nr_devices)
            # Whatever goes wrong, the handle that nobody has is closed.
            self.assertRaises(zerofish.Error, zerofish.open, self.path("none"))
            self.assertEqual(zerofish.GuestFS().get_backend(), os.environ["ZEROFISH_BACKEND"])
            self.assertEqual(zerofish.GuestFS(environment=False).get_backend(), "direct")
        finally:
            del os.environ["ZEROFISH_BACKEND"]

    def test_names_of_events(self):
        self.assertEqual(zerofish.event_to_string(zerofish.EVENT_PROGRESS), "progress")
        events = zerofish.EVENT_CLOSE | zerofish.EVENT_WARNING
        self.assertEqual(zerofish.event_to_string(events), "close,warning")
        self.assertEqual(zerofish.event_to_string(0), "")

    def test_documentation(self):
        for name in dir(zerofish.GuestFS):
            if not name.startswith("_"):
                self.assertTrue(getattr(zerofish.GuestFS, name).__doc__, name)

    def test_stubs(self):
        """The types name everything that there is, and nothing else."""
        with open(zerofish.__file__ + "i", encoding="utf-8") as f:
            tree = ast.parse(f.read())
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        classes = {node.name: {n.name: n for n in node.body if isinstance(n, functions)}
                   for node in tree.body if isinstance(node, ast.ClassDef)}
        methods = {name for name in dir(zerofish.GuestFS)
                   if not name.startswith("_") and not name.endswith("_opts")}
        self.assertEqual({name for name in classes["GuestFS"] if not name.startswith("_")}, methods)
        for name in set(classes["Aio"]) - {"close"}:
            awaited, plain = classes["Aio"][name], classes["GuestFS"][name]
            self.assertIsInstance(awaited, ast.AsyncFunctionDef)
            self.assertEqual([a.arg for a in awaited.args.args], [a.arg for a in plain.args.args])
            self.assertEqual(awaited.args.kwonlyargs[-1].arg, "progress")
        self.assertIn("errno", ast.dump(tree))


if __name__ == "__main__":
    unittest.main()
