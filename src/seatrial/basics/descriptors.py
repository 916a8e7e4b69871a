"""The limit on open files of this process."""

import contextlib
import resource


def raise_descriptor_limit() -> int:
    """Raise the soft limit on open files to the hard limit; returns the limit that holds.

    A command on a node needs three pipes. The usual soft limit of 1024 is reached near 165 clients.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return soft
