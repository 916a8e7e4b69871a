"""The command line as a user meets it: messages, exit codes, and no remains."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from seatrial import cli
from seatrial.cli import app
from seatrial.cli.groups import VERBS
from tests.builders.commands import in_process, seatrial
from tests.builders.places import STUDIES
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, changed, text_of


@pytest.mark.parametrize("verb", [["deploy"], ["plan"], ["run"], ["undeploy"], ["lab", "up"]])
def test_a_wrong_study_is_reported_in_one_line_and_exits_2(tmp_path: Path, verb: list[str]) -> None:
    """From any working directory, with the given path; no traceback; no file is written."""
    (tmp_path / "study.yaml").write_text(text_of(changed("nodes.nas.memory", 512)))
    done = in_process(*verb, "study.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: study.yaml:"), done.stderr
    assert "512 has no unit; write it like 64MiB" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["study.yaml"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere.yaml"], "no such file"),
        (["run", "study.yaml", "--quick", "--full"], "exclude each other"),
        (["run", "study.yaml", "--only", "fig99"], "no experiment and no fault is called 'fig99'"),
        (
            ["plan", "study.yaml", "--wipe", "nas:/dev/sdz"],
            "no device of the study is called '/dev/sdz'; nas has",
        ),
        (
            ["plan", "study.yaml", "--wipe", "nas:/dev/ubd*"],
            "no device of the study is called '/dev/ubd*'",
        ),
        (["plan", "study.yaml", "--wipe", "nas:/dev/ubdb,"], "no device of the study is called ''"),
        (["plan", "study.yaml", "--wipe", "nas"], "no device of the study is called ''"),
        (["judge", "nowhere"], "no result here"),
        (["report", "."], "no result here"),
        (["report", ".", "--part", "evidence"], "the page has no parts"),
        (["bench", "nowhere"], "no such directory"),
        (["bench", ".", "--size", "many"], "--size: 'many'"),
        (
            ["plan", "study.yaml", "--wipe", "n[1-:/dev/sdb"],
            "--wipe: 'n[1-' is not a valid node set",
        ),
        (["bench", "."], "is not empty"),
        (["bench", ".", "--size", "0B"], "--size: a file needs at least one byte"),
        (["undeploy", "study.yaml"], "no lab of small is up"),
        (["frobnicate"], "No such command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_use_exits_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    """One sentence with the mistake."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    done = in_process(*arguments, cwd=tmp_path)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("criteria", [{"id": "x", "check": "luck"}], "'luck' is not known"),
        ("published_claims", {"C99": {"inconclusive": "x"}}, "md1200-nfs has no claim C99"),
    ],
)
def test_wrong_criteria_are_reported_before_the_run(
    tmp_path: Path, path: str, value: object, message: str
) -> None:
    """Not after the run."""
    data = changed("id", "small") | {"published": "md1200-nfs", path: value}
    (tmp_path / "study.yaml").write_text(text_of(data))
    for verb in ("validate", "run"):
        done = in_process(verb, "study.yaml", cwd=tmp_path)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "results").exists()


def test_a_process_prints_the_same_as_a_call(tmp_path: Path) -> None:
    """The real command and the call of other tests here: the same text, the same stream, the
    same code.
    """
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    for arguments in (
        ["run", "study.yaml", "--only", "fig99"],
        ["frobnicate"],
        ["plan", "study.yaml"],
    ):
        real = seatrial(*arguments, cwd=tmp_path)
        called = in_process(*arguments, cwd=tmp_path)
        assert (real.returncode, real.stdout, real.stderr) == (
            called.returncode,
            called.stdout,
            called.stderr,
        )


def test_validate_reports_the_mistake_of_a_study(tmp_path: Path) -> None:
    """With its place, before any run; or the text that the study is valid, also for a name."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    for named, text in (("study.yaml", "study.yaml: valid"), ("nss-ha", "nss-ha: valid")):
        done = seatrial("validate", named, cwd=tmp_path)
        # A machine with few processors is warned of the links of its lab.
        assert (done.returncode, re.sub(r"^warning: .*\n", "", done.stderr, flags=re.M)) == (
            0,
            "",
        ), done.stderr
        assert done.stdout.startswith(text)
    (tmp_path / "study.yaml").write_text(text_of({**MINIMAL, "nodes": {}}))
    done = seatrial("validate", "study.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert re.match(r"error: study\.yaml:\d+:\d+: ", done.stderr)


def test_plan_prints_every_script(tmp_path: Path) -> None:
    """To stdout, without a lab."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    done = seatrial("plan", "study.yaml", "--scripts", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.count("\nmain </dev/null\n") == done.stdout.count("#####") // 2 == 14
    assert "mdadm --create" in done.stdout
    assert done.stderr == ""


def test_a_plan_warns_of_unsafe_settings(tmp_path: Path) -> None:
    """On stderr, before a deploy: stdout has the plan alone."""
    (tmp_path / "study.yaml").write_text(text_of(changed("solution.export", {"mode": "async"})))
    done = seatrial("plan", "study.yaml", cwd=tmp_path)
    assert done.stderr.startswith("warning: ")
    assert "async" in done.stderr
    assert "warning" not in done.stdout.partition("\n")[0]


