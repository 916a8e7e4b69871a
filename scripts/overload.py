"""Keep this process's processors busy in bursts, until SIGTERM: `python scripts/overload.py SEED`.

For 5 to 20 s nothing runs, then for 5 to 20 s one to three processes for every processor, and so on. The seed says how
long and how many. Each burst is told in a line on standard error; its processes are ended by their own ids.
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
"""ends with this process, should nobody end it"""


class Ended(Exception):  # noqa: N818 - it is no error of anybody's
    """SIGTERM or SIGINT came."""


def _end(_number: int, _frame: FrameType | None) -> None:
    raise Ended


def burst(processes: int, length_s: float) -> None:
    """So many processes that do nothing but compute, for so long."""
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
