"""Random studies in the lab: each ends with all criteria passed, or with a message that gives the
reason.

`make random-studies COUNT=12 SEED=100`: twelve studies from that seed on, in an hour or less.
"""

import os
from pathlib import Path

import pytest

from tests.builders.labs import command
from tests.builders.random_studies import study_of
from tests.builders.strategies import text_of

FIRST, COUNT = (
    int(os.environ.get(name, "0"))
    for name in ("SEATRIAL_RANDOM_STUDIES_SEED", "SEATRIAL_RANDOM_STUDIES")
)
if not COUNT and os.environ.get("SEATRIAL_SOAK"):
    COUNT = 12
pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not COUNT, reason="an hour; SEATRIAL_RANDOM_STUDIES says how many"),
]


@pytest.mark.parametrize("seed", range(FIRST, FIRST + max(COUNT, 1)))
def test_a_random_study_runs(seed: int, tmp_path: Path) -> None:
    """By the real command."""
    data = study_of(seed)
    path = tmp_path / "study.yaml"
    path.write_text(text_of(data))
    done = command("run", str(path), "--full", "--out", str(tmp_path / "results"))
    reported = f"{data['title']}\n{path.read_text()}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert "Traceback" not in done.stderr, reported
    if done.returncode == 2:
        assert "study.yaml" in done.stderr, reported
        return
    assert done.returncode == 0, reported
    verdicts = [
        line
        for line in done.stdout.splitlines() + done.stderr.splitlines()
        if " pass " in f" {line} "
    ]
    assert len(verdicts) >= len(data["criteria"]), reported
