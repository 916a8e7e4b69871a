#!/usr/bin/env python3
"""Test whether an NFSv3 client revalidates a file at its second open.

Linux, as root.

usage: second_open.py V3_DIRECTORY OTHER_DIRECTORY [--rounds N] [--leave even|odd|nothing]

Both directories are mounts of one export with different superblocks. The second one (NFSv4.2, or
NFSv3 with `nosharecache`) plays another client. In each round the other client writes 64 bytes to
a new file. The first client opens and reads the file. The other client appends 256 bytes and
closes the file. Within two seconds the first client opens and reads it again.

The last line has the counts as JSON. Exit code 1: a second open saw less than the closed file had.

`--leave` sets the word `d_time` of freed dentries. Before each round, the script makes, looks up
and removes directories of a cgroup2 file system. Their `d_time` is the number of changes of the
directory. `nothing` does not set it.
"""

import argparse
import ctypes
import json
import os
import sys
import time

CLONE_NEWNS = 0x20000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
AT_EMPTY_PATH = 0x1000
AT_STATX_FORCE_SYNC = 0x2000
STATX_SIZE = 0x200
CGROUPS = "/tmp/second-open-cgroups"
libc = ctypes.CDLL(None, use_errno=True)


def succeed(result, what):
    if result:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def size_at_server(descriptor):
    attributes = ctypes.create_string_buffer(256)
    flags = AT_EMPTY_PATH | AT_STATX_FORCE_SYNC
    succeed(libc.statx(descriptor, b"", flags, STATX_SIZE, attributes), "statx")
    return int.from_bytes(attributes.raw[40:48], sys.byteorder)


def mount_point(path):
    path = os.path.realpath(path)
    while not os.path.ismount(path):
        path = os.path.dirname(path)
    return path


def calls(point):
    """The number of requests that the mount sent, by operation."""
    counts = {}
    inside = False
    with open("/proc/self/mountstats") as stats:
        for line in stats:
            words = line.split()
            if line.startswith("device "):
                inside = f" mounted on {point} with " in line
            elif inside and words and words[0] in ("GETATTR:", "LOOKUP:", "ACCESS:", "READ:"):
                counts[words[0][:-1]] = int(words[1])
    return counts


def append(path, size):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        os.write(descriptor, b"x" * size)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(path):
    """Open and read a file. Returns the number of bytes and the open descriptor."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return len(os.read(descriptor, 4096)), descriptor
    except OSError:
        os.close(descriptor)
        raise


def mount_cgroups():
    os.makedirs(CGROUPS, exist_ok=True)
    succeed(libc.unshare(CLONE_NEWNS), "unshare")
    succeed(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount --make-rprivate /")
    succeed(libc.mount(b"none", CGROUPS.encode(), b"cgroup2", 0, None), "mount of cgroup2")


def leave(odd):
    """Free dentries with an odd or an even `d_time`.

    `d_time` is the number of changes of a new directory. A directory inside adds one.
    """
    at = os.path.join(CGROUPS, f"second-open-{os.getpid()}")
    os.mkdir(at)
    files = sum(not os.path.isdir(os.path.join(at, name)) for name in os.listdir(at))
    inner = os.path.join(at, "inner")
    if (files % 2 == 1) != odd:
        os.mkdir(inner)
    for number in range(80):
        os.path.lexists(os.path.join(at, f"none-{number}"))
    if os.path.isdir(inner):
        os.rmdir(inner)
    os.rmdir(at)
    time.sleep(0.1)  # The kernel frees them after a grace period of RCU.


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("v3")
    parser.add_argument("other")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--leave", choices=["odd", "even", "nothing"], default="odd")
    options = parser.parse_args()
    options.v3 = os.path.abspath(options.v3)
    options.other = os.path.abspath(options.other)
    if options.leave != "nothing":
        mount_cgroups()
    point = mount_point(options.v3)
    folder = f"second-open-{os.getpid()}-{int(time.time())}"
    os.mkdir(os.path.join(options.v3, folder))
    counts = {
        "rounds": 0,
        "no_request": 0,
        "short": 0,
        "short_without_request": 0,
        "whole_at_server": 0,
        "third_short": 0,
    }
    for number in range(options.rounds):
        name = os.path.join(folder, str(number))
        if options.leave != "nothing":
            leave(options.leave == "odd")
        os.stat(os.path.join(options.v3, folder))
        append(os.path.join(options.other, name), 64)
        time.sleep(0.02)  # The directory gets another time of change.
        os.close(read(os.path.join(options.v3, name))[1])
        append(os.path.join(options.other, name), 256)
        before = calls(point)
        size, descriptor = read(os.path.join(options.v3, name))
        after = calls(point)
        at_server = size_at_server(descriptor)
        os.close(descriptor)
        third, descriptor = read(os.path.join(options.v3, name))
        os.close(descriptor)
        nothing = all(after[key] == before[key] for key in ("GETATTR", "LOOKUP"))
        counts["rounds"] += 1
        counts["no_request"] += nothing
        counts["short"] += size < 320
        counts["short_without_request"] += size < 320 and nothing
        counts["whole_at_server"] += size < 320 and at_server == 320
        counts["third_short"] += third < 320
    print(json.dumps(counts))
    return 1 if counts["short"] else 0


if __name__ == "__main__":
    sys.exit(main())
