"""The kinds of text that a study may contain and that become part of a script, a configuration file
or a path.

Each consists of characters without a meaning to a shell, to XML, to an INI file or to exports(5).
It begins with no character that makes it an option, and names nothing above its folder. So no
script has to quote it correctly: a text that would need quotes is refused when the study is read,
with its place. Other texts of a study (titles, reasons) are only printed.
"""

import hashlib
import ipaddress
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

LENGTH_MAX = 255


def plain(what: str, pattern: str, example: str, longest: int = LENGTH_MAX) -> Callable[[str], str]:
    """A validator: the text unless it differs from `pattern`, is longer, or has a part `..`; then
    ValueError.
    """
    whole = re.compile(pattern)

    def check(text: str) -> str:
        if len(text) > longest:
            raise ValueError(
                f"{text[:20]!r}... is not a valid {what}: it has {len(text)} characters of at most"
                f" {longest}"
            )
        if not whole.fullmatch(text) or ".." in text.split("/"):
            raise ValueError(f"{text!r} is not a valid {what}; write it like {example}")
        return text

    return check


def _format(kind: str) -> Any:
    """The format of a text in the JSON Schema: docs/study-format.md names it."""
    return Field(json_schema_extra={"format": kind})


Name = Annotated[str, AfterValidator(plain("name", r"[A-Za-z0-9][A-Za-z0-9_.-]*", "storage-a", 63))]
"""of a network, a service, a node, a power distribution unit, an experiment, a fault"""
Identity = Annotated[
    str,
    AfterValidator(plain("id", r"[a-z0-9][a-z0-9.-]*", "nss-ha", 63)),
    Field(json_schema_extra={"maxLength": 63}),
]
Device = Annotated[
    str,
    AfterValidator(
        plain(
            "device (no patterns, no blanks; of a label with an escape take the link in"
            " /dev/disk/by-id)",
            r"/dev/[A-Za-z0-9_.:+@=,#~%/-]+",
            "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4",
        )
    ),
    _format("device"),
]
_PATH = re.compile(r"/[A-Za-z0-9_.:+@=~%/-]+")
"""without a comma: some paths become a part of a list of mount options"""


def path_like(what: str, example: str) -> Callable[[str], str]:
    """A validator: an absolute path of letters that need no quotes; ValueError names the letter
    that is not permitted.
    """

    def check(text: str) -> str:
        if len(text) > LENGTH_MAX:
            raise ValueError(
                f"{text[:20]!r}... is not a valid {what}: it has {len(text)} characters of at most"
                f" {LENGTH_MAX}"
            )
        if reason := _not_a_path(text):
            raise ValueError(f"{text!r} is not a valid {what}: {reason}; write it like {example}")
        return text

    return check


def _not_a_path(text: str) -> str | None:
    """Why it cannot be taken as an absolute path; None where it can."""
    if "$" in text:
        return "variables are not expanded, write the value"
    if text.startswith("~"):
        return "'~' is not expanded, write the whole path"
    if not text.startswith("/"):
        return "it does not begin with '/'"
    if not text.strip("/"):
        return "it is the root of the file system"
    if ".." in text.split("/"):
        return "it has a part '..', write where that leads"
    wrong = next((letter for letter in text if not _PATH.fullmatch(f"/{letter}")), None)
    if wrong is not None:
        letter_words = {" ": "a blank", ",": "a comma (',')"}.get(wrong, repr(wrong))
        return (
            f"it has {letter_words}, and only A-Z, a-z, 0-9 and _.:+@=~%- are taken; "
            "a link without it will do"
        )
    return None


FilePath = Annotated[
    str, AfterValidator(path_like("absolute path", "/etc/seatrial/password")), _format("path")
]
Directory = Annotated[
    str, AfterValidator(path_like("absolute path of a directory", "/mnt/scratch")), _format("path")
]
FileSystemType = Annotated[
    str,
    AfterValidator(plain("type of a file system", r"[A-Za-z0-9][A-Za-z0-9_.:-]*", "lustre", 63)),
]
"""as /proc/mounts names it; a subtype of FUSE may have a colon: `fuse.JuiceFS:jfs`"""
_OPTION = plain("mount option", r"[A-Za-z0-9][A-Za-z0-9_.:+@=%/-]*", "rsize=1048576")


_AT_BOOT = "the plan mounts it at every boot, and compares the mount with the plan"
_OF_THE_PLAN = {
    "_netdev": "the plan writes it where it is needed",
    "noauto": _AT_BOOT,
    "x-systemd.automount": _AT_BOOT,
    "remount": "the plan decides on each new mount",
    "bind": "the plan mounts the storage, not another directory",
}
"""option of any mount -> why a study cannot set it"""


def _mount_option(text: str) -> str:
    """One option of mount(8); ValueError for several in one text, and for those that the plan
    writes itself.
    """
    name = text.partition("=")[0]
    if reason := _OF_THE_PLAN.get(name):
        raise ValueError(f"{text!r}: {reason}; leave it out")
    if "," in text:
        raise ValueError(
            f"{text!r} is more than one mount option; write a list: [{text.replace(',', ', ')}]"
        )
    return _OPTION(text)


def _as_list(value: object) -> object:
    """A list of options; a string is refused with the list that it stands for."""
    if isinstance(value, str):
        items = ", ".join(part.strip() for part in value.split(",") if part.strip())
        raise ValueError(f"{value!r} is one text; write a list: [{items}]")
    return value


