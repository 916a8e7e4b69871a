"""Messages for mistakes in studies: where the mistake is, and what the writer meant."""

from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.yamlfile import dotted, parse_yaml
from seatrial.check import prepare
from seatrial.judge.base import load_checkers
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
