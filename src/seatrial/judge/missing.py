"""From a result and its manifest to everything that is missing, duplicated, not planned or weakened
in the result.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.judge.derived import derived_manifest
from seatrial.judge.flaws import (
    ALWAYS,
    Evidence,
    Flaw,
    Missing,
    NotComparable,
    Twice,
    Unplanned,
    Weakened,
)
from seatrial.judge.missing_faults import fault_flaws
from seatrial.judge.missing_phases import phase_flaws
from seatrial.judge.parts import Line, Part, part_words, parts_of
from seatrial.result.manifest import (
    BaselinePlan,
    DeployPlan,
    Manifest,
    NoManifestError,
    file_sum,
    manifest_in,
)
from seatrial.result.result import FIRST_DEPLOY, SECOND_DEPLOY, Result
from seatrial.result.sealed import PUBLISHED
from seatrial.study.study import Study

NAMED_MAX = 4
"""the highest number of flaws that the evidence of a criterion names"""


FlawsOf = Callable[[Result, Sequence[Part], Manifest], Iterator[Flaw]]
"""the flaws of one kind of measurement"""


@dataclass(frozen=True)
class Completeness:
    """The flaws of a result compared with its manifest."""

    manifest: Manifest | None
    """None where it cannot be read"""
    flaws: tuple[Flaw, ...]

    @property
    def is_derived(self) -> bool:
        """Whether the manifest was made from the stored study of an older result."""
        return self.manifest is not None and self.manifest.is_derived

    @property
    def controls(self) -> frozenset[str]:
        """The faults that are negative controls."""
        faults = self.manifest.faults if self.manifest is not None else ()
        return frozenset(item.name for item in faults if item.controls)

    def faults_that_repeat(self, row: str) -> set[str]:
        """The faults that were planned to repeat a row of the published table."""
        faults = self.manifest.faults if self.manifest is not None else ()
        return {item.name for item in faults if item.published == row}

    def of(
        self, kinds: Iterable[Evidence], concerns: Callable[[Flaw], bool] = lambda _: True
    ) -> list[Flaw]:
        """The flaws of some kinds of evidence, and those on which every verdict rests."""
        required = frozenset(kinds)
        return [
            item
            for item in self.flaws
            if item.kind in ALWAYS or (item.kind in required and concerns(item))
        ]


def completeness(study: Study, result: Result) -> Completeness:
    """Compare a result with its manifest; `study` is the one that the result keeps, in the profile
    of the run.

    A result that cannot be compared has one flaw, on which every verdict rests.
    """
    return _comparable(
        lambda: _compared(result, manifest_in(result) or derived_manifest(study, result))
    )


def _comparable(compare: Callable[[], Completeness]) -> Completeness:
    """The comparison, or its one flaw if the result cannot be compared."""
    try:
        return compare()
    except NoManifestError as error:
        return Completeness(None, (NotComparable(Evidence.WHOLE, str(error)),))
    except Exception as error:
        return Completeness(None, (NotComparable(Evidence.WHOLE, _not_comparable(error)),))


def _compared(result: Result, manifest: Manifest) -> Completeness:
    parts = parts_of(result)
    flaws = (
        *_run_flaws(result, manifest),
        *_end_flaws(parts),
        *_begin_flaws(parts, manifest),
        *_baseline_flaws(result, parts, manifest),
        *phase_flaws(result, parts, manifest),
        *fault_flaws(result, parts, manifest),
        *_borrowed_flaws(result),
    )
    return Completeness(manifest, tuple(dict.fromkeys(flaws)))


def borrowed_faults(result: Result) -> Completeness:
    """The same for faults that were used from another study's result; the other lines of that
    result are absent.
    """
    return _borrowed(result, fault_flaws)


def borrowed_phases(result: Result) -> Completeness:
    """The same for phases that were used from another study's result."""
    return _borrowed(result, phase_flaws)


