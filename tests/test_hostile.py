"""Studies and results from unknown sources: nothing in them runs a command, and every mistake
has its place.
"""

import copy
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, create_model

from seatrial.basics.errors import InputError
from seatrial.basics.node_sets import expand, fold
from seatrial.basics.yamlfile import parse_yaml
from seatrial.check import prepare
from seatrial.faults.base import fault_kind, fault_kinds
from seatrial.solutions.base import solution_kind, solution_kinds
from seatrial.study.nodes import Node
from seatrial.study.study import Study, parse_study
from tests.builders.strategies import MINIMAL, text_of
from tests.builders.texts import cases

HOSTILE = [
    "x;reboot",
    "$(reboot)",
    "`reboot`",
    "x\nreboot",
    "x'y",
    'x"y',
    "x y",
    "-oProxyCommand=x",
    "*",
    "/dev/sd*",
    "../x",
    "/dev/../etc/passwd",
    "x\0y",
    "<x>",
    "x&y",
    "x|y",
    "x>y",
    "größe",
    "x" * 4000,
    "x\\x20y",
    "{a,b}",
    "~root",
    "#x",
    "!x",
    "@all",
    "x\ty",
    "",
    "x\r",
    "[x]",
    "x,reboot;",
    "{1..9}",
    "{node",
]


@pytest.mark.parametrize(
    "nodes",
    [
        "@x';id>{marker};'",
        "*",
        "@all",
        "@*",
        "c1;reboot",
        "-oX",
        "../x",
        "c1 c2",
        "c[1-3]*",
        "c1,@x",
        "c[1-9999]x[1-9999]",
        "c[1-1000000]",
        "c[1-99999999999]",
        "c1\nc2",
        "c[1",
        "",
        "c" * 64,
        "c-",
        "größe",
        "!c1",
        "c1!c2",
        "c[a-z]",
    ],
)
def test_a_node_set_is_names_and_ranges(tmp_path: Path, nodes: str) -> None:
    """No groups, which are commands of a site's configuration; no wildcards; at most 10 000 names,
    counted before.
    """
    marker = tmp_path / "ran"
    with pytest.raises(ValueError, match="node"):
        expand(nodes.format(marker=marker) if "{marker}" in nodes else nodes)
    assert not marker.exists()


def test_a_received_result_runs_nothing(tmp_path: Path) -> None:
    """Node names are folded for the report, as in the result."""
    assert fold(["c1", "c2", "c3"]) == "c[1-3]"
    fold([f"@x';id>{tmp_path}/ran;'"])
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(("data", "place", "path"), cases())
def test_hostile_text_is_refused_in_every_field(
    data: dict[str, Any], place: tuple[Any, ...], path: Path
) -> None:
    """With its place, before a script is made; an accepted text is empty or has no character
    of shell syntax.
    """
    for text in HOSTILE:
        changed = copy.deepcopy(data)
        target = changed
        for key in place[:-1]:
            target = target[key]
        target[place[-1]] = text
        with pytest.raises(InputError) as caught:
            prepare(parse_study(text_of(changed), path))
        assert str(caught.value).startswith(str(path)), (text, str(caught.value))


REFERENCES = ("study.experiment", "judge.", "study.workload")


TOLD_FIELDS = {
    "Study.title",
    "Study.question",
    "Kind.kind",
    "Criterion.check",
    "Criterion.title",
    "Fault.title",
    "Fault.kind",
    "Fault.published",
    "Fault.trial",
    "Fault.quick",
    "Fault.paper",
    "Study.profile_overrides",
    "Fault.overrides",
    "Stream.trial",
    "Stream.quick",
    "Stream.paper",
    "Stream.mount",
    "Limit.timers",
    "Limit.reason",
    "Expected.fails_over",
    "Expected.errors",
    "Pdu.outlets",
    "Study.published_claims",
    "Study.size_tables",
    "Options.adjust",
    "Options.values",
    "Options.roles",
    "Options.folder",
    "Part.kind",
    "Options.kind",
    "Options.password",
}
"""only printed, compared with present values, or with a separate rule"""


