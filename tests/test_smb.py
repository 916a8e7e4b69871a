"""Solution `smb`: the messages of mistakes, the secrets, and the configuration."""

import copy
import re
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.plan.plan import Plan, describe
from tests.builders.strategies import MINIMAL, study

SMALL: dict[str, Any] = {"kind": "smb", "raid": MINIMAL["solution"]["raid"]}


def plan_of(*, hosts: bool = False, **options: Any) -> Plan:
    """The plan for the small study with these options of the solution."""
    data = copy.deepcopy(MINIMAL)
    data["solution"] = {**SMALL, **options}
    if hosts:
        data["environment"] = {"kind": "hosts"}
        data["nodes"]["nas"]["disks"] = {
            "count": 6,
            "devices": [f"/dev/sd{letter}" for letter in "bcdefg"],
        }
    return prepare(study(data))[1].plan({})


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"share": {"sync": "async"}},
        r"share\.sync: 'async' is not known; one of 'strict', 'always' or 'never'",
    ),
    ({"share": {"signing": "off"}}, r"share\.signing: 'off' is not known"),
    (
        {"mount": {"version": 1.0}},
        r"mount\.version: '1\.0' is not known; one of '2\.1', '3\.0' or '3\.1\.1'",
    ),
    ({"mount": {"cache": "singleclient"}}, r"mount\.cache: 'singleclient' is not known"),
    ({"mount": {"options": ["vers=3.0"]}}, r"'vers=3\.0' is set by mount\.version; leave it out"),
    (
        {"mount": {"options": ["rsize=65536"]}},
        r"'rsize=65536' is set by mount\.rsize; leave it out",
    ),
    ({"mount": {"options": ["username=me"]}}, r"'username=me' is set by credentials; leave it out"),
    ({"mount": {"options": ["PASSWORD=hunter22"]}}, r"is set by credentials; leave it out"),
    ({"mount": {"options": ["passwd=hunter22"]}}, r"is set by credentials; leave it out"),
    ({"mount": {"options": ["pass2=hunter22"]}}, r"is set by credentials; leave it out"),
    ({"credentials": "/etc/creds,uid=0"}, r"is not a valid absolute path"),
    ({"mount": {"options": ["guest"]}}, r"'guest' is set by guest; leave it out"),
    ({"password": "short"}, r"solution\.password: write 8 to 127 ASCII characters without a blank"),
    (
        {"credentials": "relative"},
        r"solution\.credentials: .relative. is not a valid absolute path",
    ),
    ({"password": "with a blank"}, r"solution\.password: write 8 to 127"),
    (
        {"password": "long-enough", "guest": True},
        r"solution\.guest: password is also given; leave one of them out",
    ),
    (
        {"password": "long-enough", "credentials": "/f"},
        r"solution\.credentials: password is also given",
    ),
    (
        {"guest": True, "share": {"signing": "required"}},
        r"guest: signing and encryption need a key",
    ),
    (
        {"guest": True, "share": {"encryption": "required"}},
        r"guest: signing and encryption need a key",
    ),
    (
        {"mount": {"version": 2.1}, "share": {"encryption": "required"}},
        r"SMB 2\.1 has no encryption; write 3\.0",
    ),
    (
        {"hosts": True, "password": "long-enough"},
        r"solution\.password: on real hosts a study must not contain a secret",
    ),
    ({"hosts": True}, r"solution: on real hosts state how clients log in: credentials"),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES, ids=[str(item[0]) for item in MISTAKES])
def test_a_mistake_is_reported_with_its_place(options: dict[str, Any], message: str) -> None:
    """`file:line:column: where: the mistake, the correction`."""
    with pytest.raises(InputError) as caught:
        plan_of(**options)
    text = str(caught.value)
    assert re.search(message, text), text
    assert re.match(r"study\.yaml:\d+:\d+: ", text), text


def test_a_share_cannot_have_a_name_of_sambas_own() -> None:
    """[homes] and [printers] are no plain shares."""
    with pytest.raises(InputError, match=r"id: Samba reserves the share name 'homes'"):
        prepare(study({**MINIMAL, "id": "homes", "solution": SMALL}))


def test_the_password_is_not_printed() -> None:
    """It is in the script that is piped, and in nothing that people see; the file that holds it is
    root's alone.
    """
    plan = plan_of(password="correct-horse")
    assert "correct-horse" not in describe(plan)
    piped = [script for _, stage, _, script in plan.scripts() if stage.title == "credentials"]
    assert len(piped) == 5
    assert all("password=correct-horse" in script and "umask 077" in script for script in piped)


def test_a_file_of_credentials_is_used_unchanged() -> None:
    """No stage writes one, and the removal does not take it away."""
    plan = plan_of(hosts=True, credentials="/root/smb")
    assert "credentials" not in [stage.title for stage in plan.stages]
    assert not plan.secrets


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        ({"share": {"sync": "never"}}, "acknowledged and flushed data are lost"),
        ({"guest": True}, "any host in reach can read and change all data"),
        ({}, None),
    ],
)
def test_unsafe_values_give_a_warning(options: dict[str, Any], warning: str | None) -> None:
    """And a safe value gives no warning."""
    warnings = " ".join(plan_of(**options).warnings)
    assert warning in warnings if warning else not warnings
