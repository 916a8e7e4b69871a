"""Report acknowledged writes that are lost after a Ceph file system became full.

    python3 last_write.py [--call fsync|fdatasync] [--open sync|dsync|direct] FILE

The script writes blocks of 4 KiB and syncs each one before the next. It ends after a write was
refused and later writes succeeded. Then it reads every acknowledged block without the cache.
During the writes, make the file system full, and then make room again, on a node with the key of
an administrator:

    ceph osd set-nearfull-ratio 0.001
    ceph osd set-backfillfull-ratio 0.002
    ceph osd set-full-ratio 0.003

    ceph osd set-full-ratio 0.95
    ceph osd set-backfillfull-ratio 0.9
    ceph osd set-nearfull-ratio 0.85

Exit codes: 0 every acknowledged block is readable, 1 a block is lost, 2 no write was refused.
"""

import argparse
import mmap
import os
import platform
import sys
import time

BLOCK = 4096
OPEN = {"plain": 0, "sync": os.O_SYNC, "dsync": os.O_DSYNC, "direct": os.O_DIRECT}


def main() -> int:
    """Write, read, and print the numbers of the lost blocks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--call", choices=("fsync", "fdatasync", "none"), default="fsync")
    parser.add_argument("--open", choices=OPEN, default="plain")
    parser.add_argument("--rate", type=float, default=20, help="writes per second")
    parser.add_argument(
        "--limit",
        type=float,
        default=120,
        help="longest time in seconds until the file system is full",
    )
    parser.add_argument("file")
    arguments = parser.parse_args()
    acknowledged, refused, first_refused = write(arguments)
    lost = [number for number in acknowledged if read(arguments.file, number) != content(number)[:]]
    print(
        f"Linux {platform.release()}, {arguments.open}, {arguments.call}:"
        f" {len(acknowledged)} acknowledged, "
        f"{refused} refused, the first by {first_refused}; {len(lost)} lost: {lost}"
    )
    if lost:
        return 1
    return 0 if refused else 2


def write(arguments: argparse.Namespace) -> tuple[list[int], int, str]:
    """Returns the acknowledged blocks, the number of refused ones, and the first refused call."""
    sync = {"fsync": os.fsync, "fdatasync": os.fdatasync, "none": lambda _: None}[arguments.call]
    acknowledged: list[int] = []
    refused = 0
    first_refused = "none"
    last_refused = 0
    number = 0
    begun_s = time.monotonic()
    file = os.open(arguments.file, os.O_RDWR | os.O_CREAT | OPEN[arguments.open], 0o644)
    # At the default rate, 20 blocks are the writes of one second.
    while time.monotonic() - begun_s < arguments.limit and not (
        refused and acknowledged[-1] > last_refused + 20
    ):
        number += 1
        call = "write"
        try:
            os.pwrite(file, content(number), number * BLOCK)
            call = arguments.call
            sync(file)
            acknowledged.append(number)
        except OSError as error:
            if not refused:
                first_refused = f"{call} ({error.strerror})"
            refused += 1
            last_refused = number
        time.sleep(1 / arguments.rate)
    os.close(file)
    return acknowledged, refused, first_refused


def content(number: int) -> mmap.mmap:
    """A block that repeats its number, in memory with the alignment of O_DIRECT."""
    block = mmap.mmap(-1, BLOCK)
    block[:] = (b"%016d" % number) * (BLOCK // 16)
    return block


def read(file: str, number: int) -> bytes:
    """Read a block from the storage, not from the cache."""
    source = os.open(file, os.O_RDONLY | os.O_DIRECT)
    block = mmap.mmap(-1, BLOCK)
    os.preadv(source, [block], number * BLOCK)
    os.close(source)
    return block[:]


if __name__ == "__main__":
    sys.exit(main())
