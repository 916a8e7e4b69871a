"""The profile `paper`: its items, nodes and values, and the studies that it refuses."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from seatrial.analysis.statistics import Sample
from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.judge.claim import Context
from seatrial.judge.claims import order
from seatrial.judge.series import Series
from seatrial.result.quantities import RATE
from seatrial.result.result import Result
from seatrial.study.changed import changed_study
from seatrial.study.published import PublishedClaim
from seatrial.study.study import Study, load_study, parse_study
from tests.builders.commands import in_process
from tests.builders.strategies import MINIMAL, text_of

SHIPPED = Path(__file__).parent.parent / "studies"
OF_PAPERS = ("md1200-nfs", "nss-ha", "network-storage-clusters", "gfs-equallogic", "gpfs-nsd")


def study(**more: Any) -> Study:
    """The small study; `one` has more clients in the profile paper, `two` is not in it."""
    data = {**copy.deepcopy(MINIMAL), **more}
    data["nodes"]["c[5-8]"] = {"memory": "128MiB", "link": "1Gbit/s", "profiles": ["paper"]}
    data["experiments"]["two"] = copy.deepcopy(data["experiments"]["one"])
    data["experiments"]["one"]["paper"] = {"sweep": {"clients": [4, 8]}}
    return parse_study(text_of(data), Path("study.yaml"))


def test_only_items_that_name_the_profile_are_in_it() -> None:
    """Also its own nodes, and none of them in another profile."""
    found = study()
    assert found.all_profiles == ("quick", "trial", "full", "paper")
    assert list(found.experiments_in("paper")) == ["one"]
    assert found.experiments_in("paper")["one"].sweep == {"clients": (4, 8)}
    assert found.experiments_in("full")["one"].sweep == {"clients": (1, 2)}
    assert "c8" not in found.node_names()
    assert "c8" not in found.in_profile("trial").node_names()
    assert "c8" in found.in_profile("paper").node_names()
    prepare(found)


def test_a_study_without_the_profile_has_three() -> None:
    """And a run of the fourth is refused."""
    data = text_of(MINIMAL)
    assert parse_study(data, Path("study.yaml")).all_profiles == ("quick", "trial", "full")


def test_a_profile_has_its_own_values() -> None:
    """Only that profile, also after a further change; the value of `--set` has precedence."""
    overrides = {"paper": {"environment.scale": "1/400", "nodes.c[1-4].memory": "96MiB"}}
    found = study(profile_overrides=overrides)
    in_paper = found.in_profile("paper")
    assert in_paper.environment.options()["scale"] == "1/400"
    assert in_paper.node("c1").memory == 96 * 2**20
    assert found.in_profile("full").environment.options()["scale"] == "1/40"
    varied = in_paper.with_values({"solution.export.threads": 64})
    assert varied.environment.options()["scale"] == "1/400"
    assert varied.with_values({"environment.scale": "1/2"}).environment.options() == {
        "scale": "1/2"
    }
    by_user = changed_study(found, {"environment.scale": "1/200"}).in_profile("paper")
    assert by_user.environment.options()["scale"] == "1/200"
    assert by_user.node("c1").memory == 96 * 2**20


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"full": {"environment.scale": "1/2"}}, "those of full"),
        ({"paper": {"experiments.one.repeats": 3}}, "not the path of a value of environment"),
        ({"weekly": {"environment.scale": "1/2"}}, "weekly"),
    ],
)
def test_wrong_overrides_are_mistakes(overrides: Mapping[str, Any], words: str) -> None:
    """The full profile is the study itself, and an experiment has a separate key for it."""
    with pytest.raises(InputError, match=words):
        study(profile_overrides=overrides)


def test_the_profile_has_the_clients_that_it_asks_for() -> None:
    """As every other profile."""
    data = copy.deepcopy(MINIMAL)
    data["experiments"]["one"]["paper"] = {"sweep": {"clients": [4, 8]}}
    with pytest.raises(InputError, match=r"one\.paper\.sweep\.clients\[1\]: 8 clients"):
        prepare(parse_study(text_of(data), Path("study.yaml")))


def test_an_experiment_may_be_in_this_profile_alone() -> None:
    """It is in no other, which a list without full could not say before."""
    data = copy.deepcopy(MINIMAL)
    data["experiments"]["big"] = {**data["experiments"]["one"], "profiles": ["paper"]}
    found = parse_study(text_of(data), Path("study.yaml"))
    assert [name for name in found.all_profiles if "big" in found.experiments_in(name)] == ["paper"]


def test_the_command_line_knows_the_profile(tmp_path: Path) -> None:
    """One profile per run, and only where the study has it."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    done = in_process("run", "study.yaml", "--paper", cwd=tmp_path)
    assert (done.returncode, "has no profile paper" in done.stderr) == (2, True), done.stderr
    done = in_process("run", "study.yaml", "--paper", "--full", cwd=tmp_path)
    assert "--full and --paper exclude each other" in done.stderr


@pytest.mark.parametrize("name", OF_PAPERS)
def test_each_study_of_a_paper_has_it(name: str) -> None:
    """With its own nodes."""
    found = load_study(SHIPPED / name)
    assert "paper" in found.all_profiles
    prepare(found.in_profile("paper"))


# ---- a step of a published order


@dataclass
class _Measured(Context):
    """A claim with these two series."""

    two: tuple[Series, Series] | None = None

    def both(self) -> tuple[Series, Series]:
        """As given."""
        assert self.two is not None
        return self.two


def series(title: str, change: float, noise: float) -> Series:
    """Reads of 14 and 16 clients, from a rate of 100 MB/s."""
    samples = {
        clients: Sample(tuple(1e6 * (rate + noise * part) for part in (-1, 0, 1)))
        for clients, rate in ((14, 100.0), (16, 100.0 + change))
    }
    return Series(title, "read", "clients", RATE, samples, 0)


def step(first: float, second: float, noise: float) -> str:
    """The verdict for two steps."""
    mapping = PublishedClaim.model_validate({"step": [14, 16]})
    two = (series("128", first, noise), series("512", second, noise))
    result = Result(Path("nowhere"), ())
    return order.judge(_Measured(study(), result, {"type": "order"}, mapping, two=two)).verdict


def test_a_published_step_is_compared() -> None:
    """A larger first step agrees, an equal or a smaller one is different, noise decides nothing."""
    assert step(20, 1, 0.5) == "agrees"
    assert step(5, 5, 0.1) == "different"
    assert step(1, 20, 0.5) == "different"
    assert step(20, 1, 40) == "inconclusive"
