"""Other work on the servers while clients load them: `seatrial-agent burn` on each of them, for as long as a phase."""

import contextlib
from collections.abc import Iterator, Sequence

from seatrial.errors import RunError
from seatrial.transport import Transport, following


@contextlib.contextmanager
def loaded(transport: Transport, servers: Sequence[str], agent: str, share: float | None) -> Iterator[None]:
    """Keep a processor of every server busy for this share of the time until the block is left; None: nothing is done.

    RunError when a server does not begin.
    """
    if share is None:
        yield
        return
    with following([transport.stream(node, f"{agent} burn --share {share}") for node in servers]) as streams:
        for stream in streams:
            if not stream.read_line():
                raise RunError(f"{stream.node}: the other work that the workload asks for did not begin")
        yield
