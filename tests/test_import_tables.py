"""elbencho's and IO500's results: every phase, or a message about a line that was not
understood.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.foreign import MIB, Foreign, Reading
from seatrial.advice.importing import import_files, read_files, reading_of
from seatrial.basics.errors import InputError
from seatrial.result.result import read_result
from tests.builders.places import DATA

CASES = DATA / "import-cases"


def reading(name: str) -> Reading:
    """The reading of a case's file."""
    (path,) = CASES.glob(f"{name}.*")
    return reading_of(name.partition("-")[0], path.read_text())


def by_phase(name: str) -> dict[str, Foreign]:
    """The last result of each phase."""
    return {item.phase: item for item in reading(name).results}


def test_both_directions_of_a_mixed_phase_are_added() -> None:
    """RWMIX by percent, and MIX-T by threads."""
    mixed = [item for item in reading("elbencho-rwmix").results if item.phase == "mixed"]
    assert [item.operations_per_s for item in mixed] == [100_000, 1800]
    assert [item.bytes_per_s for item in mixed] == [409_600_000, 1800 * MIB]
    assert mixed[0].point != mixed[1].point


def test_empty_files_are_created_and_opened() -> None:
    """And no data move."""
    found = by_phase("elbencho-empty-files")
    assert set(found) == {"mkdir", "create", "stat", "open-close", "remove", "rmdir"}
    assert (found["create"].operations_per_s, found["create"].bytes_per_s) == (52_000, None)


def test_a_rate_below_one_mib_per_s_is_read() -> None:
    """From operations of a known size, as elbencho prints whole MiB/s."""
    assert [item.bytes_per_s for item in reading("elbencho-slow").results] == [
        120 * 4096,
        200 * 4096,
    ]


def test_a_command_with_commas_and_quotes_is_one_field() -> None:
    """Elbencho quotes none of its fields."""
    assert [item.phase for item in reading("elbencho-bad-quote").results] == ["write", "read"]


def test_rows_of_elbencho_that_are_not_understood_are_counted() -> None:
    """Another operation, a row that is cut off, a row without labels that fit."""
    text = (CASES / "elbencho-slow.csv").read_text()
    rows = text.splitlines()
    odd = "\n".join([*rows, rows[1].replace("WRITE", "NET"), rows[1][:40], rows[0], rows[2]])
    found = reading_of("elbencho", odd)
    assert len(found.results) == 3
    assert [line.number for line in found.not_understood] == [4, 5]


def json_row(**changes: Any) -> dict[str, Any]:
    """One line as elbencho's `--jsonfile` writes it: all values are texts."""
    config = {
        "path_type": "dir",
        "paths": "1",
        "hosts": "2",
        "threads": "8",
        "dirs": "1",
        "files": "4",
    }
    config |= {
        "file_size": "1048576",
        "block_size": "4096",
        "direct_io": "true",
        "random_offsets": "true",
    }
    config |= {"io_depth": "16", "version": "3.0-36", "command": '"elbencho" "-w"'}
    last = {"elapsed_time_ms": "1000", "iops": "30000", "bytes/s": "122880000", "cpu%": "12"}
    row = {"phase_type": "WRITE", "phase_id": "x", "iso_start_date": "2025-03-01T10:00:00.1+0100"}
    return {**row, "config": config, "first_done": last, "last_done": last, **changes}


def test_elbencho_as_json() -> None:
    """Bytes per second to the byte; a mixed phase has a separate figure for its readers."""
    mixed = {"iops": "3", "bytes/s": "300", "rwmix_read": {"iops": "7", "bytes/s": "700"}}
    rows = [json_row(), json_row(phase_type="RWMIX70", last_done=mixed)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    write, both = reading_of("elbencho", text).results
    assert (write.bytes_per_s, write.operations_per_s, write.tasks) == (122_880_000, 30_000, 16)
    assert (write.queue_depth, write.direct, write.pattern, write.file_bytes) == (
        16,
        True,
        "random",
        MIB,
    )
    assert (both.phase, both.bytes_per_s, both.operations_per_s) == ("mixed", 1000, 10)
    (cut,) = reading_of("elbencho", text[: len(text) // 2 + 20]).not_understood
    assert cut.number == 2


def test_an_invalid_io500_result_is_never_good(tmp_path: Path) -> None:
    """Kept and marked: a line that ends in [INVALID], one of 0, and one of the profile of 2020."""
    found = reading("io500-invalid")
    assert [item.test for item in found.results if item.problem] == ["ior-easy", "ior-hard"]
    assert "score of the whole run" in found.notes[0]
    marked = [item.problem is not None for item in reading("io500-result-invalid-word").results]
    assert marked == [True, True, False]
    result = read_result(import_files([CASES / "io500-invalid.txt"], tmp_path / "out").folder)
    assert [item.partial for item in result.phases].count(True) == 2


def test_every_phase_of_io500_is_read() -> None:
    """Names with digits and capitals, find, and those of the extended run."""
    found = {item.test: item for item in reading("io500-extended").results}
    random = found["ior-rnd4K-easy"]
    assert (random.phase, random.pattern, random.transfer_bytes) == ("read", "random", 4096)
    assert found["mdworkbench-bench"].operations_per_s == 12_000
    assert by_phase("io500-invalid")["find"].operations_per_s == 990_000
    assert by_phase("io500-invalid")["read-files"].bytes_per_s is None


def test_the_score_is_not_a_phase_and_odd_lines_are_counted() -> None:
    """A line that was cut off is not a result: it may have been invalid."""
    text = (CASES / "io500-extended.txt").read_text()
    found = reading_of("io500", f"{text}[RESULT]  ior-hard-write   1.5 GiB/s : ti\n[WARNING] odd\n")
    assert len(found.results) == 3
    assert [line.number for line in found.not_understood] == [6, 7]


@pytest.mark.parametrize(
    ("name", "words"),
    [("io500-old-bash.txt", "scripts of 2018 and 2019"), ("", "without its line of labels")],
)
def test_forms_that_are_not_read_are_named(name: str, words: str, tmp_path: Path) -> None:
    """With the file to import in their place."""
    path = CASES / name
    if not name:
        path = tmp_path / "rows.csv"
        path.write_text((CASES / "elbencho-slow.csv").read_text().partition("\n")[2])
    with pytest.raises(InputError, match=words):
        read_files([path])


@pytest.mark.parametrize(
    "name", ["elbencho-rwmix.csv", "elbencho-empty-files.csv", "io500-invalid.txt"]
)
def test_altered_tables_are_read_or_refused(name: str, tmp_path: Path) -> None:
    """Cut off anywhere, and with each word in turn made something else."""
    text = (CASES / name).read_text()
    words = sorted(set(text.replace(",", " ").split()))
    changed = [text[:end] for end in range(1, len(text), 61)]
    changed += [
        text.replace(word, odd) for word in words for odd in ("", "inf", "nan", "-1", "1e999")
    ]
    path = tmp_path / "file"
    for item in changed:
        path.write_text(item)
        try:
            _, (source,) = read_files([path])
        except InputError:
            continue
        for result in source.results:
            assert result.bytes_per_s or result.operations_per_s or result.problem
            assert (result.bytes_per_s or 0) < 1e15
