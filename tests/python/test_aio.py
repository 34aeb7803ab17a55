# Calls that are awaited: results, errors, progress, cancelling, order, and the end of the loop.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import asyncio
import errno
import gc
import threading
import unittest

import zerofish
from rig import Rig

HUGE = 1 << 40              # reading it takes minutes


class Aio(Rig):
    def run_async(self, coroutine):
        async def limited():
            return await asyncio.wait_for(coroutine, 100)

        return asyncio.run(limited())

    def test_results_and_errors(self):
        h = self.launch(self.disk(content=b"content"))

        async def main():
            self.assertEqual(await h.aio.list_devices(), ["/dev/sda"])
            self.assertEqual(await h.aio.pread_device("/dev/sda", count=7, offset=0), b"content")
            buffer = bytearray(3)
            self.assertEqual(await h.aio.pread_device_into(buffer, "/dev/sda", 4), 3)
            self.assertEqual(buffer, b"ent")
            self.assertEqual(await h.aio.list_filesystems(), {"/dev/sda": "unknown"})
            with self.assertRaises(zerofish.Error) as caught:
                await h.aio.zero_device("/dev/sdz")
            self.assertEqual(caught.exception.errno, errno.ENOENT)
            with self.assertRaises(TypeError):
                await h.aio.zero_device()
            with self.assertRaises(TypeError):
                await h.aio.zero_device("/dev/sda", progress=3)
            with self.assertRaises(AttributeError):
                h.aio.nonsense
            # Together: one after the other.
            self.assertEqual(await asyncio.gather(*[h.aio.nr_devices() for _ in range(20)]), [1] * 20)

        self.run_async(main())

    def test_progress_and_cancel(self):
        h = self.launch(self.disk(size=HUGE))
        threads = set()

        async def main():
            seen = asyncio.Event()

            def progress(position, total):
                threads.add(threading.get_ident())
                self.assertLessEqual(position, total)
                seen.set()

            task = asyncio.ensure_future(h.aio.is_zero_device("/dev/sda", progress=progress))
            # The loop runs meanwhile.
            await seen.wait()
            self.assertFalse(task.done())
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            # The call has really ended, and the next one is not hit.
            self.assertTrue(h._o.is_idle())
            self.assertEqual(await h.aio.nr_devices(), 1)

        self.run_async(main())
        self.assertEqual(threads, {threading.get_ident()})

    def test_cancel_of_a_call_that_waits(self):
        h = self.launch(self.disk(size=HUGE))

        async def main():
            first = asyncio.ensure_future(h.aio.is_zero_device("/dev/sda"))
            second = asyncio.ensure_future(h.aio.zero_device("/dev/sda"))
            await asyncio.sleep(0.3)
            second.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await second
            self.assertFalse(first.done())
            first.cancel()
            first.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await first

        self.run_async(main())

    def test_timeout(self):
        h = self.launch(self.disk(size=HUGE))

        async def main():
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(h.aio.is_zero_device("/dev/sda"), 0.5)
            self.assertTrue(h._o.is_idle())

        self.run_async(main())

    def test_sync_call_is_not_cancelled(self):
        h = self.launch(self.disk(size=HUGE))
        errors = []

        def call():
            try:
                h.is_zero_device("/dev/sda")
            except zerofish.Error as e:
                errors.append(e.errno)

        thread = threading.Thread(target=call)

        async def main():
            thread.start()
            while h._o.is_idle():
                await asyncio.sleep(0.01)
            task = asyncio.ensure_future(h.aio.nr_devices())
            await asyncio.sleep(0.2)
            task.cancel()
            await asyncio.sleep(0.5)
            self.assertEqual(errors, [])
            self.assertTrue(thread.is_alive())
            h.user_cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        self.run_async(main())
        thread.join(60)
        self.assertEqual(errors, [errno.EINTR])

    def test_close(self):
        h = self.launch(self.disk())

        async def main():
            aio = h.aio
            await aio.nr_devices()
            await aio.close()
            with self.assertRaises(zerofish.ClosedHandle):
                await aio.nr_devices()
            with self.assertRaises(zerofish.ClosedHandle):
                await aio.nr_devices(progress=print)

        self.run_async(main())
        h.close()

    def test_collected(self):
        before = threading.active_count()

        async def main():
            h = zerofish.GuestFS()
            self.assertEqual(await h.aio.get_backend(), h.get_backend())

        self.run_async(main())
        gc.collect()
        for _ in range(500):
            if threading.active_count() <= before:
                break
            threading.Event().wait(0.01)
        self.assertLessEqual(threading.active_count(), before)


if __name__ == "__main__":
    unittest.main()
