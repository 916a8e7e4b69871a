"""Results of other programs: files that they wrote here (IO500's and elbencho's as their sources
write them).
"""

import contextlib
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seatrial.advice.compare import compare
from seatrial.advice.foreign import MIB, Foreign, ReaderError, size_bytes
from seatrial.advice.importing import PROGRAMS, import_files, reading_of
from seatrial.basics.errors import InputError
from seatrial.cli import app
from seatrial.result.result import read_result
from tests.builders.places import DATA
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL

IMPORTS = DATA / "imports"
ELBENCHO = """ISO date,label,path type,paths,hosts,threads,dirs,files,file size,block size,\
direct IO,random,random aligned,IO depth,shared paths,truncate,operation,\
time ms [first],time ms [last],entries/s [first],entries/s [last],\
IOPS [first],IOPS [last],MiB/s [first],MiB/s [last],version
2026-11-23T20:00:00.000+0000,run1,dir,1,2,4,1,1,16777216,1048576,1,0,,1,0,0,MKDIRS,1,2,400,350,,,,,3.1-1
2026-11-23T20:00:01.000+0000,run1,dir,1,2,4,1,1,16777216,1048576,1,0,,1,0,0,WRITE,900,1000,8,8,1300,1280,1300,1280,3.1-1
2026-11-23T20:00:02.000+0000,run1,dir,1,2,4,1,1,16777216,4096,1,1,,1,0,0,READ,900,1000,8,8,9000,8000,35,31,3.1-1
"""
IO500 = """IO500 version io500-isc23 (standard)
[RESULT]       ior-easy-write        2.500000 GiB/s : time 304.103 seconds
[RESULT]    mdtest-easy-write       10.284741 kIOPS : time 302.112 seconds
[      ]            timestamp        0.000000 kIOPS : time 0.000 seconds
[RESULT]                 find       99.000000 kIOPS : time 1.000 seconds
[RESULT]  mdtest-hard-delete        3.000000 kIOPS : time 20.000 seconds
[SCORE ] Bandwidth 1.054330 GiB/s : IOPS 12.3 kiops : TOTAL 3.6
"""
IOR_3_0 = """IOR-3.0.1: MPI Coordinated Test of Parallel I/O

Summary:
	api                = POSIX
	test filename      = /nfs/test
	access             = single-shared-file
	ordering in a file = sequential offsets
	clients            = 16 (8 per node)
	repetitions        = 1
	xfersize           = 20 MiB

access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     381.05     204800     20480      0.029      8.37       0.000      8.40       0
remove    -          -          -          -          -          -          0.05       0
"""


def results(program: str, text: str) -> Iterator[Foreign]:
    """The result of the only reader that recognised the text."""
    assert [name for name in PROGRAMS.names() if PROGRAMS.load(name).recognises(text)] == [program]
    return iter(reading_of(program, text).results)


def of_file(program: str, name: str) -> list[Foreign]:
    """The same, of a file."""
    return list(results(program, (IMPORTS / name).read_text()))


def test_fio() -> None:
    """Jobs of one name and group are one result; one that reads and writes at once is mixed."""
    write, read, mixed = of_file("fio", "fio.json")
    assert (write.test, write.phase, write.transfer_bytes, write.tasks, write.pattern) == (
        "w", "write", 262144, 2, "sequential"
    )  # fmt: skip
    jobs = json.loads((IMPORTS / "fio.json").read_text())["jobs"]
    parts = [job["write"] for job in jobs[:2]]
    slowest_s = max(part["runtime"] for part in parts) / 1000
    assert write.bytes_per_s == pytest.approx(sum(part["io_bytes"] for part in parts) / slowest_s)
    assert (read.phase, read.pattern, read.tasks, read.bytes_per_s) == (
        "read",
        "random",
        2,
        50533783,
    )
    assert read.latency_ms["p99"] == jobs[2]["read"]["clat_ns"]["percentile"]["99.000000"] / 1e6
    assert (mixed.phase, mixed.latency_ms) == ("mixed", {})
    both = jobs[3]["read"]["bw_bytes"] + jobs[3]["write"]["bw_bytes"]
    assert mixed.bytes_per_s == pytest.approx(both, rel=0.01)


