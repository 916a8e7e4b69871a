"""The appendix: every distinct script once, and the study as it was run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from seatrial.result.file_names import safe_name
from seatrial.summary.notation import node_set

_HEADER = re.compile(r"^# stage \d+ of \d+: (?P<stage>.*?)(?:; node (?P<node>\S+))?$", re.MULTILINE)
"""Older scripts name their node. Nodes with the same steps now share one script."""
_NUMBER = re.compile(r"^\d+(?=-)")


@dataclass(frozen=True)
class Script:
    """One script and the nodes that ran it."""

    number: str
    stage: str
    nodes: str
    """a folded node set"""
    count: int
    file: str
    """file name of the first node's script"""
    text: str


def scripts(files: Mapping[str, str]) -> list[Script]:
    """Fold the scripts that differ only in the node name of their header, by file name."""
    groups: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for name, text in sorted(files.items()):
        header = _HEADER.search(text)
        number = _NUMBER.match(name)
        stage, node = (header["stage"], header["node"]) if header else (name, "")
        if header and not node:
            # The text after the stage may contain hyphens, and so may a node name.
            node = (
                _NUMBER.sub("", Path(name).stem)
                .removeprefix("-")
                .removeprefix(f"{safe_name(stage)}-")
            )
        same = _HEADER.sub(f"# {stage}", text, count=1)
        groups.setdefault((number[0] if number else "", same), []).append((name, node, stage))
    folded = []
    for (order, _), members in groups.items():
        file_name, _, stage = members[0]
        nodes = node_set([node for _, node, _ in members if node])
        folded.append(Script(order, stage, nodes, len(members), file_name, files[file_name]))
    return folded
