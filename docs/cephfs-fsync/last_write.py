"""Which writes to a Ceph file system were acknowledged and are gone, when it became full meanwhile.

    python3 last_write.py [--call fsync|fdatasync] [--open sync|dsync|direct] FILE

Writes blocks of 4 KiB, each synced before the next, until one has been refused and room is there
again, and then reads all that was acknowledged, past the cache. Make the file system full
meanwhile, and give it room again, from a node with an administrator's key:

    ceph osd set-nearfull-ratio 0.001
    ceph osd set-backfillfull-ratio 0.002
    ceph osd set-full-ratio 0.003

    ceph osd set-full-ratio 0.95
    ceph osd set-backfillfull-ratio 0.9
    ceph osd set-nearfull-ratio 0.85

Exit codes: 0 all that was acknowledged is there, 1 something is not, 2 it never became full.
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
    """The whole experiment."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--call", choices=("fsync", "fdatasync", "none"), default="fsync")
    parser.add_argument("--open", choices=OPEN, default="plain")
    parser.add_argument("--rate", type=float, default=20, help="writes a second")
    parser.add_argument(
        "--limit", type=float, default=120, help="seconds to wait for its becoming full"
    )
    parser.add_argument("file")
    arguments = parser.parse_args()
    acknowledged, refused, told = write(arguments)
    gone = [number for number in acknowledged if read(arguments.file, number) != content(number)[:]]
    print(
        f"Linux {platform.release()}, {arguments.open}, {arguments.call}:"
        f" {len(acknowledged)} acknowledged, "
        f"{refused} refused, the first by {told}; {len(gone)} gone: {gone}"
    )
    return 1 if gone else 0 if refused else 2


def write(arguments: argparse.Namespace) -> tuple[list[int], int, str]:
    """The acknowledged blocks, how many were refused, and the call that refused the first."""
    sync = {"fsync": os.fsync, "fdatasync": os.fdatasync, "none": lambda _: None}[arguments.call]
    acknowledged: list[int] = []
    refused, told, number, begun_s = 0, "nobody", 0, time.monotonic()
    file = os.open(arguments.file, os.O_RDWR | os.O_CREAT | OPEN[arguments.open], 0o644)
    # Until a second's worth of writes has been acknowledged behind the last that was refused.
    while time.monotonic() - begun_s < arguments.limit and not (
        refused and acknowledged[-1] > refused_last + 20
    ):
        number += 1
        call = "write"
        try:
            os.pwrite(file, content(number), number * BLOCK)
            call = arguments.call
            sync(file)
            acknowledged.append(number)
        except OSError as error:
            told = f"{call} ({error.strerror})" if not refused else told
            refused, refused_last = refused + 1, number
        time.sleep(1 / arguments.rate)
    os.close(file)
    return acknowledged, refused, told


def content(number: int) -> mmap.mmap:
    """A block that says its number, in memory that O_DIRECT takes."""
    block = mmap.mmap(-1, BLOCK)
    block[:] = (b"%016d" % number) * (BLOCK // 16)
    return block


def read(file: str, number: int) -> bytes:
    """The block as the storage has it."""
    source = os.open(file, os.O_RDONLY | os.O_DIRECT)
    block = mmap.mmap(-1, BLOCK)
    os.preadv(source, [block], number * BLOCK)
    os.close(source)
    return block[:]


if __name__ == "__main__":
    sys.exit(main())
