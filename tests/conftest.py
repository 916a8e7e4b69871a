"""For all tests: no example has a limit of time, which a busy machine would turn into a failure; two workers share the
machine, a processor each, and the labs of a module stay on one of them.
"""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("seatrial", deadline=None)
settings.load_profile("seatrial")

LABS = Path(__file__).parent / "lab"
AGENTS = ("test_agent", "test_lost_agents", "test_faults")
"""those that run agents on this machine, whose files have one place there"""


def pytest_configure() -> None:
    """A worker keeps to one processor, so that no lab takes another's."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is not None:
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[int(worker.removeprefix("gw")) % len(processors)]})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Labs first, since they take longest; those of a module share what it has brought up, so they stay together."""
    for item in items:
        if LABS in item.path.parents:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
        elif item.path.stem in AGENTS:
            item.add_marker(pytest.mark.xdist_group("agents"))
    items.sort(key=lambda item: LABS not in item.path.parents)
