"""Studies: the rules of consistency, and the message of each mistake."""

import copy
import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from seatrial.basics import yamlfile
from seatrial.basics.errors import InputError
from seatrial.basics.yamlfile import parse_yaml
from seatrial.check import chosen, prepare
from seatrial.service.session import solutions_of
from seatrial.study.faults import Stream
from seatrial.study.points import points
from seatrial.study.profiles import ALL_PROFILES
from seatrial.study.study import load_study, parse_study
from seatrial.study.workload import Workload
from tests.strategies import MINIMAL, changed, study, text_of

STUDIES = sorted((Path(__file__).parent.parent / "studies").glob("*/study.yaml"))


def test_nodes_are_expanded_in_order() -> None:
    """Node sets as HPC people write them."""
    assert study().node_names() == ("nas", "c1", "c2", "c3", "c4")
    assert study().node("c3").memory == 128 * 2**20


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.parent.name)
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
    ("solution.kind", "zfs", r"solution\.kind: 'zfs' is not known; one of cephfs, gfs2-iscsi, mount"),
    ("solution.raid.level", 7, r"solution\.raid\.level: 7 is not known"),
    ("solution.raid.spans", 1, r"RAID 50 needs at least 2 spans"),
    ("solution.raid", None, r"has 6 disks; combine them with raid:"),
    ("solution.export.mode", "fast", r"'fast' is not known; one of 'sync' or 'async'"),
    ("solution.mount", {"version": 2}, r"solution\.mount\.version: '2' is not known"),
    ("solution.mount", {"options": ["vers=4"]}, r"'vers=4' is set by mount\.version"),
    ("solution.server", "nobody", r"'nobody' is not a node"),
    ("environment.kind", "cloud", r"environment\.kind: 'cloud' is not known; one of emulated, hosts"),
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
    ("solution.raid.chunk", "0KiB", r"raid\.chunk: 0 ?B is not a valid chunk; write a power of two"),
    ("solution.raid.chunk", "3B", r"raid\.chunk: 3 ?B is not a valid chunk"),
    ("solution.raid.chunk", "96KiB", r"raid\.chunk: 96 ?KiB is not a valid chunk"),
    ("experiments.one.sweep", {"clients": []}, r"clients must be a list of at least one value"),
    ("experiments.one.sweep", {"transfer_size": ["4KiB", "5KiB"]}, r"sweep\.transfer_size: '5KiB': "),
    ("experiments.one.sweep", {"solution.export.threads": [8, "many"]}, r"sweep\.solution\.export\.threads: 'many': "),
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
        r"tasks × queue_depth × transfer_size is 8724152320 B of each client's memory; at most 8589934592 B",
    ),
    ("experiments.one.workload", {"transfer_size": "4KiB"}, r"file_size must be given for the phase write"),
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
        {"transfer_size": "4KiB", "file_size": "4KiB", "pattern": "append", "time_limit": "1s", "time_based": True},
        r"append cannot do so",
    ),
    (
        "experiments.one.workload",
        {"transfer_size": "4KiB", "file_size": "4KiB", "phases": ["write", "mixed", "mixed"], "read_percent": 50},
        r"after mixed the old records are unknown",
    ),
    (
        "experiments.one.workload",
        {
            **{"transfer_size": "4KiB", "file_size": "4KiB", "phases": ["write", "mixed"], "read_percent": 50},
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
            **{"direct": True, "o_sync": True, "queue_depth": 4, "engine": "plain", "layout": "n-1-segmented"},
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
    ("experiments.one.overrides", {"solution.export.mode": "fast"}, r"overrides\.solution\.export\.mode: 'fast': "),
    ("experiments.one.overrides", {"nodes.nas.memory": "1GiB"}, r"cannot be set; write a path"),
    ("experiments.one.sweep", {"nodes.nas.disks.paths.cabling": ["single"]}, r"sweep\.nodes\.nas.*'single': "),
    ("nodes.nas.disks.paths", {"cabling": "loose", "rate": "1GB/s"}, r"cabling: 'loose' is not known"),
    ("experiments.one.figure", {"y": "speed"}, r"figure\.y: 'speed' is not known"),
    ("nodes.nas.networks", ["data", "storage"], r"networks: no network is called 'storage'; one of data"),
    ("nodes.nas.links", {"storage": "1Gbit/s"}, r"links: no network is called 'storage'; one of data"),
    ("experiments.one.trial", {"repeat": 1}, r"unknown key 'repeat'; did you mean 'repeats'"),
    ("published_claims", {"C1": {"series": {"experiment": "two", "phase": "read"}}}, r"no experiment is called 'two'"),
    ("criteria", [{"id": "a", "check": "integrity"}] * 2, r"'a' is used twice"),
    (
        "criteria",
        [{"id": "a", "kind": "acceptance", "check": "integrity"}],
        r"the key 'kind' is gone; every claim of a study is an acceptance criterion, so leave it out",
    ),
]


@pytest.mark.parametrize(("path", "value", "message"), MISTAKES, ids=[f"{item[0]}={item[1]}" for item in MISTAKES])
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


def test_profiles_shorten_an_experiment() -> None:
    """`quick` replaces keys, and `false` leaves the experiment out."""
    data = changed("experiments.one.quick", {"repeats": 1, "workload": {"file_size": "1MiB"}})
    data["experiments"]["two"] = {**MINIMAL["experiments"]["one"], "profiles": ["trial", "full"]}
    quick = study(data).experiments_in("quick")
    assert list(quick) == ["one"]
    assert (quick["one"].repeats, quick["one"].workload.file_size, quick["one"].workload.transfer_size) == (
        1,
        2**20,
        65536,
    )
    assert list(study(data).experiments_in("full")) == ["one", "two"]


def test_a_variant_shares_its_unchanged_parts() -> None:
    """And changes nothing of the study; a changed part is read again."""
    base = study(changed("experiments.one.quick", {"repeats": 1}))
    before = copy.deepcopy(base.source.data)
    variant = base.with_values({"solution.export.threads": 4, "solution.mount.version": 3, "nodes.nas.link": "1Gbit/s"})
    assert variant.solution.options() == {**base.solution.options(), "export": {"threads": 4}, "mount": {"version": 3}}
    assert variant.node("nas").link == 125e6
    assert variant.experiments["one"] is base.experiments["one"]
    assert variant.experiments_in("quick")["one"] is base.experiments_in("quick")["one"]
    other = base.with_values({"experiments.one.repeats": 3})
    assert (other.experiments["one"].repeats, base.experiments["one"].repeats) == (3, 2)
    with pytest.raises(InputError, match=r"experiments\.one\.repeats: "):
        base.with_values({"experiments.one.repeats": 0})
    assert base.source.data == before


def test_yaml_is_1_2() -> None:
    """`on`, `yes` and `010` have their apparent values (YAML 1.2.2, section 10.3.2)."""
    data = parse_yaml("on: yes\noff: 010\ntrue: 0x10\nf: 1e3\n", Path("f")).data
    assert data == {"on": "yes", "off": 10, True: 16, "f": 1000.0}


ALIKE = r"""
title: "Does it?"
nodes: {"c[1-4]": {link: 10Gbit/s, disks: &d {count: 6, rate: 1e3}}, nas: {disks: *d, memory: 1}}
text: |
  a line: of it

  and # another
folded: >-
  'one'
  "two"
list:
  - [a, -1, 0x1f, .5, "é\u20ac\n", 'it''s']
  - {a: !!str 1, b: no}   # a remark
  - plain text over
    two lines
"""
"""the YAML that studies use"""
PUT_INTO = (
    *(
        "\t",
        "\r",
        "\ufeff",
        "\x85",
        "\u2028",
        "\0",
        "%",
        "%YAML 1.2\n",
        ":",
        ": ",
        "-",
        "- ",
        "#",
        " #",
        "'",
        '"',
        "\n",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        ",",
        "&a ",
        "*d",
        "!x ",
        "|",
        ">-\n",
        "@",
        "`",
        " ",
        "\n  ",
        "é",
        "\U0001f600",
        "\\",
        "---\n",
    ),
)


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML was built without libyaml")
def test_libyaml_reads_the_same_as_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same values at the same places, also with random insertions; each refusal has the
    same words.
    """

    def read(text: str) -> object:
        try:
            found = parse_yaml(text, Path("f"))
        except InputError as error:
            return str(error)
        # For a missing value, each has its own place.
        places = {} if "None" in repr(found.data) else found.positions
        return found.data, places

    chance = random.Random(1)
    places = [(chance.randrange(len(ALIKE)), chance.choice(PUT_INTO)) for _ in range(150)]
    texts = [ALIKE, *(f"{ALIKE[:at]}{word}{ALIKE[at:]}" for at, word in places)]
    by_libyaml = [read(text) for text in texts]
    monkeypatch.setattr(yamlfile, "_LIBYAML", None)
    for text, reported in zip(texts, by_libyaml, strict=True):
        assert read(text) == reported, text
    assert 50 < sum(isinstance(reported, tuple) and bool(reported[1]) for reported in by_libyaml) < 140


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", r"f:2:1: a: the key is written twice"),
        ("a: [1\n", r"f:2:1: not YAML"),
        ("", r"f:1:1: the file is empty"),
        ("? [1, 2]\n: x\n", r"a key must be plain text"),
    ],
)
def test_other_text_is_no_yaml(text: str, message: str) -> None:
    """The place is reported there too."""
    with pytest.raises(InputError, match=message):
        parse_yaml(text, Path("f"))


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("{node}:x", "quote the text: '{node}:x'"),
        ("*star", "quote the text: '*star'"),
        ("@at  # a remark", "quote the text: '@at'"),
        ("%pct", "quote the text: '%pct'"),
        ("`tick`", "quote the text: '`tick`'"),
        ("Reads: how fast?", "quote the text: 'Reads: how fast?'"),
        ("[1] x", "quote the text: '[1] x'"),
        ("'it's'", "a quote inside a text: 'it''s'"),
        ("{x: {node}-bmc}", "quote the text: '{node}-bmc'"),
        ("{id: x, title: a: b}", "quote the text: 'a: b'"),
        ("{x: @y}", "quote the text: '@y'"),
        ("[1, 2", "close the bracket; a text that begins with one is written in quotes"),
    ],
)
def test_a_text_that_needs_quotes_is_reported_with_them(value: str, hint: str) -> None:
    """In its correct form; and that form has the intended value."""
    with pytest.raises(InputError, match="not YAML") as reported:
        parse_yaml(f"a: 1\ntitle: {value}\n", Path("f"))
    assert reported.value.hint == hint
    if hint.startswith("quote the text"):
        meant = parse_yaml(f"title: {hint.partition(': ')[2]}\n", Path("f")).data["title"]
        assert meant in value


def test_other_mistakes_do_not_mention_quotes() -> None:
    """A wrong indent has no text that would need quotes; a tab has a separate message."""
    with pytest.raises(InputError, match="not YAML") as reported:
        parse_yaml("a: b\n c: d\n", Path("f"))
    assert reported.value.hint is None
    with pytest.raises(InputError, match="not YAML") as reported:
        parse_yaml("a:\n\tb: c\n", Path("f"))
    assert reported.value.hint == "indent with blanks: YAML takes no tabs"
    with pytest.raises(InputError, match=r"a text that begins with ! is written in quotes"):
        parse_yaml("a: !x y\n", Path("f"))


@pytest.mark.parametrize(("value", "meant"), [("{node}", "'{node}'"), ("12", "'12'")])
def test_a_text_that_is_yaml_of_another_kind_is_reported_too(value: str, meant: str) -> None:
    """Braces are a mapping, digits a number."""
    text = text_of(MINIMAL).replace("schema:", f"title: {value}\nschema:", 1)
    with pytest.raises(InputError, match=re.escape(f"quote the text: {meant}")):
        parse_study(text, Path("f"))


def test_a_missing_study() -> None:
    """The path is in the message."""
    with pytest.raises(InputError, match="nowhere.yaml: no such file"):
        load_study(Path("nowhere.yaml"))


def test_the_papers_command_lines_are_workloads() -> None:
    """Every workload of the table in docs/same-job.md is one."""
    text = (Path(__file__).parent.parent / "docs/same-job.md").read_text()
    table = text[text.index("## Command lines of the papers") : text.index("## checkstream")]
    rows = re.findall(r"^\| `[^|]*\| `([^`|]*)`", table, re.MULTILINE)
    found = [Workload.model_validate(parse_yaml(f"{{{row}}}", Path("f")).data) for row in rows]
    assert [load.phases[0] for load in found] == ["write", "write", "read", "create", "create", "write"]
    assert found[4].items == 320 * 3000


def test_the_phases_of_io500_are_workloads() -> None:
    """Every workload of IO500's table in docs/same-job.md is one."""
    text = (Path(__file__).parent.parent / "docs/same-job.md").read_text()
    table = text[text.index("## IO500") : text.index("## Command lines of the papers")]
    rows = re.findall(r"^\| `(?:ior|mdtest)-[^|]*\| `(phases: [^`|]*)`", table, re.MULTILINE)
    found = [Workload.model_validate(parse_yaml(f"{{{row}}}", Path("f")).data) for row in rows]
    assert [load.phases[0] for load in found] == ["write", "write", "read", "create", "create"]
    assert [load.layout for load in found[:2]] == ["n-n", "n-1-interleaved"]
    assert [load.directory for load in found[3:]] == ["unique", "shared"]


def test_a_profile_omits_nodes_that_exclude_it() -> None:
    """Neither they nor settings of rows on them exist; the study as written is the full one."""
    whole = changed("nodes.c[5-6]", {"memory": "128MiB", "link": "1Gbit/s", "profiles": ["trial", "full"]})
    built = study(whole)
    assert "c6" in built.node_names()
    assert built.in_profile("trial") is built
    quick = built.in_profile("quick")
    assert "c1" in quick.node_names()
    assert "c5" not in quick.node_names()
    slower = quick.with_values({"nodes.c[5-6].link": "100Mbit/s"})
    assert slower.node_names() == quick.node_names()


def test_a_profile_asks_nothing_of_the_streams_of_another() -> None:
    """A stream names nodes that the quick profile omits, and names other nodes for it."""
    data = changed("nodes.c[5-6]", {"memory": "128MiB", "profiles": ["trial", "full"]})
    stream = {"consistency_test": "locks", "arrivals_per_s": 1, "clients": "c[5-6]", "quick": {"clients": "c[1-2]"}}
    quick = study({**data, "background_load": {"small": stream}}).in_profile("quick")
    assert quick.background_load_in("quick")["small"].runs_on(()) == ("c1", "c2")
    del stream["quick"]
    with pytest.raises(InputError, match=r"background_load\.small\.clients: no node is called 'c5'"):
        study({**data, "background_load": {"small": stream}}).in_profile("quick")


def test_a_fault_has_its_node_in_every_profile_that_has_it() -> None:
    """Checked before any profile runs: the quick profile may name another node, or omit the
    fault.
    """
    fault: dict[str, Any] = {"kind": "client-crash", "clients": "c6"}
    stream = {"consistency_test": "locks", "arrivals_per_s": 1, "clients": "c[1-2]"}
    data = changed("nodes.c[5-6]", {"memory": "128MiB", "profiles": ["trial", "full"]}) | {
        "background_load": {"locks": stream}
    }
    with pytest.raises(InputError, match=r"faults\.gone: 'c6' is not a client.*, in the quick profile$"):
        prepare(study({**data, "faults": {"gone": fault}}))
    prepare(study({**data, "faults": {"gone": {**fault, "quick": {"clients": "c2"}}}}))
    prepare(study({**data, "faults": {"gone": {**fault, "profiles": ["trial", "full"]}}}))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.parent.name)
