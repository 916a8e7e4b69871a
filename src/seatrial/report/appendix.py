"""The appendix: every script, identical ones once, and the study as it was."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from seatrial.report.tables import node_set

_HEADER = re.compile(r"^# stage \d+ of \d+: (?P<stage>.*); node (?P<node>\S+)$", re.MULTILINE)
_FILE = re.compile(r"^(?P<number>\d+)-(?P<stage>.*)-(?P<node>[^-]+)\.sh$")


@dataclass(frozen=True)
class Script:
    """One script and the nodes that it went to."""

    number: str
    stage: str
    nodes: str
    """a folded node set"""
    count: int
    file: str
    """of the first node"""
    text: str


def scripts(files: Mapping[str, str]) -> list[Script]:
    """Scripts by file name, those that differ in the node's name of the header alone folded into one."""
    groups: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for name, text in sorted(files.items()):
        file, header = _FILE.match(name), _HEADER.search(text)
        node = header["node"] if header else (file["node"] if file else name)
        stage = header["stage"] if header else (file["stage"] if file else name)
        number = file["number"] if file else ""
        same = _HEADER.sub(f"# {stage}", text, count=1)
        groups.setdefault((number, same), []).append((name, node, stage))
    found = []
    for (number, _), members in groups.items():
        file_name, _, stage = members[0]
        nodes = node_set([node for _, node, _ in members])
        found.append(Script(number, stage, nodes, len(members), file_name, files[file_name]))
    return found
