# Events: what callbacks get, when they raise, and what they may call.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import errno
import sys
import unittest

import zerofish
from rig import Rig


class Events(Rig):
    def setUp(self):
        super().setUp()
        self.unraisable = []
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = lambda u: self.unraisable.append((u.exc_type, u.object))

    def traced(self):
        """A handle each of whose calls has events (of the trace)."""
        h = self.launch(self.disk(content=b"content"))
        h.set_event_callback(lambda *args: None, zerofish.EVENT_TRACE)
        h.set_trace(True)
        return h

    def test_arguments(self):
        h = self.traced()
        seen = []
        number = h.set_event_callback(lambda *args: seen.append(args), zerofish.EVENT_TRACE)
        h.zero_device("/dev/sda")
        self.assertEqual(seen, [(zerofish.EVENT_TRACE, number, 'zero_device "/dev/sda"', []),
                                (zerofish.EVENT_TRACE, number, "zero_device = 0", [])])

    def test_progress(self):
        seen = []
        h = self.launch(self.disk(size=1 << 40))
        h.set_event_callback(lambda *args: (seen.append(args), h.user_cancel()), zerofish.EVENT_PROGRESS)
        self.fails(errno.EINTR, "cancelled", h.is_zero_device, "/dev/sda")
        self.assertTrue(seen)
        event, number, buf, array = seen[-1]
        self.assertEqual((event, buf, len(array)), (zerofish.EVENT_PROGRESS, "", 4))
        self.assertLess(array[2], array[3])

    def test_exception_is_reported_and_the_call_goes_on(self):
        h = self.traced()

        def bad(*args):
            raise ValueError("bad")

        number = h.set_event_callback(bad, zerofish.EVENT_TRACE)
        self.assertEqual(h.pread_device("/dev/sda", 7, 0), b"content")
        self.assertEqual(self.unraisable, [(ValueError, bad)] * 2)
        h.delete_event_callback(number)
        h.zero_device("/dev/sda")
        self.assertEqual(len(self.unraisable), 2)

    def test_wrong_signature(self):
        h = self.traced()
        h.set_event_callback(lambda: None, zerofish.EVENT_TRACE)
        h.zero_device("/dev/sda")
        self.assertEqual([t for t, _ in self.unraisable], [TypeError] * 2)

    def test_exceptions_that_end_the_call(self):
        for wanted in (KeyboardInterrupt, SystemExit, GeneratorExit):
            h = self.traced()

            def bad(*args):
                raise wanted("now")

            number = h.set_event_callback(bad, zerofish.EVENT_TRACE)
            with self.assertRaises(wanted) as caught:
                h.zero_device("/dev/sda")
            self.assertEqual(caught.exception.args, ("now",))
            h.delete_event_callback(number)
            # The handle is as good as before.
            h.ping_daemon()

    def test_calls_inside_callbacks(self):
        h = self.traced()
        results = []

        def call(event, number, buf, array):
            results.append(h.get_memsize())
            try:
                h.zero_device("/dev/sda")
            except zerofish.Error as e:
                results.append(e.errno)

        number = h.set_event_callback(call, zerofish.EVENT_TRACE)
        h.sync()
        h.delete_event_callback(number)
        self.assertEqual(results[:2], [h.get_memsize(), errno.EBUSY])

    def test_other_handle_inside_callback(self):
        h, other = self.traced(), self.launch(self.disk("other", content=b"other"))
        results = []

        def read(*args):
            results.append(other.pread_device("/dev/sda", 5, 0))

        number = h.set_event_callback(read, zerofish.EVENT_TRACE)
        self.assertEqual(h.pread_device("/dev/sda", 7, 0), b"content")
        h.delete_event_callback(number)
        self.assertEqual(results, [b"other"] * 2)

    def test_registering_inside_callback(self):
        h = self.traced()
        numbers, late = [], []

        def register(*args):
            if not numbers:
                numbers.append(h.set_event_callback(lambda *args: late.append(args), zerofish.EVENT_TRACE))
            else:
                h.delete_event_callback(numbers[0])

        number = h.set_event_callback(register, zerofish.EVENT_TRACE)
        h.sync()
        h.delete_event_callback(number)
        h.delete_event_callback(number)
        h.delete_event_callback(12345)
        self.assertEqual(len(numbers), 1)
        self.assertEqual(self.unraisable, [])
        n = len(late)
        h.sync()
        self.assertEqual(len(late), n)

    def test_events_that_never_come(self):
        h = self.traced()
        seen = []
        for events in (zerofish.EVENT_ENTER, zerofish.EVENT_LIBVIRT_AUTH):
            h.set_event_callback(lambda *args: seen.append(args), events)
        h.close()
        self.assertEqual(seen, [])

    def test_messages_that_are_not_utf8(self):
        h = self.traced()
        seen = []
        h.set_event_callback(lambda e, n, buf, a: seen.append(buf), zerofish.EVENT_TRACE)
        self.fails(errno.ENOENT, "", h.zero_device, b"/dev/\xff")
        self.assertTrue(seen and all(isinstance(s, str) for s in seen))

    def test_callback_stays_alive(self):
        h = self.traced()
        seen = []

        class Callback:
            def __call__(self, *args):
                seen.append(args)

        h.set_event_callback(Callback(), zerofish.EVENT_TRACE)
        h.sync()
        self.assertEqual(len(seen), 2)


if __name__ == "__main__":
    unittest.main()
