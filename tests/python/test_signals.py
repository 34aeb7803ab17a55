# Signals while a call runs: ^C ends it with KeyboardInterrupt, other handlers just run.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import errno
import os
import signal
import socket
import threading
import time
import unittest

import zerofish
from rig import Rig

HUGE = 1 << 40              # reading it takes minutes


class Signals(Rig):
    def setUp(self):
        super().setUp()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def send(self, sig, seconds=0.5):
        timer = threading.Timer(seconds, os.kill, (os.getpid(), sig))
        timer.start()
        self.addCleanup(timer.join)

    def test_interrupt(self):
        h = self.launch(self.disk(size=HUGE))
        start = time.monotonic()
        self.send(signal.SIGINT)
        self.assertRaises(KeyboardInterrupt, h.is_zero_device, "/dev/sda")
        self.assertLess(time.monotonic() - start, 30)
        # Nothing is lost, and the next call is not hit.
        self.assertEqual(h.list_devices(), ["/dev/sda"])
        self.assertEqual(h.pread_device("/dev/sda", 4, 0), bytes(4))

    def test_interrupt_in_upload(self):
        h = self.launch(self.disk(), sysroot=self.sysroot())
        os.mkfifo(self.path("fifo"))
        self.send(signal.SIGINT)
        self.assertRaises(KeyboardInterrupt, h.upload, self.path("fifo"), "/x")
        h.ping_daemon()

    def test_interrupt_in_launch(self):
        # Nobody answers there.
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(self.path("silent"))
        listener.listen(1)
        h = zerofish.GuestFS()
        h.set_backend("unix:" + self.path("silent"))
        self.send(signal.SIGINT)
        self.assertRaises(KeyboardInterrupt, h.launch)
        self.assertTrue(h.is_config())
        h.close()

    def test_handler_that_does_not_raise(self):
        h = self.launch(self.disk(size=HUGE))
        seen = []

        def handler(sig, frame):
            seen.append(sig)
            if len(seen) == 2:
                h.user_cancel()

        signal.signal(signal.SIGUSR1, handler)
        self.send(signal.SIGUSR1, 0.3)
        self.send(signal.SIGUSR1, 0.8)
        self.fails(errno.EINTR, "cancelled", h.is_zero_device, "/dev/sda")
        self.assertEqual(seen, [signal.SIGUSR1] * 2)

    def test_handler_that_raises_something_else(self):
        h = self.launch(self.disk(size=HUGE))

        class Timeout(Exception):
            pass

        def handler(sig, frame):
            raise Timeout("too long")

        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        self.assertRaises(Timeout, h.is_zero_device, "/dev/sda")
        h.ping_daemon()

    def test_handler_that_closes(self):
        h = self.launch(self.disk(size=HUGE))

        def handler(sig, frame):
            h.close()

        signal.signal(signal.SIGUSR1, handler)
        self.send(signal.SIGUSR1)
        with self.assertRaises(zerofish.Error) as caught:
            h.is_zero_device("/dev/sda")
        self.assertIn("close: called from inside", str(caught.exception))
        h.ping_daemon()

    def test_interrupt_while_waiting_for_the_handle(self):
        h = self.launch(self.disk(size=HUGE))
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
        self.send(signal.SIGINT)
        self.assertRaises(KeyboardInterrupt, h.list_devices)
        # The other thread's call is not hit.
        self.assertTrue(thread.is_alive())
        self.assertEqual(errors, [])
        h.user_cancel()
        thread.join(60)
        self.assertEqual(errors, [errno.EINTR])


if __name__ == "__main__":
    unittest.main()
