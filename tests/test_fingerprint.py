"""An inspection of a node independent of the plan: each difference is named, and decides."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.judge.checks import idempotence
from seatrial.result.result import read_result
from seatrial.result.writer import Writer
from seatrial.service.fingerprint import SCRIPT, Difference, differences, read
from tests.builders.results import result_of
from tests.builders.strategies import MINIMAL

BEFORE = "end\t\t\nfile\t/etc/exports\tf 644 root root 1 10\nservice\tnfsd.service\t7 100\n"
names = st.text("abc/", min_size=1, max_size=4)
prints = st.dictionaries(
    st.tuples(st.sampled_from(["file", "mount"]), names), st.tuples(st.text("xy", max_size=2))
)


@pytest.mark.parametrize(
    ("after", "printed"),
    [
        (BEFORE, []),
        (BEFORE.replace("1 10", "2 10"), ["file /etc/exports: changed"]),
        (BEFORE.replace("7 100", "8 200"), ["service nfsd.service: was started again"]),
        (BEFORE + "mount\t/srv\t/dev/md0 xfs rw\n", ["mount /srv: is new"]),
        ("end\t\t\nservice\tnfsd.service\t7 100\n", ["file /etc/exports: is gone"]),
    ],
)
def test_a_difference_is_named_once_without_its_value(after: str, printed: list[str]) -> None:
    """A value may be a key."""
    found = differences({"nas": read(BEFORE)}, {"nas": read(after)})
    assert found == [Difference("nas", words) for words in printed]


def test_an_inspection_that_broke_off_does_not_count() -> None:
    """Otherwise everything after the break would seem to be missing."""
    assert read("file\t/etc/exports\tf 644 root root 1 10\n") == {}
    assert read(BEFORE)


@given(one=prints, other=prints)
def test_exactly_the_differences_are_found(one: Any, other: Any) -> None:
    """From both sides the same number of differences."""
    found = differences({"n": one}, {"n": other})
    assert bool(found) == (one != other)
    assert len(found) == len(differences({"n": other}, {"n": one}))
    assert not differences({"n": one}, {"n": one})


def test_two_inspections_of_this_machine_differ_by_the_changes() -> None:
    """The script itself, without a lab: kernel settings and links of two looks are the same, and
    there are some.
    """
    first, second = (
        read(
            subprocess.run(
                ["sh", "-s"], input=SCRIPT, capture_output=True, check=True
            ).stdout.decode()
        )
        for _ in range(2)
    )
    kinds = {kind for kind, _ in first}
    assert {"file", "mount", "setting", "mtu"} <= kinds
    assert {key: value for key, value in first.items() if key[0] in ("setting", "mtu")} == {
        key: value for key, value in second.items() if key[0] in ("setting", "mtu")
    }


@pytest.mark.parametrize(
    ("look", "verdict", "words"),
    [
        (None, "pass", "none reported a change"),
        ({}, "pass", "nothing differs on 2 nodes"),
        ({"untold": ["c1"]}, "unknown", "no inspection shows .* on c1"),
        (
            {"differences": [{"node": "nas", "what": "file /etc/exports: changed"}]},
            "fail",
            "nas: file /etc/exports",
        ),
    ],
)
def test_steps_that_report_no_change_are_verified(
    tmp_path: Path, look: dict[str, Any] | None, verdict: str, words: str
) -> None:
    """Only results from before the inspection rely on them."""
    result_of(tmp_path / "r", MINIMAL, complete=False)
    writer = Writer(tmp_path / "r", append=True)
    writer.line(
        "deploy",
        title="second deploy",
        summary="",
        results=[{"node": "nas", "step": "export", "result": "ok"}],
    )
    if look is not None:
        writer.line(
            "fingerprint", **{"nodes": ["nas", "c1"], "untold": [], "differences": [], **look}
        )
    writer.close()
    answer = idempotence.check(read_result(tmp_path / "r"), idempotence.Options())
    assert answer.verdict == verdict
    assert re.search(words, answer.evidence)
