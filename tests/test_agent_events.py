"""The lines of the agent: it prints every field that the controller's types name, and no other."""

from pathlib import Path
from typing import Any, NotRequired, get_args, get_origin, get_type_hints

import pytest
from typing_extensions import is_typeddict

from seatrial.load.agent import run_phase
from seatrial.load.agent_events import DoneLine, SecondLine
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.jobs import JobContext, jobs
from seatrial.study.workload import Workload
from seatrial.transport import Local
from tests.builders.agents import AGENT, NODES, workload

LOADS = {
    "write": workload(file_size="1MiB", arrivals_per_s=300, warm_up="200ms", window="400ms"),
    "copy-to-storage": Workload.model_validate(
        {"phases": ["copy-to-storage"], "sizes": [{"file_size": "4KiB", "files": 2}]}
    ),
}
ONLY_OF_SOME = {"steady", "copy"}
"""fields of `done` that depend on the phase"""


def differences(value: Any, hint: Any, where: str) -> list[str]:
    """The fields that only one side has, down to each item of a list."""
    if get_origin(hint) is NotRequired:
        return differences(value, get_args(hint)[0], where)
    if get_origin(hint) is list:
        items = [differences(item, get_args(hint)[0], f"{where}[]") for item in value]
        return [text for texts in items for text in texts]
    if get_origin(hint) is dict and is_typeddict(get_args(hint)[1]):
        items = [differences(item, get_args(hint)[1], f"{where}{{}}") for item in value.values()]
        return [text for texts in items for text in texts]
    if not is_typeddict(hint) or hint.__name__ == "Extent":
        return []
    named = get_type_hints(hint)
    missing = hint.__required_keys__ - value.keys()
    texts = [f"{where}.{key}" for key in (value.keys() - named.keys()) | missing]
    for key in value.keys() & named.keys():
        texts += differences(value[key], named[key], f"{where}.{key}")
    return texts


@pytest.mark.parametrize("phase", LOADS)
def test_the_agent_prints_the_fields_of_the_types(phase: str, tmp_path: Path) -> None:
    """In its seconds and in its last line."""
    local = tmp_path / "local"
    storage = tmp_path / "storage"
    local.mkdir()
    storage.mkdir()
    context = JobContext("00000000000000ab", str(storage), 1, None, local_directory=str(local))
    node = NODES[:1]
    clocks = measure_clocks(Local(), node, AGENT)
    _, (agent,) = run_phase(Local(), AGENT, jobs(LOADS[phase], phase, node, context), clocks)
    assert agent.done is not None
    assert differences(agent.done, DoneLine, "done") == []
    assert get_type_hints(DoneLine).keys() - agent.done.keys() <= ONLY_OF_SOME
    for line in agent.seconds:
        assert differences(line, SecondLine, "second") == []
    assert ("steady" in agent.done, "copy" in agent.done) == (phase == "write", phase != "write")
