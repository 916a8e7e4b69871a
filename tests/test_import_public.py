"""Forms that 5,000 outputs in public repositories have, and the first readers did not know."""

import csv
import json
from pathlib import Path

import pytest

from seatrial.advice.foreign import Foreign, Reading
from seatrial.advice.importing import read_files, reading_of
from seatrial.basics.errors import InputError
from tests.builders.places import DATA

CASES = DATA / "import-cases"


def read(program: str, name: str, *, old: str = "", new: str = "") -> Reading:
    """The reading of a case's file, with one text in it replaced."""
    text = (CASES / name).read_text()
    assert old in text
    return reading_of(program, text.replace(old, new) if old else text)


def results_of(folder: Path, text: str, name: str = "results.txt") -> tuple[Foreign, ...]:
    """The findings of the import in a file of this text."""
    path = folder / name
    path.write_text(text)
    _, (source,) = read_files([path])
    return source.results


def test_a_run_of_mdtest_that_only_reads_files() -> None:
    """As IO500's mdtest-hard-read: its own rate, and no line that was not understood."""
    reading = read("mdtest", "mdtest-hard-read.txt")
    (found,) = reading.results
    assert (found.phase, found.operations_per_s) == ("read-files", 1414671.58)
    assert reading.not_understood == ()


def test_an_error_of_another_library_is_not_mdtests() -> None:
    """UCX, a launcher or MPI may write into the same log; mdtest's own words mark the result."""
    assert read("mdtest", "mdtest-hard-read.txt").results[0].problem is None
    own = (
        "\nERROR: verifying the data on read (633 errors)! Take the performance values with"
        " care!\n-- finished"
    )
    (marked,) = read("mdtest", "mdtest-hard-read.txt", old="-- finished", new=own).results
    assert "verifying the data on read (633 errors)" in (marked.problem or "")
    failed = (
        "11/07/2023 04:51:42: Process 3: FAILED in mdtest_read, Unable to open file\n-- finished"
    )
    (marked,) = read("mdtest", "mdtest-hard-read.txt", old="-- finished", new=failed).results
    assert "Process 3: FAILED" in (marked.problem or "")


def test_rates_of_nothing_but_0_are_named(tmp_path: Path) -> None:
    """It was printed as a table of times alone."""
    text = (CASES / "mdtest-hard-read.txt").read_text().replace("1414671.580", "0.000")
    with pytest.raises(InputError, match=r"4 tests with a rate of 0\.000"):
        results_of(tmp_path, text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'-w' '3901'", "'-w' '0'"),
        ("'-t'", "'-u'"),
        ("'-N' '1'", "'-N' '0'"),
        ("'-t'", "'-uy'"),
        ("'DFS'", "'POSIX'"),
        ("'-e=3901'", "'-e' '100'"),
    ],
)
def test_options_of_mdtest_make_another_point(old: str, new: str) -> None:
    """Mdtest prints them in its command line alone."""
    first = read("mdtest", "mdtest-hard-read.txt").results[0].point
    assert read("mdtest", "mdtest-hard-read.txt", old=old, new=new).results[0].point != first


def test_mdtest_placement_makes_no_other_point() -> None:
    """And so does the offset of its data, a negative number."""
    first = read("mdtest", "mdtest-hard-read.txt").results[0]
    assert first.file_bytes == 3901
    assert (first.api, first.settings["shifted tasks"]) == ("DFS", "1")
    for old, new in (("/scratch/hard'", "/other'"), ("-499318846", "17")):
        assert read("mdtest", "mdtest-hard-read.txt", old=old, new=new).results[0] == first


def test_ior_3_0_prints_access_and_tasks_in_another_form() -> None:
    """`access = single-shared-file, collective`, `clients = 96 (12 per node)`, `pattern =
    strided (20 segments)`.
    """
    (found,) = read("ior", "ior-3.0.1-collective.txt").results
    assert (found.test, found.access, found.api) == ("single-shared-file", "shared file", "MPIIO")
    assert (found.clients, found.tasks, found.file_bytes) == (8, 96, 96 * 20 * 10 * 2**20)
    assert found.settings == {
        "type": "collective",
        "ordering inter file": "constant",
        "blocksize": "10 MiB",
        "segments": "20",
        "fsync": "yes",
    }
    (own,) = read(
        "ior", "ior-3.0.1-collective.txt", old="single-shared-file, ", new="file-per-process, "
    ).results
    assert own.file_bytes == 20 * 10 * 2**20


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" -e ", " "),
        (" -w ", " -w -B "),
        ("constant task offsets = 1", "no tasks offsets"),
        ("blocksize          = 10 MiB", "blocksize          = 20 MiB"),
    ],
)
def test_settings_of_ior_make_another_point(old: str, new: str) -> None:
    """Fsync and O_DIRECT are in its command line alone."""
    first = read("ior", "ior-3.0.1-collective.txt").results[0].point
    assert read("ior", "ior-3.0.1-collective.txt", old=old, new=new).results[0].point != first


