# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

"""Zero, check and change disk images through a small appliance.

    import zerofish

    with zerofish.open("disk.img", format="raw") as h:
        if not h.is_zero_device("/dev/sda"):
            h.zero_device("/dev/sda")

The class GuestFS has the methods of the class of that name in the module guestfs, as far as there are such
calls, and some of its own.  See zerofish-python(3).
"""

from ._handle import GuestFS, open
from ._zerofish import ClosedHandle, Error

__all__ = ["GuestFS", "open", "Error", "ClosedHandle", "event_to_string"]

EVENT_CLOSE = 0x1
EVENT_SUBPROCESS_QUIT = 0x2
EVENT_LAUNCH_DONE = 0x4
EVENT_PROGRESS = 0x8
EVENT_APPLIANCE = 0x10
EVENT_LIBRARY = 0x20
EVENT_TRACE = 0x40
# These two never come; they are for programs that name them.
EVENT_ENTER = 0x80
EVENT_LIBVIRT_AUTH = 0x100
EVENT_WARNING = 0x200
EVENT_ALL = 0x3ff

_EVENTS = {value: name[len("EVENT_"):].lower() for name, value in list(globals().items())
           if name.startswith("EVENT_") and name != "EVENT_ALL"}
__all__ += [name for name in globals() if name.startswith("EVENT_")]


def event_to_string(events):
    """The names of the events of a set, separated by commas."""
    return ",".join(name for value, name in sorted(_EVENTS.items()) if events & value)
