"""For all tests: no example has a limit of time, which a busy machine would turn into a failure; workers deal out files
(--dist loadfile): what the tests of one have brought up is theirs.

Four workers boot labs, two on a processor each: a lab waits for links, disks and timers for half of its time.
Further ones never do: they run what needs none in what time labs leave.
"""

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

settings.register_profile("seatrial", deadline=None)
settings.load_profile("seatrial")

LABS = Path(__file__).parent / "lab"
LAB_WORKERS = ("gw0", "gw1", "gw2", "gw3")
BESIDE = 10
"""how nice those are that boot no lab"""


for variable in ("SEATRIAL_RESULTS", "SEATRIAL_QUIET"):
    os.environ.pop(variable, None)
os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "no-settings")
"""the settings of the user who runs the tests are none of theirs"""


def pytest_configure() -> None:
    """Give a worker for labs one processor, and the other workers a lower priority."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker in LAB_WORKERS:
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[LAB_WORKERS.index(worker) % len(processors)]})
    elif worker is not None:
        os.nice(BESIDE)
        with contextlib.suppress(OSError):  # niceness counts within a session (sched(7), autogroups), and between them
            os.setsid()
            Path("/proc/self/autogroup").write_text(str(BESIDE))


class LabsApart(LoadFileScheduling):  # type: ignore[misc]  # xdist says no types
    """Send files with labs to the workers that boot them, and other files to any free worker."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        boots = node.gateway.id in LAB_WORKERS
        fitting = [file for file in self.workqueue if boots or not file.startswith("tests/lab/")]
        if not fitting:
            node.shutdown()
            return
        self.workqueue.move_to_end(fitting[0], last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LabsApart | None:
    """With `--dist loadfile` alone, which `make test` asks for."""
    return LabsApart(config, log) if config.getvalue("dist") == "loadfile" else None


LONGEST = (
    *("test_cephfs", "test_lab", "test_protocols", "test_script", "test_consistency", "test_storage_faults"),
    *("test_agreement", "test_faults", "test_controls", "test_changes", "test_self_fencing", "test_interrupted"),
    *("test_shared_array", "test_power", "test_mount", "test_audit_hosts"),
)
"""files that take longest: begun last, one of them would be waited for alone"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Labs first, and of these the longest (with `--no-loadscope-reorder`, or xdist begins with the most tests)."""

    def place(item: pytest.Item) -> int:
        lab = LABS in item.path.parents
        return LONGEST.index(item.path.stem) if lab and item.path.stem in LONGEST else len(LONGEST) + (not lab)

    items.sort(key=place)
