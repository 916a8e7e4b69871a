"""`seatrial doctor`: the abilities of this machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from seatrial.labs.emulation import tools
from seatrial.start import doctor
from tests.builders.places import ROOT


def test_doctor_recognises_a_complete_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one without the packages of the lab, with one command."""
    good = [
        doctor.Finding("hosts", "ssh", True, "/usr/bin/ssh"),
        doctor.Finding("lab", "image", True, "made"),
    ]
    assert doctor.doctor_text(good).startswith(
        "This machine can run the lab, and deploy, load and judge real hosts."
    )
    assert "to repair it" not in doctor.doctor_text(good)
    bad = [
        good[0],
        doctor.Finding(
            "lab", "Debian packages", False, "missing: uidmap", "apt-get install uidmap"
        ),
        doctor.Finding("lab", "image", False, "not made yet", "apt-get install uidmap"),
    ]
    text = doctor.doctor_text(bad)
    assert text.startswith(
        "This machine can deploy, load and judge real hosts. For the lab it lacks"
    )
    assert text.endswith("to repair it:\n    apt-get install uidmap")
    assert doctor.doctor_text(bad[:1]).startswith(
        "This machine can deploy, load and judge real hosts.\n"
    )
    none = [
        doctor.Finding("hosts", "ssh", False, "no command ssh", "apt-get install openssh-client")
    ]
    assert "can judge results, draw reports" in doctor.doctor_text(none)
    plain = [
        good[0],
        doctor.Finding("paper", "typesetter", False, "no Typst", "pip install 'seatrial[paper]'"),
    ]
    assert "optional" in doctor.doctor_text(plain)
    assert not plain[1].needed


def test_doctor_asks_the_parts_that_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages of the one list, ids, apt sources; each mistake is a finding, not an error."""
    monkeypatch.setattr(tools, "HOST_PACKAGES", tools.HOST_PACKAGES.with_name("none.txt"))
    found = doctor.examine(lab=False)
    assert [item.what for item in found if item.needed] == ["Python", "ssh", "root here", "agent"]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    here = next(item for item in doctor.examine(lab=False) if item.what == "root here")
    assert here.good, "only a study with the node localhost needs it"
    assert "environment: {kind: hosts, sudo: true}" in here.detail
    monkeypatch.undo()
    monkeypatch.setattr(tools, "HOST_PACKAGES", tools.HOST_PACKAGES.with_name("none.txt"))

    def refuse() -> list[str]:
        return ["uidmap", "user-mode-linux"]

    monkeypatch.setattr(doctor, "missing_packages", refuse)
    monkeypatch.setattr(doctor, "in_checkout", lambda: False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = [item for item in doctor.examine() if item.what == "Debian packages"]
    assert [(item.good, item.detail) for item in found] == [
        (False, "missing: uidmap user-mode-linux")
    ]
    if shutil.which("apt-get"):
        assert found[0].repair == "sudo apt-get install uidmap user-mode-linux"
    monkeypatch.setattr(doctor, "in_checkout", lambda: True)
    assert (
        next(item for item in doctor.examine() if item.what == "Debian packages").repair
        == "make setup"
    )


def test_set_up_and_the_lab_read_one_list_of_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One list: set-up installs every package of it, and the lab requires the commands of each."""
    lines = [
        line for line in tools.HOST_PACKAGES.read_text().splitlines() if not line.startswith("#")
    ]
    assert (
        "src/seatrial/labs/emulation/host_packages.txt" in (ROOT / "scripts/setup.sh").read_text()
    )
    listing = ["sed", "/^#/d; s/ .*//", str(tools.HOST_PACKAGES)]
    asked = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split()
    assert asked == [line.split()[0] for line in lines]
    assert "user-mode-linux" in asked
    (tmp_path / "list.txt").write_text(
        "# x\nthere sh\ngone no-such-command\nheaders /no/such/file.h\nmake\n"
    )
    monkeypatch.setattr(tools, "HOST_PACKAGES", tmp_path / "list.txt")
    assert tools.missing_packages() == ["gone", "headers"]
