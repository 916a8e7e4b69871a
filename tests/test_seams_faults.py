"""One package adds a fault with a new action, and others a check, a consistency test, a claim and a
property of faults: each without an edit of Seatrial.
"""

from pathlib import Path
from typing import Any

import pytest

from seatrial.analysis.histories import Circumstances
from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.faults.base import Roles, Scene, fault_kind, load_fault, needs_root
from seatrial.faults.consent import site_faults
from seatrial.faults.evidence import Witnesses, evidence_of
from seatrial.faults.injection import Injector
from seatrial.judge import fault_properties
from seatrial.judge.base import checker, load_checkers
from seatrial.judge.controls import judge_control
from seatrial.judge.happened import why_untried
from seatrial.judge.judge import check_published
from seatrial.matrix.resolve import resolve_profiles
from seatrial.result.evidence import Sign
from seatrial.service.session import Session
from seatrial.start.json_schema import study_schema
from seatrial.study.consistency_kinds import load_kind
from seatrial.transport import Local
from tests.builders.claims import answer, measured
from tests.builders.fake_lab import Lab
from tests.builders.fault_results import fault, result
from tests.builders.fault_studies import broken
from tests.builders.packages import Packages, names_it
from tests.builders.strategies import study

FAULT = '''
"""`kind: hailstorm`: hail falls on a node."""
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from pydantic import Field

from seatrial.faults.actions.base import Ability, Action, Outcome, unable
from seatrial.faults.base import Actions, OnNode
from seatrial.result.evidence import Sign

TITLE, WORD, DURATION_S = "hail falls on a node", "hail", 7.0
NEEDS_ROOT = False


@runtime_checkable
class Sky(Protocol):
    def hail(self, node: str, stones: int) -> None: ...


@dataclass(frozen=True)
class Hail(Action):
    node: str
    stones: int
    ability: ClassVar[Ability | None] = Ability(Sky, "make hail")

    def text(self):
        return f"{self.stones} stones on {self.node}"

    def carry_out(self, means):
        if not isinstance(means.session.lab, Sky):
            raise unable(means.session)
        means.session.lab.hail(self.node, self.stones)
        return Outcome(exit_code=0)

    @property
    def waits_s(self):
        return 3.0

    @property
    def lost_nodes(self):
        return frozenset({self.node} if self.stones else ())

    @property
    def breaks(self):
        return self.stones > 0

    @property
    def subject(self):
        return self.node

    def needed_signs(self, lab):
        return (Sign.MEDIUM_GONE,)

    def signs(self, session, outcome) -> Iterator[Sign]:
        yield Sign.MEDIUM_GONE

    @property
    def site_host(self):
        return "airfield"


class Options(OnNode):
    stones: int = Field(3, description="Number of stones.")


def actions(options, scene):
    node = options.where(scene)
    return Actions((Hail(node, options.stones),), (Hail(node, 0),))
'''
CHECK = '''
"""`check: dryness`: no fault wets a node."""
from seatrial.basics.schema import Model
from seatrial.judge.answer import combine, failed
from seatrial.judge.base import answers_of_faults
from seatrial.judge.flaws import Evidence

TITLE = "no fault wets a node"
RESTS_ON = frozenset({Evidence.FAULTS})
NEEDS_FAULTS = True
MEANS_TWO_WRITERS = True
Options = Model


def check(result, options):
    return combine(answers_of_faults(result, "dryness", judge), "no fault was injected")


def judge(fault):
    return failed("a node is wet")
'''
TEST = '''
"""`puddles`: every client sees the same puddles."""
from seatrial.analysis import consistency

NEEDED = ("puddles",)
FILES = ("puddle-*",)


def judge(histories, about):
    return consistency.judge(_puddles, histories, about, reads_files=False)


def _puddles(histories, about, findings):
    findings.count("puddles", 2)
'''
CLAIM = '''
"""`drizzle`: the first series has a certain number of points."""
from seatrial.judge.answer import Answer

NEEDED = (("drops",),)


def judge(context):
    found = len(context.first().samples)
    return Answer("agrees" if found == context.form["drops"] else "worse", f"{found} drops")
'''
PROPERTY = '''
"""`soaked`: the fault wetted a node."""
from seatrial.judge.answer import Answer

RESTS_ON = frozenset()
CONTRARY = frozenset({"service-stayed"})


def judge(fault, limits):
    return Answer("agrees", f"{fault.name} is wet")
'''


class Sky(Lab):
    """A lab with the ability that the action of the package needs."""

    def hail(self, node: str, stones: int) -> None:
        self._do(f"hail {node} {stones}")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    """For packages of third parties."""
    return Packages(tmp_path / "packages", monkeypatch)


