"""The wheel: everything for a run, without the source."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.builders.places import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this tree, built in a copy of it, with an agent that is a mere file."""
    copy = tmp_path_factory.mktemp("tree")
    for name in (
        "src",
        "studies",
        "published",
        "pyproject.toml",
        "hatch_build.py",
        "README.md",
        "LICENSE",
    ):
        source = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        (
            shutil.copytree(source, copy / name, ignore=ignore)
            if source.is_dir()
            else shutil.copy(source, copy / name)
        )
    agent = copy / "target/x86_64-unknown-linux-gnu/release/seatrial-agent"
    agent.parent.mkdir(parents=True)
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    pages = copy / "target/man"
    subprocess.run([sys.executable, ROOT / "scripts/man.py", pages], check=True, cwd=ROOT)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(build, cwd=copy, check=True, capture_output=True)
    return next((copy / "dist").glob("*.whl"))


def test_a_wheel_has_everything_for_a_run(wheel: Path) -> None:
    """The agent, which can be executed; studies, published facts, the recipe of the image,
    templates, manual pages.
    """
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        agent = file.getinfo("seatrial/shipped/seatrial-agent")
    assert agent.external_attr >> 16 & 0o111
    assert "x86_64" in wheel.name
    for path in [
        *ROOT.glob("studies/**/*"),
        *ROOT.glob("published/*"),
        *ROOT.glob("src/seatrial/**/*"),
    ]:
        if path.is_file() and not {"__pycache__", ".ruff_cache", "ruff.toml"} & set(path.parts):
            name = str(path.relative_to(ROOT)).removeprefix("src/seatrial/")
            assert {f"seatrial/{name}", f"seatrial/shipped/{name}"} & names, name
    manual = {Path(name).name for name in names if "/share/man/man1/" in name}
    assert {"seatrial.1", "seatrial-run.1", "seatrial-lab-up.1"} <= manual


def test_an_unpacked_wheel_needs_no_source(wheel: Path, tmp_path: Path) -> None:
    """Studies by name, their published facts and the agent are its own."""
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    script = (
        "from pathlib import Path\nfrom seatrial.study.study import load_study\nfrom"
        " seatrial.judge.published import published_file\nfrom seatrial.basics.shipped import"
        " shipped, in_checkout\nfrom seatrial.start.new import write_study\nstudy ="
        " load_study(Path('md1200-nfs'))\nprint(study.source.path, published_file(study),"
        " shipped('seatrial-agent'), in_checkout())\nprint(write_study('script', Path('mine')))\n"
    )
    environment = {"PYTHONPATH": str(tmp_path / "site"), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    *paths, checkout = done.stdout.splitlines()[0].split()
    assert all(path.startswith(str(tmp_path / "site")) for path in paths), done.stdout
    assert checkout == "False"
    assert (tmp_path / "mine" / "solution" / "solution.yaml").is_file()