def test_ior_as_text_and_as_json() -> None:
    """Every repetition, in both profiles; and the profile of version 3.0."""
    found = of_file("ior", "ior.txt")
    assert [item.phase for item in found] == ["write", "read"] * 3
    assert found[0].bytes_per_s == pytest.approx(306.35 * MIB)
    assert (found[0].tasks, found[0].clients, found[0].transfer_bytes, found[0].test) == (
        2, 1, 262144, "file-per-process"
    )  # fmt: skip
    given = of_file("ior", "ior.json")
    assert [item.bytes_per_s for item in given][:2] == [2056.6615 * MIB, 17503.6161 * MIB]
    assert {item.pattern for item in given} == {"random"}
    (old,) = results("ior", IOR_3_0)
    assert (old.bytes_per_s, old.tasks, old.transfer_bytes) == (381.05 * MIB, 16, 20 * MIB)


def test_mdtest() -> None:
    """Three iterations follow from the highest, the lowest and the mean."""
    found = of_file("mdtest", "mdtest.txt")
    on_files = {"create", "stat", "read-files", "remove"}
    on_directories = {"mkdir", "directory-stat", "directory-rename", "rmdir"}
    assert {item.phase for item in found} == on_files | on_directories
    creates = [item.operations_per_s for item in found if item.phase == "create"]
    assert creates == [8447.359, 6996.687, pytest.approx(3 * 7914.547 - 8447.359 - 6996.687)]
    assert (found[0].tasks, found[0].clients) == (2, 1)


def test_iozone() -> None:
    """The parent's sums, and cells of a table under their heads where tests were left out."""
    found = {item.test: item for item in of_file("iozone", "iozone-throughput.txt")}
    assert found["initial writers"].bytes_per_s == pytest.approx(993977.33 * 1024)
    assert (found["random readers"].pattern, found["random readers"].transfer_bytes) == (
        "random",
        65536,
    )
    assert found["readers"].tasks == 2
    assert "re-readers" not in found
    table = of_file("iozone", "iozone-auto.txt")
    cells = {(item.test, item.transfer_bytes): item.bytes_per_s for item in table[:8]}
    assert {name for name, _ in cells} == {
        "initial writers",
        "rewriters",
        "random readers",
        "random writers",
    }
    assert cells[("random readers", 256 * 1024)] == 8122014 * 1024


def test_elbencho_and_io500() -> None:
    """Until the last worker had finished; and the sums of IO500."""
    made, written, read = results("elbencho", ELBENCHO)
    assert (made.phase, made.operations_per_s, made.bytes_per_s) == ("mkdir", 350, None)
    assert (written.bytes_per_s, written.tasks, written.clients, written.transfer_bytes) == (
        1280 * MIB,
        8,
        2,
        MIB,
    )
    assert (read.pattern, read.operations_per_s) == ("random", 8000)
    easy, create, find, delete = results("io500", IO500)
    assert (find.phase, find.operations_per_s) == ("find", 99000)
    assert (easy.phase, easy.test, easy.bytes_per_s) == ("write", "ior-easy", 2.5 * 2**30)
    assert (create.phase, delete.phase) == ("create", "remove")
    assert create.operations_per_s == pytest.approx(10284.741)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("256k", 262144),
        ("1 MiB", MIB),
        ("262144 bytes", 262144),
        ("4K", 4096),
        ("512", 512),
        ("4k,8k", None),
        ("", None),
    ],
)
def test_sizes_as_these_programs_write_them(text: str, size: int | None) -> None:
    """Powers of 1024; a range is no size."""
    assert size_bytes(text) == size


