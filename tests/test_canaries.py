"""A recognisable value in every secret: it is in nothing that people print, keep or publish, and in
no arguments.
"""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from seatrial.advice.redact import redact
from seatrial.basics.withheld import WITHHELD, without_secrets
from seatrial.check import prepare
from seatrial.judge.judge import judge
from seatrial.matrix.manifest import manifest_of
from seatrial.matrix.resolve import resolve
from seatrial.plan.plan import Plan, describe
from seatrial.report.html import render
from seatrial.result.result import read_result
from seatrial.result.writer import Writer
from seatrial.run_record import begin_result
from seatrial.service.generated import generated
from seatrial.solutions.look import deployment, removal
from seatrial.study.study import Study, parse_study
from seatrial.transport import Completed, Local
from tests.builders.places import ROOT
from tests.builders.plan_fixtures import PLANS, data_of
from tests.builders.strategies import text_of

CANARY = "canary-9b1deb4d"
MADE = "ca9a" * 8
WITH_MADE_SECRETS = ("nfs-ha/", "gfs2-iscsi/")
"""what a deploy makes secrets for"""


def sung(data: Any) -> Any:
    """The same with the canary as every secret."""
    if isinstance(data, dict):
        return {
            key: CANARY
            if key in ("password", "community") and isinstance(value, str)
            else sung(value)
            for key, value in data.items()
        }
    return [sung(item) for item in data] if isinstance(data, list) else data


def studies() -> Iterator[tuple[str, dict[str, Any], Path]]:
    """Those that the plan fixtures are made of."""
    for name in PLANS:
        data, shipped = data_of(name)
        yield (
            name,
            sung({key: value for key, value in data.items() if not key.startswith("published")}),
            shipped,
        )


CASES = {name: (data, path) for name, data, path in studies()}


class Keeping(Local):
    """Nodes that all store the canary in the files of a deploy."""

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """Asked for the secret, they say it."""
        return Completed(node, 0, f"{MADE}\n", "")


@cache
def plans_of(name: str) -> tuple[Study, list[Plan]]:
    """Into service and out of it."""
    data, path = CASES[name]
    found = parse_study(text_of(data), path)
    site, solution = prepare(found)
    return found, [deployment(solution, site, {}), removal(solution, {})]


def test_canaries_are_in_every_kind_of_secret() -> None:
    """A kind of secret without one would not be tried. Of real hosts a study names files."""
    assert {
        name.partition("/")[0] for name, (data, _) in CASES.items() if CANARY in text_of(data)
    } == {"smb"}
    generated_in = {name: plans_of(name)[1][0].generated for name in CASES}
    assert {item.name for items in generated_in.values() for item in items} == {
        "corosync-key",
        "iscsi-chap",
    }
    assert [name for name in CASES if name.startswith(WITH_MADE_SECRETS)] == [
        name for name, items in generated_in.items() if items
    ]


@pytest.mark.parametrize("name", CASES)
def test_no_plan_result_report_or_copy_has_a_secret(name: str, tmp_path: Path) -> None:
    """Neither in the output, nor in the stored scripts and study, nor in the report, nor in
    the published copy.
    """
    found, plans = plans_of(name)
    writer = Writer(tmp_path / "record")
    matrix = resolve(found, "quick")
    manifest = manifest_of(matrix, {}, study_text=found.source.text, published_text=None)
    begin_result(writer, matrix, manifest, published=None, values={})
    for plan in plans:
        assert CANARY not in describe(plan)
        values = generated(plan, Keeping(), make=False)
        assert set(values.values()) <= {MADE}
        kept = set()
        for number, stage, node, script in plan.scripts():
            if script in kept:  # nodes that do the same have the same script
                continue
            kept.add(script)
            assert MADE not in script
            writer.keep(
                f"scripts/{number:02d}-{stage.title.replace(' ', '-')}-{node}.sh",
                plan.masked(script),
            )
    writer.line("end", complete=True)
    writer.close()
    result = read_result(tmp_path / "record")
    redact(result, tmp_path / "copy")
    texts = {str(path): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    texts["report"] = render(result, judge(result))
    assert [path for path, text in texts.items() if CANARY in text or MADE in text] == []


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith(WITH_MADE_SECRETS)])
def test_no_step_has_a_secret_among_a_programs_arguments(name: str) -> None:
    """Every line of a script that has a secret's placeholder is text of a file that is written for
    root alone.
    """
    plans = plans_of(name)[1]
    for plan in plans:
        for *_, script in plan.scripts():
            placeholders = [
                item.placeholder for item in plan.generated if item.placeholder in script
            ]
            for word in placeholders:
                for line in (line for line in script.splitlines() if word in line):
                    assert re.fullmatch(
                        rf"(node\.session\.auth\.password = )?{re.escape(word)}", line
                    ), line


TEXTS = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), min_size=1, max_size=30
)


@given(TEXTS, TEXTS)
def test_redaction_changes_nothing_else(secret: str, other: str) -> None:
    """In any YAML style and at any place."""
    data = {
        "nodes": {"community": [secret, {"x": secret}]},
        "title": other,
        "solution": {"password": secret, "a": 1},
    }
    for style in (None, "'", '"'):
        text = "# of ours\n" + yaml.safe_dump(data, default_style=style, allow_unicode=True)
        kept = yaml.safe_load(without_secrets(text))
        assert kept == {
            "nodes": {"community": [WITHHELD, {"x": WITHHELD}]},
            "title": other,
            "solution": {"password": WITHHELD, "a": kept["solution"]["a"]},
        }
        assert without_secrets(text).startswith("# of ours\n")
    assert without_secrets("title: it\n") == "title: it\n"


@pytest.mark.parametrize("script", ["iscsi_targets.sh", "iscsi_initiator.sh"])
def test_scripts_of_both_ends_are_in_order(script: str) -> None:
    """They are correct for the shell, and never pass the content of the secret's file."""
    path = ROOT / "src/seatrial/solutions/parts" / script
    assert subprocess.run(["sh", "-n", path], check=False).returncode == 0
    assert not re.search(r"--password|-v \"?\$\(", path.read_text())


@pytest.mark.parametrize(
    "text",
    [
        "solution:\n  password: |-\n    canary\n  server: nas\n",
        "solution:\n  password: >\n    canary\n    canary\n\n  server: nas\n",
        "solution: {password: &p canary, server: nas}\nother: *p\n",
        "secret: &p canary\nsolution: {password: *p, server: nas}\n",
        "secret: &p\n  canary\nsolution: {password: *p, server: nas}\n",
    ],
)
def test_redacted_text_is_valid_yaml(text: str) -> None:
    """In blocks, and where an alias refers to it."""
    kept = without_secrets(text)
    assert "canary" not in kept
    assert yaml.safe_load(kept)["solution"] == {"password": WITHHELD, "server": "nas"}
