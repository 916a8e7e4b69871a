"""The lines of a result against its stored study: lines of another study, or with weaker
expectations than this study has.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial.result.caches import out_of_caches
from seatrial.result.faults import FaultResult
from seatrial.result.invariants.contradiction import Code, Contradiction, Subject
from seatrial.result.phases import PhaseResult
from seatrial.result.planned import selected
from seatrial.result.result import Result
from seatrial.study.experiment import Experiment
from seatrial.study.faults import Fault
from seatrial.study.profiles import ALL_PROFILES
from seatrial.study.study import Study

EXPECTED = ("fails_over", "target", "min_stall", "errors", "blocks", "detected_by")
"""keys of `expect` that a run takes from the study as they are"""
STATED_APART_S = 1e-3


def against_study(study: Study, run_result: Result) -> Iterator[Contradiction]:
    """The differences of the lines from the study."""
    run = run_result.first("run")
    if run.get("study") != study.id:
        detail = f"the run is of study {run.get('study')!r}, but stores study {study.id!r}"
        yield Contradiction(Code.NOT_OF_THIS_STUDY, Subject.RUN, "run", detail)
    profile = next(
        (study_profile for study_profile in ALL_PROFILES if study_profile == run.get("profile")),
        None,
    )
    if profile is None:
        yield Contradiction(
            Code.NOT_OF_THIS_STUDY,
            Subject.RUN,
            "run",
            f"{run.get('profile')!r} is not a profile of a study",
        )
        return
    nodes = frozenset(study.node_names())
    chosen = selected(study, profile, tuple(run.get("only") or ()))
    experiments = chosen.experiments
    faults = chosen.faults
    load = {name: stream.phase for name, stream in study.background_load_in(profile).items()}
    emptied = not run_result.first("system").get("keeps_caches", False)
    for phase in run_result.phases:
        experiment = experiments.get(phase.experiment)
        for code, detail in _phase(phase, experiment, nodes, emptied=emptied):
            yield Contradiction(code, Subject.PHASE, phase.title, detail)
    for result in run_result.faults:
        planned = faults.get(result.name)
        for code, detail in _fault(result, planned, load, nodes):
            yield Contradiction(code, Subject.FAULT, result.name, detail)


Differences = Iterator[tuple[Code, str]]


def _phase(
    phase: PhaseResult, experiment: Experiment | None, nodes: frozenset[str], *, emptied: bool
) -> Differences:
    if experiment is None:
        yield Code.NOT_OF_THIS_STUDY, f"the study has no experiment {phase.experiment}"
        return
    unknown = [client.client for client in phase.clients if client.client not in nodes]
    if unknown:
        yield Code.NOT_OF_THIS_STUDY, f"the study has no node {unknown[0]}"
    local = any(client.client in phase.servers for client in phase.clients)
    if (
        phase.phase != "read"
        or local
        or phase.out_of_caches
        or not (emptied and experiment.empty_caches)
    ):
        return
    caches = out_of_caches(phase, phase.started_unix_s + (phase.last_done_s or 0.0))
    if caches is not None:
        yield (
            Code.CACHES_UNSAID,
            f"it came from {caches}, but the result states that it came from the storage",
        )


def _fault(
    result: FaultResult, planned: Fault | None, load: Mapping[str, str], nodes: frozenset[str]
) -> Differences:
    if planned is None:
        yield Code.NOT_OF_THIS_STUDY, f"the study has no fault {result.name}"
        return
    if result.kind != planned.kind:
        yield (
            Code.NOT_OF_THIS_STUDY,
            f"its kind is {result.kind}, but {planned.kind} in the study",
        )
    if planned.duration is not None and result.duration_s != planned.duration:
        yield (
            Code.NOT_OF_THIS_STUDY,
            f"it lasts {result.duration_s:g} s, but {planned.duration:g} s in the study",
        )
    for item in result.streams:
        if load and item.stream not in load:
            yield Code.NOT_OF_THIS_STUDY, f"the study has no stream {item.stream}"
        elif load and item.phase != load[item.stream]:
            detail = f"{item.stream} is a {item.phase}, but a {load[item.stream]} in the study"
            yield Code.NOT_OF_THIS_STUDY, detail
        if item.client not in nodes:
            yield Code.NOT_OF_THIS_STUDY, f"the study has no node {item.client}"
    for key in EXPECTED:
        stored = _plain(result.expect.get(key))
        planned_value = _plain(getattr(planned.expect, key))
        if (stored or planned_value) and stored != planned_value:
            yield (
                Code.EXPECTS_LESS_THAN_STUDY,
                f"{key} is {stored!r}, but {planned_value!r} in the study",
            )
    yield from _limit(result.expect, planned)


def _limit(expect: Mapping[str, Any], planned: Fault) -> Differences:
    """The longest outage that is allowed: present where the study has one, with the same parts, and
    with the same value.
    """
    limit = planned.expect.outage
    stored_s = expect.get("outage")
    if (limit is None) != (stored_s is None):
        planned_limit = limit.text if limit is not None else "nothing"
        yield (
            Code.EXPECTS_LESS_THAN_STUDY,
            f"an outage of {stored_s} s is allowed, but {planned_limit} in the study",
        )
        return
    parts = expect.get("outage_parts")
    if limit is None or stored_s is None or parts is None:
        return
    if len(parts) != len(limit.terms):
        yield (
            Code.EXPECTS_LESS_THAN_STUDY,
            f"the allowed outage has {len(parts)} parts, not {len(limit.terms)}",
        )
        return
    for (what, seconds), term in zip(parts, limit.terms, strict=True):
        if not term.name and abs(float(seconds) - term.stated_s) > STATED_APART_S:
            yield (
                Code.EXPECTS_LESS_THAN_STUDY,
                f"{what} is {seconds:g} s, but {term.stated_s:g} s in the study",
            )


def _plain(value: Any) -> Any:
    """A value as JSON returns it."""
    return list(value) if isinstance(value, tuple | list) else value
