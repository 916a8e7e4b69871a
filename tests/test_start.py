"""The first steps: the studies, their duration, the abilities of this machine, a study to
begin with.
"""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.login import login_name
from seatrial.basics.yamlstyle import COLUMNS, styled
from seatrial.check import prepare
from seatrial.labs.emulation import tools
from seatrial.solutions.base import solution_kinds
from seatrial.start import doctor
from seatrial.start.beforehand import beforehand, lab_memory
from seatrial.start.listing import basis_text, listed_parts, listed_studies, parts_text, studies_text
from seatrial.start.new import TITLES, Storage, Where, file_system_of, identity, study_text, write_study
from seatrial.start.times import rough, times_of
from seatrial.study.study import Study, load_study, parse_study
from tests.strategies import MINIMAL, study, text_of
from tests.test_cli import seatrial

ROOT = Path(__file__).parent.parent
EVERY: list[tuple[str, Where]] = [
    *((kind, where) for kind in TITLES for where in ("lab", "hosts") if (kind, where) != ("mount", "lab")),
    ("mount", "here"),
]
HERE = Storage("/mnt/scratch", "xfs")


def prepared(found: Study) -> Any:
    """The study of most tests."""
    return (found, *prepare(found))


# ---- new


@pytest.mark.parametrize(("kind", "where"), EVERY)
def test_a_new_study_loads_and_plans(tmp_path: Path, kind: str, where: Where) -> None:
    """Each kind, for the lab and for hosts: every profile holds together, there is a plan, and it claims something."""
    folder = tmp_path / "mine"
    assert write_study(kind, folder, hosts={"lab": False, "hosts": True, "here": None}[where]) == where
    found = load_study(folder)
    site, solution = prepare(found)
    assert found.id == "mine"
    assert found.solution.kind == kind
    assert site.kind == ("emulated" if where == "lab" else "hosts")
    assert solution.plan({}).stages
    assert solution.removal({}).stages
    assert found.experiments
    assert {"integrity", *([] if kind == "mount" else ["bound"])} <= {claim.check for claim in found.criteria}
    text = (folder / "study.yaml").read_text()
    assert styled(text, folder) == text
    assert max(map(len, text.splitlines())) <= COLUMNS


@pytest.mark.parametrize(("kind", "where"), EVERY)
def test_the_commented_parts_are_valid_too(kind: str, where: Where) -> None:
    """The faults for later: without the `# `, the study has faults."""
    if kind == "script":
        pytest.skip("its scripts lie in a folder; nfs has the same lines")
    text = study_text(kind, "mine", where=where, storage=HERE)
    later = re.sub(r"(?m)^# (?=fault|background|  )", "", text)
    if later != text:
        found = parse_study(later, Path("study.yaml"))
        prepare(found)
        assert found.faults
        assert {"outage", "faults"} <= {claim.check for claim in found.criteria}


@pytest.mark.parametrize("where", ["here", "hosts"])
def test_the_criteria_of_existing_storage_that_are_comments_are_valid(where: Where) -> None:
    """Without the `# ` they are criteria of experiments that the study has."""
    storage = HERE if where == "here" else Storage("/gpfs/scratch", "gpfs", direct=True)
    text = study_text("mount", "mine", where=where, storage=storage)
    with_criteria = re.sub(r"(?m)^  # (?=- \{id: )", "  ", text)
    found = parse_study(with_criteria, Path("study.yaml"))
    prepare(found)
    assert {"spread", "throughput", "latency"} <= {claim.check for claim in found.criteria}


def test_there_is_a_study_for_every_kind() -> None:
    """Also for one that is added."""
    assert sorted(TITLES) == sorted(solution_kinds())


def test_new_refuses_an_impossible_study(tmp_path: Path) -> None:
    """In a sentence with a correction; existing files stay."""
    folder = tmp_path / "mine"
    write_study("nfs", folder)
    before = (folder / "study.yaml").read_text()
    with pytest.raises(InputError, match="exists; nothing was written"):
        write_study("smb", folder)
    assert (folder / "study.yaml").read_text() == before
    with pytest.raises(InputError, match="no study for a solution 'zfs'; one of nfs, "):
        write_study("zfs", tmp_path / "other")
    with pytest.raises(InputError, match="a lab has none"):
        write_study("mount", tmp_path / "other", hosts=False)
    with pytest.raises(InputError, match="mount measures an existing directory"):
        write_study("nfs", tmp_path / "other", directory=tmp_path)
    with pytest.raises(InputError, match="no such directory on this machine"):
        write_study("mount", tmp_path / "other", directory=tmp_path / "missing")
    with pytest.raises(InputError, match="begin with a letter"):
        write_study("nfs", tmp_path / "9")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(("name", "wanted"), [("My Study_2", "my-study-2"), ("nfs", "nfs"), ("a--b.", "a-b")])