def _borrowed(result: Result, flaws_of: FlawsOf) -> Completeness:
    def compared() -> Completeness:
        manifest = manifest_in(result)
        flaws = flaws_of(result, parts_of(result), manifest) if manifest is not None else ()
        return Completeness(manifest, tuple(dict.fromkeys(flaws)))

    return _comparable(compared)


def _not_comparable(error: Exception) -> str:
    """The reason for a line that differs from those that a run writes."""
    return f"the result cannot be compared with its manifest: {type(error).__name__}: {error}"


def words_of(flaws: Sequence[Flaw]) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(flaws) - NAMED_MAX} more" if len(flaws) > NAMED_MAX else ""
    return "; ".join(item.words for item in flaws[:NAMED_MAX]) + more


# ---- the run


def _run_flaws(result: Result, manifest: Manifest) -> Iterator[Flaw]:
    runs = list(result.of("run"))
    if len(runs) > 1:
        yield Twice(Evidence.WHOLE, "the line `run`")
    if manifest.is_derived:
        return
    if runs[0].get("profile") != manifest.profile:
        yield Weakened(Evidence.WHOLE, "the profile of the study")
    if tuple(runs[0].get("only") or ()) != manifest.only:
        yield Weakened(Evidence.WHOLE, "the selection by --only")
    if file_sum(result, "study.yaml") != manifest.study_sha256:
        yield Weakened(Evidence.WHOLE, "the stored study.yaml")
    if file_sum(result, PUBLISHED) != manifest.published_sha256:
        yield Weakened(Evidence.PUBLISHED, f"the stored {PUBLISHED}")


def _end_flaws(parts: Sequence[Part]) -> Iterator[Flaw]:
    """A part that was interrupted may have no end; the last one has one, as its last line."""
    for part in parts:
        ends = [line for line in part.lines if line["type"] == "end"]
        if len(ends) > 1:
            yield Twice(Evidence.WHOLE, f"the end{part_words(part, parts)}")
    last = parts[-1].lines
    if not last or last[-1]["type"] != "end":
        yield Missing(Evidence.WHOLE, "the end of the run")


def _borrowed_flaws(result: Result) -> Iterator[Flaw]:
    for name, number in Counter(str(line.get("study")) for line in result.of("borrowed")).items():
        if number > 1:
            yield Twice(Evidence.BORROWED, f"the result of {name}")


# ---- the lines that every part of a run has before it measures anything


def _begin_flaws(parts: Sequence[Part], manifest: Manifest) -> Iterator[Flaw]:
    """An earlier part that was interrupted before it measured anything need not have it."""
    for part in parts:
        if part.is_again or not (part.has_measured or part is parts[-1]):
            continue
        yield from _deploy_flaws(part, manifest)
        yield from _fingerprint_flaws(part, manifest)
        if not manifest.is_derived:
            yield from _once("system", part, Evidence.SYSTEM, "the line `system`")


def _once(kind: str, part: Part, evidence: Evidence, where: str) -> Iterator[Flaw]:
    """Whether a part has one line of a kind."""
    number = sum(line["type"] == kind for line in part.lines)
    if number == 0:
        yield Missing(evidence, where)
    if number > 1:
        yield Twice(evidence, where)


Steps = Counter[tuple[int, str, str]]
"""how often: (number of the stage, node, step)"""


def _deploy_flaws(part: Part, manifest: Manifest) -> Iterator[Flaw]:
    deploys = [line for line in part.lines if line["type"] == "deploy"]
    by_title: dict[str, list[Line]] = {}
    for line in deploys:
        by_title.setdefault(str(line.get("title")), []).append(line)
    for title, steps in _planned_steps(deploys, manifest).items():
        same_title = by_title.get(title, [])
        if not same_title:
            yield Missing(Evidence.DEPLOYS, f"the {title}")
        elif len(same_title) > 1:
            yield Twice(Evidence.DEPLOYS, f"the {title}")
        # The first deploy of a later part may erase other devices, or none.
        elif title != FIRST_DEPLOY or part.number == 1:
            yield from _step_flaws(title, steps, _steps_in(same_title[0]))


