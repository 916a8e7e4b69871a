"""The jobs in examples/ci: every shell step is run on stored results.

The one command that needs nodes, `seatrial run`, is replaced by the object that it would print. Its
options are checked by the parser of the program.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from seatrial.judge.references import accept
from tests.builders.commands import in_process, parsed
from tests.builders.places import ROOT
from tests.builders.regressions import STEADY, repeats, run, scaled
from tests.builders.strategies import MINIMAL, text_of

EXAMPLES = ROOT / "examples" / "ci"
RUN = re.compile(r"seatrial run .*--json")
RUN_OBJECT = "run-object.json"
HAS_JUNIT = "junit" in in_process("export", "--help").stdout
"""a JUnit file is written by its own format of `export`"""


@dataclass(frozen=True)
class Step:
    """A shell script of a job, and whether it also runs after a failure."""

    script: str
    always: bool


def github_steps() -> list[Step]:
    """The steps with `run` of the workflow."""
    data = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())
    (job,) = data["jobs"].values()
    found = [item for item in job["steps"] if "run" in item]
    return [Step(item["run"], item.get("if") == "always()") for item in found]


def gitlab_steps() -> list[Step]:
    """The script of the job in one shell, as GitLab runs it, and each line after it."""
    data = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())
    (job,) = data.values()
    return [
        Step("\n".join(job["script"]), False),
        *(Step(line, True) for line in job["after_script"]),
    ]


JOBS = {"github-actions": github_steps, "gitlab-ci": gitlab_steps}


def lines_of(job: str) -> Iterator[str]:
    """Every line of a job that runs the program."""
    for step in JOBS[job]():
        yield from (line.strip() for line in step.script.splitlines() if "seatrial " in line)


def run_job(job: str, folder: Path, code_of_run: int) -> list[int]:
    """The exit code of each step; a step that is not `always` is left out after a failure."""
    program = Path(sys.executable).parent
    more = {"SEATRIAL_RESULTS": str(folder / "results"), "PATH": f"{program}:{os.environ['PATH']}"}
    codes: list[int] = []
    for step in JOBS[job]():
        if ("--format junit" in step.script and not HAS_JUNIT) or (any(codes) and not step.always):
            continue
        script = RUN.sub(f"(cat {RUN_OBJECT}; exit {code_of_run})", step.script)
        command = ["bash", "-e", "-o", "pipefail", "-c", script]
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **more}, timeout=1800, check=False
        )
        codes.append(done.returncode)
    return codes


def prepare(folder: Path, factor: float) -> None:
    """A study, its accepted result, and a new result that is `factor` times as fast."""
    (folder / "site-nfs.yaml").write_text(text_of(MINIMAL))
    (folder / "results").mkdir()
    accept(run(folder / "results" / "first", MINIMAL, repeats(STEADY)))
    second = folder / "results" / "second"
    run(second, MINIMAL, repeats(scaled(STEADY, factor)))
    (folder / RUN_OBJECT).write_text(json.dumps({"result": str(second)}))


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize(
    ("factor", "code_of_run", "is_failed"),
    [(1.0, 0, False), (1.0, 3, False), (0.9, 0, True), (1.0, 1, True)],
    ids=["steady", "undecided", "regression", "failed"],
)
def test_a_job_fails_when_it_should(
    tmp_path: Path, job: str, factor: float, code_of_run: int, is_failed: bool
) -> None:
    """Passed and undecided runs pass; a regression and a failed criterion fail with code 1."""
    assert shutil.which("jq"), "the jobs need jq"
    prepare(tmp_path, factor)
    codes = run_job(job, tmp_path, code_of_run)
    assert max(codes) == (1 if is_failed else 0), codes
    assert (tmp_path / "result" / "study.yaml").is_file(), "the result is kept in each case"
    if (factor, code_of_run) != (1.0, 1):
        decision: dict[str, Any] = json.loads((tmp_path / "compare.json").read_text())["decision"]
        assert decision["reason"] == ("slower" if is_failed else "inside")


@pytest.mark.parametrize("job", JOBS)
def test_each_command_is_one_of_the_program(job: str) -> None:
    """With options that it has, also those of `seatrial run`."""
    found = [re.sub(r" (>|\|\|) .*", "", line) for line in lines_of(job)]
    verbs = [line.split()[1] for line in found]
    assert verbs == ["validate", "run", "compare", "history", "export"]
    for line in found:
        if verbs[found.index(line)] != "export":
            parsed(line)
