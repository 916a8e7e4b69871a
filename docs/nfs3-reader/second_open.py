#!/usr/bin/env python3
"""Whether a client of NFSv3 asks the server when it opens a file for the second time.

Linux, as root.

usage: second_open.py V3_DIRECTORY OTHER_DIRECTORY [--looks N] [--leave even|odd|nothing]

Both are mounts of one export, and of different superblocks: the second (NFSv4.2, or NFSv3 with
`nosharecache`) stands for another client. Each look: the other writes 64 bytes to a new file, the
first opens and reads it, the other appends 256 bytes and closes, and within two seconds the first
opens and reads it again. The last line counts; exit code 1 when a second open saw less than had
been closed.

`--leave` says what the word `d_time` of dentries holds that have just been freed: before each look,
directories of a cgroup2 file system are made, looked at and removed; theirs is the number of
changes of the directory. `nothing` leaves it to chance.
"""

import argparse
import ctypes
import json
import os
import sys
import time

CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
AT_EMPTY_PATH, AT_STATX_FORCE_SYNC, STATX_SIZE = 0x1000, 0x2000, 0x200
CGROUPS = "/tmp/second-open-cgroups"
libc = ctypes.CDLL(None, use_errno=True)


def succeed(result, what):
    if result:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def size_at_server(descriptor):
    told = ctypes.create_string_buffer(256)
    flags = AT_EMPTY_PATH | AT_STATX_FORCE_SYNC
    succeed(libc.statx(descriptor, b"", flags, STATX_SIZE, told), "statx")
    return int.from_bytes(told.raw[40:48], sys.byteorder)


def mount_point(path):
    path = os.path.realpath(path)
    while not os.path.ismount(path):
        path = os.path.dirname(path)
    return path


def calls(point):
    """What the mount has sent, by operation."""
    found, inside = {}, False
    with open("/proc/self/mountstats") as stats:
        for line in stats:
            words = line.split()
            if line.startswith("device "):
                inside = f" mounted on {point} with " in line
            elif inside and words and words[0] in ("GETATTR:", "LOOKUP:", "ACCESS:", "READ:"):
                found[words[0][:-1]] = int(words[1])
    return found


def append(path, size):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        os.write(descriptor, b"x" * size)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def look(path):
    """The bytes that an open and a read see, and the file, still open."""
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
    """Free dentries whose `d_time` is odd or even.

    It is the changes of a new directory, and one more where there is another in it.
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
    time.sleep(0.1)  # they are freed after a grace period of RCU


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("v3")
    parser.add_argument("other")
    parser.add_argument("--looks", type=int, default=60)
    parser.add_argument("--leave", choices=["odd", "even", "nothing"], default="odd")
    options = parser.parse_args()
    options.v3, options.other = os.path.abspath(options.v3), os.path.abspath(options.other)
    if options.leave != "nothing":
        mount_cgroups()
    point, folder = mount_point(options.v3), f"second-open-{os.getpid()}-{int(time.time())}"
    os.mkdir(os.path.join(options.v3, folder))
    told = {
        "looks": 0,
        "asked_nothing": 0,
        "short": 0,
        "short_and_asked_nothing": 0,
        "whole_at_server": 0,
        "third_short": 0,
    }
    for number in range(options.looks):
        name = os.path.join(folder, str(number))
        if options.leave != "nothing":
            leave(options.leave == "odd")
        os.stat(os.path.join(options.v3, folder))
        append(os.path.join(options.other, name), 64)
        time.sleep(0.02)  # so that the directory's time of change is another
        os.close(look(os.path.join(options.v3, name))[1])
        append(os.path.join(options.other, name), 256)
        before = calls(point)
        size, descriptor = look(os.path.join(options.v3, name))
        after = calls(point)
        at_server = size_at_server(descriptor)
        os.close(descriptor)
        third, descriptor = look(os.path.join(options.v3, name))
        os.close(descriptor)
        nothing = all(after[key] == before[key] for key in ("GETATTR", "LOOKUP"))
        told["looks"] += 1
        told["asked_nothing"] += nothing
        told["short"] += size < 320
        told["short_and_asked_nothing"] += size < 320 and nothing
        told["whole_at_server"] += size < 320 and at_server == 320
        told["third_short"] += third < 320
    print(json.dumps(told))
    return 1 if told["short"] else 0


if __name__ == "__main__":
    sys.exit(main())
