# What the tests of the Python package share: a daemon without an appliance, with files for disks.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest

import zerofish

MIB = 1024 * 1024


class Rig(unittest.TestCase):
    """Each test has a folder of its own, and handles whose daemon is a plain process."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="zerofish-python-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.nr = 0

    def path(self, name):
        return os.path.join(self.dir, name)

    def disk(self, name="disk", size=64 * MIB, content=b""):
        with open(self.path(name), "wb") as f:
            f.write(content)
            f.truncate(size)
        return self.path(name)

    def sysroot(self):
        path = self.path("sysroot")
        os.makedirs(path, exist_ok=True)
        return path

    def backend(self, *disks, sysroot=None):
        """Name a backend that starts a daemon when it is connected to."""
        self.nr += 1
        path = self.path("socket%d" % self.nr)
        command = [os.environ["ZEROFISHD"]]
        for disk in disks:
            command += ["--device", disk]
        if sysroot:
            command += ["--sysroot", sysroot]
        listener = socket.socket(socket.AF_UNIX)
        listener.settimeout(60)
        listener.bind(path)
        listener.listen(1)

        def serve():
            with listener:
                connection = listener.accept()[0]
            with connection:
                connection.setblocking(True)
                fd = connection.fileno()
                daemon = subprocess.Popen(command + ["--fd", str(fd)], pass_fds=[fd],
                                          stdin=subprocess.DEVNULL)
            daemon.wait()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 60)
        return "unix:" + path

    def launch(self, *disks, sysroot=None):
        """A launched handle with these disks."""
        backend = self.backend(*disks, sysroot=sysroot)
        h = zerofish.GuestFS(python_return_dict=True)
        # Before the daemon is waited for.
        self.addCleanup(h.close)
        h.set_backend(backend)
        h.launch()
        return h

    def fails(self, errno, text, function, *args, **kwargs):
        """FUNCTION raises zerofish.Error with that errno and a message that contains TEXT."""
        with self.assertRaises(zerofish.Error) as caught:
            function(*args, **kwargs)
        self.assertEqual(caught.exception.errno, errno)
        self.assertIn(text, str(caught.exception))
