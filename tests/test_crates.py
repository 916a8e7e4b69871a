"""The shape of the agent: files of a crate import one way, and the engine alone knows io_uring."""

import re
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from seatrial.study.consistency_kinds import kind_names
from tests.builders.places import ROOT

CRATES = sorted(path.parent for path in (ROOT / "crates").glob("*/Cargo.toml"))

Module = tuple[str, ...]


def modules_of(crate: Path) -> dict[Module, Path]:
    """The modules of a crate that are files, by their paths; that of the crate itself is empty."""
    found = {}
    for path in (crate / "src").rglob("*.rs"):
        names = path.relative_to(crate / "src").with_suffix("").parts
        found[() if names in {("lib",), ("main",)} else names] = path
    return found


def parts_of(module: Module, text: str) -> Iterator[tuple[Module, str]]:
    """A file without its inline modules, such as its tests, and each of these modules."""
    while inside := re.search(r"\bmod (\w+) \{", text):
        depth = 1
        end = inside.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield from parts_of((*module, inside[1]), text[inside.end() : end])
        text = text[: inside.start()] + text[end:]
    yield module, text


def branches_of(tree: str) -> Iterator[str]:
    """The single paths of `a::{b, c::{d, e}}`."""
    head, opened, rest = tree.partition("{")
    if not opened:
        yield tree.strip()
        return
    depth = 0
    branch = ""
    for sign in rest[: rest.rindex("}")] + ",":
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            yield from (head.strip() + path for path in branches_of(branch) if path)
            branch = ""
        else:
            branch += sign


def paths_in(text: str) -> Iterator[list[str]]:
    """Every possible name of another module: imports, and paths in the code."""
    for tree in re.findall(r"\buse ([^;]+);", text):
        for path in branches_of(tree):
            yield re.split(r"\s*::\s*", path)
    for path in re.findall(r"(?<![\w:])(\w+(?:::\w+)+)", text):
        yield path.split("::")


def imports_of(module: Module, text: str, modules: dict[Module, Path]) -> Iterator[Path]:
    """The files of the same crate that a file needs."""
    code = re.sub(r"//.*", "", text)
    for where, part in parts_of(module, code):
        for first, *rest in paths_in(part):
            target: Module = (*where, first)
            if first in {"crate", "self", "super"}:
                target = {"crate": (), "self": where, "super": where[:-1]}[first]
            elif target not in modules:
                continue
            for name in rest:
                target = target[:-1] if name == "super" else (*target, name)
            while target not in modules:
                target = target[:-1]
            yield modules[target]


def circle_of(crate: Path) -> list[str]:
    """Files of a crate in a cycle of imports; none without a cycle."""
    modules = modules_of(crate)
    needs = {
        path: set(imports_of(module, path.read_text(), modules)) - {path}
        for module, path in modules.items()
    }
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return [str(path.relative_to(crate / "src")) for path in reversed(error.args[1])]
    return []


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_the_files_of_a_crate_import_one_way(crate: Path) -> None:
    """In a circle no file can be read, tested or moved without all others."""
    assert circle_of(crate) == []


@pytest.mark.parametrize(
    "back",
    [
        "use crate::first::One;",
        "use crate::{first::{self, One}};",
        "use super::super::first::One;",
        "fn two() { crate::first::one() }",
        "mod tests { use crate::first::*; }",
        "use super::Two;",
    ],
)
def test_a_circle_is_noticed(tmp_path: Path, back: str) -> None:
    """Through a folder and however it is written; a module in the file itself makes none."""
    files = {
        "lib.rs": "mod first;\nmod second;\npub use first::One;",
        "first.rs": "use crate::second::Two;\nmod tests { use super::*; }",
        "second.rs": "mod deep;\npub use self::deep::Two;",
        "second/deep.rs": "// use crate::first::One;\nmod tests { use super::*; }\n",
    }
    for name, text in files.items():
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).write_text(text)
    assert circle_of(tmp_path) == []
    with (tmp_path / "src/second/deep.rs").open("a") as file:
        file.write(back)
    assert "second/deep.rs" in circle_of(tmp_path)


def test_each_kind_of_consistency_test_has_its_agent_and_its_judgement() -> None:
    """One file in Rust and one in Python, both of its name."""
    folder = ROOT / "crates/consistency-test/src/kinds"
    names = [
        re.findall(r'KIND: Kind = Kind \{\s*name: "([a-z-]+)"', path.read_text())
        for path in folder.glob("*.rs")
    ]
    assert sorted(names) == [[name] for name in kind_names()]


def test_each_kind_of_consistency_test_is_described() -> None:
    """In a separate section, or in the agent's table for the oldest kinds."""
    page, agent = (
        (ROOT / "docs" / name).read_text() for name in ("consistency-tests.md", "agent.md")
    )
    assert [
        name
        for name in kind_names()
        if f"\n## {name}\n" not in page and f"| `{name}` |" not in agent
    ] == []


def test_only_the_execution_of_jobs_needs_io_uring() -> None:
    """The readers of logs and the consistency tests are built and tested without a ring."""
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    needs = {
        package["name"]: [name.split()[0] for name in package.get("dependencies", [])]
        for package in packages
    }

    def reached(name: str) -> set[str]:
        return {name}.union(*(reached(needed) for needed in needs[name]))

    with_ring = {
        name for name in needs if name.startswith("seatrial-") and "io-uring" in reached(name)
    }
    assert with_ring == {"seatrial-engine", "seatrial-agent"}
