"""The properties of a kind of environment on which other parts of the program decide.

The kind defines them. No other part compares the name of a kind, so that an environment of another
package gets the treatment that its properties need.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

IN_RESULT = "emulated"
"""the key of a stored site that states `is_emulated`"""


@dataclass(frozen=True)
class Traits:
    """The properties; the default of each is that of real hosts, which stay after a run."""

    is_emulated: bool = False
    """the nodes and their hardware are models: a missing rate means no limit"""
    is_temporary: bool = False
    """the nodes exist for one run only: they belong to no other user and hold no data"""
    shares_processors: bool = False
    """all nodes run on the processors of this machine, which may limit a measurement"""
    sets_memory: bool = False
    """the study sets the memory of each node, as small as its daemons allow"""
    holds_secrets: bool = False
    """the environment makes every account and key: a password of it is no secret"""
    has_rdma: bool = True
    """its network cards can transfer by RDMA"""
    skips_parity: bool = False
    """a read of an array does not wait for the heads to pass the parity blocks"""
    names_cards: bool = False
    """each network card has the name of its network"""
    has_fixed_mtu: bool = False
    """a network card takes no larger MTU again until its node boots"""
    logs_power: bool = False
    """it logs each change of the power of its nodes"""
    moves_cables: bool = False
    """it can move the disks of its nodes to other storage paths during a run"""
    shares_clock: bool = False
    """the kernels of all nodes read the clock of one machine"""
    has_site_hosts: bool = True
    """machines of the site that are no nodes can run commands"""

    def fields_in_result(self, kind: str) -> dict[str, Any]:
        """What a stored site adds to the name of the kind; nothing where the name is enough."""
        if self.is_emulated == is_emulated_in({"kind": kind}):
            return {}
        return {IN_RESULT: self.is_emulated}


REAL = Traits()
"""those of real hosts"""


def is_emulated_in(site: Mapping[str, Any]) -> bool:
    """Whether the site of a stored result was emulated.

    The rule of the format: without a statement only `hosts` is real.
    """
    return bool(site.get(IN_RESULT, site.get("kind") != "hosts"))