COMMANDS = {
    "seatrial.faults.kinds.shell",
    "seatrial.faults.kinds.local_disk",
    "seatrial.faults.kinds.site_command",
}
"""faults that are commands: their purpose is to run their text on nodes"""


def plain_strings(model: type[BaseModel], seen: set[Any]) -> Iterator[str]:
    """Fields of a model, and of those in it, that take any text."""
    if (
        model in seen
        or any(part in model.__module__ for part in REFERENCES)
        or model.__module__ in COMMANDS
    ):
        return
    seen.add(model)
    for name, field in model.model_fields.items():
        label = f"{model.__name__}.{name}"
        if label not in TOLD_FIELDS and not model.__name__.endswith(("Ref", "Claim", "Table")):
            yield from _plain(field.annotation, list(field.metadata), label, seen)


def _plain(kind: Any, rules: list[Any], label: str, seen: set[Any]) -> Iterator[str]:
    if kind is str and not any(
        isinstance(rule, AfterValidator) or getattr(rule, "pattern", None) for rule in rules
    ):
        yield label
    elif typing.get_origin(kind) is typing.Annotated:
        inner, *more = typing.get_args(kind)
        patterns = [item for rule in more for item in getattr(rule, "metadata", [rule])]
        yield from _plain(inner, [*more, *patterns], label, seen)
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        yield from plain_strings(kind, seen)
    else:
        for inner in typing.get_args(kind):
            yield from _plain(inner, rules, label, seen)


def test_no_field_that_reaches_a_script_takes_any_text() -> None:
    """A new option has a rule from its first day: `basics/text.py` has one per kind of text."""
    seen: set[Any] = set()
    kinds: list[type[BaseModel]] = [solution_kind(name).Options for name in solution_kinds()]
    kinds += [Study, Node, *(fault_kind(name).Options for name in fault_kinds())]
    assert [label for model in kinds for label in plain_strings(model, seen)] == []
    assert list(plain_strings(create_model("Loose", path=(str, ...)), set())) == ["Loose.path"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: \0", "2:4: not YAML"),
        ("a: !!bool abc", "2:4: 'abc' is not a valid bool"),
        ("a: !!int abc", "2:4: 'abc' is not a valid int"),
        ("a: !!timestamp abc", "the tag 'timestamp' is not known here"),
        ("a: !!python/object:os.system x", "is not known here"),
        ("a: &x [*x]", "nested deeper|not YAML"),
        ("a: " + "[" * 3000 + "]" * 3000, "2:44: not YAML: nested deeper than 40 levels"),
        ("a: " + "{b: " * 3000 + "}" * 3000, "2:161: not YAML: nested deeper than 40 levels"),
        ("a: " + "9" * 5000, "2:4: a number of more than 18 digits"),
        (
            "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
            + "\n".join(
                f"{chr(98 + step)}: &{chr(98 + step)} [{','.join(['*' + chr(97 + step)] * 10)}]"
                for step in range(8)
            ),
            "more than 50000 values",
        ),
        ("a: " + "x" * (11 * 2**20), "characters of at most"),
        ("? [1, 2]\n: x", "a key must be plain text"),
        ('a: "\\e[2J"', r"2:4: '\\x1b' is a control character"),
        ('"a\\e": 1', r"2:1: '\\x1b' is a control character"),
        ('"a\\ud800": 1', r"2:1: '\\ud800' is a control character, or half of a surrogate"),
        ('a: "x\\u202ey"', r"2:4: '\\u202e' is a control character"),
        ("a: .inf", "2:4: .inf is not finite"),
        ("a: -1e999", "2:4: -1e999 is not finite"),
        ("a: .NaN", "2:4: .NaN is not finite"),
    ],
)
def test_yaml_of_an_unknown_source(text: str, words: str) -> None:
    """Immediately, with the place if one exists; never a traceback, never with unbounded memory."""
    with pytest.raises(InputError, match=words):
        parse_yaml("# a study\n" + text + "\n", Path("study.yaml"))


