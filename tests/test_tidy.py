"""The rules of the repository, as tests."""

import ast
import re
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from seatrial.basics.shipped import find_agent
from tests.builders.places import ROOT

BIN = Path(sys.prefix) / "bin"


def tracked(*patterns: str) -> list[Path]:
    """Existing files that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]


def test_imports_run_one_way() -> None:
    """The layers of the architecture, and the modules with external effects; the contracts
    are in pyproject.toml.
    """
    done = subprocess.run(
        [BIN / "lint-imports", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


ACTING = {f"seatrial.{name}" for name in ("transport", "streams", "labs", "launchers")}
"""layers that start processes on this machine or open sockets"""


def test_contracts_that_name_folders_name_them_all() -> None:
    """A new layer starts no process and opens no socket either, unless this test lists it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    layers, _, acting, _ = contracts
    every = {f"seatrial.{name.strip()}" for layer in layers["layers"] for name in layer.split("|")}
    assert set(acting["source_modules"]) == every - ACTING


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("basics/units.py", "import seatrial.transport\n", "seatrial.basics.units"),
        ("loose.py", "", "loose"),
        ("attic/__init__.py", "", "attic"),
    ],
)
def test_a_module_without_a_layer_or_with_an_upward_import_is_found(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    """The contract would fail: a pure module that imports the transport, a flat module, a new
    folder.
    """
    copy = tmp_path / "src" / "seatrial"
    for path in (ROOT / "src/seatrial").rglob("*.py"):
        target = copy / path.relative_to(ROOT / "src/seatrial")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text())
    (copy / name).parent.mkdir(exist_ok=True)
    with (copy / name).open("a") as file:
        file.write(text)
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    done = subprocess.run(
        [BIN / "lint-imports", "--no-cache"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path / "src")},
        check=False,
    )
    assert done.returncode != 0
    assert words in done.stdout


@pytest.mark.parametrize(
    ("pattern", "lines_max"),
    [
        ("src/*.py", 500),
        ("tests/*.py", 500),
        ("crates/*.rs", 450),
        ("scripts/*.sh", 200),
        ("src/*.sh", 200),
    ],
)
def test_files_have_one_idea(pattern: str, lines_max: int) -> None:
    """A file that grows beyond this has more than one."""
    long = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in tracked(pattern)
    }
    assert {name: lines for name, lines in long.items() if lines > lines_max} == {}


def packed_assignments(text: str) -> list[int]:
    """The lines of a module at which one statement gives values to several names.

    An exchange is not one of them: a value of `a, b = b, a` uses a name on the left.
    """
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assign) and is_packed(node)
    ]


def is_packed(node: ast.Assign) -> bool:
    """Whether a statement could be one assignment for each name."""
    if not (isinstance(node.value, ast.Tuple) and isinstance(node.targets[0], ast.Tuple)):
        return False
    targets = {ast.unparse(target) for target in node.targets[0].elts}
    read = {ast.unparse(part) for value in node.value.elts for part in ast.walk(value)}
    return not targets & read


def test_an_assignment_has_one_target() -> None:
    """A reader would have to count to find the value of a name."""
    found = {
        str(path.relative_to(ROOT)): lines
        for path in tracked("*.py")
        if (lines := packed_assignments(path.read_text()))
    }
    assert found == {}
    assert packed_assignments(
        "one = 1\na, b = 1, 2\na, b = b, a\na, b = (\n    1,\n    2,\n)\n"
    ) == [2, 4]


