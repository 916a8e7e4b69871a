"""Faults: the actions of each kind."""

from pathlib import Path
from typing import Any

import pytest

from seatrial.faults.base import (
    Action,
    NotHere,
    Power,
    Roles,
    Scene,
    fault_kind,
    fault_kinds,
)
from seatrial.labs.base import lab_kind
from seatrial.solutions.base import load_solution
from tests.builders.fault_kinds import KINDS
from tests.builders.fault_studies import scene
from tests.builders.strategies import study


@pytest.mark.parametrize(
    ("kind", "options", "inject", "repair"), KINDS, ids=[item[0] for item in KINDS]
)
def test_each_kind_has_its_actions_and_their_undo(
    kind: str, options: dict[str, Any], inject: tuple[Action, ...], repair: tuple[Action, ...]
) -> None:
    """On the node that has the role at that moment."""
    module = fault_kind(kind)
    found = module.actions(module.Options.model_validate(options), scene())
    assert (found.inject, found.repair) == (inject, repair)
    assert all(action.text() for action in (*inject, *repair))
    assert module.TITLE
    assert module.WORD
    assert module.DURATION_S > 0


def test_every_kind_has_a_test() -> None:
    """Here, or in another test file that names it: a longer command is tried on a shell."""
    others = [path.read_text() for path in Path(__file__).parent.rglob("test_*.py")]
    tried = {item[0] for item in KINDS}
    untried = [name for name in fault_kinds() if name not in tried]
    assert [name for name in untried if not any(f'"{name}"' in text for text in others)] == []


def test_roles_are_those_of_the_moment() -> None:
    """The active server is where the service is now; where there is no peer, or no service, that is
    a reason.
    """
    module = fault_kind("power-cut")
    passive = module.Options.model_validate({"node": "passive"})
    assert module.actions(passive, scene(storage="c4")).inject == (Power("nas", "off"),)
    with pytest.raises(NotHere, match="runs nowhere"):
        module.actions(
            passive,
            Scene(*vars(scene()).values()).__class__(
                **{**vars(scene()), "roles": Roles(("a",), {})}
            ),
        )
    single = load_solution(study(), lab_kind(study()).site(study()))
    with pytest.raises(NotHere, match="no other server"):
        module.actions(
            passive,
            Scene(study(), lab_kind(study()).site(study()), single, Roles(("nas",), {"": "nas"})),
        )


def test_netem_has_the_arguments_of_tc() -> None:
    """Loss, delay with jitter, and reordering, which needs a delay."""
    options = fault_kind("net-emulation").Options

    def netem(**values: Any) -> Any:
        return options.model_validate(values).netem()  # type: ignore[attr-defined]

    assert netem(effect="loss", percent=5) == "loss 5%"
    assert netem(effect="delay", delay="100ms", jitter="20ms") == "delay 0.1s 0.02s"
    assert netem(effect="reorder", percent=25, delay="10ms") == "delay 0.01s reorder 25%"