def is_refused(place: str, value: Any, words: str) -> None:
    """The smallest study with another value there is refused with its place."""
    data = copy.deepcopy(MINIMAL)
    target: Any = data
    *parents, last = place.split(".")
    for key in parents:
        target = target.setdefault(key, {})
    target[last] = value
    with pytest.raises(InputError, match=words) as caught:
        prepare(parse_study(text_of(data), Path("study.yaml")))
    assert str(caught.value).startswith("study.yaml:")


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("nodes.nas.link", "0Gbit/s", "is not a rate that a link or a disk can have"),
        ("nodes.nas.link", "1" + "0" * 400 + "bit/s", "is not a valid rate"),
        ("nodes.nas.disks.size", "1" + "0" * 30 + "TiB", "is more than any storage has"),
        ("solution.export.threads", True, "True is not a number"),
        ("solution.export.threads", "1_000", "'1_000' is not a number"),
        ("solution.export.threads", "64", "'64' is not a number"),
        ("id", "x" * 3000, "characters of at most 63"),
        ("nodes.nas.disks.count", "six", "'six' is not a number"),
        ("environment.scale", "1/" + "9" * 5000, "is not a ratio|characters"),
        ("nodes.nas.address", "0.0.0.0/0", "is not a valid name or address"),
        ("nodes.nas.address", "{1..9}", "is not a valid name or address"),
        ("nodes.nas.address", "{node", "is not a valid name or address"),
        ("nodes.nas.address", "0.0.0.0", "is the address of no machine"),
        ("nodes.nas.address", "::", "is not a valid name or address"),
        ("nodes.nas.address", "224.0.0.1", "is the address of no machine"),
        ("nodes.nas.address", "0", "is not an IP address"),
        ("nodes.nas.address", "0x7f000001", "is not an IP address"),
        ("nodes.nas.address", "10.1", "is not an IP address"),
    ],
)
def test_numbers_are_numbers(place: str, value: Any, words: str) -> None:
    """Neither a boolean nor a text is one, and each has the limit of its quantity."""
    is_refused(place, value, words)


@given(st.text(max_size=200))
def test_any_text_is_a_mistake(text: str) -> None:
    """For any value."""
    with pytest.raises(InputError, match=r"^study\.yaml"):
        parse_study(text, Path("study.yaml"))


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("quick.sweep", {"clients": [0]}, "0 is not a number of clients"),
        ("quick.sweep", {"clients": [None]}, "None is not a number of clients"),
        ("trial.repeats", {}, "should be a valid integer"),
        ("trial.workload", {"file": {}}, "file"),
    ],
)
def test_a_profile_has_the_rules_of_a_study(place: str, value: Any, words: str) -> None:
    """A wrong change is refused at its place, as in the full profile."""
    name = next(iter(MINIMAL["experiments"]))
    is_refused(f"experiments.{name}.{place}", value, words)


@pytest.mark.parametrize("place", ["key", "value"])
def test_of_a_long_text_the_ends_are_shown(place: str) -> None:
    """The message fits on a screen, with its place at the front and the correction at the end."""
    data = copy.deepcopy(MINIMAL)
    long = "x" * 100_000
    data["solution"] |= {long: 1} if place == "key" else {"kind": long}
    with pytest.raises(InputError, match=r"study.yaml:\d+:\d+: .*xxx\[\.\.\.\]xxx") as caught:
        prepare(parse_study(text_of(data), Path("study.yaml")))
    assert len(str(caught.value)) < 3000


def test_a_study_has_a_bounded_number_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sets together; and a request for a node does not expand all sets again, which took
    minutes for 10,000.
    """
    data = copy.deepcopy(MINIMAL)
    data["nodes"] |= {f"{letter}[1-4000]": {} for letter in "xyz"}
    with pytest.raises(InputError, match="more than 10000 nodes with these"):
        parse_study(text_of(data), Path("study.yaml"))
    del data["nodes"]["z[1-4000]"]
    found = parse_study(text_of(data), Path("study.yaml"))
    asked: list[str] = []
    monkeypatch.setattr("seatrial.study.study.expand", asked.append)
    assert (found.node("x4000"), found.node("y1"), len(found.node_names())) == (
        found.node("x1"),
        found.node("x2"),
        8005,
    )
    assert asked == []
