"""Servers that are busy or slow while clients load them, for the duration of a phase.

Other work is `seatrial-agent burn` on each of them. A slow processor is set by the lab. Deploying
and emptying caches run at full speed, because they are not measured.
"""

import contextlib
from collections.abc import Iterator, Sequence

from seatrial.basics.errors import RunError
from seatrial.labs.base import Lab, ProcessorControl
from seatrial.study.study import Study
from seatrial.transport import Transport, following


@contextlib.contextmanager
def loaded(
    transport: Transport, servers: Sequence[str], agent: str, share: float | None
) -> Iterator[None]:
    """Keep a processor of every server busy for this share of the time until the block ends; None:
    no load.

    Raises RunError when a server does not begin.
    """
    if share is None:
        yield
        return
    with following(
        [transport.stream(node, f"{agent} burn --share {share}") for node in servers]
    ) as streams:
        for stream in streams:
            if not stream.read_line():
                raise RunError(
                    f"{stream.node}: the other work that the workload asks for did not begin"
                )
        yield


@contextlib.contextmanager
def slowed(lab: Lab, study: Study) -> Iterator[None]:
    """Limit every node with a share of a processor to that share, until the block ends."""
    if not isinstance(lab, ProcessorControl):
        yield
        return
    shares = {
        name: study.node(name).processor
        for name in study.node_names()
        if study.node(name).processor
    }
    try:
        for name, share in shares.items():
            lab.processor(name, share)
        yield
    finally:
        for name in shares:
            lab.processor(name, None)
