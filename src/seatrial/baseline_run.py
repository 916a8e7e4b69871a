"""Measures the baselines on the nodes, one after the other: each alone, so that none takes from another."""

from seatrial.baselines import LISTEN, Baseline, Probe, failed, probes, read_answer
from seatrial.errors import RunError
from seatrial.forms import Form
from seatrial.session import Session
from seatrial.transport import Transport, following, on_every

PROBE_TIMEOUT_S = 300.0
QUICK_KINDS = ("mtu",)
"""what takes seconds"""


def measure(session: Session, form: Form) -> list[Baseline]:
    """Every baseline that the study asks for; what cannot be measured has a reason in place of a value."""
    kinds = [kind for kind in session.study.baselines if form != "quick" or kind in QUICK_KINDS]
    wanted = probes(kinds, session.study, session.site, session.solution)
    found = [item for probe in wanted if probe.kind != "mtu" for item in _asked(session.transport, probe)]
    # Packets that are sent now and then do not disturb each other.
    pings = {probe.node + probe.group: probe for probe in wanted if probe.kind == "mtu"}
    answers = on_every(tuple(pings), lambda name: _asked(session.transport, pings[name]))
    return found + [item for items in answers.values() for item in items]


def _asked(transport: Transport, probe: Probe) -> list[Baseline]:
    try:
        return _ask(transport, probe)
    except RunError as error:
        return [failed(probe, str(error))]


def _ask(transport: Transport, probe: Probe) -> list[Baseline]:
    if probe.listener is None:
        done = transport.run(probe.node, probe.command, timeout_s=PROBE_TIMEOUT_S)
        return read_answer(probe, done.stdout)
    with following([transport.stream(probe.listener, LISTEN)]) as (listener,):
        # Line by line: whoever follows them to an end closes the pipe, and the listener would die of its next word.
        while (said := listener.read_line()) is not None and "listening" not in said:
            if "error" in said or "not found" in said:
                return [failed(probe, f"{probe.listener} does not listen: {said}")]
        if said is None:
            return [failed(probe, f"{probe.listener} does not listen")]
        done = transport.run(probe.node, probe.command, timeout_s=PROBE_TIMEOUT_S)
        return read_answer(probe, done.stdout)