def _planned_steps(deploys: Sequence[Line], manifest: Manifest) -> dict[str, Steps]:
    """The steps of each deploy by its title; plans change with versions, so that an older result
    has a different first deploy.
    """
    if not manifest.is_derived:
        return {title: _steps_of(plan) for plan in manifest.deploys for title in plan.titles}
    first = next((line for line in deploys if line.get("title") == FIRST_DEPLOY), None)
    steps = Steps() if first is None else _steps_in(first)
    return {FIRST_DEPLOY: steps, SECOND_DEPLOY: steps}


def _steps_of(plan: DeployPlan) -> Steps:
    return Steps(
        (number, node, step)
        for number, stage in enumerate(plan.stages, start=1)
        for node, steps in stage.steps.items()
        for step in steps
    )


def _steps_in(line: Mapping[str, Any]) -> Steps:
    return Steps(
        (int(item["stage"]), str(item["node"]), str(item["step"])) for item in line["results"]
    )


def _step_flaws(title: str, planned: Steps, executed: Steps) -> Iterator[Flaw]:
    for _, node, step in planned - executed:
        yield Missing(Evidence.DEPLOYS, f"the {title}", f"{node}: {step}")
    for key in executed - planned:
        kind = Twice if key in planned else Unplanned
        yield kind(Evidence.DEPLOYS, f"the {title}", f"{key[1]}: {key[2]}")


def _fingerprint_flaws(part: Part, manifest: Manifest) -> Iterator[Flaw]:
    if not manifest.fingerprinted:
        return
    where = "the inspection before and after the second deploy"
    yield from _once("fingerprint", part, Evidence.FINGERPRINTS, where)
    for line in part.lines:
        if line["type"] == "fingerprint":
            looked = Counter(map(str, line["nodes"]))
            for node in manifest.fingerprinted:
                if looked[node] == 0:
                    yield Missing(Evidence.FINGERPRINTS, where, node)
                elif looked[node] > 1:
                    yield Twice(Evidence.FINGERPRINTS, where, node)


# ---- baselines


Figures = Counter[tuple[str, str, str]]
"""how often: (kind, group, name)"""


def _baseline_flaws(result: Result, parts: Sequence[Part], manifest: Manifest) -> Iterator[Flaw]:
    if manifest.baselines is None:
        return
    lines = list(result.of("baselines"))
    if not lines:
        yield Missing(Evidence.BASELINES, "the line `baselines`")
        return
    # A resumed part measures them only where no part before has figures.
    if len(lines) > 1 and (len(parts) == 1 or sum(bool(line.get("found")) for line in lines) > 1):
        yield Twice(Evidence.BASELINES, "the line `baselines`")
    figures = Figures((item.kind, item.group, item.name) for item in result.baselines)
    for (_, group, name), number in figures.items():
        if number > 1:
            yield Twice(Evidence.BASELINES, group, name)
    for plan in manifest.baselines:
        yield from _probe_flaws(plan, result, figures)


def _probe_flaws(plan: BaselinePlan, result: Result, figures: Figures) -> Iterator[Flaw]:
    """A figure that could not be measured is under the node's own name, and is no pass."""
    of_node = [
        item for item in result.baselines if (item.kind, item.group) == (plan.kind, plan.group)
    ]
    if any(item.value is None and plan.node in item.name.split() for item in of_node):
        return
    for name in plan.names:
        if (plan.kind, plan.group, name) not in figures:
            yield Missing(Evidence.BASELINES, plan.group, name)
    here = [item for item in of_node if item.name.startswith(f"{plan.node} ")]
    lacking = plan.count - len(here)
    if lacking > 0:
        yield Missing(Evidence.BASELINES, plan.group, f"{lacking} of {plan.count} of {plan.node}")
