# Calls that can be awaited: each runs in the worker thread of its handle.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import asyncio
import concurrent.futures
import functools
import threading
import weakref

from . import _zerofish
from ._actions import ACTIONS

_EVENT_PROGRESS = 0x8
# How often a cancel is repeated: the first may come before the library has begun the call.
_CANCEL_SECONDS = 0.05


class _Call:
    """One call, from the event loop's thread to the worker and back."""

    def __init__(self, function, loop, progress):
        self.function = function
        self.loop = loop
        self.progress = progress
        self.thread = None
        self.cancelled = False

    def run(self, aio):
        if self.cancelled:
            raise concurrent.futures.CancelledError()
        self.thread = threading.get_ident()
        aio._running = self
        try:
            return self.function()
        finally:
            aio._running = None

    def on_progress(self, position, total):
        try:
            self.loop.call_soon_threadsafe(self.progress, position, total)
        except RuntimeError:
            # The loop is closed: nobody is interested any more.
            pass


class Aio:
    """The methods of a handle as coroutines.

    They take one argument more, progress: a function that is called in the event loop with position and
    total.  Calls of one handle run one after the other.  If the task is cancelled, the call is cancelled,
    and the task ends when the call has.
    """

    def __init__(self, handle):
        # Not the handle itself, which has a reference to this object.
        self._handle = weakref.ref(handle)
        self._o = handle._o
        self._executor = concurrent.futures.ThreadPoolExecutor(1, "zerofish")
        self._running = None
        self._listening = False

    def __getattr__(self, name):
        if name not in ACTIONS:
            raise AttributeError("Aio has no method %r" % name)
        handle = self._get()
        method = getattr(type(handle), name)

        @functools.wraps(method)
        async def call(*args, progress=None, **kwargs):
            return await self._call(functools.partial(method, handle, *args, **kwargs), progress)

        return call

    def _get(self):
        handle = self._handle()
        if handle is None:
            raise _zerofish.ClosedHandle("the handle is gone")
        return handle

    async def close(self):
        """GuestFS.close, without blocking the event loop."""
        await self._call(self._get().close, None)

    def _stop(self):
        self._executor.shutdown(wait=False)

    def _listen(self):
        """Have progress told to the call that runs: once for all calls, as registrations are never freed."""
        if self._listening:
            return
        aio = weakref.ref(self)

        def on_event(event, event_handle, buf, array):
            running = aio() and aio()._running
            if running and running.progress and running.thread == threading.get_ident():
                running.on_progress(array[2], array[3])

        self._o.set_event_callback(on_event, _EVENT_PROGRESS)
        self._listening = True

    async def _call(self, function, progress):
        if progress is not None and not callable(progress):
            raise TypeError("progress must be callable")
        call = _Call(function, asyncio.get_running_loop(), progress)
        if progress is not None and not self._listening:
            # It may have to wait for a call that runs, so not here.
            await asyncio.wrap_future(self._submit(self._listen))
        future = self._submit(call.run, self)
        waiter = asyncio.wrap_future(future)
        try:
            return await asyncio.shield(waiter)
        except asyncio.CancelledError:
            if not future.cancel():
                await self._cancel(call, waiter)
            raise

    def _submit(self, function, *args):
        try:
            return self._executor.submit(function, *args)
        except RuntimeError:
            raise _zerofish.ClosedHandle("the handle is closed") from None

    async def _cancel(self, call, waiter):
        """End a call that has begun, and wait until it has ended."""
        call.cancelled = True
        while not waiter.done():
            if call.thread is not None:
                self._o.cancel_thread(call.thread)
            try:
                await asyncio.wait([waiter], timeout=_CANCEL_SECONDS)
            except asyncio.CancelledError:
                # Cancelled again: it is on its way.
                pass
        if not waiter.cancelled():
            # Fetched, or asyncio would complain that nobody looked at it.
            waiter.exception()
