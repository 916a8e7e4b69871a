"""The studies by name, their duration, and what a run would erase or interrupt."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.login import login_name
from seatrial.matrix.resolve import resolve
from seatrial.solutions.base import Wipe
from seatrial.start.beforehand import beforehand, lab_memory
from seatrial.start.listing import (
    basis_text,
    listed_parts,
    listed_studies,
    parts_text,
    studies_text,
)
from seatrial.start.new import study_text, write_study
from seatrial.start.times import rough, times_of
from seatrial.study.study import Study, load_study, parse_study
from tests.builders.commands import seatrial
from tests.builders.places import ROOT
from tests.builders.strategies import MINIMAL, study, text_of

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
    assert reported["md1200-nfs"]["experiments"] == 15
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
    fault: dict[str, Any] = {
        "type": "fault",
        "kind": "x",
        "word": "x",
        "title": "x",
        "published": None,
        "expect": {},
    }
    timed: list[tuple[float, dict[str, Any]]] = [
        (
            1000.0,
            {"type": "run", "schema": "result/1", "study": study_id, "profile": "quick", **more},
        ),
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


LOAD = {
    "small": {
        "workload": {
            "phases": ["write"],
            "transfer_size": "4KiB",
            "file_size": "8MiB",
            "arrivals_per_s": 4,
        }
    }
}
WITH_FAULTS = {
    **MINIMAL,
    "background_load": LOAD,
    "faults": {name: {"kind": "service-dead", "daemon": "nfsd"} for name in ("a", "b")},
}


def test_times_are_those_of_the_newest_run(tmp_path: Path) -> None:
    """The study and profile are the same, and the run had no interruption; the message names it."""
    found = study(WITH_FAULTS)
    newer = lines_of("small")
    other = lines_of("small", profile="full")
    for line in [*newer, *other]:
        line["unix_s"] += 86400.0
    result(tmp_path / "small-1", lines_of("small"), text_of(WITH_FAULTS))
    result(tmp_path / "small-2", newer[:-1], text_of(WITH_FAULTS))  # was interrupted
    result(
        tmp_path / "small-3", [*newer[:-1], {**newer[-1], "complete": False}], text_of(WITH_FAULTS)
    )
    result(
        tmp_path / "small-4",
        [newer[0], {"type": "resumed", "unix_s": 2e5}, *newer[1:]],
        text_of(WITH_FAULTS),
    )
    result(tmp_path / "small-5", other, text_of(WITH_FAULTS))
    result(tmp_path / "other-1", lines_of("other"), text_of(WITH_FAULTS))
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "result.jsonl").write_text("{")
    times = times_of(resolve(found, "quick"), tmp_path)
    assert times.items_s == {"one": 30.0, "a": 20.0, "b": 10.0}
    assert times.measured is not None
    assert (times.measured.setup_s, times.total_s, times.text()) == (60.0, 120.0, "2 min")
    assert times.basis == "as the run of 1970-01-01 did (small-1)"
    assert times_of(resolve(found, "quick", ["b"]), tmp_path).total_s == 70.0
    trial = times_of(resolve(found, "trial"), tmp_path)
    assert trial.measured is None
    assert trial.text("one").startswith("~")
    # Set-up is that of whatever profile was run.
    assert trial.total_s == sum(trial.items_s.values()) + 60.0
    assert trial.basis.endswith("booting and deploying as the run of 1970-01-02 did (small-5)")
    changed_since = study({**WITH_FAULTS, "title": "another"})
    assert times_of(resolve(changed_since, "quick"), tmp_path).basis.endswith(
        "(small-1; the study was changed since)"
    )


def test_an_estimate_is_the_sum_of_the_plan(tmp_path: Path) -> None:
    """Two points, written and read, twice: 8 phases of 5 s, and 8 or 16 MiB over links of 12.4 or
    24.8 MB/s. Before each of 4 reads, the server and four clients empty their caches.
    """
    times = times_of(resolve(study(), "full"), tmp_path)
    phases_s = 8 * 5 + 8 * 8 * 2**20 / 12.4e6
    emptying_s = 4 * 5 * 0.4
    assert times.items_s["one"] == pytest.approx(phases_s + emptying_s, rel=0.05)
    assert times.basis.startswith("an estimate (~), because there is no result of such a run")
    on_top = "booting and deploying take 25 s more on two idle cores, and up to 4 min on a busy one"
    assert times.basis.endswith(on_top)
    assert times.text("nothing") == "-"
    assert [rough(value) for value in (40.4, 240, 9000)] == ["40 s", "4 min", "2.5 h"]


def test_an_estimate_names_the_nodes_with_a_share_of_a_processor(tmp_path: Path) -> None:
    """The estimate has no processor time."""
    appliance = load_study(ROOT / "studies" / "network-storage-clusters")
    assert "the lab gives nas only a share" in times_of(resolve(appliance, "paper"), tmp_path).basis
    assert "a share of a processor" not in times_of(resolve(study(), "full"), tmp_path).basis


def test_the_parts_of_a_study_are_listed(tmp_path: Path) -> None:
    """Each experiment and fault, with the profiles that have it."""
    data = {
        **WITH_FAULTS,
        "experiments": {"one": {**MINIMAL["experiments"]["one"], "profiles": ["trial", "full"]}},
    }
    result(tmp_path / "small-1", lines_of("small"), text_of(data))
    reported = listed_parts(study(data), tmp_path)
    text = f"{parts_text(reported)}\n{basis_text(reported)}"
    assert re.search(r"^experiment +one +- +~\d+ s +~\d+ s$", text, re.MULTILINE)
    assert re.search(r"^fault +b +10 s +~48 s +~48 s +a daemon", text, re.MULTILINE)
    assert "\nquick: as the run of" in text
    assert "\ntrial, full: an estimate" in text
    assert "the lab's nodes have 1.0 GiB" in text


# ---- the messages before a run


def printed(
    found: Study, tmp_path: Path, only: Sequence[str] = (), wipe: Wipe | None = None
) -> str:
    """All of it."""
    return "\n".join(beforehand(resolve(found, "quick", only), tmp_path, wipe=wipe or {}))


def test_a_lab_erases_and_interrupts_nothing(tmp_path: Path) -> None:
    """Time, memory, and that."""
    text = printed(study(), tmp_path)
    assert re.match(r"takes ~\d+ s, an estimate", text)
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
    assert f"erases and interrupts nothing: works in /scratch/seatrial-{login_name()}" in printed(
        found, tmp_path
    )


def test_every_verb_has_a_manual_page_and_completes(tmp_path: Path) -> None:
    """Made from the commands themselves."""
    subprocess.run([sys.executable, ROOT / "scripts/man.py", tmp_path], check=True, cwd=ROOT)
    page = (tmp_path / "seatrial-run.1").read_text()
    assert ".B \\-\\-only NAME" in page
    assert "0 every acceptance criterion passed" in page
    assert "CODE" not in page
    asked = {"COMP_WORDS": "seatrial do", "COMP_CWORD": "1", "_SEATRIAL_COMPLETE": "complete_bash"}
    program = Path(sys.prefix) / "bin" / "seatrial"
    done = subprocess.run(
        [program], capture_output=True, text=True, env={**os.environ, **asked}, check=False
    )
    assert done.stdout.split() == ["doctor"]
