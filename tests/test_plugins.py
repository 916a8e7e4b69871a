"""Plug-ins: every kind has its whole interface, and one file, here or in another package, is a new
kind.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from seatrial.advice import audit_base
from seatrial.advice.audit_base import Facts, every_finding
from seatrial.advice.importing import PROGRAMS, import_files
from seatrial.basics.errors import InputError
from seatrial.basics.plugins import Plugins
from seatrial.check import prepare
from seatrial.faults import base as faults
from seatrial.judge import base as judge
from seatrial.judge.base import load_checkers
from seatrial.labs import base as labs
from seatrial.launchers import base as launchers
from seatrial.result.published import CLAIM_KINDS
from seatrial.solutions import base as solutions
from seatrial.solutions.kinds import nfs
from tests.builders.fault_studies import broken
from tests.builders.plugins import forget_modules
from tests.builders.strategies import study

ALL = [
    labs._KINDS,
    launchers._KINDS,
    solutions._KINDS,
    faults._KINDS,
    judge._CHECKS,
    CLAIM_KINDS,
    audit_base._RULES,
    PROGRAMS,
]

FAULT = """
from seatrial.faults.base import Actions, OnNode, Shell
TITLE, WORD, DURATION_S = "rain", "rain", 1.0
class Options(OnNode): pass
def actions(options, scene): return Actions((Shell(options.where(scene), "rain"),), ())
"""
CHECK = """
from seatrial.basics.schema import Model
from seatrial.judge.base import Answer
TITLE = "it rained"
class Options(Model): pass
def check(record, options): return Answer("unknown", "nobody looked")
"""
AUDIT = """
from seatrial.advice.audit_base import Finding
def findings(facts): yield Finding("nas", "slow", "rain", "a roof", "it is wet")
"""
PROGRAM = """
from seatrial.advice.foreign import Foreign
def recognises(text): return text == "wet"
def version(text): return "1"
def results(text): yield Foreign("write", "rain", bytes_per_s=1.0)
"""
SOLUTION = Path(nfs.__file__).read_text().replace('Literal["nfs"]', 'Literal["rain"]')


@pytest.mark.parametrize("plugins", ALL, ids=[item.group for item in ALL])
def test_every_plug_in_has_its_whole_interface(plugins: Plugins) -> None:
    """Loading names each missing part."""
    assert plugins.names()
    for name in plugins.names():
        plugins.load(name)


@pytest.fixture
def plugin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of plug-ins next to each of ours."""
    for plugins in ALL:
        folder = tmp_path / plugins.folder
        folder.mkdir()
        package = importlib.import_module(plugins.folder)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    forget_modules("rain", "half")
    yield tmp_path
    forget_modules("rain", "half")


def put(plugin_folder: Path, plugins: Plugins, text: str, name: str = "rain") -> None:
    """One file."""
    (plugin_folder / plugins.folder / f"{name}.py").write_text(text)


def test_one_file_is_a_new_kind(plugin_folder: Path) -> None:
    """A fault, a check, a rule, a program and a solution, each without an edit anywhere else."""
    put(plugin_folder, faults._KINDS, FAULT)
    put(plugin_folder, judge._CHECKS, CHECK)
    put(plugin_folder, audit_base._RULES, AUDIT)
    put(plugin_folder, solutions._KINDS, SOLUTION)
    put(plugin_folder, PROGRAMS, PROGRAM)
    data = broken({"wet": {"kind": "rain"}})
    data["criteria"] = [{"id": "dry", "check": "rain"}]
    found = study(data)
    prepare(found)
    assert "rain" in faults.fault_kinds()
    assert [item.checker.TITLE for item in load_checkers(found)] == ["it rained"]
    assert [item.what for item in every_finding([Facts("nas")])] == ["rain"]
    data["solution"]["kind"] = "rain"
    assert type(prepare(study(data))[1]).__module__.endswith(".rain")
    (plugin_folder / "observations").write_text("wet")
    assert (
        import_files([plugin_folder / "observations"], plugin_folder / "record").program == "rain"
    )


def test_a_missing_part_is_named(plugin_folder: Path) -> None:
    """And its place."""
    put(plugin_folder, faults._KINDS, "TITLE = WORD = 'half'", "half")
    with pytest.raises(
        InputError, match=r"seatrial.faults.kinds.half: 'half' has no Options, DURATION_S, actions"
    ):
        faults.fault_kind("half")


def test_missing_parts_of_a_loaded_solution_are_named(plugin_folder: Path) -> None:
    """Before anything asks for it."""
    half = (
        "from seatrial.solutions.kinds.nfs import Options\nclass Half: servers, clients = (), ()\n"
    )
    put(plugin_folder, solutions._KINDS, f"{half}def load(study, site): return Half()", "half")
    data = broken({})
    data["solution"] = {"kind": "half"}
    with pytest.raises(
        InputError, match="plug-in 'half' lacks storage_nodes, directory, .*plan, removal"
    ):
        prepare(study(data))


def test_another_package_brings_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an entry point; one that cannot be loaded is reported with its group."""
    (tmp_path / "weather.py").write_text(FAULT)
    reported = tmp_path / "weather-1.0.dist-info"
    reported.mkdir()
    (reported / "METADATA").write_text("Metadata-Version: 2.1\nName: weather\nVersion: 1.0\n")
    (reported / "entry_points.txt").write_text(
        "[seatrial.faults]\nacid-rain = weather\nfog = nowhere_at_all\npanic = weather\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert {"acid-rain", "fog"} < set(faults.fault_kinds())
    assert faults.fault_kind("acid-rain").WORD == "rain"
    assert faults.fault_kind("panic").WORD == "panic", "ours is not replaced"
    with pytest.raises(InputError, match=r"nowhere_at_all: No module named 'nowhere_at_all'"):
        faults.fault_kind("fog")
    with pytest.raises(KeyError):
        faults._KINDS.load("sunshine")