def test_an_aggregate_that_is_rounded_is_counted_from_blocks() -> None:
    """`136.81 TiB` of 320 tasks with 10,000,000 blocks of 47008 B."""
    text = (CASES / "ior-3.0.1-collective.txt").read_text()
    for old, new in (
        ("(20 segments)", "(10000000 segments)"),
        ("blocksize          = 10 MiB", "blocksize          = 47008 bytes"),
        ("96 (12 per node)", "320 (32 per node)"),
        ("18.75 GiB", "136.81 TiB"),
    ):
        text = text.replace(old, new)
    (found,) = reading_of("ior", text).results
    assert found.file_bytes == 320 * 10_000_000 * 47008


def test_ior_as_csv_has_no_order() -> None:
    """A pattern that is not printed is not invented."""
    text = (DATA / "imports/ior-csv.csv").read_text()
    assert [item.pattern for item in reading_of("ior", text).results] == [None]


def test_an_error_of_ior_4() -> None:
    """Its ERR begins the line."""
    error = "ERROR: cannot open file, (aiori-POSIX.c:502)\nMax Write"
    (found,) = read("ior", "ior-3.0.1-collective.txt", old="Max Write", new=error).results
    assert "cannot open file" in (found.problem or "")


@pytest.mark.parametrize(
    "form", ['{"data": [%s], "pod": "x"}', "[%s]", '{"results": {"a": {"fio": %s}}}']
)
def test_fio_inside_other_json(form: str, tmp_path: Path) -> None:
    """As programs that start fio keep it."""
    text = (CASES / "fio-bs-MiB.json").read_text()
    expected = results_of(tmp_path, text, "own.json")
    found = results_of(tmp_path, form % text, "inside.json")
    assert [(item.point, item.bytes_per_s) for item in found] == [
        (item.point, item.bytes_per_s) for item in expected
    ]
    flat = json.dumps(json.loads(form % text))
    assert len(results_of(tmp_path, flat, "flat.json")) == len(expected)


@pytest.mark.parametrize(("iops", "transfer_bytes"), [(133, 512 * 1024), (132, None), (0, None)])
def test_the_transfer_size_of_fio_2_1(iops: int, transfer_bytes: int | None) -> None:
    """It prints neither options nor `total_ios`; one size alone gives its whole `iops`."""
    part = {"io_bytes": 361984, "bw": 68118, "iops": iops, "runtime": 5314}
    job = {
        "jobname": "w",
        "groupid": 0,
        "error": 0,
        "write": part,
        "read": {"io_bytes": 0, "bw": 0},
    }
    text = json.dumps({"fio version": "fio-2.1.4", "jobs": [job]})
    (found,) = reading_of("fio", text).results
    assert (found.transfer_bytes, found.bytes_per_s) == (transfer_bytes, 68118 * 1024)


@pytest.mark.parametrize("word", ["-nan", "nan", "inf", "-inf"])
def test_a_figure_that_is_no_json(word: str, tmp_path: Path) -> None:
    """Fio's steady state prints `"slope" : -nan`; the figures next to it are read."""
    text = (CASES / "fio-bs-MiB.json").read_text()
    expected = results_of(tmp_path, text, "own.json")
    part = (
        f'"steadystate" : {{\n "criterion" : "{word}%", "slope" : {word},\n "data" : [ {word},'
        f" {word} ]\n }},"
    )
    odd = text.replace('"jobname"', f'{part} "jobname"')
    assert odd != text
    assert results_of(tmp_path, odd, "odd.json") == expected
    rates = text.replace('"bw_bytes": 1333333333', f'"bw_bytes":{word}')
    assert rates != text
    (found,) = results_of(tmp_path, rates, "rates.json")
    assert (found.bytes_per_s, found.operations_per_s) == (None, expected[0].operations_per_s)


def test_elbenchos_rows_as_json(tmp_path: Path) -> None:
    """A converted CSV, with its labels as keys."""
    name = "elbencho-rwmix.csv"
    with (CASES / name).open() as file:
        rows = list(csv.DictReader(file))
    found = results_of(tmp_path, json.dumps(rows, indent=1), "rows.json")
    lines = "\n".join(json.dumps(row) for row in rows)
    expected = read("elbencho", name).results
    for other in (found, results_of(tmp_path, lines, "lines.json")):
        assert [(item.point, item.bytes_per_s) for item in other] == [
            (item.point, item.bytes_per_s) for item in expected
        ]


