# The example programs in Python, on real images.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MIB = 1024 * 1024


class Examples(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="zerofish-python-")
        self.addCleanup(shutil.rmtree, self.dir)

    def image(self, name, content=b"", offset=0, size=32 * MIB):
        path = os.path.join(self.dir, name)
        with open(path, "wb") as f:
            f.seek(offset)
            f.write(content)
            f.truncate(size)
        return path

    def start(self, name, *args):
        return subprocess.Popen([sys.executable, os.path.join(os.environ["EXAMPLES"], name)] + list(args),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)

    def run_example(self, name, *args):
        p = self.start(name, *args)
        out, err = p.communicate(timeout=300)
        return p.returncode, out, err

    def test_is_blank(self):
        blank, used = self.image("blank"), self.image("used", b"left", offset=5 * MIB + 7)
        status, out, err = self.run_example("is-blank.py", blank)
        self.assertEqual((status, out), (0, blank + ": blank\n"), err)
        status, out, err = self.run_example("is-blank.py", blank, used)
        wanted = "%s: blank\n%s: NOT blank: data at byte %d\n" % (blank, used, 5 * MIB + 7)
        self.assertEqual((status, out), (1, wanted), err)
        with open(used, "rb") as f:
            f.seek(5 * MIB + 7)
            self.assertEqual(f.read(4), b"left")
        self.assertEqual(self.run_example("is-blank.py", os.path.join(self.dir, "none"))[0], 2)
        self.assertEqual(self.run_example("is-blank.py")[0], 2)

    def test_progress(self):
        image = self.image("image", os.urandom(32 * MIB))
        status, out, err = self.run_example("progress.py", image, "raw")
        self.assertEqual(status, 0, err)
        self.assertIn("is zero", out)
        with open(image, "rb") as f:
            self.assertEqual(f.read(), bytes(32 * MIB))
        status, out, err = self.run_example("progress.py", os.path.join(self.dir, "none"))
        self.assertEqual(status, 1)
        self.assertIn("none", err)

    def test_progress_cancel(self):
        # So much that it is not done before the signal.
        image = self.image("image", b"x" * (512 * MIB), size=512 * MIB)
        p = self.start("progress.py", image, "raw")
        deadline = time.monotonic() + 200
        # The bar shows that it begins.
        while time.monotonic() < deadline and p.stderr.read(1) not in ("[", ""):
            pass
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=200)
        self.assertEqual(p.returncode, 1, err)
        self.assertIn("stopped", err)


if __name__ == "__main__":
    unittest.main()
