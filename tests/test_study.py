"""Studies: the rules of consistency, and the message of each mistake."""

import re
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.yamlfile import parse_yaml
from seatrial.check import prepare
from seatrial.study.study import load_study, parse_study
from seatrial.study.workload import Workload
from tests.builders.places import ROOT, STUDIES
from tests.builders.strategies import changed, study, text_of

SHIPPED = sorted(STUDIES.glob("*/study.yaml"))


def test_nodes_are_expanded_in_order() -> None:
    """Node sets as HPC people write them."""
    assert study().node_names() == ("nas", "c1", "c2", "c3", "c4")
    assert study().node("c3").memory == 128 * 2**20


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_shipped_studies_hold_together(path: Path) -> None:
    """Every study of the repository passes every check that needs no lab, in every profile."""
    shipped = load_study(path)
    prepare(shipped)
    for profile in ("quick", "trial", "full"):
        assert shipped.experiments_in(profile) or shipped.faults_in(profile)


MISTAKES: list[tuple[str, Any, str]] = [
    ("nodes.nas.memry", "1GiB", r"nodes\.nas\.memry: unknown key 'memry'; did you mean 'memory'"),
    ("nodes.nas.memory", 512, r"nodes\.nas\.memory: 512 has no unit; write it like 64MiB"),
    ("nodes.nas.link", "10GB", r"nodes\.nas\.link: '10GB' is not a valid rate"),
    ("nodes.c3", {}, r"'c3' is named twice, here and in 'c\[1-4\]'"),
    ("nodes.x[1", {}, r"not a valid node set"),
    ("nodes.nas.count", 3, r"is 3, but 'nas' names 1 node"),
    ("nodes.nas.disks.count", 3, r"spans: 3 disks cannot be divided into 2 equal spans"),
    ("nodes.nas.disks.count", 4, r"spans: a span of 2 disks is too small"),
    ("nodes.nas.disks.count", 16, r"at most 15 disks"),
    ("nodes.nas.disks.size", None, r"a lab disk needs a size"),
    ("nodes.nas.disks", None, r"nodes with disks: none"),
    ("nodes.c[1-4]", None, r"there is no client"),
    (
        "solution.kind",
        "zfs",
        r"solution\.kind: 'zfs' is not known; one of cephfs, ",
    ),
    ("solution.raid.level", 7, r"solution\.raid\.level: 7 is not known"),
    ("solution.raid.spans", 1, r"RAID 50 needs at least 2 spans"),
    ("solution.raid", None, r"has 6 disks; combine them with raid:"),
    ("solution.export.mode", "fast", r"'fast' is not known; one of 'sync' or 'async'"),
    ("solution.mount", {"version": 2}, r"solution\.mount\.version: '2' is not known"),
    ("solution.mount", {"options": ["vers=4"]}, r"'vers=4' is set by mount\.version"),
    ("solution.server", "nobody", r"'nobody' is not a node"),
    (
        "environment.kind",
        "cloud",
        r"environment\.kind: 'cloud' is not known; one of emulated, hosts",
    ),
    ("environment.scale", "40", r"environment\.scale: '40' is outside \(0, 1\]"),
    ("schema", "study/9", r"schema: 'study/9' is not known"),
    ("id", None, r"id: this key is missing"),
    ("experiments.one.sweep", {"clients": [9]}, r"9 clients are asked for, the study has 4"),
    (
        "experiments.one.variants",
        {"all": {"clients": 5}},
        r"variants\.all\.clients: the experiment varies clients; leave one",
    ),
    ("experiments.one.sweep", {"cleints": [1]}, r"sweep\.cleints: nothing is called that"),
    (
        "experiments.one.sweep",
        {"solution.password": ["a", "b"]},
        r"sweep\.solution\.password\[0\]: a secret cannot be varied",
    ),
    (
        "experiments.one.sweep",
        {"solution": [{"kind": "smb", "password": "a"}]},
        r"solution\[0\]: a secret cannot be varied",
    ),
    (
        "solution",
        {"kind": "nfs", "raid": {"level": 1}, "filesystem": {"kind": "xfs"}},
        r"solution\.filesystem: 256 ?MiB are too few for XFS: here it needs more than 512 ?MiB",
    ),
    (
        "solution.raid.chunk",
        "0KiB",
        r"raid\.chunk: 0 ?B is not a valid chunk; write a power of two",
    ),
    ("solution.raid.chunk", "3B", r"raid\.chunk: 3 ?B is not a valid chunk"),
    ("solution.raid.chunk", "96KiB", r"raid\.chunk: 96 ?KiB is not a valid chunk"),
    ("experiments.one.sweep", {"clients": []}, r"clients must be a list of at least one value"),
    (
        "experiments.one.sweep",
        {"transfer_size": ["4KiB", "5KiB"]},
        r"sweep\.transfer_size: '5KiB': ",
    ),
    (
        "experiments.one.sweep",
        {"solution.export.threads": [8, "many"]},
        r"sweep\.solution\.export\.threads: 'many': ",
    ),
    ("experiments.one.workload.pattern", "strided", r"strided needs skip"),
    ("experiments.one.workload.skip", 3, r"skip belongs to the pattern strided"),
    ("experiments.one.workload.chunk", "64KiB", r"chunk belongs to the layout n-1-interleaved"),
    ("experiments.one.workload.layout", "n-2", r"workload\.layout: 'n-2' is not known"),
    ("experiments.one.workload.transfer_size", "3KiB", r"not a multiple of transfer_size"),
    ("experiments.one.workload.transfer_size", "3kB", r"must be a multiple of 512 B"),
    (
        "experiments.one.workload.transfer_size",
        "500B",
        r"transfer_size is 500 B; it must be a multiple of 512 B, up to 64 MiB",
    ),
    (
        "experiments.one.workload.transfer_size",
        "65MiB",
        r"transfer_size is 68157440 B; it must be a multiple of 512 B, up to 64 MiB",
    ),
    ("experiments.one.workload.file_size", "100000B", r"not a multiple of transfer_size"),
    (
        "experiments.one.workload",
        {"transfer_size": "64MiB", "file_size": "64MiB", "tasks": 2, "queue_depth": 65},
        (
            r"tasks × queue_depth × transfer_size is 8724152320 B of each client's memory; at most"
            r" 8589934592 B"
        ),
    ),
    (
        "experiments.one.workload",
        {"transfer_size": "4KiB"},
        r"file_size must be given for the phase write",
    ),
    ("experiments.one.workload", {}, r"transfer_size must be given for the phase write"),
    ("experiments.one.workload.phases", ["write", "stat"], r"phases mix data, names and copying"),
    ("experiments.one.workload.phases", [], r"phases is empty"),
    ("experiments.one.workload.phases", ["write", "mixed"], r"mixed needs read_percent"),
    ("experiments.one.workload.phases", ["copy-to-storage"], r"phases that copy need sizes"),
    ("experiments.one.workload.tree", {"items": 3}, r"tree is for metadata phases"),
    ("experiments.one.workload.window", "3s", r"window needs warm_up"),
    ("experiments.one.workload.time_based", True, r"time_based needs time_limit"),
    (
        "experiments.one.workload",
        {"phases": ["create"], "time_limit": "1s", "time_based": True},
        r"time_based is for the phases write, read and mixed, not for create",
    ),
    (
        "experiments.one.workload",
        {
            "transfer_size": "4KiB",
            "file_size": "4KiB",
            "pattern": "append",
            "time_limit": "1s",
            "time_based": True,
        },
        r"append cannot do so",
    ),
    (
        "experiments.one.workload",
        {
            "transfer_size": "4KiB",
            "file_size": "4KiB",
            "phases": ["write", "mixed", "mixed"],
            "read_percent": 50,
        },
        r"after mixed the old records are unknown",
    ),
    (
        "experiments.one.workload",
        {
            **{
                "transfer_size": "4KiB",
                "file_size": "4KiB",
                "phases": ["write", "mixed"],
                "read_percent": 50,
            },
            **{"time_limit": "1s", "time_based": True, "queue_depth": 4},
        },
        r"mixed with time_based and several operations at once cannot be checked",
    ),
    *(
        (
            "experiments.one.workload",
            {"phases": ["create", "stat"], key: value},
            rf"{key} is for phases that read or write records, not for create",
        )
        for key, value in {
            **{
                "direct": True,
                "o_sync": True,
                "queue_depth": 4,
                "engine": "plain",
                "layout": "n-1-segmented",
            },
            **{"hints": ["random"], "hint_ahead": 2, "prepare": True, "total_size": "1MiB"},
        }.items()
    ),
    (
        "experiments.one.workload",
        {"phases": ["create"], "pattern": "append"},
        r"the pattern append is for data; it is not for create",
    ),
    (
        "experiments.one.workload",
        {"phases": ["stat", "remove"], "pattern": "random-with-replacement"},
        r"takes names more than once, and remove can do so once only",
    ),
    ("experiments.one.workload.read_percent", 30, r"read_percent is for mixed"),
    ("experiments.one.overrides", {"clients": 2}, r"overrides\.clients: cannot be set"),
    (
        "experiments.one.overrides",
        {"solution.export.mode": "fast"},
        r"overrides\.solution\.export\.mode: 'fast': ",
    ),
    ("experiments.one.overrides", {"nodes.nas.memory": "1GiB"}, r"cannot be set; write a path"),
    (
        "experiments.one.sweep",
        {"nodes.nas.disks.paths.cabling": ["single"]},
        r"sweep\.nodes\.nas.*'single': ",
    ),
    (
        "nodes.nas.disks.paths",
        {"cabling": "loose", "rate": "1GB/s"},
        r"cabling: 'loose' is not known",
    ),
    ("experiments.one.figure", {"y": "speed"}, r"figure\.y: 'speed' is not known"),
    (
        "nodes.nas.networks",
        ["data", "storage"],
        r"networks: no network is called 'storage'; one of data",
    ),
    (
        "nodes.nas.links",
        {"storage": "1Gbit/s"},
        r"links: no network is called 'storage'; one of data",
    ),
    ("experiments.one.trial", {"repeat": 1}, r"unknown key 'repeat'; did you mean 'repeats'"),
    (
        "published_claims",
        {"C1": {"series": {"experiment": "two", "phase": "read"}}},
        r"no experiment is called 'two'",
    ),
    ("criteria", [{"id": "a", "check": "integrity"}] * 2, r"'a' is used twice"),
    (
        "criteria",
        [{"id": "a", "kind": "acceptance", "check": "integrity"}],
        (
            r"the key 'kind' is gone; every claim of a study is an acceptance criterion, so leave"
            r" it out"
        ),
    ),
]


