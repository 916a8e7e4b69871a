"""The score of IO500, from the phases of a study with `score: io500`.

The bandwidth score is the geometric mean of four rates in GiB/s, the metadata score that of eight
rates in kIOP/s. The score is the square root of their product (README of github.com/IO500/io500).
An IO500 run is valid only if each phase that writes lasts for at least 300 s.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import geometric_mean
from typing import Literal

from seatrial.basics.known import all_known
from seatrial.result.phases import PhaseResult
from seatrial.summary.described import DESCRIBED
from seatrial.summary.notation import figures
from seatrial.summary.sources import Sources

WRITE_MIN_S = 300.0
"""least duration of each phase that writes"""
GIB_BYTES = 2**30
PHASES: Mapping[str, str] = {
    "ior-easy-write": "write",
    "mdtest-easy-write": "create",
    "ior-hard-write": "write",
    "mdtest-hard-write": "create",
    "find": "find",
    "ior-easy-read": "read",
    "mdtest-easy-stat": "stat",
    "ior-hard-read": "read",
    "mdtest-hard-stat": "stat",
    "mdtest-easy-delete": "remove",
    "mdtest-hard-read": "read-files",
    "mdtest-hard-delete": "remove",
}
"""IO500's phases in their order: experiment -> phase of its workload"""
MOVES_DATA = ("write", "read")
WRITES = ("write", "create")
VERIFIES = ("read", "stat", "find", "read-files")


class ScoreReason(StrEnum):
    """Why there is no score, or why it is invalid."""

    MISSING_PHASE = "missing-phase"
    """a phase was not measured, or has a rate of 0: there is no score"""
    INCOMPLETE_PHASE = "incomplete-phase"
    """a client did not complete its part"""
    SHORT_WRITE = "short-write"
    """a phase that writes lasted for less than 300 s"""
    DAMAGE = "damage"
    """a block or a name was not as written"""
    NOT_VERIFIED = "not-verified"
    """no block and no name was compared"""
    EMULATED = "emulated"
    """the lab is a scale model"""


WORDS = {
    ScoreReason.MISSING_PHASE: "not measured",
    ScoreReason.INCOMPLETE_PHASE: "incomplete",
    ScoreReason.SHORT_WRITE: f"shorter than {WRITE_MIN_S:g} s",
    ScoreReason.DAMAGE: "damage found",
    ScoreReason.NOT_VERIFIED: "not verified",
    ScoreReason.EMULATED: "emulated storage",
}


@dataclass(frozen=True)
class ScorePhase:
    """One phase of the score."""

    __pydantic_config__ = DESCRIBED

    name: str
    """of IO500, and of the experiment"""
    group: Literal["bandwidth", "metadata"]
    rate: float | None
    """in the unit"""
    unit: Literal["GiB/s", "kIOP/s"]
    elapsed_s: float | None
    """until the end of the last task"""
    reasons: tuple[ScoreReason, ...]
    """why the phase prevents a valid score"""


@dataclass(frozen=True)
class Score:
    """The score of IO500."""

    __pydantic_config__ = DESCRIBED

    kind: Literal["io500"]
    score: float | None
    """square root of the product of both scores; null without all phases"""
    bandwidth_gib_per_s: float | None
    """geometric mean of the phases that move data"""
    metadata_kiop_per_s: float | None
    """geometric mean of the other phases"""
    is_valid: bool
    reasons: tuple[ScoreReason, ...]
    """why it is invalid"""
    phases: tuple[ScorePhase, ...]
    words: str


def score_of(sources: Sources) -> Score | None:
    """The score that the study asks for; None where it asks for none."""
    if sources.study is None or sources.study.score is None:
        return None
    in_lab = sources.system is not None and sources.system.in_lab
    return io500_score(sources.result.phases, in_lab=in_lab)


def io500_score(results: Sequence[PhaseResult], *, in_lab: bool) -> Score:
    """The score of these phases. The last complete measurement of a phase counts."""
    phases = tuple(_phase(name, _measured(name, results)) for name in PHASES)
    bandwidth = _mean(phases, "bandwidth")
    metadata = _mean(phases, "metadata")
    score = None
    if bandwidth is not None and metadata is not None:
        score = math.sqrt(bandwidth * metadata)
    all_reasons = [reason for phase in phases for reason in phase.reasons]
    all_reasons += [ScoreReason.EMULATED] if in_lab else []
    reasons = tuple(reason for reason in ScoreReason if reason in all_reasons)
    return Score(
        kind="io500",
        score=score,
        bandwidth_gib_per_s=bandwidth,
        metadata_kiop_per_s=metadata,
        is_valid=not reasons,
        reasons=reasons,
        phases=phases,
        words=_words(score, bandwidth, metadata, reasons, phases),
    )


def _measured(name: str, results: Sequence[PhaseResult]) -> PhaseResult | None:
    of_phase = [
        result for result in results if result.experiment == name and result.phase == PHASES[name]
    ]
    complete = [item for item in of_phase if not item.partial]
    return next(reversed(complete or of_phase), None)


def _phase(name: str, result: PhaseResult | None) -> ScorePhase:
    moves_data = PHASES[name] in MOVES_DATA
    rate = None
    if result is not None and moves_data:
        rate = result.natural_bytes_per_s / GIB_BYTES
    elif result is not None:
        rate = result.operations_per_s / 1000
    return ScorePhase(
        name=name,
        group="bandwidth" if moves_data else "metadata",
        rate=rate or None,
        unit="GiB/s" if moves_data else "kIOP/s",
        elapsed_s=result.last_done_s if result is not None else None,
        reasons=tuple(_reasons(result)) if result and rate else (ScoreReason.MISSING_PHASE,),
    )


def _reasons(result: PhaseResult) -> Iterator[ScoreReason]:
    if result.partial:
        yield ScoreReason.INCOMPLETE_PHASE
    if result.phase in WRITES and (result.last_done_s or 0.0) < WRITE_MIN_S:
        yield ScoreReason.SHORT_WRITE
    if any(client.damage for client in result.clients):
        yield ScoreReason.DAMAGE
    if result.phase in VERIFIES and not all(client.blocks_checked for client in result.clients):
        yield ScoreReason.NOT_VERIFIED


def _mean(phases: Sequence[ScorePhase], group: str) -> float | None:
    """The geometric mean of a group; None where a phase has no rate."""
    rates = all_known([phase.rate for phase in phases if phase.group == group])
    return None if rates is None else geometric_mean(rates)


def _words(
    score: float | None,
    bandwidth: float | None,
    metadata: float | None,
    reasons: Sequence[ScoreReason],
    phases: Sequence[ScorePhase],
) -> str:
    """The score as a sentence without a full stop."""
    if score is None:
        missing = _names(ScoreReason.MISSING_PHASE, phases)
        return f"no IO500 score: {missing} not measured"
    parts = f"bandwidth {figures(bandwidth)} GiB/s, metadata {figures(metadata)} kIOP/s"
    words = f"IO500 score {figures(score)} ({parts})"
    if not reasons:
        return f"{words}, valid"
    causes = [_cause(reason, phases) for reason in reasons]
    return f"{words}, INVALID: {'; '.join(causes)}"


def _cause(reason: ScoreReason, phases: Sequence[ScorePhase]) -> str:
    names = _names(reason, phases)
    return f"{WORDS[reason]}: {names}" if names else WORDS[reason]


def _names(reason: ScoreReason, phases: Sequence[ScorePhase]) -> str:
    return ", ".join(phase.name for phase in phases if reason in phase.reasons)