def test_elbenchos_labels_alone(tmp_path: Path) -> None:
    """A run that was ended before its first phase did."""
    labels = (CASES / "elbencho-slow.csv").read_text().partition("\n")[0]
    with pytest.raises(InputError, match="no row of results"):
        results_of(tmp_path, f"{labels}\n")


def test_other_programs_lines_of_results_are_not_io500s(tmp_path: Path) -> None:
    """`[RESULT][name] [FAIL]` is another test suite's."""
    with pytest.raises(InputError, match="not the output of"):
        results_of(tmp_path, "[RESULT][shstk_alloc]      [FAIL]    [1]         [0.023s]\n")


def test_other_lines_of_io500_are_not_lost_results() -> None:
    """The job's own log has such lines around them."""
    text = "[run]\n" * 3 + (CASES / "io500-extended.txt").read_text()
    assert reading_of("io500", text).not_understood == ()


def test_a_binary_file_is_not_taken_for_utf_16(tmp_path: Path) -> None:
    """Many zero bytes are no sign of it: every second byte has to be zero."""
    path = tmp_path / "f.swp"
    path.write_bytes(b"b0VIM 8.0" + b"\0" * 3000 + (CASES / "io500-extended.txt").read_bytes())
    with pytest.raises(InputError, match="it is not text, or is damaged"):
        read_files([path])
    path.write_bytes("IOR-3.3.0: no mark before it".encode("utf-16-le"))
    with pytest.raises(InputError, match="UTF-16"):
        read_files([path])


IOZONE = """\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.506 $
\tThroughput test with 4 threads
\tEach thread writes a 262144 kByte file in 64 kByte records

\tChildren see throughput for  4 initial writers \t=  100000.00 kB/sec
\tParent sees throughput for  4 initial writers \t=   90000.00 kB/sec
"""


def test_threads_of_iozone() -> None:
    """With -T it prints threads."""
    (found,) = reading_of("iozone", IOZONE).results
    assert (found.tasks, found.transfer_bytes, found.file_bytes) == (4, 65536, 2**28)
    assert found.bytes_per_s == 90000 * 1024


@pytest.mark.parametrize(
    "line",
    [
        "Error in file: Position 4096 ",
        "Error writing block 17, fd= 3",
        "fsync: Input/output error",
        "write: No space left on device",
        "iozone: interrupted",
        "\tPerformance measurements are invalid in this mode.",
    ],
)
def test_an_iozone_error_is_no_good_result(line: str, tmp_path: Path) -> None:
    """All results of its run are marked, and no other run's."""
    first, second = reading_of("iozone", f"{IOZONE}\n{line}\n{IOZONE}").results
    assert first.problem == f"IOzone reports: {line.strip()}"
    assert second.problem is None
    without = IOZONE.partition("\tChildren")[0]
    with pytest.raises(InputError, match="a run without a result: "):
        results_of(tmp_path, f"{without}\n{line}\n")


def test_options_that_iozone_repeats_are_no_errors() -> None:
    """Its command line and its head have such words."""
    head = (
        "\tCommand line used: iozone -i 0 -f /scratch/read: -e\n\tInclude fsync in write timing\n"
    )
    (found,) = reading_of("iozone", IOZONE.replace("\tThroughput", f"{head}\tThroughput")).results
    assert found.problem is None


@pytest.mark.parametrize(
    "line",
    [
        "Using mmap files",
        ">>> O_DSYNC mode enabled. <<<",
        ">>> Shared file mode enabled. <<<",
        "POSIX Async I/O (no bcopy). Depth 8 ",
        "Rate control active 100 Ops/sec .",
        "Stonewall disabled",
    ],
)
def test_modes_of_iozone_make_another_point(line: str) -> None:
    """As its head prints them."""
    plain = reading_of("iozone", IOZONE).results[0].point
    (found,) = reading_of(
        "iozone", IOZONE.replace("\tThroughput", f"\t{line}\n\tThroughput")
    ).results
    assert found.point != plain


def test_a_row_of_iozone_with_something_that_is_no_figure_is_counted() -> None:
    """Its columns are not known then."""
    text = (DATA / "imports/iozone-old-KB-table.txt").read_text()
    row = next(line for line in text.split("\n") if line.split()[:1] == ["409600"])
    last = row.split()[-1]
    reading = reading_of("iozone", text.replace(row, row.replace(last, "*" * len(last))))
    assert [line.text.split()[0] for line in reading.not_understood] == ["409600"]
    assert reading_of("iozone", text).not_understood == ()
