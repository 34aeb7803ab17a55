# The class GuestFS: a handle, how it is opened and closed, and its events.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import atexit
import weakref

from . import _zerofish
from ._actions import Actions

# What is still open when the program ends is closed while the interpreter can still carry that out.
_at_exit = weakref.WeakSet()


@atexit.register
def _close_all():
    for h in list(_at_exit):
        h._o.close_at_exit()


class GuestFS(Actions):
    """A handle: its drives, its settings and, after launch, its appliance.

    It may be used from several threads, one call at a time.
    """

    def __init__(self, python_return_dict=False, environment=True, close_on_exit=True):
        """Make a handle.

        With python_return_dict, results that are keys and values are a dict, else a list of pairs (as in
        the module guestfs).  Without environment, the variables ZEROFISH_* are not read.  Without
        close_on_exit the end of the program does not close the handle first.
        """
        self._o = _zerofish.Handle(bool(environment))
        self._python_return_dict = python_return_dict
        self._aio = None
        if close_on_exit:
            _at_exit.add(self)

    def __del__(self):
        # Without _o, __init__ failed.
        if "_o" in self.__dict__:
            self.close()

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc, traceback):
        self.close()

    def __repr__(self):
        return "<zerofish.GuestFS%s>" % (" (closed)" if self._o.is_closed() else "")

    def _hash(self, pairs):
        return dict(pairs) if self._python_return_dict else pairs

    def close(self):
        """End the appliance, after a sync, and close the handle.

        Closing twice does nothing.  A call that runs in another thread is waited for: user_cancel cuts that
        short.  Inside a callback of this handle it is refused.
        """
        self._o.close()
        if self._aio is not None:
            self._aio._stop()

    def user_cancel(self):
        """Ask the call that runs on this handle, in another thread or around this callback, to end early.

        That call then raises Error with errno EINTR.  Without a running call nothing happens.
        """
        self._o.user_cancel()

    def set_event_callback(self, cb, event_bitmask):
        """Call cb (event, event_handle, buf, array) for each event of the set event_bitmask.

        buf is a str, array a list of int: for EVENT_PROGRESS procedure, serial, position and total.  cb is
        called in the thread of the call that runs.  An exception in it is reported through
        sys.unraisablehook and the call goes on; KeyboardInterrupt and SystemExit cancel the call, which
        then raises them.

        Returns a number for delete_event_callback.
        """
        return self._o.set_event_callback(cb, event_bitmask)

    def delete_event_callback(self, event_handle):
        """Undo set_event_callback, which returned event_handle."""
        self._o.delete_event_callback(event_handle)

    @property
    def aio(self):
        """The same methods for asyncio: await h.aio.zero_device("/dev/sda", progress=show)."""
        if self._aio is None:
            from ._aio import Aio
            self._aio = Aio(self)
        return self._aio


def open(*filenames, readonly=False, **options):
    """Make a handle, add the drives named, launch it and return it: with zerofish.open("disk.img") as h.

    Options are those of GuestFS.add_drive, for all of the drives.  Results that are keys and values are
    dicts.
    """
    h = GuestFS(python_return_dict=True)
    try:
        for name in filenames:
            h.add_drive(name, readonly=readonly, **options)
        h.launch()
    except BaseException:
        h.close()
        raise
    return h
