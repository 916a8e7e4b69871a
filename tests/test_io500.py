"""The phases and the score of IO500: sizes, `find`, experiments that continue others."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from seatrial.basics.errors import InputError
from seatrial.faults.room import volume_of
from seatrial.load.job import FindPhase, Interleaved
from seatrial.load.jobs import JobContext, jobs
from seatrial.matrix.resolve import resolve
from seatrial.report.score import table
from seatrial.result.phases import ClientResult, PhaseResult
from seatrial.study.agent_limits import block_bytes
from seatrial.study.points import points
from seatrial.study.study import Study, load_study, parse_study
from seatrial.study.workload import Workload, reads_data
from seatrial.summary.io500_score import PHASES, Score, ScoreReason, io500_score
from tests.builders.places import ROOT

STUDY = ROOT / "studies" / "io500"
CONTEXT = JobContext("00000000000000ab", "/mnt/x", 1, None)

# ---- sizes


@pytest.mark.parametrize(
    ("transfer_bytes", "expected_bytes"),
    [
        (2**20, 4096),
        (1536, 512),
        (47008, 3616),
        (3901, 3901),
        (513, 513),
        (47017, None),
        (256, None),
        (0, None),
    ],
)
def test_a_block_divides_the_transfer(transfer_bytes: int, expected_bytes: int | None) -> None:
    """The same sizes as `block_bytes_for` of the agent."""
    assert block_bytes(transfer_bytes) == expected_bytes


def test_the_transfers_of_ior_hard_take_turns_in_one_file() -> None:
    """47 008 B are no multiple of 512 B."""
    load = Workload.model_validate(
        {
            "layout": "n-1-interleaved",
            "transfer_size": "47008B",
            "file_size": "470080B",
            "phases": ["write", "read"],
        }
    )
    job = jobs(load, "read", ["a", "b"], CONTEXT)["a"]
    assert job.transfer_bytes == 47008
    assert job.layout == Interleaved(first_rank=1, ranks=2, chunk_bytes=47008)
    assert job.writer_client_indexes == (1,)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"transfer_size": "47017B", "file_size": "47017B"}, "have a divisor from 512 B to 4096 B"),
        ({"transfer_size": "1MB", "file_size": "1MB"}, "as every size in kB or MB, e.g. 1MiB"),
        (
            {"transfer_size": "47008B", "file_size": "47008B", "direct": True},
            "direct needs whole sectors",
        ),
        (
            {"transfer_size": "4KiB", "file_size": "4KiB", "name_pattern": "*"},
            "belongs to the phase find",
        ),
        ({"phases": ["find"], "name_pattern": "a/b"}, "it has no /"),
        ({"phases": ["find"], "arrivals_per_s": 1}, "not for the phase find"),
        ({"phases": ["read-files"], "file_size": "65MiB"}, "files of at most 64MiB"),
        ({"phases": ["read-files"], "file_size": "64MiB", "tasks": 129}, "8GiB in all tasks"),
        ({"phases": ["write", "find"], "transfer_size": "4KiB", "file_size": "4KiB"}, "phases mix"),
    ],
)
def test_what_the_agent_cannot_do_is_refused(changes: dict[str, Any], message: str) -> None:
    """With the reason."""
    with pytest.raises(ValidationError, match=message):
        Workload.model_validate(changes)


def test_find_looks_for_names_and_sizes_of_the_neighbour() -> None:
    """As `-name '*01*' -size 3901c` of pfind."""
    load = Workload.model_validate({"phases": ["create", "find"], "file_size": "3901B"})
    job = jobs(load, "find", ["a", "b"], CONTEXT)["a"]
    assert job.phase == FindPhase("*01*")
    assert (job.file_bytes, job.writer_client_indexes) == (3901, (1,))
    other = load.changed({"name_pattern": "f*7"})
    assert jobs(other, "find", ["a"], CONTEXT)["a"].phase == FindPhase("f*7")


def test_whole_files_are_read_from_the_storage() -> None:
    """Caches are emptied before it, and the bytes count as moved."""
    load = Workload.model_validate(
        {"phases": ["create", "read-files"], "file_size": "3901B", "tree": {"items": 10}}
    )
    assert reads_data("read-files")
    assert load.phase_bytes("read-files") == load.phase_bytes("create") == 39010
    assert jobs(load, "read-files", ["a", "b"], CONTEXT)["b"].writer_client_indexes == (0,)


# ---- experiments that continue others


def test_the_study_has_the_phases_of_io500_in_their_order() -> None:
    """In every profile, with the workload that wrote the files."""
    study = load_study(STUDY)
    for profile in ("quick", "trial", "full"):
        experiments = study.experiments_in(profile)
        assert {name: item.workload.phases for name, item in experiments.items()} == {
            name: (phase,) for name, phase in PHASES.items()
        }
        assert list(experiments) == list(PHASES)
        hard = experiments["mdtest-hard-read"].workload
        assert (hard.file_size, hard.directory) == (3901, "shared")
        assert hard.tree == experiments["mdtest-hard-write"].workload.tree
        assert experiments["ior-hard-read"].workload.transfer_size == 47008
        assert all(len(points(item, 4)) == 1 for item in experiments.values())
    quick = study.experiments_in("quick")
    assert quick["ior-easy-read"].workload.file_size == 16 * 2**20
    assert study.experiments["ior-easy-read"].workload.file_size == 64 * 2**20


BASE = """
schema: study/1
id: continued
environment: {kind: hosts}
nodes: {"c[1-2]": {link: 10Gbit/s}}
solution: {kind: mount, directory: /mnt/x, filesystem: nfs4}
experiments:
  made:
    workload: {phases: [create], tree: {items: 20}, file_size: 3901B}
    quick: {workload: {tree: {items: 5}}}
  between:
    workload: {transfer_size: 4KiB, file_size: 8KiB}
  looked-up:
    continues: made
    workload: {phases: [stat]}
