"""Solution `sshfs`: the messages of mistakes, and the places of keys."""

import copy
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.plan.plan import Plan, describe
from tests.builders.strategies import MINIMAL, study

OWN = {"user": "scratch", "key_file": "/root/.ssh/scratch"}


def plan_of(*, hosts: bool = False, **options: Any) -> Plan:
    """The plan for the small study with these options of the solution."""
    data = copy.deepcopy(MINIMAL)
    data["solution"] = {"kind": "sshfs", "raid": data["solution"]["raid"], **options}
    if hosts:
        data["environment"] = {"kind": "hosts"}
        data["nodes"]["nas"]["disks"] = {
            "count": 6,
            "devices": [f"/dev/sd{letter}" for letter in "bcdefg"],
        }
    return prepare(study(data))[1].plan({})


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"mount": {"options": ["direct_io"]}},
        r"'direct_io' is set by mount\.direct_io; leave it out",
    ),
    ({"mount": {"options": ["ssh_command=/tmp/evil"]}}, r"may be commands; one of "),
    ({"mount": {"options": ["ProxyCommand=/tmp/evil"]}}, r"may be commands; one of "),
    ({"mount": {"options": ["sftp_server=/tmp/evil"]}}, r"may be commands; one of "),
    ({"mount": {"options": ["F=/tmp/config"]}}, r"may be commands; one of "),
    ({"mount": {"options": ["identityfile=/k"]}}, r"is set by key_file; leave it out"),
    ({"known_hosts": "/etc/known,allow_other"}, r"is not a valid absolute path"),
    (
        {"mount": {"options": ["IdentityFile=/k"]}},
        r"'IdentityFile=/k' is set by key_file; leave it out",
    ),
    (
        {"mount": {"options": ["reconnect", "allow_other"]}},
        r"act as the owner of every file; add default_permissions",
    ),
    ({"mount": {"cipher": "a,b"}}, r"mount\.cipher: .a,b. is not a valid cipher"),
    ({"mount": {"alive_interval": 15}}, r"mount\.alive_interval: 15 has no unit"),
    (OWN, r"solution: a lab has its own user and key; leave user and key_file out"),
    (
        {"hosts": True},
        r"solution: on real hosts name the user who logs in on the server, and key_file",
    ),
    ({"hosts": True, "user": "scratch"}, r"solution: on real hosts name the user"),
    (
        {"hosts": True, **OWN, "key_file": "keys/a"},
        r"key_file: .keys.a. is not a valid absolute path",
    ),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES, ids=[str(item[0]) for item in MISTAKES])
def test_a_mistake_is_reported_with_its_place(options: dict[str, Any], message: str) -> None:
    """`file:line:column: where: the mistake, the correction`."""
    with pytest.raises(InputError) as caught:
        plan_of(**options)
    text = str(caught.value)
    assert re.search(message, text), text
    assert re.match(r"study\.yaml:\d+:\d+: ", text), text


def test_the_labs_key_goes_nowhere_else() -> None:
    """On hosts no key is written and no login is allowed."""
    plan = plan_of(hosts=True, **OWN)
    assert "PRIVATE KEY" not in describe(plan)
    assert "authorized_keys" not in describe(plan)
    assert "useradd" not in describe(plan)


@pytest.mark.parametrize("hosts", [True, False])
def test_clients_know_the_server_by_the_key_that_it_has(hosts: bool) -> None:
    """No key from the network is trusted; the site may name a file instead."""
    plan = plan_of(hosts=hosts, **(OWN if hosts else {}))
    text = describe(plan)
    assert ",StrictHostKeyChecking=yes," in text
    assert "accept" not in text
    assert text.count(plan.learned[0].placeholder)
    assert not plan.warnings
    assert "@learned" not in describe(
        plan_of(hosts=hosts, **(OWN if hosts else {}), known_hosts="/root/known")
    )


@pytest.mark.parametrize(
    ("options", "name"), [([], "nas"), (["Port=22"], "nas"), (["Port=2222"], "[nas]:2222")]
)
def test_every_key_of_the_server_is_listed(options: list[str], name: str, tmp_path: Path) -> None:
    """By the name that a client uses; a key that sshd names but that does not exist is left out."""
    keys = [tmp_path / kind for kind in ("missing", "ed25519", "ecdsa")]
    for key in keys[1:]:
        subprocess.run(["ssh-keygen", "-q", "-t", key.name, "-N", "", "-f", key], check=True)
    tool = tmp_path / "sshd"
    tool.write_text("#!/bin/sh\n" + "".join(f"echo hostkey {key}\n" for key in keys))
    tool.chmod(0o755)
    (item,) = plan_of(mount={"options": options}).learned
    words = ["sh", "-c", f"PATH={tmp_path}:$PATH\n{item.command}"]
    printed = subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    assert [line.split()[:2] for line in printed.splitlines()] == [
        [name, "ssh-ed25519"],
        [name, "ecdsa-sha2-nistp256"],
    ]
    assert re.fullmatch(item.form, printed)
    known = tmp_path / "known"
    known.write_text(f"{printed}\n")
    assert (
        subprocess.run(
            ["ssh-keygen", "-F", name, "-f", known], check=False, capture_output=True
        ).returncode
        == 0
    )
