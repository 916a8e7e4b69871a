"""One package adds a kind of storage with its first study, others an environment and a launcher:
each without an edit of Seatrial.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.cli.confirming import confirm
from seatrial.labs.base import lab_kind, traits_named
from seatrial.labs.emulation.capacity import cramped_links
from seatrial.labs.kinds import hosts
from seatrial.launchers.base import launcher_names
from seatrial.matrix.resolve import resolve_profiles
from seatrial.plan.solution_kinds import needs_root
from seatrial.plan.traits import REAL, Traits, is_emulated_in
from seatrial.solutions.base import solution_kinds
from seatrial.start.beforehand import beforehand
from seatrial.start.json_schema import study_schema
from seatrial.start.new import next_steps, write_study
from seatrial.start.times import times_of
from seatrial.study.study import load_study
from tests.builders.packages import Packages, names_it
from tests.builders.strategies import changed, study

SOLUTION = '''
"""Solution `glacier`: a file system of ice."""
from typing import Literal

from pydantic import Field

from seatrial.basics.schema import validate
from seatrial.solutions.base import options_data
from seatrial.solutions.kinds import nfs
from seatrial.solutions.starter import Starter

STARTER = Starter("A file system of ice", "first.yaml.j2")
NEEDS_ROOT = False


class Options(nfs.Options):
    kind: Literal["glacier"]
    cold: bool = Field(True, description="Whether it is cold.")


def load(study, site):
    options = validate(Options, options_data(study), study.source, ("solution",))
    server, clients = nfs.placed(study, site, options)
    return nfs.Nfs(study.id, options, site, clients, server)
'''
TEMPLATE = """
{% extends "server.yaml.j2" %}
{% block options %}
  cold: false
{% endblock %}
"""
ENVIRONMENT = '''
"""Environment `orchard`: machines of an orchard, made for a run, each with its own processors."""
from pathlib import Path

from seatrial.basics.schema import Model
from seatrial.labs.base import site_node
from seatrial.plan.site import Site
from seatrial.plan.traits import Traits

TRAITS = Traits(is_temporary=True, holds_secrets=True, is_emulated=%s)


class Options(Model):
    kind: str


def site(study):
    nodes = {
        name: site_node(
            study,
            name,
            1.0,
            address=name,
            devices=tuple(f"/dev/vd{i}" for i in range(6)) if study.node(name).disks else (),
            devices_hold_zeros=True,
            networks={network: name for network in study.networks_of(name)},
        )
        for name in study.node_names()
    }
    return Site("orchard", 1.0, nodes, study.data_network, *study.mtus(), TRAITS)


def up(study, **how):
    raise NotImplementedError


def find(study, name):
    return None
'''
LAUNCHER = '''
"""Launcher `catapult`: it throws agents."""
from seatrial.transport import Local


def transport(request):
    return Local()
'''


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    """For packages of third parties."""
    return Packages(tmp_path / "packages", monkeypatch)


def test_a_package_adds_a_solution_with_its_first_study(packages: Packages, tmp_path: Path) -> None:
    """`new`, the schema, the plan and the demand for root need no edit."""
    with pytest.raises(InputError, match="no study for a solution 'glacier'"):
        write_study("glacier", tmp_path / "mine")
    packages.install("seatrial.solutions", "glacier", SOLUTION, {"first.yaml.j2": TEMPLATE})
    assert "glacier" in solution_kinds()
    assert write_study("glacier", tmp_path / "mine") == "lab"
    first = load_study(tmp_path / "mine")
    assert (first.title, first.solution.options()["cold"]) == ("A file system of ice", False)
    _, solution = prepare(first)
    assert solution.servers == ("nas",)
    assert "  seatrial plan mine" in [*next_steps("glacier", Path("mine"), "lab")]
    described = study_schema()["$defs"]["Solution glacier"]
    assert described["description"] == "A file system of ice."
    assert described["properties"]["cold"]["description"] == "Whether it is cold."
    assert (needs_root("glacier"), needs_root("nfs"), needs_root("unknown")) == (False, True, True)
    assert names_it("glacier") == []


def orchard(**more: Any) -> dict[str, Any]:
    """A study with SMB in the environment of the package."""
    data = changed("environment", {"kind": "orchard"})
    data["solution"] = {"kind": "smb", "raid": {"level": 5}, **more}
    for node in data["nodes"].values():
        node.pop("memory", None)
    return data


@pytest.mark.parametrize("is_emulated", [False, True])
def test_a_package_adds_an_environment(
    packages: Packages, tmp_path: Path, *, is_emulated: bool
) -> None:
    """Each decision follows its traits: some are those of hosts, others those of a lab."""
    packages.install("seatrial.labs", "orchard", ENVIRONMENT % is_emulated)
    found = study(orchard())
    site, _ = prepare(found)  # SMB needs credentials where an environment does not hold them
    assert site.traits == traits_named("orchard") == lab_kind(found).TRAITS
    confirm(site, "deploy changes nas", yes=False, describe=lambda: pytest.fail("asked"))
    assert [*cramped_links(site, 1)] == []
    matrix = resolve_profiles(found)["full"]
    assert times_of(matrix, tmp_path).booted == 5
    said = [*beforehand(matrix, tmp_path, wipe={})]
    assert any("erases and interrupts nothing" in sentence for sentence in said)
    described = study_schema()["$defs"]["Lab orchard"]
    assert described["description"].startswith("Machines of an orchard")

    stored = json.loads(json.dumps(site.without_secrets()))
    assert is_emulated_in(stored) is is_emulated
    assert "traits" not in stored
    assert ("emulated" in stored) is not is_emulated
    assert names_it("orchard") == []


def test_an_environment_without_a_package_is_like_hosts() -> None:
    """A stored study may name a kind that is not installed here."""
    assert traits_named("orchard") == REAL == Traits() == hosts.TRAITS


def test_a_package_adds_a_launcher(packages: Packages) -> None:
    """Studies on hosts can name it."""
    data = changed("environment", {"kind": "hosts", "launcher": "catapult"})
    data["solution"] = {"kind": "mount", "directory": "/scratch"}
    data["nodes"] = {"c[1-2]": {}}
    with pytest.raises(InputError, match="catapult"):
        prepare(study(data))
    packages.install("seatrial.launchers", "catapult", LAUNCHER)
    assert "catapult" in launcher_names()
    prepare(study(data))
    assert names_it("catapult") == []
