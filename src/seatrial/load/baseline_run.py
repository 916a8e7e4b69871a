"""Measures the baselines on the nodes: those of one batch at the same time, and the batches one
after the other, so that none affects another.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.load.baselines import ALL_ECHOES, Probe, failed, listen, probes, read_answer
from seatrial.load.shortage import ProcessorMeter, wait_until_calm
from seatrial.result.baselines import Baseline, Kind, better, outliers, unmeasured
from seatrial.service.session import Session
from seatrial.study.profiles import Profile
from seatrial.study.study import Study
from seatrial.transport import Transport, following, on_every

PROBE_TIMEOUT_S = 300.0
AGAIN = 3
"""maximum number of further measurements of a low value: the machine may have been busy"""
QUICK_KINDS: tuple[Kind, ...] = ("mtu",)
"""kinds that take seconds"""


def kinds_in(study: Study, profile: Profile) -> list[Kind]:
    """The kinds of baselines that a profile of the study measures."""
    return [kind for kind in study.baselines if profile != "quick" or kind in QUICK_KINDS]


def measure(session: Session, profile: Profile, say: Callable[[str], None]) -> list[Baseline]:
    """Every baseline of the study; one that cannot be measured has a reason in place of a value.

    A measurement limited by the lab machine's processors is repeated when they are calm, or after a
    pause at the latest.
    """
    by_number = dict(
        enumerate(
            probes(kinds_in(session.study, profile), session.study, session.site, session.solution)
        )
    )
    results = _all(session, by_number)
    for number in range(1, AGAIN + 1):
        doubted = [item for item, _ in (*outliers(_flat(results)), *unmeasured(_flat(results)))]
        doubtful = {
            key: by_number[key]
            for key, items in results.items()
            if any(item in doubted for item in items)
        }
        if not doubtful:
            break
        limited = [item.name for item in doubted if item.lab_limited]
        if limited:
            waited_s = wait_until_calm()
            say(
                f"baselines: this machine's processors limited {', '.join(limited)}: measured again"
                f" after {waited_s:.0f} s, {number} of at most {AGAIN} times"
            )
        again = _all(session, doubtful, one_by_one=True)
        results |= {key: better(results[key], items) for key, items in again.items()}
    return _flat(results)


def _flat(results: Mapping[int, list[Baseline]]) -> list[Baseline]:
    return [item for items in results.values() for item in items]


def _all(
    session: Session, by_number: Mapping[int, Probe], *, one_by_one: bool = False
) -> dict[int, list[Baseline]]:
    """The baselines of each probe. `one_by_one`: every link alone, also those of one batch."""
    batches: dict[str, list[int]] = {}
    for number, probe in by_number.items():
        is_alone = not probe.batch or (one_by_one and probe.batch != ALL_ECHOES)
        batches.setdefault(str(number) if is_alone else probe.batch, []).append(number)
    results: dict[int, list[Baseline]] = {}
    for numbers in batches.values():
        answers = on_every(
            map(str, numbers), lambda number: _measured(session, by_number[int(number)])
        )
        results |= {int(number): items for number, items in answers.items()}
    return results


def _measured(session: Session, probe: Probe) -> list[Baseline]:
    meter = ProcessorMeter()
    try:
        with doing(f"baseline {probe.kind}"):
            results = _ask(session.transport, probe)
    except RunError as error:
        results = [failed(probe, str(error))]
    if session.site.traits.shares_processors and meter.reading().limited_chain:
        return [replace(item, lab_limited=True) for item in results]
    return results


def _ask(transport: Transport, probe: Probe) -> list[Baseline]:
    if probe.listener is None:
        done = transport.run(probe.node, probe.command, timeout_s=PROBE_TIMEOUT_S)
        return read_answer(probe, done.stdout)
    with following([transport.stream(probe.listener, listen(probe.port))]) as (listener,):
        # Line by line: closing the pipe would kill the listener at its next line.
        while (line := listener.read_line()) is not None and "listening" not in line:
            if "error" in line or "not found" in line:
                return [failed(probe, f"{probe.listener} does not listen: {line}")]
        if line is None:
            return [failed(probe, f"{probe.listener} does not listen")]
        done = transport.run(probe.node, probe.command, timeout_s=PROBE_TIMEOUT_S)
        return read_answer(probe, done.stdout)
