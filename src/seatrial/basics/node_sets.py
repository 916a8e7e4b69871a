"""Node sets as HPC users write them (`node[01-16,20],nas`), and the names of nodes.

A set keeps the order in which it is written: the first clients of a study are the first ones that
it names. A set has only names and ranges. It has no groups (the groups of a site are a shell
command) and no wildcards.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet
from ClusterShell.RangeSet import RangeSet, RangeSetException

NODES_MAX = 10_000
TEXT_MAX = 4000
NAME_MAX = 253
"""letters of a host name (RFC 1123, section 2.1: "SHOULD handle host names of up to 255", with its
length and end)"""
LABEL_MAX = 63
"""letters between two dots of a host name (RFC 1035, section 2.3.4)"""

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_AT_COMMAS = re.compile(r",(?![^\[]*\])")


def node_name(text: str) -> str:
    """The name, if it is a host name (RFC 1123, section 2.1); else ValueError."""
    shown = text if len(text) <= LABEL_MAX else f"{text[:20]}..."
    if len(text) > NAME_MAX:
        raise ValueError(
            f"{shown!r} is not a valid node name: it has {len(text)} characters of at most"
            f" {NAME_MAX}"
        )
    longest = max(text.split("."), key=len)
    if len(longest) > LABEL_MAX:
        raise ValueError(
            f"{shown!r} is not a valid node name: between two dots it has {len(longest)} "
            f"characters of at most {LABEL_MAX}"
        )
    if not _NAME.fullmatch(text) or ".." in text:
        raise ValueError(f"{text!r} is not a valid node name{_why_not(text)}; write it like srv1")
    return text


@lru_cache(maxsize=4096)
def expand(nodes: str) -> tuple[str, ...]:
    """The names of a node set in the order in which they are written: `c[1-3],a` is c1, c2, c3, a.

    ValueError for a text that is not a node set, has too many nodes, or names one host in two ways.
    """
    _check_text(nodes)
    names: dict[str, str] = {}
    for part in _AT_COMMAS.split(nodes):
        for name in _names_of(nodes, part):
            first_name = names.setdefault(name.lower(), node_name(name))
            if first_name != name:
                raise ValueError(
                    f"{nodes!r} names {first_name!r} twice, also as {name!r}: {SAME_HOST}; "
                    "name it once"
                )
    return tuple(names.values())


SAME_HOST = "host names have no case (RFC 4343)"


def fold(nodes: Iterable[str]) -> str:
    """The shortest node set of some names, in ClusterShell's order: c1, c2, c3 is `c[1-3]`."""
    return str(NodeSet.fromlist(list(nodes), resolver=RESOLVER_NOGROUP))


def _names_of(nodes: str, part: str) -> Iterable[str]:
    """All names of one part between two commas: the last range runs fastest."""
    choices: list[Sequence[str]] = []
    position = 0
    for match in _PART.finditer(part):
        if match.start() != position:
            raise ValueError(
                f"{nodes!r} is not a valid node set (a bracket is missing in {part!r}); write it"
                " like c[1-8]"
            )
        position = match.end()
        ranges, text = match.groups()
        choices.append([text] if ranges is None else _numbers_of(nodes, ranges))
    if position != len(part) or not choices:
        missing = f"a bracket is missing in {part!r}" if part else "a name is missing at a comma"
        raise ValueError(f"{nodes!r} is not a valid node set ({missing}); write it like c[1-8]")
    return map("".join, product(*choices))


def _numbers_of(nodes: str, ranges: str) -> list[str]:
    """The numbers in a pair of brackets, as they are written and with their zeros: `08-10,3` is 08,
    09, 10, 3.
    """
    numbers: dict[str, None] = {}
    for item in ranges.split(","):
        try:
            numbers |= dict.fromkeys(map(str, RangeSet(item)))
        except RangeSetException as error:
            raise ValueError(
                f"{nodes!r} is not a valid node set ({error}); write it like c[1-8]"
            ) from None
    return list(numbers)


def _check_text(nodes: str) -> None:
    """ValueError where it is too long, has other letters, or has more nodes than a study
    may have.
    """
    if len(nodes) > TEXT_MAX:
        raise ValueError(
            f"{nodes[:20]!r}... is too long for a node set: {len(nodes)} letters of at most"
            f" {TEXT_MAX}"
        )
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.,\[\]/-]*", nodes):
        raise ValueError(
            f"{nodes!r} is not a valid node set{_why_not(nodes)}; write it like c[1-8], or"
            " node01,node02"
        )
    if _count(nodes) > NODES_MAX:
        shown = nodes if len(nodes) <= NAME_MAX else f"{nodes[:20]}..."
        raise ValueError(f"{shown!r} has more than {NODES_MAX} nodes")


_REASONS = {
    "_": (
        "host names have no '_' (RFC 1123); take the host's name without it, or an alias in your"
        " ssh configuration"
    ),
    " ": "it has a blank; part names by a comma alone",
    "!": "'!' takes names away, which is not understood; write the ranges that remain",
    "@": "groups are not understood, as a site's groups are a shell command; write the names",
    "*": "wildcards are not understood; write the names",
    "?": "wildcards are not understood; write the names",
    ":": (
        "an IPv6 address is not a name; give the node a name, and write the address as its"
        " `address`"
    ),
}


def _why_not(text: str) -> str:
    """The reason, led by a colon, where one letter gives it away."""
    wrong = next((letter for letter in text if not re.match(r"[A-Za-z0-9.,\[\]/-]", letter)), None)
    if wrong is None:
        return ""
    return f": {_REASONS.get(wrong, f'names of hosts have no {wrong!r}')}"


_RANGE = re.compile(r"\[([^\]]*)\]")


def _count(nodes: str) -> int:
    """The highest possible number of names in a node set, without making them."""
    return sum(_count_of_part(part) for part in _AT_COMMAS.split(nodes))


def _count_of_part(part: str) -> int:
    count = 1
    for group in _RANGE.findall(part):
        count *= sum(_count_of_range(item) for item in group.split(","))
    return count


def _count_of_range(item: str) -> int:
    low, _, high = item.partition("-")
    high = high.partition("/")[0]
    return abs(int(high) - int(low)) + 1 if low.isdigit() and high.isdigit() else 1
