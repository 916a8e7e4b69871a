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


LONGEST = (
    *("test_cephfs", "test_script", "test_lab", "test_protocols", "test_consistency", "test_storage_faults"),
    *("test_changes", "test_agreement", "test_faults", "test_interrupted", "test_power"),
)
"""files that take longest: begun last, one of them would be waited for alone"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Labs first, and of these the longest (with `--no-loadscope-reorder`, or xdist begins with the most tests)."""

    def place(item: pytest.Item) -> int:
        lab = LABS in item.path.parents
        return LONGEST.index(item.path.stem) if lab and item.path.stem in LONGEST else len(LONGEST) + (not lab)

    items.sort(key=place)