def test_judge_and_report_need_the_result_alone(tmp_path: Path) -> None:
    """Judged and drawn again from a result that was moved; the exit code is the contract's."""
    result_of(tmp_path / "r", MINIMAL, phase())
    (tmp_path / "r").rename(tmp_path / "moved")
    done = seatrial("judge", str(tmp_path / "moved"), "--json")
    assert done.returncode == 0, done.stderr
    assert [(item["claim"], item["verdict"]) for item in json.loads(done.stdout)["verdicts"]] == [
        ("intact", "pass")
    ]
    done = seatrial("report", str(tmp_path / "moved"))
    assert Path(done.stdout.strip()).read_text().startswith("<!doctype html>")
    pytest.importorskip("typst", reason="the typesetter is not installed")
    done = seatrial("report", str(tmp_path / "moved"), "--format", "pdf")
    paths = [Path(line) for line in done.stdout.splitlines()]
    names = ["report-management.pdf", "report-technical.pdf", "report-evidence.pdf"]
    assert [path.name for path in paths] == names
    assert all(path.read_bytes().startswith(b"%PDF-") for path in paths)


OBEYED = "\u001b]52;c;cHduZWQ="


def test_a_result_cannot_command_the_terminal(tmp_path: Path) -> None:
    """Its text is shown; control characters for a terminal (here: the clipboard, OSC 52) are
    escaped.
    """
    result_of(tmp_path / "r", MINIMAL, phase())
    lines = [
        {"type": "experiment", "name": "one"},
        {"type": "experiment-failed", "name": "one", "reason": OBEYED},
    ]
    with (tmp_path / "r/result.jsonl").open("a") as result:
        result.writelines(json.dumps(line) + "\n" for line in lines)
    assert OBEYED.strip("\u001b") in seatrial("judge", "r", cwd=tmp_path).stdout
    for arguments in (["judge", "r"], ["plan", "study.yaml", "--scripts"], ["judge", "\u001b[2J"]):
        (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
        done = seatrial(*arguments, cwd=tmp_path)
        assert "\u001b" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    (tmp_path / "study.yaml").write_text('schema: study/1\n"a\\e[2J": 1\n')
    done = seatrial("validate", "study.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "study.yaml:2:1: '\\x1b' is a control character" in done.stderr


def test_a_defect_cannot_command_the_terminal_either(capsys: pytest.CaptureFixture[str]) -> None:
    """Its traceback contains the text of the result or the study."""

    def fail() -> None:
        raise ZeroDivisionError(OBEYED)

    assert cli.guarded(fail) == 4
    reported = capsys.readouterr().err
    assert "\u001b" not in reported
    assert OBEYED.strip("\u001b") in reported


def test_bench_leaves_the_directory_unchanged(tmp_path: Path) -> None:
    """Four rows, every figure measured, the directory empty again."""
    done = seatrial("bench", str(tmp_path), "--size", "1MiB", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["results"]
    assert [row["title"] for row in rows] == [
        "sequential write",
        "sequential read",
        "random write",
        "random read",
    ]
    assert all(row["rate_bytes_per_s"] > 0 and row["operations_per_s"] > 0 for row in rows)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", ["1MB", "64KiB", "3000000B"])
def test_bench_takes_any_size(size: str, tmp_path: Path) -> None:
    """A size that is no multiple of the transfer size is rounded up, with a message."""
    done = seatrial("bench", str(tmp_path), "--size", size, "--json")
    assert done.returncode == 0, done.stderr
    assert "whole number of 1 MiB transfers" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_schema_is_json_schema() -> None:
    """With the options of every kind of solution."""
    schema = json.loads(seatrial("schema").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert "Solution nfs" in schema["$defs"]
    assert "Raid" in schema["$defs"]


def test_the_schema_has_the_keys_of_every_kind() -> None:
    """Two kinds may have parts of one name: `mount` of nfs has a version, of cephfs a list."""
    schema = json.loads(seatrial("schema").stdout)

    def keys(kind: str, *path: str) -> set[str]:
        at = schema["$defs"][f"Solution {kind}"]
        for name in path:
            at = at["properties"][name]
            at = schema["$defs"][at["$ref"].removeprefix("#/$defs/")]
        return set(at["properties"])

    assert {"version", "transport", "options", "readahead"} <= keys("nfs", "mount")
    assert {"version", "rsize", "wsize", "cache"} <= keys("smb", "mount")
    assert {"mode", "threads", "lease"} <= keys("nfs", "export")


def test_help_names_the_exit_codes() -> None:
    """They are a contract."""
    assert "0 every acceptance criterion passed" in " ".join(seatrial("--help").stdout.split())


def imported(*words: str) -> set[str]:
    """The modules that a command of the program has imported when it ends."""
    script = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        f"sys.argv = {['seatrial', *words]!r}\n"
        "from seatrial.cli import main\nmain()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    return set(done.stderr.split())


def test_a_verb_imports_only_its_needs() -> None:
    """Help imports only the verbs; a plan imports neither the report nor the load."""
    help_modules = imported("--help")
    elsewhere = {
        name
        for name in help_modules
        if name.startswith("seatrial.") and not name.startswith("seatrial.cli")
    }
    small = {"descriptors", "errors", "printable"}
    assert elsewhere == {"seatrial.basics", *(f"seatrial.basics.{name}" for name in small)}
    assert help_modules.isdisjoint({"pydantic", "matplotlib", "jinja2", "yaml", "rich"})
    plan_modules = imported("plan", str(STUDIES / "md1200-nfs"))
    assert plan_modules.isdisjoint(
        {"matplotlib", "jinja2", "seatrial.report", "seatrial.run", "seatrial.load.agent"}
    )


def test_the_help_has_every_verb_once_in_a_whole_sentence() -> None:
    """By the purpose of the user."""
    named = [name for names in VERBS.values() for name in names]
    assert sorted(named) == sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert "..." not in seatrial("--help").stdout.partition("Begin:")[2]
    assert "reaches them." in " ".join(
        seatrial("lab", "--help").stdout.partition("Commands:")[2].split()
    )
    assert "..." not in seatrial("lab", "--help").stdout.partition("Commands:")[2]