@pytest.mark.parametrize(
    ("path", "value", "message"), MISTAKES, ids=[f"{item[0]}={item[1]}" for item in MISTAKES]
)
def test_a_mistake_is_reported_with_its_place(path: str, value: Any, message: str) -> None:
    """`file:line:column: where: the mistake`, for every kind of mistake, and never another
    exception.
    """
    with pytest.raises(InputError) as caught:
        prepare(study(changed(path, value)))
    text = str(caught.value)
    assert re.search(message, text), text
    assert re.match(r"study\.yaml:\d+:\d+: ", text), text


def test_the_place_is_the_key_itself() -> None:
    """Line and column are those of the wrong value, not of its parent."""
    lines = text_of(changed("nodes.nas.memory", 512)).splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if "memory: 512" in text)
    with pytest.raises(InputError, match=rf"^study\.yaml:{line}:13: "):
        parse_study("\n".join(lines), Path("study.yaml"))


def test_all_mistakes_are_reported_together() -> None:
    """Two wrong values, two lines."""
    data = changed("nodes.nas.memory", 512)
    data["nodes"]["c[1-4]"]["memory"] = "lots"
    with pytest.raises(InputError) as caught:
        study(data)
    assert len(str(caught.value).splitlines()) == 2


def test_values_can_be_replaced_by_path() -> None:
    """As `sweep` does; a wrong value is reported with its place."""
    replaced = study().with_values({"solution.export.threads": 64})
    assert replaced.solution.options()["export"] == {"threads": 64}
    assert study().solution.options()["export"] == {"threads": 16}


