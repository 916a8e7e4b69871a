"""Keep this process's processors busy in bursts, until SIGTERM: `python scripts/overload.py SEED`.

An idle time of 5 to 20 s and a burst of 5 to 20 s alternate. A burst has one to three processes for
every processor. The seed determines the lengths and the numbers of processes. Each burst prints a
line on standard error. Its processes are ended by their ids.
"""

import os
import random
import signal
import subprocess
import sys
import time
from types import FrameType

LENGTH_S = (5.0, 20.0)
MOST_FOR_EACH_PROCESSOR = 3
HOG = ("sh", "-c", f"while [ -d /proc/{os.getpid()} ]; do :; done")
"""ends with this process, also when this process is killed"""


class Ended(Exception):  # noqa: N818 - it is no error
    """SIGTERM or SIGINT came."""


def _end(_number: int, _frame: FrameType | None) -> None:
    raise Ended


def burst(processes: int, length_s: float) -> None:
    """Keep `processes` processes computing for `length_s`."""
    sys.stderr.write(f"overload: {processes} processes for {length_s:.0f} s\n")
    hogs: list[subprocess.Popen[bytes]] = []
    try:
        hogs.extend(subprocess.Popen(HOG) for _ in range(processes))
        time.sleep(length_s)
    finally:
        for hog in hogs:
            hog.kill()
        for hog in hogs:
            hog.wait()


def main(seed: str) -> None:
    """Bursts and pauses, one after the other."""
    drawn = random.Random(seed)
    most = MOST_FOR_EACH_PROCESSOR * len(os.sched_getaffinity(0))
    while True:
        time.sleep(drawn.uniform(*LENGTH_S))
        burst(drawn.randint(1, most), drawn.uniform(*LENGTH_S))


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    try:
        main(sys.argv[1])
    except Ended:
        sys.exit(0)
