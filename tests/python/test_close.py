# Closing: twice, early, inside a callback, while another thread is in a call, at the end of the program.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import errno
import gc
import subprocess
import sys
import threading
import time
import unittest
import weakref

import zerofish
from rig import Rig


class Close(Rig):
    def test_twice_and_use_after(self):
        h = self.launch(self.disk())
        h.close()
        h.close()
        for use in (h.nr_devices, h.user_cancel, h.get_verbose, lambda: h.zero_device("/dev/sda"),
                    lambda: h.set_event_callback(print, zerofish.EVENT_ALL),
                    lambda: h.delete_event_callback(0)):
            self.assertRaises(zerofish.ClosedHandle, use)
        self.assertRaises(ValueError, h.launch)
        self.assertIn("closed", repr(h))

    def test_context(self):
        with self.launch(self.disk()) as h:
            h.ping_daemon()
        self.assertRaises(zerofish.ClosedHandle, h.ping_daemon)

    def test_event(self):
        h = self.launch(self.disk())
        seen = []

        def on_close(event, event_handle, buf, array):
            seen.append((event, event_handle, buf, array))
            h.close()
            self.assertRaises(zerofish.ClosedHandle, h.get_verbose)

        number = h.set_event_callback(on_close, zerofish.EVENT_ALL)
        h.close()
        self.assertEqual(seen, [(zerofish.EVENT_CLOSE, number, "", [])])

    def test_in_callback(self):
        h = zerofish.GuestFS()
        caught = []

        def on_trace(event, event_handle, buf, array):
            try:
                h.close()
            except zerofish.Error as e:
                caught.append(e)

        h.set_trace(True)
        h.set_event_callback(on_trace, zerofish.EVENT_TRACE)
        self.assertIs(h.is_config(), True)
        self.assertTrue(caught)
        self.assertEqual(caught[0].errno, errno.EBUSY)
        h.close()

    def test_while_converting(self):
        h = self.launch(self.disk())

        class Closes:
            def __fspath__(self):
                h.close()
                return "/dev/sda"

        self.assertRaises(zerofish.ClosedHandle, h.zero_device, Closes())

    def test_collected(self):
        h = zerofish.GuestFS()
        seen = []
        # A cycle through the callback.
        h.set_event_callback(lambda *args, keep=[h]: seen.append(1), zerofish.EVENT_CLOSE)
        gone = weakref.ref(h)
        del h
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual(len(seen), 1)

    def test_while_another_thread_calls(self):
        h = self.launch(self.disk(size=1 << 40))
        errors = []

        def call():
            try:
                h.is_zero_device("/dev/sda")
            except zerofish.Error as e:
                errors.append(e.errno)

        thread = threading.Thread(target=call)
        thread.start()
        while h._o.is_idle():
            time.sleep(0.01)
        threading.Timer(0.3, h.user_cancel).start()
        # Waits for the call, which the timer ends.
        h.close()
        thread.join(60)
        self.assertEqual(errors, [errno.EINTR])
        self.assertRaises(zerofish.ClosedHandle, h.nr_devices)

    def program(self, text):
        """Run TEXT with a handle h that is launched; its output."""
        backend = self.backend(self.disk(size=1 << 40))
        head = ("import sys, threading, time, zerofish\n"
                "h = zerofish.GuestFS()\nh.set_backend(%r)\nh.launch()\n"
                "def bye(*args): print('closed'); sys.stdout.flush()\n"
                "h.set_event_callback(bye, zerofish.EVENT_CLOSE)\n" % backend)
        r = subprocess.run([sys.executable, "-X", "dev", "-c", head + text], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        return r.stdout.decode(), r.stderr.decode()

    def test_open_at_exit(self):
        self.assertEqual(self.program(""), ("closed\n", ""))
        self.assertEqual(self.program("raise SystemExit(0)"), ("closed\n", ""))
        # A cycle, and a reference that outlives the module.
        self.assertEqual(self.program("h.me = h\nsys.kept = h\n"), ("closed\n", ""))

    def test_exit_during_a_call(self):
        out, err = self.program(
            "def call():\n"
            "    try: h.is_zero_device('/dev/sda')\n"
            "    except zerofish.Error as e: print(e.errno)\n"
            "threading.Thread(target=call, daemon=True).start()\n"
            "while h._o.is_idle(): time.sleep(0.01)\n")
        self.assertIn("closed\n", out)
        self.assertNotIn("Fatal", err)


if __name__ == "__main__":
    unittest.main()