def nested_choices(text: str) -> list[int]:
    """The lines of a module with a conditional expression inside another one."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.IfExp)
        and any(isinstance(part, ast.IfExp) for part in ast.walk(node) if part is not node)
    ]


def test_a_conditional_expression_has_no_other_inside() -> None:
    """A reader would have to hold the first condition while reading the second."""
    found = {
        str(path.relative_to(ROOT)): lines
        for path in tracked("*.py")
        if (lines := nested_choices(path.read_text()))
    }
    assert found == {}
    assert nested_choices("a = 1 if b else 2\nc = 1 if b else (2 if d else 3)\n") == [2]


IMPORT = re.compile(r"^[ \t]*(?:from|import) [^\n(]*(?:\([^)]*\))?", re.MULTILINE)
"""one import, also over several lines"""


AFTER_BRACKET = re.compile(r"^\s*[\])}]+[,:)\]}]*  # (?!fmt:|noqa|type:|pragma)")


def comments_after_a_bracket(text: str) -> list[int]:
    """The lines that end a statement of several lines, and have a comment after their bracket."""
    return [number for number, line in enumerate(text.splitlines(), 1) if AFTER_BRACKET.match(line)]


def test_a_comment_is_above_its_statement() -> None:
    """The formatter moves a comment after the closing bracket of a statement that it breaks."""
    assert comments_after_a_bracket("call(\n    a\n)  # why\n") == [3]
    assert comments_after_a_bracket("if all(\n    b\n):  # why\n") == [3]
    assert not comments_after_a_bracket("# why\ncall(a)\nb = []  # short\n)  # noqa: E501\n")
    found = {
        str(path.relative_to(ROOT)): numbers
        for path in tracked("*.py")
        if (numbers := comments_after_a_bracket(path.read_text()))
    }
    assert found == {}


def imported_test_modules(text: str) -> list[str]:
    """The test modules that a module imports, anywhere in its text."""
    return [name for found in IMPORT.findall(text) for name in re.findall(r"\btest_\w+", found)]


def test_no_test_module_imports_another() -> None:
    """What several of them use is in tests/builders."""
    importing = {
        str(path.relative_to(ROOT)): found
        for path in tracked("tests/*.py")
        if (found := imported_test_modules(path.read_text()))
    }
    assert importing == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from tests.test_plan import results", ["test_plan"]),
        ("def f():\n    from tests.lab import test_lab", ["test_lab"]),
        ("from .test_plan import results", ["test_plan"]),
        ("import test_plan", ["test_plan"]),
        ("from tests.lab import (\n    test_lab,\n)", ["test_lab"]),
        ("from tests.builders.steps import results", []),
    ],
)
def test_every_form_of_such_an_import_is_found(text: str, names: list[str]) -> None:
    """Absolute, relative, and inside a function."""
    assert imported_test_modules(text) == names


def test_no_path_of_a_machine_and_no_index_is_committed() -> None:
    """Text that is correct on one machine only has no place in the repository."""
    wrong = re.compile(
        rf"{re.escape(str(ROOT))}|--(extra-)?index-url|(?:deb|pypi|crates)\.[a-z]+\.[a-z]+/",
        re.IGNORECASE,
    )
    allowed = {"tests/test_tidy.py"}
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if name not in allowed and path.suffix not in {".svg", ".png"}:
            found = wrong.search(path.read_text(errors="replace"))
            assert found is None or "--no-emit-index-url" in found.string, (
                f"{name}: {found and found[0]}"
            )


def test_the_agent_is_one_small_static_binary() -> None:
    """Under 3 MB, and without a dynamic loader."""
    data = find_agent().read_bytes()
    assert len(data) < 3_200_000
    table = struct.unpack_from("<Q", data, 0x20)[0]
    size, count = struct.unpack_from("<HH", data, 0x36)
    kinds = [struct.unpack_from("<I", data, table + index * size)[0] for index in range(count)]
    assert 1 in kinds  # PT_LOAD: the table was read as it should
    assert 3 not in kinds  # PT_INTERP


def test_setup_names_missing_packages_in_one_sentence(tmp_path: Path) -> None:
    """Without the right to install them it stops; nothing is changed."""
    for name, script in {
        "dpkg-query": 'case "$*" in *uidmap*) exit 1 ;; esac; echo install ok installed',
        "id": "echo 1000",
        "sudo": "exit 1",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        ["sh", ROOT / "scripts/setup.sh"],
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == 2
    assert (
        done.stderr == "setup: missing Debian packages: uidmap; as root: apt-get install uidmap\n"
    )


def test_setup_without_the_lab_asks_for_none_of_its_packages(tmp_path: Path) -> None:
    """On a machine other than Debian: only the C compiler and Rust may be missing, each named
    in a sentence.
    """
    for tool in ("sh", "dirname", "sed", "ls"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")

    def reported() -> str:
        done = subprocess.run(
            ["sh", ROOT / "scripts/setup.sh", "--hosts"],
            capture_output=True,
            text=True,
            env={"PATH": str(tmp_path)},
            check=False,
        )
        assert done.returncode == 2
        return done.stderr.splitlines()[-1]

    assert (
        reported() == "setup: the agent needs a C compiler and the static libc (gcc, glibc-static)"
    )
    (tmp_path / "cc").symlink_to("/usr/bin/true")
    assert reported().startswith(
        "setup: Rust 1.88 or later is missing; install it with rustup (rustup.rs)"
    )
