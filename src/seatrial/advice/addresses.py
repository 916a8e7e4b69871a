"""Distinguishes the addresses of a site from version numbers.

Both may look alike: `3.0.0.18` is a version of a storage manager and a valid address. A number
counts as an address where the result's own site knows it, or where its context is that of an
address. A version is not replaced.
"""

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from typing import Any

OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
ADDRESS_4 = rf"(?<![\w.]){OCTET}(?:\.{OCTET}){{3}}(?![\w.]*\d)"
"""candidates: no octet begins with a zero, and no letter or digit is adjacent"""
FOUR_PARTS = re.compile(ADDRESS_4)
_BEFORE_ADDRESS = re.compile(
    r"(?:@|//|\[|\bv[12]:"  # user@, http://, [..], and an address of Ceph
    r"|\b(?:\w*addr|\w*address|addresses|inet|ip|dev|src|dst|via|host|hosts|hostname|peer|portal|portals|gateway"
    r"|subnet|netmask|mask|multicast|broadcast|ping|ssh|connect|reach|listen|bind|know)"
    r"(?:[\\\"']*\s*[=:]\s*|\s+(?:is\s+|to\s+|at\s+|of\s+)?)[\"'\[(<]?"
    r"|\b(?:node|server|servers|client|clients|target|group|route|router|network|mount|initiator|nas|bmc)\s*[=:]\s*[\"']?"
    r"|(?:^|\s)(?:at|from|to|-p|-H|-h)\s+[\"'\[(<]?)$",
    re.IGNORECASE,
)
_BEHIND_ADDRESS = re.compile(r":\d|:/|/\d{1,2}\b|,\d{4,5}\b")
"""a port, a path on that server, a prefix length, an iSCSI port"""
_BEFORE_VERSION = re.compile(
    r"\b(?:version|versions|ver|release|rev|revision|driver|drivers|firmware|kernel|build|bios|package|manager|update)"
    r"[\s=:\"'(]*(?:\w+\s+)?v?$|(?<!\d)[-_+~]$",
    re.IGNORECASE,
)
_BEHIND_VERSION = re.compile(r"[-_+~](?!\d+\.\d+\.\d+\.\d)\w")
"""`-rc1`, `+dfsg`"""
_BETWEEN = re.compile(r"[\s,;]+(?:and\s+)?|-")
"""separators of an address list"""
VERSION_KEYS = frozenset(
    {"version", "versions", "release", "kernel", "driver", "firmware", "packages", "value"}
)
"""keys of a line of JSON with a version, or with a printed value of a paper"""


@dataclass
class Addresses:
    """The IPv4 addresses of a site: those of its study and its result, and their networks."""

    of_site: set[IPv4Address] = field(default_factory=set)
    networks: set[IPv4Network] = field(default_factory=set)

    def learn_study(self, data: Any, key: str = "") -> None:
        """Add every value of a study that is an address, or an address with its prefix length."""
        if isinstance(data, dict):
            for name, value in data.items():
                self.learn_study(value, str(name))
        elif isinstance(data, list | tuple):
            for value in data:
                self.learn_study(value, key)
        elif isinstance(data, str) and key not in VERSION_KEYS:
            self._learn(data)

    def learn_text(self, text: str) -> None:
        """Add every number of a text of the result that has the context of an address."""
        for match in self._in_context(text):
            self.of_site.add(IPv4Address(match.group()))

    def are_at(self, text: str) -> Iterator[re.Match[str]]:
        """Each place of a text that contains an address of the site, in order."""
        in_context = {match.start() for match in self._in_context(text)}
        for match in FOUR_PARTS.finditer(text):
            if match.start() in in_context or self._is_known(text, match):
                yield match

    def _learn(self, value: str) -> None:
        if FOUR_PARTS.match(value) is None:
            return
        try:
            interface = ipaddress.IPv4Interface(value)
        except ValueError:
            return
        self.of_site.add(interface.ip)
        prefix = (
            interface.network if "/" in value else IPv4Network((interface.ip, 24), strict=False)
        )
        self.networks.add(prefix)

    def _is_known(self, text: str, match: re.Match[str]) -> bool:
        address = IPv4Address(match.group())
        if any(address in network for network in self.networks):
            return True
        return address in self.of_site and not _is_version(text, match)

    def _in_context(self, text: str) -> Iterator[re.Match[str]]:
        before: re.Match[str] | None = None
        for match in FOUR_PARTS.finditer(text):
            listed = (
                before is not None
                and _BETWEEN.fullmatch(text, before.end(), match.start()) is not None
            )
            if not _is_version(text, match) and (listed or _stands_as_address(text, match)):
                before = match
                yield match


CONTEXT_LETTERS = 40
"""number of letters before a number that decide its meaning"""


def _before(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - CONTEXT_LETTERS) : match.start()]


def _is_version(text: str, match: re.Match[str]) -> bool:
    """Whether the context of a number is that of a version."""
    if _BEHIND_VERSION.match(text, match.end()):
        return True
    return _BEFORE_VERSION.search(_before(text, match)) is not None


def _stands_as_address(text: str, match: re.Match[str]) -> bool:
    """Whether the context of a number is that of an address, or a log line begins with it."""
    if _BEHIND_ADDRESS.match(text, match.end()) or _BEFORE_ADDRESS.search(_before(text, match)):
        return True
    line_start = text.rfind("\n", 0, match.start()) + 1
    return line_start == match.start() and text[match.end() : match.end() + 1] == ":"
