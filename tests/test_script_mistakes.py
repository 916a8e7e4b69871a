"""Solution `script`: the message of each mistake of a manifest."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from tests.builders.script_solutions import written


def stage(**changes: Any) -> Callable[[dict[str, Any]], object]:
    """The manifest with its first stage changed."""
    return lambda data: data["stages"][0].update(changes)


def step(**changes: Any) -> Callable[[dict[str, Any]], object]:
    """The manifest with the step of its first stage changed."""
    return lambda data: data["stages"][0]["steps"][0].update(changes)


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"solution": {"folder": "nowhere"}},
        r"study\.yaml:\d+:\d+: solution\.folder: .*nowhere/solution\.yaml: no such",
    ),
    (
        {"solution": {"folder": "../up"}},
        r"study\.yaml:\d+:\d+: solution\.folder: string should match",
    ),
    *(
        (
            {"solution": {"folder": name}},
            rf"study\.yaml:\d+:\d+: solution\.folder: every result has its own folder '{name}'",
        )
        for name in ("agent", "console", "histories", "kernel", "scripts")
    ),
    (
        {"solution": {"role": {}}},
        r"study\.yaml:\d+:\d+: solution\.role: unknown key 'role'; did you mean 'roles'",
    ),
    (
        {"solution": {"roles": {"server": "ns"}}},
        r"study\.yaml:\d+:\d+: solution\.roles\.server: 'ns' is not a node",
    ),
    (
        {"solution": {"roles": {"meta": "nas"}}},
        r"study\.yaml:\d+:\d+: solution\.roles\.server: no node is a server",
    ),
    (
        {"solution": {"roles": {"server": "nas,c[1-4]"}}},
        r"solution\.roles\.client: no node is a client; add roles",
    ),
    (
        {"solution": {"network": "fast"}},
        r"study\.yaml:\d+:\d+: solution\.network: 'nas' is not on a network called",
    ),
    (
        {"solution": {"values": {"COPY": 1}}},
        r"study\.yaml:\d+:\d+: solution\.values\.COPY: .*no value 'COPY'; one of C",
    ),
    ({"solution": {"values": {"MODE": "a\nb"}}}, r"study\.yaml:\d+:\d+: solution\.values\.MODE"),
    (
        {"manifest": lambda data: data["values"].update(MODE=None)},
        r"solution\.values: MODE has no default; add values",
    ),
    (
        {"manifest": lambda data: data["values"].update(SEATRIAL_X=1)},
        r"values\.SEATRIAL_X.*names that begin with SEATR",
    ),
    (
        {"manifest": lambda data: data.update(mounts={})},
        r"solution\.yaml:\d+:1: mounts: unknown key .*did you mean 'mount'",
    ),
    (
        {"manifest": lambda data: data.pop("data_path")},
        r"solution\.yaml:1:1: data_path: this key is missing",
    ),
    ({"manifest": lambda data: data.update(stages=[])}, r"solution\.yaml:\d+:\d+: stages: "),
    (
        {"manifest": lambda data: data["layout"].append("X")},
        r"solution\.yaml:\d+:\d+: layout\[1\]: no value is called 'X'",
    ),
    (
        {"manifest": lambda data: data["packages"].update(meta={"a": "b"})},
        r"packages\.meta: no role is called 'meta'; on",
    ),
    (
        {"manifest": lambda data: data["packages"].update(server={"a;b": "b"})},
        r"packages\.server\.a;b",
    ),
    (
        {"manifest": lambda data: data["mount"].update(device="a b")},
        r"solution\.yaml:\d+:\d+: mount\.device: string should",
    ),
    (
        {"manifest": lambda data: data["data_path"].update({"wire": {}})},
        r"solution\.yaml:\d+:\d+: data_path\.wire",
    ),
    (
        {"manifest": lambda data: data["data_path"].update({"oss links": {}})},
        r"data_path\.oss links: no role is called",
    ),
    (
        {"manifest": lambda data: data["data_path"].update({"client links": {"read": "MODE"}})},
        r"read: 'MODE' is not a value",
    ),
    (
        {"manifest": lambda data: data["data_path"].update({"client links": {"read": 0}})},
        r"client links\.read",
    ),
    (
        {"manifest": lambda data: data["timers"]["takeover"].update(seconds="MODE")},
        (
            r"solution\.yaml:\d+:\d+: timers\.takeover\.seconds: 'MODE' is not a value with a"
            r" number above 0"
        ),
    ),
    (
        {"manifest": stage(role="meta")},
        r"solution\.yaml:\d+:\d+: stages\[0\]\.role: no role is called 'meta'; one of server",
    ),
    (
        {"manifest": stage(role="client")},
        r"solution\.yaml:\d+:\d+: stages\[0\]\.steps\[0\]\.destroys: 'c1' has no disks",
    ),
    (
        {"manifest": stage(nodes="last")},
        r"stages\[0\]\.nodes: 'last' is not known; one of 'all' or 'first'",
    ),
    (
        {"manifest": step(apply="mk.sh")},
        r"solution\.yaml:\d+:\d+: stages\[0\]\.steps\[0\]\.apply: .*mk\.sh: no such file",
    ),
    (
        {"manifest": step(apply="../mk.sh")},
        r"solution\.yaml:\d+:\d+: stages\[0\]\.steps\[0\]\.apply: string should match",
    ),
    (
        {"manifest": step(title="two\nlines")},
        r"stages\[0\]\.steps\[0\]\.title: string should match",
    ),
    (
        {"manifest": step(remove=None)},
        r"stages\[0\]\.steps\[0\]\.removed: nothing undoes this step; name a script in remove",
    ),
    (
        {"files": {"make.sh": "true\necho \xe9\n"}},
        r"solution/make\.sh:2:6: '\xe9' in a script, which must be plain ASCII",
    ),
    (
        {"files": {"make.sh": "cat <<SEATRIAL\nSEATRIAL\n"}},
        r"solution/make\.sh:2:1: a line that is only SEATRIAL ends",
    ),
    (
        {"files": {"make.sh": "#!/usr/bin/perl\n"}},
        r"solution/make\.sh:1:1: '#!/usr/bin/perl': a script begins with #!/bin/sh",
    ),
    (
        {"files": {"make.sh": "echo\n echo $SEATRIAL_NDOE\n"}},
        r"make\.sh:2:8: no variable is called SEATRIAL_NDOE; one of",
    ),
    (
        {"files": {"make.sh": "#" * 100_001}},
        r"solution/make\.sh:1:100001: a script has at most 100000 bytes",
    ),
    ({"files": {"solution.yaml": "title: [\n"}}, r"solution\.yaml:2:1: not YAML"),
]


@pytest.mark.parametrize(("case", "message"), MISTAKES, ids=[item[1][-40:] for item in MISTAKES])
def test_a_mistake_is_reported_with_its_place(
    tmp_path: Path, case: dict[str, Any], message: str
) -> None:
    """`file:line:column` of the study, the manifest or the script, and never another exception."""
    with pytest.raises(InputError) as caught:
        prepare(written(tmp_path, **case))
    assert re.search(message, str(caught.value)), caught.value
    assert re.match(r"[^:]+:\d+:\d+: ", str(caught.value)), caught.value


def test_a_manifest_that_is_a_folder_is_reported(tmp_path: Path) -> None:
    """It cannot be read."""
    study = written(tmp_path, files={"made.sh": None})
    (tmp_path / "solution/made.sh").mkdir()
    with pytest.raises(
        InputError, match=r"stages\[0\]\.steps\[0\]\.check: .*made\.sh: cannot be read: "
    ):
        prepare(study)


@pytest.mark.parametrize("name", ["make.sh", "solution.yaml"])
def test_a_link_in_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    """In a received folder it would copy a private file into plans, results and nodes."""
    study = written(tmp_path)
    (tmp_path / "mine").write_text("TOP-SECRET")
    (tmp_path / "solution" / name).unlink()
    (tmp_path / "solution" / name).symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match="is a link") as caught:
        prepare(study)
    assert "TOP-SECRET" not in str(caught.value)