MountOption = Annotated[str, AfterValidator(_mount_option), _format("mount option")]
MountOptions = Annotated[tuple[MountOption, ...], BeforeValidator(_as_list)]
"""options of a mount, one an item"""
NETWORK_BITS_LEAST = 8
"""of the network that a service is exported to: the largest private network is 10.0.0.0/8 (RFC
1918)"""


def _of_one_machine(text: str) -> str:
    """A name or an IP address, without brackets, port or zone: each of these has its own place in a
    mount.
    """
    if text.startswith("[") or text.endswith("]"):
        raise ValueError(
            f"{text!r} has brackets; write an IPv6 address without them, like 2001:db8::10"
        )
    if "%" in text:
        raise ValueError(
            f"{text!r} has a zone, which is another on each node; write an address that all can"
            " reach"
        )
    if "://" in text:
        raise ValueError(
            f"{text!r} is a URL; write the name or the address alone, like nas1 or 10.10.0.1"
        )
    if ":" in text and not is_ipv6(text):
        raise ValueError(_with_colon(text))
    return _no_odd_number(_ADDRESS(text))


def is_ipv6(text: str) -> bool:
    """Whether it is an IPv6 address, written without brackets."""
    try:
        return ":" in text and bool(ipaddress.IPv6Address(text))
    except ValueError:
        return False


def bracketed(address: str) -> str:
    """The address as it is written before a colon: an IPv6 address in brackets (RFC 3986, section
    3.2.2).
    """
    return f"[{address}]" if is_ipv6(address) else address


def _with_colon(text: str) -> str:
    host, _, port = text.rpartition(":")
    if port.isdigit() and ":" not in host:
        return f"{text!r} has a port; write the name or the address alone, like {host}"
    return (
        f"{text!r} is not a valid name or address: it has a colon, but is not an IPv6 address;"
        " write it like 10.10.0.1"
    )


def _no_odd_number(text: str) -> str:
    """No address of all machines or of many, and no number that a resolver takes for one."""
    if not re.fullmatch(r"[0-9.]+|[0-9A-Fa-f.:]*:[0-9A-Fa-f.:]*|0[xX][0-9A-Fa-f]*", text):
        return text  # a name
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an IP address; write it like 10.10.0.1") from None
    if address.is_unspecified or address.is_multicast:
        raise ValueError(f"{text!r} is the address of no machine; write it like 10.10.0.1")
    if address.is_link_local and address.version == 6:
        raise ValueError(
            f"{text!r} is an address of one link, which needs a zone; write one that all can reach"
        )
    return text


def _moves(text: str) -> str:
    """An address that is given to a card, with the network that is reached by it."""
    if "/" not in text:
        raise ValueError(f"{text[:40]!r} has no prefix length; write it as 10.10.200.1/16")
    try:
        # Two programs may read a mask in two ways.
        if not re.fullmatch(r"[0-9.]{7,15}/[0-9]{1,2}", text):
            raise ValueError
        interface = ipaddress.IPv4Interface(text)
    except ValueError:
        mistake = (
            f"{text[:40]!r} is not an IPv4 address with the length of its prefix, as 10.10.200.1/16"
        )
        raise ValueError(mistake) from None
    if interface.network.prefixlen < NETWORK_BITS_LEAST:
        raise ValueError(
            f"{text!r} is a network of {interface.network}; the prefix is {NETWORK_BITS_LEAST} at"
            " least"
        )
    if interface.ip.is_unspecified or interface.ip.is_loopback or interface.ip.is_multicast:
        raise ValueError(f"{text!r} is the address of no service; write it as 10.10.200.1/16")
    return text


_LETTER = r"(?:[A-Za-z0-9]|\{node\})"
_ADDRESS = plain("name or address", rf"{_LETTER}(?:{_LETTER}|[._:-])*", "10.10.0.1")
Address = Annotated[str, AfterValidator(_of_one_machine), _format("address")]
"""a host name or an IP address, IPv6 without brackets; `{node}` stands for a node's name"""
ServiceAddress = Annotated[str, AfterValidator(_moves), _format("address with prefix")]
"""an IPv4 address with the length of its prefix, which a node takes in addition to its own"""
User = Annotated[str, AfterValidator(plain("user", r"[A-Za-z0-9_][A-Za-z0-9_.-]*", "seatrial", 32))]
Interface = Annotated[
    str, AfterValidator(plain("network interface", r"[A-Za-z0-9][A-Za-z0-9_.:@-]*", "ens1f0", 15))
]
"""IFNAMSIZ is 16, with the end of the string (linux/if.h)"""
Cipher = Annotated[
    str, AfterValidator(plain("cipher", r"[a-z0-9][a-z0-9@.-]*", "aes128-gcm@openssh.com", 64))
]


def shortened(text: str, longest: int) -> str:
    """The text where it fits, else its beginning and six hexadecimal digits of its hash.

    One pair of ids in 16 million has the same name by chance: code that finds the name in use by
    another study refuses it.
    """
    if len(text) <= longest:
        return text
    return text[: longest - 6] + hashlib.sha256(text.encode()).hexdigest()[:6]


def capitalised(text: str) -> str:
    """The text with a capital first letter; the other letters stay."""
    return f"{text[:1].upper()}{text[1:]}"
