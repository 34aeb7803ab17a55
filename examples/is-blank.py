#!/usr/bin/env python3
# Proves that volumes are blank before they are given to somebody else.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

"""usage: is-blank.py VOLUME...

Reads each VOLUME (a raw image or a block device) as a disk, without writing to it.
Exit status: 0 every byte of all of them is zero; 1 one is not; 2 it could not be found out.
"""

import sys

import zerofish

CHUNK = 1024 * 1024


def first_data(h, device):
    """Where the first byte is that is not zero."""
    buffer = bytearray(CHUNK)
    zero = bytes(CHUNK)
    for offset in range(0, h.blockdev_getsize64(device), CHUNK):
        n = h.pread_device_into(buffer, device, offset)
        if buffer[:n] != zero[:n]:
            return offset + next(i for i, byte in enumerate(buffer) if byte)


def main():
    names = sys.argv[1:]
    if not names:
        sys.stderr.write(__doc__)
        return 2
    blank = True
    try:
        with zerofish.open(*names, readonly=True, format="raw") as h:
            for name, device in zip(names, h.list_devices()):
                if h.is_zero_device(device):
                    print("%s: blank" % name)
                else:
                    print("%s: NOT blank: data at byte %s" % (name, first_data(h, device)))
                    blank = False
    except zerofish.Error as e:
        sys.stderr.write("is-blank.py: %s\n" % e)
        return 2
    return 0 if blank else 1


if __name__ == "__main__":
    sys.exit(main())
