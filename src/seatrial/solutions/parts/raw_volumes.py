"""Volumes that are loaded without a file system: one for each node, with a partition for each of its tasks.

A directory of links gives each partition the name that a task's file would have, so that the same load runs on both.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from seatrial.basics.units import counted
from seatrial.plan.plan import Step
from seatrial.solutions.parts.array_group import Volume
from seatrial.solutions.parts.steps import wait_until
from seatrial.study.workload import file_name


def in_turns(members: Sequence[str], nodes: int) -> tuple[Sequence[str], float]:
    """The members that have volumes of so many nodes, which take turns, and how many times the mean the fullest has."""
    used = members[:nodes]
    return used, math.ceil(nodes / len(used)) * len(used) / nodes


@dataclass(frozen=True)
class RawVolume:
    """A node's own volume."""

    volume: Volume
    node_index: int
    """of the node among those that are loaded"""
    tasks: int
    directory: str
    """of the links"""

    def steps(self) -> list[Step]:
        """Divide it, and name each part."""
        device = self.volume.device
        parts = [f"{device}-part{number}" for number in range(1, self.tasks + 1)]
        there = " && ".join(f"[ -b {part} ]" for part in parts)
        bounds = [f"{100 * number // self.tasks}%" for number in range(self.tasks + 1)]
        bounds[0] = "1MiB"
        made = " ".join(
            f"mkpart task{number} {start} {end}" for number, (start, end) in enumerate(pairwise(bounds), start=1)
        )
        links = [(part, f"{self.directory}/{file_name(self.node_index, task)}") for task, part in enumerate(parts)]
        named = " && ".join(f'[ "$(readlink {link})" = {part} ]' for part, link in links)
        return [
            Step(
                f"divide its own volume into {counted(self.tasks, 'part')}",
                there,
                f"parted -s -a none {device} mklabel gpt {made}\nudevadm settle --timeout=30\n"
                f"{wait_until(there, 20, 'the parts of the volume')}",
                destroys=(device,),
            ),
            Step(
                "name each part as a task's file",
                named,
                f"mkdir -p {self.directory}\n" + "\n".join(f"ln -sfn {part} {link}" for part, link in links),
            ),
        ]

    def removal(self) -> Step:
        """The links are gone; the volume goes with its member."""
        return Step("forget its own volume", f"[ ! -e {self.directory} ]", f"rm -r {self.directory}")