def test_a_study_is_called_like_its_folder(name: str, wanted: str) -> None:
    """As an id may be written."""
    assert identity(Path(name)) == wanted


def test_the_kinds_are_named_by_the_help() -> None:
    """Every one."""
    reported = seatrial("new", "--help").stdout
    assert all(re.search(rf"\b{kind}\b", reported) for kind in TITLES)


def test_new_for_existing_storage_deploys_nothing(tmp_path: Path) -> None:
    """Its hints can be pasted, too."""
    done = seatrial("new", "mount", "mine", "--hosts", "--directory", "/gpfs/home", cwd=tmp_path)
    assert done.stdout.splitlines()[1:] == [
        "  seatrial validate mine",
        "  seatrial list mine",
        "  seatrial preflight mine",
        "  seatrial run mine --quick",
    ]
    assert load_study(tmp_path / "mine").solution.options()["directory"] == "/gpfs/home"
    again = seatrial("new", "mount", "mine", "--hosts", cwd=tmp_path)
    assert "seatrial new mount ANOTHER-FOLDER --hosts" in again.stderr
    assert (
        "seatrial new mount other, of this machine" in seatrial("new", "mount", "other", "--lab", cwd=tmp_path).stderr
    )


@pytest.mark.parametrize("code", [0, errno.EINVAL, errno.EIO])
def test_direct_reads_are_requested_where_possible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """open(2): EINVAL, the file system does not support O_DIRECT; nothing is left of the try."""
    really = os.open

    def tried(path: str, flags: int, *more: int) -> int:
        if flags & os.O_DIRECT and code:
            raise OSError(code, os.strerror(code))
        return really(path, flags & ~os.O_DIRECT, *more)

    monkeypatch.setattr(os, "open", tried)
    write_study("mount", tmp_path / "mine", directory=tmp_path)
    load = load_study(tmp_path / "mine").experiments["streams"].workload
    assert load.direct == (code != errno.EINVAL)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_directory_of_this_machine_is_measured_unchanged(tmp_path: Path) -> None:
    """A default directory is created; a named one is inspected, and the message names its
    file system.
    """
    done = seatrial("new", "mount", "mine", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "it measures this machine" in done.stdout
    made = load_study(tmp_path / "mine").solution.options()
    assert made == {"directory": str(tmp_path / "mine/storage"), "filesystem": file_system_of(tmp_path)}
    assert list((tmp_path / "mine/storage").iterdir()) == []
    (tmp_path / "there").mkdir()
    assert seatrial("new", "mount", "other", "--directory", "there", cwd=tmp_path).returncode == 0
    found = load_study(tmp_path / "other")
    assert found.solution.options()["directory"] == str(tmp_path / "there")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["study.yaml"]
    assert found.node_names() == ("localhost",)
    blank = tmp_path / "a b"
    blank.mkdir()
    done = seatrial("new", "mount", "mine", cwd=blank)
    assert done.returncode == 2
    assert "is not a valid absolute path" in done.stderr
    assert "--directory /mnt/scratch" in done.stderr
    assert list(blank.iterdir()) == []


def test_a_new_study_of_this_machine_runs(tmp_path: Path) -> None:
    """As written: without an edit, without a host, without a lab."""
    assert seatrial("new", "mount", "mine", cwd=tmp_path).returncode == 0
    done = seatrial("run", "mine", "--quick", "--yes", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [item["verdict"] for item in json.loads(done.stdout)["verdicts"]] == ["pass"]


def test_hints_can_be_pasted_whatever_the_folder_is_called(tmp_path: Path) -> None:
    """A blank is one for a shell."""
    done = seatrial("new", "nfs", "my study", cwd=tmp_path)
    assert "  seatrial validate 'my study'" in done.stdout
    assert "  seatrial run 'my study' --quick" in done.stdout


@pytest.mark.parametrize(
    "words",
    [("new", "nfs", "FILE/x"), ("new", "nfs", "x" * 300), ("validate", "x" * 300), ("report", "x" * 300)],
)
def test_a_path_that_cannot_be_one_is_a_users_mistake(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A file holds no folder, and a name has a limit: exit code 2, and a remedy."""
    (tmp_path / "FILE").write_text("")
    done = seatrial(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "hint: give another " in done.stderr
    assert "defect" not in done.stderr


def test_new_prints_the_next_steps(tmp_path: Path) -> None:
    """Each line is a command that can be pasted."""
    done = seatrial("new", "nfs", "mine", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "  seatrial run mine --quick" in done.stdout
    assert seatrial("plan", "mine", cwd=tmp_path).returncode == 0


# ---- list


def test_the_studies_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the user before the shipped ones; a wrong one is reported, and hides no other."""
    write_study("nfs", tmp_path / "studies" / "mine")
    (tmp_path / "studies" / "broken").mkdir()
    (tmp_path / "studies" / "broken" / "study.yaml").write_text("schema: study/1\n")
    monkeypatch.chdir(tmp_path)
    reported = {item["name"]: item for item in listed_studies()}
    assert reported["mine"]["solution"] == "nfs"
    assert reported["mine"]["memory_bytes"] == 640 * 2**20
    assert "mistake" in reported["broken"]
    assert reported["md1200-nfs"]["experiments"] == 13
    text = studies_text(list(reported.values()))
    assert re.search(r"^mine +nfs +0\.6GiB +1 +0 +One NFS server$", text, re.MULTILINE)


def test_a_study_can_be_named(tmp_path: Path) -> None:
    """From any folder; an existing path has precedence; an unknown name is reported with a
    correction.
    """
    assert load_study(Path("md1200-nfs")).id == "md1200-nfs"
    assert seatrial("plan", "md1200-nfs", cwd=tmp_path).returncode == 0
    done = seatrial("plan", "md1200", cwd=tmp_path)
    assert done.returncode == 2
    assert "md1200: no such file" in done.stderr
    write_study("nfs", tmp_path / "mine")
    assert "did you mean mine?" in seatrial("plan", "mien", cwd=tmp_path).stderr
    assert "seatrial list" in done.stderr


def lines_of(study_id: str, **more: Any) -> list[dict[str, Any]]:
    """The lines of a run: 60 s of set-up, an experiment of 30 s, two faults of 20 and 10 s."""
    fault: dict[str, Any] = {"type": "fault", "kind": "x", "word": "x", "title": "x", "published": None, "expect": {}}
    timed: list[tuple[float, dict[str, Any]]] = [
        (1000.0, {"type": "run", "schema": "result/1", "study": study_id, "profile": "quick", **more}),
        (1060.0, {"type": "experiment", "name": "one"}),
        (1090.0, {"type": "comparison", "experiment": "one"}),
        (1109.0, {"type": "comparison", "fault": "a"}),
        (1110.0, {**fault, "name": "a", "started_unix_s": 1091.0}),
        (1120.0, {**fault, "name": "b"}),
        (1125.0, {"type": "end", "complete": True}),
    ]
    return [{**line, "unix_s": unix_s} for unix_s, line in timed]


def result(folder: Path, lines: list[dict[str, Any]], text: str) -> None:
    """Write a result of such lines."""
    folder.mkdir(parents=True)
    (folder / "result.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "study.yaml").write_text(text)


LOAD = {"small": {"workload": {"phases": ["write"], "transfer_size": "4KiB", "file_size": "8MiB", "arrivals_per_s": 4}}}
WITH_FAULTS = {
    **MINIMAL,
    "background_load": LOAD,
    "faults": {name: {"kind": "service-dead", "daemon": "nfsd"} for name in ("a", "b")},
}


def test_times_are_those_of_the_newest_run(tmp_path: Path) -> None:
    """The study and profile are the same, and the run had no interruption; the message names it."""
    found = study(WITH_FAULTS)
    newer, other = lines_of("small"), lines_of("small", profile="full")
    for line in [*newer, *other]:
        line["unix_s"] += 86400.0
    result(tmp_path / "small-1", lines_of("small"), text_of(WITH_FAULTS))
    result(tmp_path / "small-2", newer[:-1], text_of(WITH_FAULTS))  # was interrupted
    result(tmp_path / "small-3", [*newer[:-1], {**newer[-1], "complete": False}], text_of(WITH_FAULTS))
    result(tmp_path / "small-4", [newer[0], {"type": "resumed", "unix_s": 2e5}, *newer[1:]], text_of(WITH_FAULTS))
    result(tmp_path / "small-5", other, text_of(WITH_FAULTS))
    result(tmp_path / "other-1", lines_of("other"), text_of(WITH_FAULTS))
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "result.jsonl").write_text("{")
    times = times_of(prepared(found), "quick", tmp_path)
    assert times.items_s == {"one": 30.0, "a": 20.0, "b": 10.0}
    assert times.measured is not None
    assert (times.measured.setup_s, times.total_s, times.text()) == (60.0, 120.0, "2 min")
    assert times.basis == "as the run of 1970-01-01 did (small-1)"
    assert times_of(prepared(found), "quick", tmp_path, only=("b",)).total_s == 70.0
    trial = times_of(prepared(found), "trial", tmp_path)
    assert trial.measured is None
    assert trial.text("one").startswith("~")
    assert trial.total_s == sum(trial.items_s.values()) + 60.0  # set-up is that of whatever profile was run
    assert trial.basis.endswith("booting and deploying as the run of 1970-01-02 did (small-5)")
    changed_since = study({**WITH_FAULTS, "title": "another"})
    assert times_of(prepared(changed_since), "quick", tmp_path).basis.endswith("(small-1; the study was changed since)")


def test_an_estimate_is_the_sum_of_the_plan(tmp_path: Path) -> None:
    """Two points, written and read, twice: 8 phases of 5 s, and 8 or 16 MiB over links of 12.4 or 24.8 MB/s."""
    times = times_of(prepared(study()), "full", tmp_path)
    assert times.items_s["one"] == pytest.approx(8 * 5 + 8 * 8 * 2**20 / 12.4e6, rel=0.05)
    assert times.basis.startswith("a guess (~), as there is no result of such a run")
    on_top = "booting and deploying come on top, 25 s on two idle cores and up to 4 min on a busy one"
    assert times.basis.endswith(on_top)
    assert times.text("nothing") == "-"
    assert [rough(value) for value in (40.4, 240, 9000)] == ["40 s", "4 min", "2.5 h"]


def test_the_parts_of_a_study_are_listed(tmp_path: Path) -> None:
    """Each experiment and fault, with the profiles that have it."""
    data = {**WITH_FAULTS, "experiments": {"one": {**MINIMAL["experiments"]["one"], "profiles": ["trial", "full"]}}}
    result(tmp_path / "small-1", lines_of("small"), text_of(data))
    reported = listed_parts(study(data), tmp_path)
    text = f"{parts_text(reported)}\n{basis_text(reported)}"
    assert re.search(r"^experiment +one +- +~\d+ s +~\d+ s$", text, re.MULTILINE)
    assert re.search(r"^fault +b +10 s +~48 s +~48 s +a daemon", text, re.MULTILINE)
    assert "\nquick: as the run of" in text
    assert "\ntrial, full: a guess" in text
    assert "the lab's nodes have 1.0 GiB" in text


# ---- the messages before a run


def printed(found: Study, tmp_path: Path, **more: Any) -> str:
    """All of it."""
    return "\n".join(beforehand(prepared(found), "quick", tmp_path, **{"only": (), "wipe": {}, **more}))


def test_a_lab_erases_and_interrupts_nothing(tmp_path: Path) -> None:
    """Time, memory, and that."""
    text = printed(study(), tmp_path)
    assert re.match(r"takes ~\d+ s, a guess", text)
    assert "1.0 GiB of memory; data on their disks needs at most 2.8 GiB more" in text
    assert "erases and interrupts nothing" in text
    assert lab_memory(study()) == (1024 * 2**20, (6 * 256 + 5 * 256) * 2**20)


def hosts(**more: Any) -> Study:
    """The study of tests on real hosts."""
    data = parse_study(study_text("nfs", "there", where="hosts"), Path("study.yaml")).source.data
    return study({**data, **more})


def test_on_hosts_erasures_interruptions_and_faults_are_announced(tmp_path: Path) -> None:
    """Only the actions of this run."""
    text = printed(hosts(), tmp_path)
    assert "erases nothing: a disk that is not blank is refused" in text
    assert "interrupts all users of nas1" in text
    assert "leaves the storage deployed" in text
    assert "memory" not in text
    assert "breaks" not in text
    disk = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d1"
    faults = {"dead": {"kind": "service-dead", "daemon": "nfsd", "duration": "5s"}}
    anew = {
        "kinds": {
            "workload": {"transfer_size": "1MiB", "file_size": "1GiB", "phases": ["write"]},
            "sweep": {"solution.raid.level": [5, 6]},
        }
    }
    found = hosts(background_load=LOAD, faults=faults, experiments=anew)
    text = printed(found, tmp_path, wipe={"nas1": frozenset({disk})})
    assert f"may erase nas1:{disk}, as --wipe allows; kinds recreates the storage" in text
    assert "breaks: dead: a daemon of the service dies, for 5 s" in text
    assert "interrupts" not in text  # nothing is read, so no cache is emptied
    only = printed(found, tmp_path, only=("dead",))
    assert "kinds" not in only
    assert re.search(r"writes at most [0-9.]+ .iB at a time, in dead; a point", only)


def test_existing_storage_is_left_alone(tmp_path: Path) -> None:
    """And the message states it."""
    found = parse_study(study_text("mount", "there", where="hosts"), Path("study.yaml"))
    assert f"erases and interrupts nothing: works in /scratch/seatrial-{login_name()}" in printed(found, tmp_path)


# ---- doctor


def test_doctor_recognises_a_complete_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one without the packages of the lab, with one command."""
    good = [doctor.Finding("hosts", "ssh", True, "/usr/bin/ssh"), doctor.Finding("lab", "image", True, "made")]
    assert doctor.doctor_text(good).startswith("This machine can run the lab, and deploy, load and judge real hosts.")
    assert "mend" not in doctor.doctor_text(good)
    bad = [
        good[0],
        doctor.Finding("lab", "Debian packages", False, "missing: uidmap", "apt-get install uidmap"),
        doctor.Finding("lab", "image", False, "not made yet", "apt-get install uidmap"),
    ]
    text = doctor.doctor_text(bad)
    assert text.startswith("This machine can deploy, load and judge real hosts. For the lab it lacks")
    assert text.endswith("to repair it:\n    apt-get install uidmap")
    assert doctor.doctor_text(bad[:1]).startswith("This machine can deploy, load and judge real hosts.\n")
    none = [doctor.Finding("hosts", "ssh", False, "no command ssh", "apt-get install openssh-client")]
    assert "can judge results, draw reports" in doctor.doctor_text(none)
    plain = [good[0], doctor.Finding("paper", "typesetter", False, "no Typst", "pip install 'seatrial[paper]'")]
    assert "optional" in doctor.doctor_text(plain)
    assert not plain[1].needed


def test_doctor_asks_the_parts_that_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages of the one list, ids, the apt sources; each mistake is a finding and no error."""
    monkeypatch.setattr(tools, "HOST_PACKAGES", tools.HOST_PACKAGES.with_name("none.txt"))
    found = doctor.examine(lab=False)
    assert [item.what for item in found if item.needed] == ["Python", "ssh", "root here", "agent"]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    here = next(item for item in doctor.examine(lab=False) if item.what == "root here")
    assert here.good, "only a study with the node localhost needs it"
    assert "environment: {kind: hosts, sudo: true}" in here.detail
    monkeypatch.undo()
    monkeypatch.setattr(tools, "HOST_PACKAGES", tools.HOST_PACKAGES.with_name("none.txt"))

    def refuse() -> list[str]:
        return ["uidmap", "user-mode-linux"]

    monkeypatch.setattr(doctor, "missing_packages", refuse)
    monkeypatch.setattr(doctor, "in_checkout", lambda: False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = [item for item in doctor.examine() if item.what == "Debian packages"]
    assert [(item.good, item.detail) for item in found] == [(False, "missing: uidmap user-mode-linux")]
    if shutil.which("apt-get"):
        assert found[0].repair == "sudo apt-get install uidmap user-mode-linux"
    monkeypatch.setattr(doctor, "in_checkout", lambda: True)
    assert next(item for item in doctor.examine() if item.what == "Debian packages").repair == "make setup"


def test_set_up_and_the_lab_read_one_list_of_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One list: set-up installs every package of it, and the lab requires the commands of each."""
    lines = [line for line in tools.HOST_PACKAGES.read_text().splitlines() if not line.startswith("#")]
    assert "src/seatrial/labs/emulation/host_packages.txt" in (ROOT / "scripts/setup.sh").read_text()
    listing = ["sed", "/^#/d; s/ .*//", str(tools.HOST_PACKAGES)]
    asked = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split()
    assert asked == [line.split()[0] for line in lines]
    assert "user-mode-linux" in asked
    (tmp_path / "list.txt").write_text("# x\nthere sh\ngone no-such-command\nheaders /no/such/file.h\nmake\n")
    monkeypatch.setattr(tools, "HOST_PACKAGES", tmp_path / "list.txt")
    assert tools.missing_packages() == ["gone", "headers"]


# ---- installed


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this tree, built in a copy of it, with an agent that is a mere file."""
    copy = tmp_path_factory.mktemp("tree")
    for name in ("src", "studies", "published", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        source = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, copy / name, ignore=ignore) if source.is_dir() else shutil.copy(source, copy / name)
    agent = copy / "target/x86_64-unknown-linux-gnu/release/seatrial-agent"
    agent.parent.mkdir(parents=True)
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    pages = copy / "target/man"
    subprocess.run([sys.executable, ROOT / "scripts/man.py", pages], check=True, cwd=ROOT)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(build, cwd=copy, check=True, capture_output=True)
    return next((copy / "dist").glob("*.whl"))


def test_a_wheel_has_everything_for_a_run(wheel: Path) -> None:
    """The agent, which can be executed; studies, published facts, the recipe of the image, templates, manual pages."""
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        agent = file.getinfo("seatrial/shipped/seatrial-agent")
    assert agent.external_attr >> 16 & 0o111
    assert "x86_64" in wheel.name
    for path in [*ROOT.glob("studies/**/*"), *ROOT.glob("published/*"), *ROOT.glob("src/seatrial/**/*")]:
        if path.is_file() and not {"__pycache__", ".ruff_cache", "ruff.toml"} & set(path.parts):
            name = str(path.relative_to(ROOT)).removeprefix("src/seatrial/")
            assert {f"seatrial/{name}", f"seatrial/shipped/{name}"} & names, name
    manual = {Path(name).name for name in names if "/share/man/man1/" in name}
    assert {"seatrial.1", "seatrial-run.1", "seatrial-lab-up.1"} <= manual


def test_an_unpacked_wheel_needs_no_source(wheel: Path, tmp_path: Path) -> None:
    """Studies by name, their published facts and the agent are its own."""
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    script = (
        "from pathlib import Path\n"
        "from seatrial.study.study import load_study\n"
        "from seatrial.judge.published import published_file\n"
        "from seatrial.basics.shipped import shipped, in_checkout\n"
        "from seatrial.start.new import write_study\n"
        "study = load_study(Path('md1200-nfs'))\n"
        "print(study.source.path, published_file(study), shipped('seatrial-agent'), in_checkout())\n"
        "print(write_study('script', Path('mine')))\n"
    )
    environment = {"PYTHONPATH": str(tmp_path / "site"), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    *paths, checkout = done.stdout.splitlines()[0].split()
    assert all(path.startswith(str(tmp_path / "site")) for path in paths), done.stdout
    assert checkout == "False"
    assert (tmp_path / "mine" / "solution" / "solution.yaml").is_file()


def test_every_verb_has_a_manual_page_and_completes(tmp_path: Path) -> None:
    """Made from the commands themselves."""
    subprocess.run([sys.executable, ROOT / "scripts/man.py", tmp_path], check=True, cwd=ROOT)
    page = (tmp_path / "seatrial-run.1").read_text()
    assert ".B \\-\\-only NAME" in page
    assert "0 every acceptance criterion passed" in page
    assert "CODE" not in page
    asked = {"COMP_WORDS": "seatrial do", "COMP_CWORD": "1", "_SEATRIAL_COMPLETE": "complete_bash"}
    program = Path(sys.prefix) / "bin" / "seatrial"
    done = subprocess.run([program], capture_output=True, text=True, env={**os.environ, **asked}, check=False)
    assert done.stdout.split() == ["doctor"]