def test_the_papers_command_lines_are_workloads() -> None:
    """Every workload of the table in docs/same-job.md is one."""
    text = (ROOT / "docs/same-job.md").read_text()
    table = text[text.index("## Command lines of the papers") : text.index("## checkstream")]
    rows = re.findall(r"^\| `[^|]*\| `([^`|]*)`", table, re.MULTILINE)
    found = [Workload.model_validate(parse_yaml(f"{{{row}}}", Path("f")).data) for row in rows]
    assert [load.phases[0] for load in found] == [
        "write",
        "write",
        "read",
        "create",
        "create",
        "write",
    ]
    assert found[4].items == 320 * 3000


def test_the_phases_of_io500_are_workloads() -> None:
    """Every workload of IO500's table in docs/same-job.md is one."""
    text = (ROOT / "docs/same-job.md").read_text()
    table = text[text.index("## IO500") : text.index("## Command lines of the papers")]
    rows = re.findall(r"^\| `(?:ior|mdtest)-[^|]*\| `(phases: [^`|]*)`", table, re.MULTILINE)
    found = [Workload.model_validate(parse_yaml(f"{{{row}}}", Path("f")).data) for row in rows]
    assert [load.phases[0] for load in found] == ["write", "write", "read", "create", "create"]
    assert [load.layout for load in found[:2]] == ["n-n", "n-1-interleaved"]
    assert [load.directory for load in found[3:]] == ["unique", "shared"]
