# SPDX-License-Identifier: GPL-2.0
"""
Says in one line why the jobs cannot run on a block device, which they overwrite.

usage: device.py PROGRAM DEVICE      PROGRAM is the name before the message
"""

import errno
import fcntl
import os
import struct
import sys

MIB = 1 << 20
LEAST = 512 * MIB
BLKROGET = 0x125E


def trouble(device):
    # fio refuses only what is mounted, with exit status 0, and a part of a job beyond the end of the device ends at once.
    try:
        fd = os.open(device, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return "is in use, by a mount or by another device: the jobs would overwrite it"
        return f"cannot be opened: {error.strerror}"
    try:
        if struct.unpack("i", fcntl.ioctl(fd, BLKROGET, bytes(4)))[0]:
            return "is read-only"
        size = os.lseek(fd, 0, os.SEEK_END)
    finally:
        os.close(fd)
    return f"has {size // MIB} MiB: the jobs need {LEAST // MIB} MiB" if size < LEAST else ""


def main():
    why = trouble(sys.argv[2])
    if why:
        sys.exit(f"{sys.argv[1]}: {sys.argv[2]} {why}")


if __name__ == "__main__":
    main()
