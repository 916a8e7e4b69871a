"""The manifest of a run: its planned measurements, written before the first action.

A result shows only the lines that are in it, not those that were removed. A judge of a result
compares its lines with the manifest. Lines of the manifest that the result lacks are missing. Lines
that the result has more often are duplicates.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from seatrial.basics.finite import json_text
from seatrial.result.fault_parts import Expectations
from seatrial.result.result import Result

LINE = "manifest"
"""the type of its line"""
RUN_KEY = "manifest_sha256"
"""of the line `run`: the sum of the manifest, so that a result without its manifest is not taken
for an older one"""
StreamKind = Literal["load", "consistency", "copy"]


class NoManifestError(Exception):
    """The line of the manifest is missing, a duplicate, or invalid; the message states which."""


@dataclass(frozen=True)
class PointPlan:
    """One point of an experiment."""

    name: str
    """as in file names and reports: `clients=4`"""
    values: dict[str, Any]
    phases: tuple[str, ...]
    clients: tuple[str, ...] | None
    """the nodes that take part; None where a derived manifest does not know them"""
    compares_tree: bool = False
    """each repeat ends with a comparison of the tree with the operation logs"""
    may_be_skipped: bool = False
    """the solution may not support its variant"""


@dataclass(frozen=True)
class ExperimentPlan:
    """One experiment as this profile runs it."""

    name: str
    repeats: int
    points: tuple[PointPlan, ...]
    has_more_repeats: bool = False
    """`repeats_until`: further repeats of a point; a line `repeats` has their number"""
    searches: bool = False
    """`saturation_search`: the line `saturation-search` of each point has the tried rates"""


@dataclass(frozen=True)
class StreamPlan:
    """One workload stream that runs during a fault."""

    name: str
    kind: StreamKind
    phase: str
    clients: tuple[str, ...] | None
    """None where a derived manifest does not know them"""


@dataclass(frozen=True)
class OutageLimit:
    """The longest outage that a fault may cause: a time, and work that is charged at its cost
    during the fault.
    """

    text: str
    """as the study writes it"""
    timers_s: float
    process_starts: int = 0
    handshakes: int = 0


@dataclass(frozen=True)
class FaultPlan:
    """One fault, and its expected effects in the study."""

    name: str
    kind: str
    published: str | None
    expect: Expectations
    """without `outage` and its parts"""
    outage: OutageLimit | None
    services: tuple[str, ...] | None
    """the services with a noted placement; None where a derived manifest does not know them"""
    streams: tuple[StreamPlan, ...]

    @property
    def controls(self) -> tuple[str, ...]:
        """The checks that have to catch it, where it is a negative control."""
        return tuple(self.expect.get("detected_by") or ())


@dataclass(frozen=True)
class StagePlan:
    """One stage of a deploy: by node, its steps in order."""

    title: str
    steps: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class DeployPlan:
    """Deploys that have the same steps."""

    titles: tuple[str, ...]
    """`first deploy`, `second deploy`: each has a separate line"""
    stages: tuple[StagePlan, ...]


@dataclass(frozen=True)
class BaselinePlan:
    """The figures that one probe must give: by name, or their number."""

    kind: str
    group: str
    node: str
    names: tuple[str, ...] = ()
    count: int = 0
    """how many at least, where their names are not known before"""


@dataclass(frozen=True)
class CriterionPlan:
    """One acceptance criterion of the study."""

    id: str
    check: str
    options: dict[str, Any]


@dataclass(frozen=True)
class Manifest:
    """All that a run was to measure."""

    profile: str
    only: tuple[str, ...]
    """the requested experiments and faults; empty: all of the profile"""
    criteria: tuple[CriterionPlan, ...]
    experiments: tuple[ExperimentPlan, ...]
    faults: tuple[FaultPlan, ...]
    deploys: tuple[DeployPlan, ...] = ()
    """none in a derived manifest: a second deploy then has the steps of the first"""
    fingerprinted: tuple[str, ...] = ()
    """the nodes that are inspected before and after the second deploy"""
    baselines: tuple[BaselinePlan, ...] | None = None
    """None where none are measured"""
    keeps_agent_lines: bool = True
    """every line that an agent prints is kept in `agent/`"""
    logs_power: bool = False
    """the lab notes every change of power"""
    members: tuple[str, ...] = ()
    """the nodes of a cluster that fences: of each that is lost the others note something"""
    watches_writers: bool = False
    """the run polls the array for its writers"""
    study_sha256: str | None = None
    """of `study.yaml` in the result; None in a derived manifest"""
    published_sha256: str | None = None
    """of `published.yaml` in the result; None where the file does not exist"""
    is_derived: bool = False
    """made from the stored study of a result that has no manifest"""

    def __post_init__(self) -> None:
        """ValueError where it contains an entry twice."""
        _each_once("experiment", (item.name for item in self.experiments))
        _each_once("fault", (item.name for item in self.faults))
        _each_once("claim", (item.id for item in self.criteria))
        for experiment in self.experiments:
            _each_once(
                f"point of {experiment.name}",
                (point_key(item.values) for item in experiment.points),
            )
        for fault in self.faults:
            _each_once(f"stream of {fault.name}", (item.name for item in fault.streams))
        _each_once("deploy", (title for item in self.deploys for title in item.titles))

    def to_json(self) -> dict[str, Any]:
        """The fields of its line."""
        fields = asdict(self)
        del fields["is_derived"]
        return fields

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Manifest":
        """The inverse of `to_json`; other keys are ignored. NoManifestError where one is missing or
        of another type.
        """
        names = cls.__dataclass_fields__.keys() - {"is_derived"}
        known_fields = {key: value for key, value in data.items() if key in names}
        try:
            return _adapter().validate_json(json.dumps(known_fields), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or LINE
            raise NoManifestError(f"the manifest cannot be read: {where}: {first['msg']}") from None


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[Manifest]:
    return TypeAdapter(Manifest)


def _each_once(what: str, names: Iterable[str]) -> None:
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise ValueError(f"{what} {twice[0]} is written twice")


def point_key(values: Mapping[str, Any]) -> str:
    """The key that separates a point from all others of its experiment, also for values
    from JSON.
    """
    return json.dumps(plain(values), sort_keys=True)


def plain(value: Any) -> Any:
    """A value as JSON gives it back."""
    return json.loads(json_text(value, default=str))


def sum_of(fields: Mapping[str, Any]) -> str:
    """The sum of a manifest, from the fields of its line."""
    summed_fields = {key: value for key, value in fields.items() if key not in ("type", "unix_s")}
    return hashlib.sha256(json.dumps(plain(summed_fields), sort_keys=True).encode()).hexdigest()


def file_sum(result: Result, name: str) -> str | None:
    """The sum of a file of a result; None where the manifest has no file of that name."""
    path = result.folder / name
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


@dataclass(frozen=True)
class Sums:
    """The sums of the files that a manifest knows."""

    study_sha256: str | None
    published_sha256: str | None


def with_sums(lines: Sequence[dict[str, Any]], sums: Sums | None) -> list[dict[str, Any]]:
    """The lines of a copy in which names were replaced, with the new sums of its files and its
    manifest.

    `sums`: None where the files are not those of these lines; only the manifest's own sum is then
    recomputed.
    """
    changed = asdict(sums) if sums else {}
    manifests = [{**line, **(changed if line["type"] == LINE else {})} for line in lines]
    manifest = next((line for line in manifests if line["type"] == LINE), None)
    stated = {} if manifest is None else {RUN_KEY: sum_of(manifest)}
    return [{**line, **stated} if RUN_KEY in line else line for line in manifests]


def manifest_in(result: Result) -> Manifest | None:
    """The manifest of a result; None for a result from before manifests existed.

    NoManifestError where a result that must have a manifest has none or two, or has another than
    its run wrote.
    """
    lines = list(result.of(LINE))
    stated = result.first("run").get(RUN_KEY)
    if not lines and stated is None:
        return None
    if not lines:
        raise NoManifestError("the manifest is missing")
    if len(lines) > 1:
        raise NoManifestError(f"the result has {len(lines)} manifests")
    if sum_of(lines[0]) != stated:
        raise NoManifestError("the manifest is not the one that the run has written")
    return Manifest.from_json(lines[0])
