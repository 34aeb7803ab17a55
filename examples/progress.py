#!/usr/bin/env python3
# Zeroes a whole disk image with a progress bar; ^C stops it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

"""usage: progress.py IMAGE [FORMAT]

Zeroes everything in the disk image IMAGE and shows how far it is.  ^C stops it; what was zeroed by then is
zero, the rest is as it was.
"""

import shutil
import sys

import zerofish


def show(position, total):
    width = max(shutil.get_terminal_size().columns - 10, 10)
    done = width * position // total
    sys.stderr.write("\r[%s%s] %3d%%" % ("#" * done, "-" * (width - done), 100 * position // total))
    sys.stderr.flush()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    h = zerofish.GuestFS(python_return_dict=True)
    try:
        h.add_drive(sys.argv[1], format=sys.argv[2] if len(sys.argv) == 3 else None)
        h.launch()
        h.set_event_callback(lambda event, number, buf, array: show(array[2], array[3]),
                             zerofish.EVENT_PROGRESS)
        show(0, 1)
        h.zero_device("/dev/sda")
        show(1, 1)
        print("\n%s is zero" % sys.argv[1])
    except KeyboardInterrupt:
        sys.exit("\n%s: stopped; not all of it is zero" % sys.argv[1])
    except zerofish.Error as e:
        sys.exit("\n%s: %s" % (sys.argv[1], e))
    finally:
        h.close()


if __name__ == "__main__":
    main()
