"""One run at a time with agents of root on this machine, whatever worker a test has.

Root's files have fixed places on a node, so a second run is refused as long as the first one lasts.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def this_machine() -> Iterator[None]:
    """Hold the lock that all tests of this user share."""
    path = Path(tempfile.gettempdir()) / f"seatrial-tests-{os.getuid()}.lock"
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