def test_an_import_is_a_result_that_can_be_compared_and_exported(tmp_path: Path) -> None:
    """Two files are repeats; they match own points only where every setting agrees."""
    first = tmp_path / "a.txt"
    second = tmp_path / "b.txt"
    first.write_text((IMPORTS / "ior.txt").read_text())
    second.write_text((IMPORTS / "ior.txt").read_text().replace("306.35", "310.35"))
    done = CliRunner().invoke(
        app, ["import", str(first), str(second), "--out", str(tmp_path / "ior")]
    )
    assert done.exit_code == 0, done.output
    assert "12 results of ior" in done.output
    study = {
        **MINIMAL,
        "experiments": {
            "one": {
                "workload": {"transfer_size": "256KiB", "file_size": "8MiB", "tasks": 2},
                "sweep": {"clients": [1]},
            }
        },
    }
    rates = [
        phase(rate * 1e6, phase="write", point={"clients": 1}, repeat=n)
        for n, rate in enumerate([100, 101, 99], 1)
    ]
    own = result_of(
        tmp_path / "own",
        study,
        *rates,
        phase(1e6, phase="read", point={"clients": 1}, lab_limited=True),
    )
    comparison = compare(own, read_result(tmp_path / "ior"))
    (row,) = comparison.rows
    assert (row.experiment, row.phase, row.b_repeats) == ("one", "write", 6)
    assert row.a == pytest.approx(100)
    assert comparison.left_out[0].endswith("limited by the lab's CPUs in the first result")
    assert compare(read_result(tmp_path / "ior"), own).rows[0].ratio == pytest.approx(1 / row.ratio)
    reported = CliRunner().invoke(app, ["export", str(tmp_path / "ior")])
    assert reported.exit_code == 0
    found = list(csv.DictReader(io.StringIO(reported.stdout)))
    assert {row["quantity"] for row in found} == {"rate", "operations"}
    assert all("file-per-process" in row["point"] for row in found)


def test_three_records_side_by_side(tmp_path: Path) -> None:
    """Each against the first."""
    for name, rate in (("a", 10), ("b", 20), ("c", 5)):
        result_of(tmp_path / name, MINIMAL, *(phase(rate * 1e6, repeat=n) for n in (1, 2)))
    names = [str(tmp_path / name) for name in "abc"]
    given = json.loads(CliRunner().invoke(app, ["compare", *names, "--json"]).stdout)
    assert [item["rows"][0]["ratio"] for item in given["others"]] == [2.0, 0.5]
    assert CliRunner().invoke(app, ["compare", *names]).stdout.count("A: ") == 2


def test_an_impossible_import_is_refused(tmp_path: Path) -> None:
    """A foreign text, the files of two programs, a missing file, a folder."""
    (tmp_path / "x").write_text("hello")
    with pytest.raises(
        InputError, match="not the output of elbencho, fio, io500, ior, iozone, mdtest"
    ):
        import_files([tmp_path / "x"], tmp_path / "out")
    with pytest.raises(InputError, match="results of ior and mdtest need separate folders"):
        import_files([IMPORTS / "ior.txt", IMPORTS / "mdtest.txt"], tmp_path / "out")
    with pytest.raises(InputError, match="No such file"):
        import_files([tmp_path / "y"], tmp_path / "out")
    with pytest.raises(InputError, match="already exists"):
        import_files([IMPORTS / "ior.txt"], tmp_path)
    assert not (tmp_path / "out").exists()
    done = CliRunner().invoke(
        app, ["report", str(import_files([IMPORTS / "ior.txt"], tmp_path / "out").folder)]
    )
    assert done.exit_code == 2 or isinstance(done.exception, InputError)


def test_every_reader_takes_any_text() -> None:
    """Half a file is no crash, and never a figure that is not there."""
    for path in sorted(IMPORTS.iterdir()):
        text = path.read_text()
        for end in range(0, len(text), max(len(text) // 40, 1)):
            for name in PROGRAMS.names():
                program = PROGRAMS.load(name)
                if program.recognises(text[:end]):
                    with contextlib.suppress(ReaderError):
                        reading_of(name, text[:end])
