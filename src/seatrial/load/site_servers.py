"""The load of servers that another operator runs, while clients load them.

The servers are named in the study. They are no nodes: nothing is deployed or written there. A
server that cannot be observed has no figures, and ends nothing.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.labs.base import Lab, SiteHosts
from seatrial.labs.node_state import SERVERS, NotAvailable
from seatrial.load.proc_samples import LOOP, Sample, SampleReader, figures
from seatrial.load.telemetry import Watched
from seatrial.service.session import Session
from seatrial.solutions.base import Solution
from seatrial.solutions.shared_storage import NamesServers
from seatrial.streams import Stream
from seatrial.transport import following, on_every

ASK = "cat /proc/stat /proc/net/dev /proc/diskstats >/dev/null"
ASK_TIMEOUT_S = 20.0
NOT_OBSERVED = "site-server"
"""code of a named server without figures"""
EFFECT = "the report has no figures of this server; no verdict changes"

Refusals = Mapping[str, str | None]
"""by server, why it cannot be observed; None where it can"""


def named_servers(solution: Solution) -> tuple[str, ...]:
    """The servers that the study names for observation."""
    return solution.observed_servers if isinstance(solution, NamesServers) else ()


def refusals(lab: Lab, servers: Sequence[str]) -> Refusals:
    """Ask each server once, without a change."""

    def ask(server: str) -> str | None:
        if not isinstance(lab, SiteHosts):
            return f"the lab {lab.kind} has no machines of a site"
        try:
            done = lab.site_transport(server).run(server, ASK, timeout_s=ASK_TIMEOUT_S)
        except RunError as error:
            return str(error).removeprefix(f"{server}: ")
        return done.stderr.strip() or "exit code not 0" if done.exit_code else None

    return on_every(servers, ask)


def without_figures(known: Sequence[NotAvailable], refused: Refusals) -> tuple[NotAvailable, ...]:
    """Everything that is not available, given the answers of the named servers.

    A named server that answers has figures, so that the load of the servers is available.
    """
    answers = any(reason is None for reason in refused.values())
    missing = [item for item in known if not (answers and item.code == SERVERS.code)]
    for server, reason in refused.items():
        if reason is not None:
            what = f"load of the server {server}: {reason}"
            missing.append(NotAvailable(NOT_OBSERVED, (server,), what, EFFECT))
    return tuple(missing)


def of_session(session: Session) -> tuple[NotAvailable, ...]:
    """Everything that is not available to a run on these nodes; asks the named servers."""
    refused = refusals(session.lab, named_servers(session.solution))
    return without_figures(session.not_available, refused)


@contextlib.contextmanager
def observing(lab: Lab, servers: Sequence[str], watched: Watched) -> Iterator[None]:
    """Add the figures of these servers to `watched` until the block ends.

    The time of a second is its arrival on this machine: the clocks of the servers do not matter.
    """
    streams = []
    if isinstance(lab, SiteHosts):
        streams = [lab.site_transport(server).stream(server, LOOP) for server in servers]
    with following(streams):
        for stream in streams:
            threading.Thread(target=_follow, args=(stream, watched), daemon=True).start()
        yield


def _follow(stream: Stream, watched: Watched) -> None:
    reader = SampleReader()
    before: Sample | None = None
    for line in stream.lines():
        try:
            sample = reader.take(line)
        except (ValueError, IndexError, KeyError):
            continue  # a line that another program printed
        if sample is not None and before is not None:
            watched.add(stream.node, {"unix_s": unix_s(), **figures(before, sample)})
        before = sample or before
