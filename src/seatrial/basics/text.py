"""The kinds of text that a study may contain and that become part of a script, a configuration file or a path.

Each consists of characters that mean nothing to a shell, to XML, to an INI file or to exports(5), begins with none that
makes it an option, and names nothing above where it is put. So no script has to be trusted to quote it: what would need
quotes is refused when the study is read, with its place. What a study has beside these (titles, reasons) is only told.
"""

import hashlib
import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

NODES_MAX = 10_000
LENGTH_MAX = 255


def plain(what: str, pattern: str, example: str, longest: int = LENGTH_MAX) -> Callable[[str], str]:
    """A validator: the text unless it is something else than `pattern`, longer, or has a part `..`; then ValueError."""
    whole = re.compile(pattern)

    def check(text: str) -> str:
        if len(text) > longest:
            raise ValueError(f"{text[:20]!r}... is no {what}: it has {len(text)} characters of at most {longest}")
        if not whole.fullmatch(text) or ".." in text.split("/"):
            raise ValueError(f"{text!r} is no {what}; write it like {example}")
        return text

    return check


node_name = plain("name of a node", r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?", "srv1", 63)
"""a host name (RFC 1123, section 2.1)"""

Name = Annotated[str, AfterValidator(plain("name", r"[A-Za-z0-9][A-Za-z0-9_.-]*", "storage-a", 63))]
"""of a network, a service, a node, a power distribution unit, an experiment, a fault"""
Identity = Annotated[
    str, AfterValidator(plain("id", r"[a-z0-9][a-z0-9.-]*", "nss-ha", 63)), Field(json_schema_extra={"maxLength": 63})
]
Device = Annotated[
    str,
    AfterValidator(
        plain(
            "device (no patterns, no blanks; of a label with an escape take the link in /dev/disk/by-id)",
            r"/dev/[A-Za-z0-9_.:+@=,#~%/-]+",
            "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4",
        )
    ),
]
FilePath = Annotated[str, AfterValidator(plain("absolute path", r"/[A-Za-z0-9_.:+@=~%/-]+", "/etc/seatrial/password"))]
"""without a comma: some become a part of a list of mount options"""
MountOption = Annotated[
    str, AfterValidator(plain("mount option", r"[A-Za-z0-9][A-Za-z0-9_.:+@=%/-]*", "rsize=1048576"))
]
NETWORK_BITS_LEAST = 8
"""of what a service is exported to: the largest private network is 10.0.0.0/8 (RFC 1918)"""


def _of_one_machine(text: str) -> str:
    """No address of all machines or of many, and no number that a resolver takes for one."""
    if not re.fullmatch(r"[0-9.]+|[0-9A-Fa-f.:]*:[0-9A-Fa-f.:]*|0[xX][0-9A-Fa-f]*", text):
        return text  # a name
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"{text!r} is no IP address; write it like 10.10.0.1") from None
    if address.is_unspecified or address.is_multicast:
        raise ValueError(f"{text!r} is the address of no machine; write it like 10.10.0.1")
    return text


def _moves(text: str) -> str:
    """An address that is given to a card, with the network that is reached by it."""
    if "/" not in text:
        raise ValueError(f"{text[:40]!r} has no prefix length; write it as 10.10.200.1/16")
    try:
        if not re.fullmatch(r"[0-9.]{7,15}/[0-9]{1,2}", text):  # a mask behind it means two things to two programs
            raise ValueError
        found = ipaddress.IPv4Interface(text)
    except ValueError:
        told = f"{text[:40]!r} is no IPv4 address with the length of its prefix, as 10.10.200.1/16"
        raise ValueError(told) from None
    if found.network.prefixlen < NETWORK_BITS_LEAST:
        raise ValueError(f"{text!r} is a network of {found.network}; the prefix is {NETWORK_BITS_LEAST} at least")
    if found.ip.is_unspecified or found.ip.is_loopback or found.ip.is_multicast:
        raise ValueError(f"{text!r} is the address of no service; write it as 10.10.200.1/16")
    return text


_LETTER = r"(?:[A-Za-z0-9]|\{node\})"
Address = Annotated[
    str,
    AfterValidator(plain("name or address", rf"{_LETTER}(?:{_LETTER}|[._:-])*", "10.10.0.1")),
    AfterValidator(_of_one_machine),
]
"""a host name or an IP address; `{node}` stands for a node's name"""
ServiceAddress = Annotated[str, AfterValidator(_moves)]
"""an IPv4 address with the length of its prefix, which a node takes beside its own"""
User = Annotated[str, AfterValidator(plain("user", r"[A-Za-z0-9_][A-Za-z0-9_.-]*", "seatrial", 32))]
Interface = Annotated[str, AfterValidator(plain("network interface", r"[A-Za-z0-9][A-Za-z0-9_.:@-]*", "ens1f0", 15))]
"""IFNAMSIZ is 16, with the end of the string (linux/if.h)"""
Cipher = Annotated[str, AfterValidator(plain("cipher", r"[a-z0-9][a-z0-9@.-]*", "aes128-gcm@openssh.com", 64))]


def said_by(option: str, reserved: Mapping[str, str]) -> str | None:
    """The key of a study that says what a mount option says; names of options are compared without their case."""
    name = option.partition("=")[0].lower()
    return next((key for known, key in reserved.items() if known.lower() == name), None)


def shortened(text: str, longest: int) -> str:
    """The text where it fits, else its beginning and six hexadecimal digits of all of it.

    One pair of ids in 16 million has the same name by chance: who finds it in use by another study refuses.
    """
    if len(text) <= longest:
        return text
    return text[: longest - 6] + hashlib.sha256(text.encode()).hexdigest()[:6]


_RANGE = re.compile(r"\[([^\]]*)\]")


def node_count(nodes: str) -> int:
    """About how many names a node set has, without making them: the largest number that it can be."""
    total = 0
    for part in re.split(r",(?![^\[]*\])", nodes):
        count = 1
        for group in _RANGE.findall(part):
            inner = 0
            for item in group.split(","):
                low, _, high = item.partition("-")
                high = high.partition("/")[0]
                inner += abs(int(high) - int(low)) + 1 if low.isdigit() and high.isdigit() else 1
            count *= inner
        total += count
    return total


def check_node_set(nodes: str) -> None:
    """ValueError unless it is names and ranges alone: no groups (a site's groups are a shell command), no wildcards."""
    if len(nodes) > 4000 or any(len(number) > 9 for number in re.findall(r"\d+", nodes)):
        raise ValueError(f"{nodes[:20]!r}... is too long for a node set; write it like c[1-8]")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.,\[\]/-]*", nodes):
        raise ValueError(f"{nodes!r} is no node set; write it like c[1-8], without groups and wildcards")
    if node_count(nodes) > NODES_MAX:
        raise ValueError(f"{nodes!r} has more than {NODES_MAX} nodes")