def test_a_package_adds_a_fault_with_a_new_action(packages: Packages) -> None:
    """The study, the schema, the consent, the execution and the evidence need no edit."""
    packages.install("seatrial.faults", "hailstorm", FAULT)
    found = study(broken({"storm": {"kind": "hailstorm", "node": "nas", "stones": 5}}))
    site, solution = prepare(found)
    planned = load_fault(found, site, solution, "storm", found.faults["storm"])
    assert (planned.title, planned.duration_s, planned.waits_s) == ("hail falls on a node", 7, 6)
    assert (needs_root(fault_kind("hailstorm")), needs_root(fault_kind("panic"))) == (False, True)
    described = study_schema()["$defs"]["Fault hailstorm"]
    assert described["description"] == "Hail falls on a node."
    assert described["properties"]["stones"]["description"] == "Number of stones."
    (asked,) = site_faults(found, resolve_profiles(found)["full"].planned_faults)
    assert asked.hosts == ("airfield",)
    assert asked.lines[0] == "command 5 stones on nas"

    lab = Sky()
    actions = planned.actions(Scene(found, site, solution, Roles.before(solution)))
    assert actions.nodes_losing_memory() == {"nas"}
    injector = Injector(Session(found, site, solution, lab, Local()))
    assert injector.missing(actions) is None
    injector.inject(actions.inject)
    injector.repair(actions.repair[0])
    assert lab.reported == ["hail nas 5", "hail nas 0"]
    witnesses = Witnesses((), (), {}, ())
    (evidence,) = evidence_of(actions.inject, injector.done, lab, witnesses)
    assert (evidence.needs, evidence.is_shown) == ((Sign.MEDIUM_GONE,), True)
    other = Injector(Session(found, site, solution, Lab(), Local()))
    assert other.missing(actions) == "the lab fake cannot make hail"
    assert names_it("hail") == []


def test_a_package_adds_a_check_that_catches_a_control(packages: Packages, tmp_path: Path) -> None:
    """Its title, the schema, the rules of controls and the limit on skipped faults need no edit."""
    expect = {"expect": {"detected_by": "dryness"}}
    data = broken({"wet": {"kind": "panic", **expect}, "later": {"kind": "panic"}})
    data["criteria"] = [{"id": "dry", "check": "integrity"}]
    with pytest.raises(InputError, match="dryness"):
        prepare(study(data))
    packages.install("seatrial.checks", "dryness", CHECK)
    with pytest.raises(InputError, match="dryness means two writers"):
        prepare(study(data))
    data["criteria"] = [{"id": "dry", "check": "dryness"}]
    del data["faults"]["later"]
    prepare(study(data))
    assert [item.title for item in load_checkers(study(data))] == ["no fault wets a node"]
    schema = study_schema()["$defs"]
    assert schema["Check dryness"]["description"] == "No fault wets a node."
    assert "dryness" in schema["Expected"]["properties"]["detected_by"]["anyOf"][0]["enum"]

    caught = fault(expect={"detected_by": ["dryness"]})
    assert judge_control(caught).verdict == "pass"
    check = checker("dryness")
    assert check.check(result(tmp_path / "one", fault()), check.Options()).verdict == "fail"
    skipped = result(tmp_path / "none", fault(skipped="no cloud"))
    assert "only 0 of 1 fault injected" in (why_untried(skipped, check) or "")
    assert names_it("dryness") == []


def test_a_package_adds_a_kind_of_consistency_test(packages: Packages) -> None:
    """The judge and the study know it; the agent has its operations in `crates/`."""
    data = broken({}, {"pools": {"consistency_test": "puddles", "arrivals_per_s": 2}})
    with pytest.raises(InputError, match="puddles"):
        study(data)
    packages.install("seatrial.consistency_tests", "puddles", TEST)
    assert study(data).background_load["pools"].consistency_test == "puddles"
    findings = load_kind("puddles").judge((), Circumstances("run"))
    assert dict(findings.checked) == {"puddles": 2}
    assert names_it("puddles") == []


def test_a_package_adds_a_kind_of_claim(packages: Packages, tmp_path: Path) -> None:
    """Its required keys are its own."""
    mapping = {"series": {"experiment": "one", "phase": "read"}}
    packages.install("seatrial.claims", "drizzle", CLAIM)
    form = {"type": "drizzle", "drops": 2}
    found = answer(tmp_path / "a", form, mapping, *measured({1: 10.0, 2: 20.0}))
    assert (found.verdict, found.evidence) == ("agrees", "2 drops")
    with pytest.raises(InputError, match="a drizzle needs drops"):
        answer(tmp_path / "b", {"type": "drizzle"}, mapping, *measured({1: 10.0}))
    with pytest.raises(InputError, match="snow"):
        answer(tmp_path / "c", {"type": "snow"}, mapping, *measured({1: 10.0}))
    assert names_it("drizzle") == []


def test_a_package_adds_a_property_of_faults(packages: Packages) -> None:
    """The study, the schema and the judge need no edit."""
    form = {"type": "property", "property": "wet", "expect": True}
    published = {"claims": [{"id": "C1", "statement": "it is wet", "form": form}]}
    claim: dict[str, Any] = {"faults": ["it"], "decides": ["soaked", "service-stayed"]}
    answers: dict[str, Any] = {"published": "paper", "published_claims": {"C1": claim}}
    data = broken({"it": {"kind": "panic"}}, **answers)
    with pytest.raises(InputError, match="'soaked' is not known"):
        check_published(study(data), published)
    packages.install("seatrial.fault_properties", "soaked", PROPERTY)
    with pytest.raises(InputError, match="no fault has both service-stayed and soaked"):
        check_published(study(data), published)
    claim["decides"] = "soaked"
    check_published(study(broken({"it": {"kind": "panic"}}, **answers)), published)
    words = study_schema()["$defs"]["PublishedClaim"]["properties"]["decides"]["anyOf"][0]["enum"]
    assert {"soaked", "outage", "integrity"} <= {*words}
    answer_of_it = fault_properties.tested("soaked", fault(name="it"), None)
    assert answer_of_it.evidence == "it is wet"
    assert names_it("soaked") == []
