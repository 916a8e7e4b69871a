"""Settings of all tests. No example has a time limit, because a busy machine would exceed it.

The workers share the files (`--dist loadfile`), so the tests of one file use the same lab. Four
workers boot labs, two on each processor: a lab waits for links, disks and timers during half of its
time. The other workers run the tests without a lab, at a lower priority.
"""

import contextlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.builders.whole_results import Whole, whole_result

settings.register_profile("seatrial", deadline=None)
settings.load_profile("seatrial")

LABS = Path(__file__).parent / "lab"
LAB_WORKERS = ("gw0", "gw1", "gw2", "gw3")
NICENESS_WITHOUT_LAB = 10
"""of the workers that boot no lab"""


for variable in ("SEATRIAL_RESULTS", "SEATRIAL_QUIET", "SEATRIAL_LOG"):
    os.environ.pop(variable, None)
os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "no-settings")
"""the tests do not read the settings of the user who runs them"""


def pytest_configure() -> None:
    """Give a worker for labs one processor, and the other workers a lower priority."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker in LAB_WORKERS:
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[LAB_WORKERS.index(worker) % len(processors)]})
    elif worker is not None:
        os.nice(NICENESS_WITHOUT_LAB)
        # Niceness counts only within a session; the autogroup has one for the session (sched(7)).
        with contextlib.suppress(OSError):
            os.setsid()
            Path("/proc/self/autogroup").write_text(str(NICENESS_WITHOUT_LAB))


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
    "test_cephfs",
    "test_lab",
    "test_protocols",
    "test_script",
    "test_consistency",
    "test_storage_faults",
    "test_agreement",
    "test_faults",
    "test_controls",
    "test_changes",
    "test_self_fencing",
    "test_interrupted",
    "test_slurm_lab",
    "test_shared_array",
    "test_power",
    "test_mount",
    "test_audit_hosts",
)
"""the files that take longest; they begin first, so that no worker ends long after the others"""


SLOW = frozenset(
    {
        "test_after_boot",
        "test_agent_limits",
        "test_analysis",
        "test_canaries",
        "test_catalogue_browser",
        "test_catalogue_page",
        "test_cephfs",
        "test_cephfs_reports",
        "test_ci_examples",
        "test_claim_forms",
        "test_cli",
        "test_consistency",
        "test_consistency_simulated",
        "test_contradictions",
        "test_docs",
        "test_emulators",
        "test_falsified",
        "test_fault_trials",
        "test_gate",
        "test_gfs2",
        "test_history",
        "test_hostile",
        "test_hostile_results",
        "test_import_fio",
        "test_interrupted",
        "test_iscsi",
        "test_json",
        "test_launch_slurm",
        "test_launchers",
        "test_look",
        "test_manifest",
        "test_manifest_study",
        "test_nfs_ha",
        "test_ordinary_user",
        "test_papers",
        "test_plan",
        "test_predict",
        "test_predict_laws",
        "test_preflight",
        "test_published_claims",
        "test_random_studies",
        "test_recorded_shell",
        "test_redact",
        "test_report",
        "test_report_details",
        "test_report_front",
        "test_report_hosts",
        "test_report_page",
        "test_report_pdf",
        "test_result_of_many_clients",
        "test_result_shape",
        "test_results",
        "test_sealed",
        "test_start",
        "test_start_new",
        "test_statistics_simulated",
        "test_study_profiles",
        "test_tidy",
        "test_verbs",
        "test_watch_views",
        "test_words",
        "test_yamlstyle",
    }
)
"""files without a lab that need more than 4 s of a processor; `make test FAST=1` leaves them out"""


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the labs first, and the longest of them at the front.

    It needs `--no-loadscope-reorder`: otherwise xdist begins with the file of the most tests.
    """
    for item in items:
        if item.path.stem in SLOW:
            item.add_marker("slow")

    def place(item: pytest.Item) -> int:
        if LABS not in item.path.parents:
            return len(LONGEST) + 1
        if item.path.stem in LONGEST:
            return LONGEST.index(item.path.stem)
        return len(LONGEST)

    items.sort(key=place)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Whole]:
    """A stored result by its name, in the folder layout of a run."""
    return cache(lambda name: whole_result(name, tmp_path_factory.mktemp(name)))