def test_every_profile_of_every_study_holds_together(path: Path) -> None:
    """With its own nodes: a run of it begins with this check."""
    found = load_study(path)
    for profile in ALL_PROFILES:
        of_profile = found.in_profile(profile)
        site, _solution = prepare(of_profile)
        solutions_of(of_profile, site)


def test_a_row_has_its_number_of_clients() -> None:
    """As many as the profile has, with the row's settings; a row without a number has all."""
    data = copy.deepcopy(MINIMAL)
    experiment = data["experiments"]["one"]
    del experiment["sweep"]
    experiment["variants"] = {"few": {"clients": 2}, "all": {}}
    found = study(data)
    prepare(found)
    assert [item.clients for item in points(found.experiments["one"], 4)] == [2, 4]
    experiment["variants"]["few"]["clients"] = 5
    with pytest.raises(InputError, match=r"variants\.few\.clients: 5 clients are asked for, the variant has 4"):
        prepare(study(data))


def test_a_profile_has_the_clients_that_it_asks_for() -> None:
    """A mistake in one profile is reported before any of them runs; the others may have more
    clients.
    """
    data = changed("nodes.c[5-8]", {"memory": "128MiB", "profiles": ["trial", "full"]})
    experiment = {**MINIMAL["experiments"]["one"], "sweep": {"clients": [8]}}
    good = {**data, "experiments": {"one": {**experiment, "quick": {"sweep": {"clients": [4]}}}}}
    for profile in ALL_PROFILES:
        prepare(study(good).in_profile(profile))
    bad = {**data, "experiments": {"one": {**experiment, "quick": {"sweep": {"clients": [2, 6]}}}}}
    words = r"experiments\.one\.quick\.sweep\.clients\[1\]: 6 clients are asked for, the quick profile has 4"
    with pytest.raises(InputError, match=words):
        prepare(study(bad))
    words = "8 clients are asked for, the quick profile has 4"
    with pytest.raises(InputError, match=words):
        prepare(study({**data, "experiments": {"one": experiment}}))
    left_out = study(
        {
            **data,
            "experiments": {"one": {**experiment, "profiles": ["trial", "full"]}, "two": MINIMAL["experiments"]["one"]},
        }
    )
    prepare(left_out)
    with pytest.raises(InputError, match=words):  # as written, and with four clients: not by its name
        chosen(left_out.in_profile("quick"), "quick", ["one"])
    assert list(chosen(left_out, "full", ["one"])[0]) == ["one"]


