# Makes the images that are measured, and looks at how much space they take.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import os
import subprocess

MIB = 1 << 20


def qemu_img(*args):
    subprocess.run(["qemu-img", *args], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   timeout=300)


def sync(path):
    """To the disk: writing it back must not disturb what is measured next, and du must say what is true."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def sparse(path, size):
    with open(path, "wb") as f:
        f.truncate(size)


def zeroes(path, size):
    block = bytes(MIB)
    with open(path, "wb") as f:
        for _ in range(size // MIB):
            f.write(block)


def random_data(path, size):
    """One random block of 32 MiB over and over, since making it must not take too long."""
    block = os.urandom(32 * MIB)
    with open(path, "wb") as f:
        for i in range(0, size, len(block)):
            f.write(block[:size - i])


def last_byte(path, size):
    zeroes(path, size)
    with open(path, "r+b") as f:
        f.seek(size - 1)
        f.write(b"\1")


def islands(path, size, count=8):
    """A sparse file with COUNT spread extents of 1 MiB of data."""
    with open(path, "wb") as f:
        f.truncate(size)
        for i in range(count):
            f.seek(i * (size // count) // MIB * MIB)
            f.write(os.urandom(MIB))


def qcow2(path, size):
    qemu_img("create", "-q", "-f", "qcow2", path, str(size))


def qcow2_metadata(path, size):
    qemu_img("create", "-q", "-f", "qcow2", "-o", "preallocation=metadata", path, str(size))


def make(function, path, size):
    """A fresh image, written back to the disk."""
    remove(path)
    function(path, size)
    sync(path)
    return path


def remove(path):
    if os.path.exists(path):
        os.remove(path)


def length(path):
    return os.stat(path).st_size


def space(path):
    """Bytes that the file takes on the host, as du counts."""
    sync(path)
    return os.stat(path).st_blocks * 512


def is_zero(path, size, blank):
    """Does the image read as zero?  BLANK is the name of a file that may be made for that."""
    sparse(blank, size)
    kind = "qcow2" if path.endswith(".qcow2") else "raw"
    r = subprocess.run(["qemu-img", "compare", "-q", "-f", "raw", "-F", kind, blank, path],
                       stdin=subprocess.DEVNULL, timeout=600, check=False)
    remove(blank)
    return r.returncode == 0
