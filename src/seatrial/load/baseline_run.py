"""Measures the baselines on the nodes, one after the other: each alone, so that none takes from another."""

from collections.abc import Mapping

from seatrial.basics.errors import RunError
from seatrial.load.baselines import LISTEN, Probe, failed, probes, read_answer
from seatrial.record.baselines import Baseline, Kind, better, outliers, unmeasured
from seatrial.service.session import Session
from seatrial.study.forms import Form
from seatrial.study.study import Study
from seatrial.transport import Transport, following, on_every

PROBE_TIMEOUT_S = 300.0
AGAIN = 3
"""so often is measured again what is less than it should be: the machine may have been busy with something else"""
QUICK_KINDS: tuple[Kind, ...] = ("mtu",)
"""what takes seconds"""


def kinds_in(study: Study, form: Form) -> list[Kind]:
    """The kinds of baselines that a form of the study measures."""
    return [kind for kind in study.baselines if form != "quick" or kind in QUICK_KINDS]


def measure(session: Session, form: Form) -> list[Baseline]:
    """Every baseline that the study asks for; what cannot be measured has a reason in place of a value."""
    wanted = dict(enumerate(probes(kinds_in(session.study, form), session.study, session.site, session.solution)))
    found = _all(session.transport, wanted)
    for _ in range(AGAIN):
        doubted = [item for item, _ in (*outliers(_flat(found)), *unmeasured(_flat(found)))]
        doubtful = {number: wanted[number] for number, items in found.items() if any(item in doubted for item in items)}
        if not doubtful:
            break
        again = _all(session.transport, doubtful)
        found |= {number: better(found[number], items) for number, items in again.items()}
    return _flat(found)


def _flat(found: Mapping[int, list[Baseline]]) -> list[Baseline]:
    return [item for items in found.values() for item in items]


def _all(transport: Transport, wanted: Mapping[int, Probe]) -> dict[int, list[Baseline]]:
    found = {number: _asked(transport, probe) for number, probe in wanted.items() if probe.kind != "mtu"}
    # Packets that are sent now and then do not disturb each other.
    pings = {str(number): probe for number, probe in wanted.items() if probe.kind == "mtu"}
    answers = on_every(tuple(pings), lambda number: _asked(transport, pings[number]))
    return found | {int(number): items for number, items in answers.items()}


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
