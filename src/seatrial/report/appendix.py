"""The appendix: every script, identical ones once, and the study as it was."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from seatrial.record.record import safe_name
from seatrial.report.tables import node_set

_HEADER = re.compile(r"^# stage \d+ of \d+: (?P<stage>.*?)(?:; node (?P<node>\S+))?$", re.MULTILINE)
"""older scripts name their node; nodes with the same steps now get the same script"""
_NUMBER = re.compile(r"^\d+(?=-)")


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
        header, number = _HEADER.search(text), _NUMBER.match(name)
        stage, node = (header["stage"], header["node"]) if header else (name, "")
        if header and not node:
            # What stands behind the stage, whose words may have hyphens as a node's may.
            node = _NUMBER.sub("", Path(name).stem).removeprefix("-").removeprefix(f"{safe_name(stage)}-")
        same = _HEADER.sub(f"# {stage}", text, count=1)
        groups.setdefault((number[0] if number else "", same), []).append((name, node, stage))
    found = []
    for (order, _), members in groups.items():
        file_name, _, stage = members[0]
        nodes = node_set([node for _, node, _ in members if node])
        found.append(Script(order, stage, nodes, len(members), file_name, files[file_name]))
    return found
