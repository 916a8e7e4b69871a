"""Manifests for results that a test writes by hand: they plan exactly the lines that exist,
so that nothing is missing.
"""

import copy
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict

from seatrial.result.fault_parts import Expectations
from seatrial.result.faults import FaultResult
from seatrial.result.manifest import (
    LINE,
    RUN_KEY,
    DeployPlan,
    ExperimentPlan,
    FaultPlan,
    Manifest,
    OutageLimit,
    PointPlan,
    StagePlan,
    StreamKind,
    StreamPlan,
    plain,
    point_key,
    sum_of,
)
from seatrial.result.planned import EXPECTED
from seatrial.result.sealed import LINES, PUBLISHED

Line = dict[str, Any]


def fit(folder: Path) -> None:
    """Add the manifest of a result's contents to it, before the result is closed."""
    path = folder / LINES
    lines = [completed(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in fitted(lines, folder)))


EMPTY: Mapping[object, object] = {str: "", int: 0, float: 0.0, bool: False, list: [], dict: {}}
"""the value of a field that a made line leaves out, by its type; None for an optional one"""


def typed_mappings() -> dict[str, Any]:
    """The type of each field of a fault that has typed mappings in lists or mappings."""
    hints = get_type_hints(FaultResult)
    return {name: hint for name, hint in hints.items() if has_typed_mappings(hint)}


def has_typed_mappings(kind: Any) -> bool:
    """Whether lists, tuples or mappings of this type have typed mappings in them."""
    while get_args(kind):
        kind = element_of(kind)
    return is_typeddict(kind)


def element_of(kind: Any) -> Any:
    """The type of the elements of a list, a tuple or a mapping."""
    return [part for part in get_args(kind) if part is not ...][-1]


def completed(line: Line) -> Line:
    """A line with every field that a run writes, so that a test writes only those that matter."""
    whole = {"unix_s": 0.0, **line}
    if line["type"] == "fault":
        for name, kind in typed_mappings().items():
            whole[name] = with_every_field(kind, line[name])
    return whole


def with_every_field(kind: Any, value: Any) -> Any:
    """A value of a typed mapping, or of lists and mappings of these; absent fields are empty."""
    if is_typeddict(kind):
        absent = {
            name: empty_of(hint)
            for name, hint in get_type_hints(kind).items()
            if name in kind.__required_keys__
        }
        return {**absent, **value}
    element = element_of(kind)
    if isinstance(value, dict):
        return {key: with_every_field(element, item) for key, item in value.items()}
    return [with_every_field(element, item) for item in value]


def empty_of(hint: Any) -> object:
    """The empty value of a type."""
    return copy.copy(EMPTY.get(get_origin(hint) or hint))


def fitted(lines: list[Line], folder: Path) -> list[Line]:
    """The same lines with a manifest that plans exactly these."""
    run, *rest = [line for line in lines if line["type"] != LINE]
    manifest = fitting(run, rest, folder).to_json()
    return [
        {**run, RUN_KEY: sum_of(manifest)},
        {"type": LINE, "unix_s": run["unix_s"], **plain(manifest)},
        *rest,
    ]


def fitting(run: Line, lines: Iterable[Line], folder: Path) -> Manifest:
    """What a run would have been to measure that has measured all of this."""
    found = list(lines)
    return Manifest(
        profile=run["profile"],
        only=tuple(run.get("only", ())),
        criteria=(),
        experiments=_experiments(found),
        faults=tuple(_fault(line, found) for line in found if line["type"] == "fault"),
        deploys=_deploys(found),
        fingerprinted=tuple(
            node for line in found if line["type"] == "fingerprint" for node in line["nodes"]
        ),
        baselines=() if any(line["type"] == "baselines" for line in found) else None,
        keeps_agent_lines=False,
        study_sha256=_sum(folder / "study.yaml"),
        published_sha256=_sum(folder / PUBLISHED),
    )


def _sum(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _experiments(lines: Iterable[Line]) -> tuple[ExperimentPlan, ...]:
    """Points that have different repeats or phases get an experiment's largest number: such a test
    lacks something.
    """
    phases: dict[str, list[Line]] = {}
    for line in lines:
        if line["type"] == "phase":
            phases.setdefault(line["experiment"], []).append(line)
    return tuple(
        ExperimentPlan(name, max(int(item["repeat"]) for item in found), _points(found))
        for name, found in phases.items()
    )


def _points(phases: Iterable[Line]) -> tuple[PointPlan, ...]:
    by_point: dict[str, list[Line]] = {}
    for line in phases:
        by_point.setdefault(point_key(line["point"]), []).append(line)
    return tuple(
        PointPlan(
            name=key,
            values=found[0]["point"],
            phases=tuple(dict.fromkeys(str(item["phase"]) for item in found)),
            clients=None,
        )
        for key, found in by_point.items()
    )


def _fault(line: Line, lines: Iterable[Line]) -> FaultPlan:
    streams: dict[str, StreamPlan] = {}
    for item in line["streams"]:
        kind: StreamKind = "consistency" if item["stream"] in line["consistency"] else "load"
        streams.setdefault(item["stream"], StreamPlan(item["stream"], kind, item["phase"], None))
    limit_s = line["expect"].get("outage")
    return FaultPlan(
        name=line["name"],
        kind=line["kind"],
        published=line["published"],
        expect=cast(
            Expectations,
            {key: line["expect"][key] for key in EXPECTED if key in line["expect"]},
        ),
        outage=None if limit_s is None else OutageLimit(f"{limit_s}s", limit_s),
        services=None,
        streams=tuple(streams.values()),
    )


def _deploys(lines: Iterable[Line]) -> tuple[DeployPlan, ...]:
    return tuple(
        DeployPlan((line["title"],), _stages(line["results"]))
        for line in lines
        if line["type"] == "deploy"
    )


def _stages(results: Iterable[Line]) -> tuple[StagePlan, ...]:
    stages: dict[int, dict[str, list[str]]] = {}
    for item in results:
        stages.setdefault(int(item["stage"]), {}).setdefault(item["node"], []).append(item["step"])
    last = max(stages, default=0)
    found = (stages.get(number, {}) for number in range(1, last + 1))
    return tuple(
        StagePlan("", {node: tuple(steps) for node, steps in stage.items()}) for stage in found
    )