"""


def changed(*replacements: tuple[str, str]) -> Study:
    """The study above with other words."""
    text = BASE
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return parse_study(text, Path("study.yaml"))


def test_an_experiment_takes_over_the_keys_that_it_does_not_write() -> None:
    """Also those of a shorter profile, and an edit of the study."""
    study = changed()
    assert study.experiments["looked-up"].workload.tree == study.experiments["made"].workload.tree
    tree = study.experiments_in("quick")["looked-up"].workload.tree
    assert tree is not None
    assert tree.items == 5
    own = changed(("workload: {phases: [stat]}", "workload: {phases: [stat], verify: false}"))
    assert not own.experiments["looked-up"].workload.verify
    again = study.with_values({"solution.directory": "/mnt/y"})
    assert again.experiments["looked-up"].workload.file_size == 3901


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "continues: made",
            "continues: missing",
            "no earlier experiment of this profile is called 'missing'",
        ),
        ("continues: made", "continues: looked-up", "no earlier experiment"),
        ("continues: made", "continues: between", "between must have one phase that makes files"),
        ("phases: [stat]", "phases: [create]", "create makes files, and those of made exist"),
        ("phases: [stat]", "phases: [stat], tasks: 2", "tasks differs from that of made"),
        ("continues: made", "continues: made\n    repeats: 2", "looked-up has repeats"),
        ("file_size: 3901B}", "file_size: 3901B}\n    sweep: {clients: [1, 2]}", "made has sweep"),
        (
            "file_size: 8KiB}",
            "file_size: 8KiB}\n    overrides: {solution.filesystem: lustre}",
            "between, which runs between the two, changes solution.filesystem",
        ),
    ],
)
def test_files_that_would_not_exist_are_refused(old: str, new: str, message: str) -> None:
    """With the place in the study."""
    with pytest.raises(InputError, match=r"study\.yaml:\d+:\d+") as caught:
        changed((old, new))
    assert message in str(caught.value)


def test_a_profile_without_the_files_is_refused() -> None:
    """The experiment that made them must be in the profile."""
    full = ("quick: {workload: {tree: {items: 5}}}", "profiles: [full]")
    with pytest.raises(InputError, match="no earlier experiment of this profile"):
        changed(full)


def test_files_that_are_used_again_are_written_once() -> None:
    """The estimate of a run counts them for the experiment that made them."""
    study = changed()
    volume = volume_of(resolve(study, "full").planned_experiments)
    made_bytes = 20 * 3901
    between_bytes = 8192
    assert volume.size_bytes == 2 * (made_bytes + between_bytes)
    assert volume.files == 2 * (20 + 1)


# ---- the score

CLIENT = ClientResult(
    client="c1",
    size_bytes=0,
    operations=0,
    elapsed_s=310.0,
    tasks=(),
    start_late_s=0.0,
    latency_ms={},
    seconds=(),
    blocks_checked=10,
    damage=(),
    errors=(),
    cpu_s=1.0,
)


def measured(name: str, rate: float, elapsed_s: float = 310.0) -> PhaseResult:
    """A phase with a rate in GiB/s, or in kIOP/s."""
    moves_data = PHASES[name] in ("write", "read")
    return PhaseResult(
        experiment=name,
        point={},
        repeat=1,
        phase=PHASES[name],
        started_unix_s=0.0,
        clients=(CLIENT,),
        natural_bytes_per_s=rate * 2**30 if moves_data else 0.0,
        harmonic_mean_bytes_per_s=0.0,
        harmonic_aggregate_bytes_per_s=0.0,
        fairness=1.0,
        operations_per_s=0.0 if moves_data else rate * 1000,
        cpus_busy_share=None,
        lab_limited=False,
        bottleneck=None,
        predicted_bytes_per_s=None,
        bound=None,
        bound_bytes_per_s=None,
        clock_error_s=0.0,
        partial=False,
        last_done_s=elapsed_s,
    )


PUBLISHED_RATES = {
    "ior-easy-write": 2.0,
    "mdtest-easy-write": 10.0,
    "ior-hard-write": 0.5,
    "mdtest-hard-write": 10.0,
    "find": 1000.0,
    "ior-easy-read": 4.0,
    "mdtest-easy-stat": 100.0,
    "ior-hard-read": 0.25,
    "mdtest-hard-stat": 100.0,
    "mdtest-easy-delete": 10.0,
    "mdtest-hard-read": 10.0,
    "mdtest-hard-delete": 10.0,
}
WHOLE = [measured(name, rate) for name, rate in PUBLISHED_RATES.items()]


def test_the_score_is_the_root_of_both_geometric_means() -> None:
    """Bandwidth 1 GiB/s: the product of the four is 1. Metadata: 10^12 of eight, so 10^1.5."""
    score = io500_score(WHOLE, in_lab=False)
    assert score.bandwidth_gib_per_s == pytest.approx(1.0)
    assert score.metadata_kiop_per_s == pytest.approx(10**1.5)
    assert score.score == pytest.approx(math.sqrt(10**1.5))
    assert score.is_valid
    assert score.words == "IO500 score 5.62 (bandwidth 1.00 GiB/s, metadata 31.6 kIOP/s), valid"
    assert [phase.name for phase in score.phases] == list(PHASES)


@pytest.mark.parametrize("name", PHASES)
def test_a_missing_phase_gives_no_score(name: str) -> None:
    """A phase with a rate of 0, too."""
    left = [item for item in WHOLE if item.experiment != name]
    for results in (left, [*left, measured(name, 0.0)]):
        score = io500_score(results, in_lab=False)
        assert score.score is None
        assert not score.is_valid
        assert score.reasons == (ScoreReason.MISSING_PHASE,)
        assert score.words == f"no IO500 score: {name} not measured"


def test_a_short_write_makes_the_score_invalid() -> None:
    """300 s are enough; reads may be shorter."""
    for elapsed_s, reasons in ((300.0, ()), (299.9, (ScoreReason.SHORT_WRITE,))):
        changed_phase = measured("mdtest-easy-write", 10.0, elapsed_s)
        results = [changed_phase if it.experiment == "mdtest-easy-write" else it for it in WHOLE]
        assert io500_score(results, in_lab=False).reasons == reasons
    short_read = [replace(it, last_done_s=20.0) if it.phase == "read" else it for it in WHOLE]
    assert io500_score(short_read, in_lab=False).is_valid


DAMAGED = replace(CLIENT, damage=({"class": "zero"},))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"partial": True}, ScoreReason.INCOMPLETE_PHASE),
        ({"clients": (DAMAGED,)}, ScoreReason.DAMAGE),
        ({"clients": (CLIENT, replace(CLIENT, blocks_checked=0))}, ScoreReason.NOT_VERIFIED),
    ],
)
def test_a_wrong_phase_makes_the_score_invalid(
    changes: dict[str, Any], reason: ScoreReason
) -> None:
    """The score remains, with its reason."""
    results = [replace(it, **changes) if it.experiment == "find" else it for it in WHOLE]
    score = io500_score(results, in_lab=False)
    assert score.reasons == (reason,)
    assert score.score is not None
    assert score.words.endswith("find")
    assert "INVALID" in score.words


def test_a_scale_model_has_no_valid_score() -> None:
    """Its rates are those of the lab."""
    assert io500_score(WHOLE, in_lab=True).reasons == (ScoreReason.EMULATED,)


def test_the_last_complete_measurement_counts() -> None:
    """A resumed run measures an incomplete phase again."""
    before = replace(measured("find", 7.0), partial=True)
    score = io500_score([before, *WHOLE], in_lab=False)
    after = io500_score([*WHOLE, before], in_lab=False)
    assert score.is_valid
    assert score.score == after.score


def score_rows(score: Score) -> dict[str, tuple[str, ...]]:
    """The rows of the table, by their first cell."""
    shown = table(score)
    assert shown is not None
    return {row[0]: row for row in shown.rows}


def test_the_report_shows_every_phase_and_the_verdict() -> None:
    """Missing phases have a dash."""
    rows = score_rows(io500_score(WHOLE, in_lab=True))
    assert rows["find"] == ("find", "1000", "kIOP/s", "310", "")
    assert rows["score"][-1] == "INVALID"
    without = score_rows(io500_score(WHOLE[1:], in_lab=False))
    assert without["ior-easy-write"] == ("ior-easy-write", "–", "GiB/s", "–", "not measured")
    assert without["score"][-1] == "no score"
    assert table(None) is None
