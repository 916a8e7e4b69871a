"""The facts of a node: its own command on this machine, and output of both package managers."""

import platform
import subprocess

import pytest

from seatrial.service.node_facts import COMMAND, PACKAGES, facts_in

HEAD = "6.12.9\nDebian GNU/Linux 12 (bookworm)\n"


def test_the_command_reports_this_machine() -> None:
    """It ends without an error, whichever package manager the machine has."""
    command = ["sh", "-c", COMMAND]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    facts = facts_in(done.stdout)
    assert facts["kernel"] == platform.release()
    assert facts["system"]
    software = facts.get("storage_software", "")
    names = {item.split()[0] for item in software.split(", ") if item}
    assert names <= set(PACKAGES)


@pytest.mark.parametrize(
    ("lines", "software"),
    [
        ("installed mdadm 4.2-5\ninstalled tgt 1:1.0.85-1\n", "mdadm 4.2-5, tgt 1:1.0.85-1"),
        ("config-files samba 2:4.17\nunknown ok not-installed\n", None),
        ("package samba is not installed\n", None),
        ("", None),
    ],
)
def test_only_installed_packages_are_facts(lines: str, software: str | None) -> None:
    """A removed package and a message are none."""
    facts = facts_in(HEAD + lines)
    assert facts["kernel"] == "6.12.9"
    assert facts.get("storage_software") == software


def test_a_silent_node_has_no_facts() -> None:
    """Nor has one that ended in the middle."""
    assert facts_in("") == {}
    assert facts_in("6.12.9\n") == {}