@pytest.mark.parametrize(
    ("changes", "lasts_s"),
    [({}, 256.0), ({"time_based": True, "time_limit": "30min"}, 1800.0), ({"arrivals_per_s": None}, None)],
)
def test_the_shortest_work_of_a_stream(changes: dict[str, Any], lasts_s: float | None) -> None:
    """Until its file is written, or as long as it repeats; in a closed loop it is unknown."""
    workload = {"phases": ["write"], "transfer_size": "4KiB", "file_size": "4MiB", "arrivals_per_s": 4, **changes}
    assert Stream(workload={key: value for key, value in workload.items() if value is not None}).shortest_s() == lasts_s


ONE_DISK = {"nas": {"memory": "512MiB", "disks": {"count": 1, "size": "768MiB"}}, "c[1-4]": {}}
ROOM: list[tuple[dict[str, Any], str]] = [
    (
        {
            "experiments": {
                "one": {"workload": {"transfer_size": "1MiB", "file_size": "3GiB"}, "sweep": {"clients": [1]}}
            }
        },
        r"experiments\.one: clients=1: up to 3 GiB are stored at a time, but the disks hold at most 768 MiB",
    ),
    (
        {"experiments": {"one": {"workload": {"transfer_size": "1MiB", "file_size": "256MiB"}}}},
        r"experiments\.one: only: up to 1 GiB are stored",  # all four clients
    ),
    (
        {"experiments": {"one": {"workload": {"transfer_size": "1MiB", "total_size": "2MiB"}}}},
        r"total_size \(2097152 B\) leaves less than one transfer for each of 4 clients",
    ),
    (
        {
            "experiments": {},
            "background_load": {"w": {"workload": {"transfer_size": "1MiB", "file_size": "3GiB", "phases": ["write"]}}},
            "faults": {"stop": {"kind": "client-crash", "clients": "c1"}},
        },
        r"faults\.stop: the streams of background_load: up to 12 GiB are stored",
    ),
]


@pytest.mark.parametrize(("parts", "printed"), ROOM)
def test_files_without_room_are_refused(parts: dict[str, Any], printed: str) -> None:
    """Before a lab is created or a host is changed: a run would refuse the point when its
    turn comes.
    """
    data = {**MINIMAL, "nodes": ONE_DISK, "solution": {"kind": "nfs"}, **parts}
    with pytest.raises(InputError, match=printed):
        prepare(study(data))


def test_files_with_room_are_accepted() -> None:
    """An unknown size is no reason to refuse: hosts need not state the size of their disks."""
    workload = {"transfer_size": "1MiB", "file_size": "192MiB"}
    data = {**MINIMAL, "nodes": ONE_DISK, "solution": {"kind": "nfs"}, "experiments": {"one": {"workload": workload}}}
    assert prepare(study(data))
    hosts = {"nas": {"disks": {"count": 1, "devices": ["/dev/sdb"]}}, "c[1-4]": {}}
    workload = {"transfer_size": "1MiB", "file_size": "3GiB"}
    here = {**data, "environment": {"kind": "hosts"}, "nodes": hosts, "experiments": {"one": {"workload": workload}}}
    assert prepare(study(here))
