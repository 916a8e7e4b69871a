"""Negative controls for real: one small system on which several checks have to fail, each for its
own reason.
"""

import copy
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from seatrial.judge import limits
from seatrial.judge.busy import AGAIN
from seatrial.judge.checks import baselines
from seatrial.labs.kinds import emulated
from seatrial.load import baseline_run
from tests.builders.labs import booted, command, lab_study
from tests.builders.strategies import MINIMAL, text_of

pytestmark = pytest.mark.lab
ALONE = bool(os.environ.get("SEATRIAL_SOAK"))
"""`make controls` and `make soak` run one test at a time"""


def test_checks_fail_where_they_have_to(tmp_path: Path) -> None:
    """Reads from a client's cache, a server that is away too long, and repeats that cannot agree.

    For a link that this machine cannot carry the verdict is unknown.
    """
    data = copy.deepcopy(MINIMAL)
    data["id"] = "tests-controls"
    data["environment"]["scale"] = "1/10"
    data["nodes"] = {
        "nas": {**data["nodes"]["nas"], "link": "1000Gbit/s"},
        # So slow that its repeats need little of a processor.
        "c1": {"memory": "256MiB", "link": "100Mbit/s"},
        "c2": {"memory": "256MiB", "link": "1000Gbit/s"},
    }
    own = {"transfer_size": "64KiB", "file_size": "2MiB", "read": "own"}
    data["experiments"] = {
        # Seen with Linux 7.2: with a sync at the end only, a client reads its data again (6 of 6,
        # here never).
        "cached": {
            "workload": {**own, "fsync": "transfer"},
            "sweep": {"clients": [1]},
            "empty_caches": False,
        },
        "repeated": {
            "workload": {**own, "phases": ["write"]},
            "sweep": {"clients": [1]},
            "repeats": 4,
        },
    }
    small = {"phases": ["write"], "pattern": "random", "transfer_size": "4KiB", "file_size": "8MiB"}
    load = {"clients": "c1", "workload": {**small, "fsync": "transfer", "arrivals_per_s": 5}}
    data["background_load"] = {"writes": load}
    stop = "systemctl stop nfs-server"
    start = "systemctl start nfs-server"
    data["faults"] = {"away": {
        "kind": "shell", "node": "nas", "command": stop, "repair": start, "duration": "6s",
        "expect": {"outage": "1s"},
    }}  # fmt: skip
    data["criteria"] = [
        {"id": name, "check": name} for name in ("integrity", "bound", "outage", "baselines")
    ]
    # No two writings of a real system take the same time to a hundred thousandth.
    data["criteria"].append({"id": "spread", "check": "spread", "below": 1e-5})
    data["baselines"] = ["links"]
    path = tmp_path / "study.yaml"
    path.write_text(text_of(data))
    done = command("run", str(path), "--out", str(tmp_path), "--json")
    assert done.returncode == 1, done.stderr
    (verdicts,) = tmp_path.glob("tests-controls-*/verdicts.json")
    found = {item["claim"]: item for item in json.loads(verdicts.read_text())}
    # With another lab, this machine may have been too busy for every repeat. The verdict is then
    # unknown.
    busy = not ALONE and any(
        words in found["spread"]["evidence"] for words in (limits.LIMITED, limits.SHORT)
    )
    short = not ALONE and AGAIN in found["outage"]["evidence"]
    answers = {name: item["verdict"] for name, item in found.items()}
    # A stream that had not begun, or had ended, shows nothing about the fault or about its writes.
    assert answers.pop("integrity") in (("pass", "unknown") if short else ("pass",)), found[
        "integrity"
    ]
    outage = "unknown" if short else "fail"
    repeats = "unknown" if busy else "fail"
    assert answers == {
        "bound": "fail",
        "outage": outage,
        "baselines": "unknown",
        "spread": repeats,
    }, found
    assert "cached" in found["bound"]["evidence"]
    assert "away" in found["outage"]["evidence"]
    assert "this machine's own processors were the limit" in found["baselines"]["evidence"]
    assert "the widest, repeated" in found["spread"]["evidence"]


def test_a_link_that_is_really_narrow_fails(tmp_path: Path) -> None:
    """Its node limits it to a tenth of the study's rate, which needs little of a processor."""
    with booted({**lab_study("tests-narrow"), "baselines": ["links"]}, tmp_path) as bench:
        site = emulated.site(bench.study)
        server = (
            f"$(getent ahostsv4 {site.nodes['nas'].networks['data']} | awk '{{ print $1; exit }}')"
        )
        device = f"$(ip -o route get {server} | sed 's/.* dev \\([^ ]*\\).*/\\1/')"
        narrow = f"modprobe -q sch_netem; tc qdisc add dev {device} root netem rate 10mbit"
        done = bench.ssh.run("c1", narrow)
        assert done.exit_code == 0, done.stderr
        session: Any = SimpleNamespace(
            study=bench.study,
            site=site,
            solution=bench.solution,
            transport=bench.ssh,
            lab=bench.lab,
        )
        result: Any = SimpleNamespace(baselines=baseline_run.measure(session, "trial", print))
    answer = baselines.check(result, baselines.Options())
    assert answer.verdict == "fail" or (answer.verdict == "unknown" and not ALONE), answer.evidence
    assert re.search(r"\bc1 to nas: (9|1\d)% of", answer.evidence), answer.evidence
