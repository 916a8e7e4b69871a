"""Messages for mistakes in studies: where the mistake is, and what the writer meant."""

from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.schema import Model
from seatrial.basics.yamlfile import dotted, parse_yaml
from seatrial.check import prepare
from seatrial.judge.base import load_checkers
from seatrial.study.experiment import Experiment
from seatrial.study.study import Disks, Node, Study
from seatrial.study.workload import Tree, Workload
from tests.strategies import changed, study


def message_of(path: str, value: Any) -> str:
    """The error of a study in which one value is wrong, claims included."""
    with pytest.raises(InputError) as caught:
        read(changed(path, value))
    return str(caught.value)


def read(data: dict[str, Any]) -> None:
    """All that reads a study before a run."""
    prepare(found := study(data))
    load_checkers(found)


def test_an_item_of_a_list_has_its_index_and_its_id() -> None:
    """The second claim names a check that does not exist."""
    claims = [{"id": "intact", "check": "integrity"}, {"id": "lucky", "check": "luck"}]
    assert ": claims[1].check (id lucky): 'luck' is not known" in message_of("claims", claims)


def test_an_option_of_a_checker_is_named_likewise() -> None:
    """Its model is read apart from the study's."""
    claims = [{"id": "even", "check": "spread", "belwo": 0.1}]
    assert ": claims[0].belwo (id even): unknown key 'belwo'; did you mean 'below'?" in message_of("claims", claims)


def test_an_item_without_an_id_has_its_index_alone() -> None:
    """Of a list in a list, too."""
    assert ": experiments.one.workload.phases[0]: " in message_of("experiments.one.workload.phases", ["wirte"])
    source = parse_yaml("a:\n  - - x\n    - {id: 7}\n", Path("study.yaml"))
    assert source.name_of(("a", 0, 0)) == "a[0][0]"
    assert source.name_of(("a", 0, 1, "b")) == "a[0][1].b (id 7)"
    assert source.name_of(("a", 5, "b")) == "a[5].b"
    assert source.name_of(()) == "study"
    assert dotted(("x", 1, "y")) == "x[1].y"


MEANT = [
    ("experiments.one.workload.bs", "did you mean 'record'?"),
    ("experiments.one.workload.numjobs", "did you mean 'tasks'?"),
    ("experiments.one.workload.rw", "did you mean 'phases' and 'pattern'?"),
    ("experiments.one.workload.filesize", "did you mean 'file'?"),
    ("experiments.one.workload.rate_iops", "did you mean 'arrivals_per_s'?"),
    ("experiments.one.loops", "did you mean 'repeats'?"),
    ("nodes.nas.ram", "did you mean 'memory'?"),
    ("nodes.nas.disks.capacity", "did you mean 'size'?"),
    ("hosts", "did you mean 'nodes'?"),
]


@pytest.mark.parametrize(("path", "question"), MEANT, ids=[path for path, _ in MEANT])
def test_a_key_of_another_tool_gets_a_hint(path: str, question: str) -> None:
    """With the key that has its meaning here, and not with one that merely looks like it."""
    key = path.rpartition(".")[2]
    assert f": {path}: unknown key {key!r}; {question}" in message_of(path, 1)


WITH_ALIASES: list[type[Model]] = [Study, Node, Disks, Experiment, Workload, Tree]


@pytest.mark.parametrize("model", WITH_ALIASES, ids=lambda model: model.__name__)
def test_an_alias_names_keys_that_there_are(model: type[Model]) -> None:
    """And is none itself: it would be read, not refused."""
    keys = {field.alias or name for name, field in model.model_fields.items()}
    assert model.ALIASES
    assert not keys & set(model.ALIASES)
    assert {key for target in model.ALIASES.values() for key in target.split(" and ")} <= keys
