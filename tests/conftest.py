"""For all tests: no example has a limit of time, which a busy machine would turn into a failure; two workers share the
machine, a processor each, and deal out files (--dist loadfile): what the tests of one have brought up is theirs.
"""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("seatrial", deadline=None)
settings.load_profile("seatrial")

LABS = Path(__file__).parent / "lab"


def pytest_configure() -> None:
    """A worker keeps to one processor, so that no lab takes another's."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is not None:
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[int(worker.removeprefix("gw")) % len(processors)]})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Labs first, since they take longest."""
    items.sort(key=lambda item: LABS not in item.path.parents)
