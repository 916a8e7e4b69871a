"""The result summary as data: one frozen object that every writer presents.

Names end with their unit. None: the value is not known, or does not exist; it is never 0 in place
of a missing value. `docs/results.schema.json` is the JSON Schema of the object, and
docs/results.md describes it.
"""

from dataclasses import dataclass
from typing import Any, Literal

from seatrial.judge.answer import Reason, Verdict
from seatrial.summary.coverage import Coverage
from seatrial.summary.described import DESCRIBED
from seatrial.summary.fault_results import FaultOutcome
from seatrial.summary.io500_score import Score
from seatrial.summary.point_results import Point
from seatrial.summary.rate_results import Law, PeakPoint
from seatrial.summary.recommendations import Recommendation

SCHEMA: Literal["results/1"] = "results/1"
FILE = "results.json"
"""in a result folder"""
Environment = Literal["emulated", "hosts"]


@dataclass(frozen=True)
class StudyIdentity:
    """The study of the run."""

    __pydantic_config__ = DESCRIBED

    id: str
    title: str
    question: str | None
    published: str | None
    """the id of the published result that it is compared with"""
    sha256: str | None
    """of study.yaml in the result folder"""


@dataclass(frozen=True)
class RunIdentity:
    """The run, and the state of its result folder."""

    __pydantic_config__ = DESCRIBED

    result: str
    """name of the result folder"""
    run_id: str | None
    """name of the result folder when the run began; None in older results"""
    host: str | None
    """name of the machine that ran Seatrial; None where it is not recorded"""
    user: str | None
    """login name of the user that ran Seatrial; None where it is not recorded"""
    profile: str
    """quick, trial or full; imported for results of another program"""
    started_unix_s: float | None
    duration_s: float | None
    is_complete: bool
    outcome: str
    """complete, or why the run is not"""
    seal: str
    """intact, broken, removed, never or open"""
    sha256: str | None
    """of the lines of the result"""
    versions: dict[str, str]
    """of Seatrial, Python and the kernel of the controller"""


@dataclass(frozen=True)
class Site:
    """The environment of the run."""

    __pydantic_config__ = DESCRIBED

    environment: Environment | None
    scale: float
    """factor of the rates of links and disks; 1 on hosts"""
    clients: int
    servers: int
    mtu_bytes: int | None


@dataclass(frozen=True)
class KeyFigure:
    """A figure of the first screen, in words."""

    __pydantic_config__ = DESCRIBED

    value: str
    meaning: str


@dataclass(frozen=True)
class Headline:
    """The answer to the question of the study."""

    __pydantic_config__ = DESCRIBED

    verdict: str | None
    """pass, pass with waivers, fail or unknown; None where the question asks for figures and no
    criterion is open
    """
    exit_code: int
    """of `seatrial judge` for the result"""
    lead: str
    """first words of the answer: `Yes`, `Not accepted`; may be empty"""
    answer: str
    more: str
    key_figures: tuple[KeyFigure, ...]
    criteria: dict[str, int]
    """verdict -> number of acceptance criteria"""
    published_claims: dict[str, int]
    """verdict -> number of published claims"""


@dataclass(frozen=True)
class WaivedFinding:
    """A finding that the study accepts."""

    __pydantic_config__ = DESCRIBED

    criterion: str
    key: str
    """the key of the criterion that waives it"""
    kind: str
    """violation or unknown answer"""
    number: int
    subject: str
    """the fault and the test"""
    example: str
    where: str
    """file and line of the study"""
    reason: str


@dataclass(frozen=True)
class SubjectEvidence:
    """The evidence of a criterion on one subject, such as a fault, an experiment or a member."""

    __pydantic_config__ = DESCRIBED

    subject: str
    """empty where the criterion has one subject only"""
    verdict: Verdict
    value: float | None
    """measured, in `unit`"""
    limit: float | None
    """the limit of `value`, in `unit`"""
    unit: str
    """of `value` and `limit`: s, blocks; empty without figures"""
    note: str
    """the rest of the evidence in words"""


@dataclass(frozen=True)
class Criterion:
    """An acceptance criterion."""

    __pydantic_config__ = DESCRIBED

    id: str
    statement: str
    verdict: Verdict
    reason: Reason | None
    """why the verdict is open"""
    evidence: str
    rows: tuple[SubjectEvidence, ...]
    """the evidence by subject; empty where the check has no subjects"""
    waivers: tuple[WaivedFinding, ...]


@dataclass(frozen=True)
class PublishedClaim:
    """A claim of the published document, or a row of its table of faults."""

    __pydantic_config__ = DESCRIBED

    id: str
    statement: str
    verdict: Verdict
    """agrees, better, worse, different or inconclusive"""
    reason: Reason | None
    evidence: str
    measured: dict[str, Any] | None
    """series -> value of the variable -> every valid repeat, in the unit of the series"""


@dataclass(frozen=True)
class ResultSummary:
    """Everything that a run shows, from its result folder alone."""

    __pydantic_config__ = DESCRIBED

    schema: Literal["results/1"]
    study: StudyIdentity
    run: RunIdentity
    site: Site
    headline: Headline
    score: Score | None
    """of a study that asks for one"""
    coverage: Coverage
    criteria: tuple[Criterion, ...]
    published_claims: tuple[PublishedClaim, ...]
    points: tuple[Point, ...]
    peaks: tuple[PeakPoint, ...]
    scaling_laws: tuple[Law, ...]
    faults: tuple[FaultOutcome, ...]
    recommendations: tuple[Recommendation, ...]
    waivers: tuple[WaivedFinding, ...]
    problems: tuple[str, ...]
    """parts of the result that cannot be read, or that cannot all be true"""
