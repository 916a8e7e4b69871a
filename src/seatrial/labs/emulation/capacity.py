"""Whether a machine carries the links of its lab: what two of its processors move between two nodes, with room left.

Each byte on a lab's link costs the sender's kernel, the receiver's and the machine's between them time on a processor.
A link that takes most of that says, when it is measured, how busy the machine was.
"""

import math
from collections.abc import Iterator

from seatrial.basics.units import counted, format_rate
from seatrial.plan.site import Site

CARRIED_BYTES_PER_S = 90e6
"""what two idle processors carry from one node to another by NFS, for one processor half of it; iperf3 alone takes a
second of a processor for 56 to 63 MB (docs/lab.md)"""
ROOM = 2.0
"""so many times over: what else runs beside it must not be felt at once"""


def fitting_bytes_per_s(processors: int) -> float:
    """The fastest link that so many processors carry `ROOM` times over; more than two do not serve one link."""
    return CARRIED_BYTES_PER_S * min(processors, 2) / 2 / ROOM


def cramped_links(site: Site, processors: int) -> Iterator[str]:
    """A sentence for each rate of links that is too high for so many processors; none on real hosts."""
    if site.kind != "uml":
        return
    most = fitting_bytes_per_s(processors)
    networks: dict[float, list[str]] = {}
    for network in site.mtus:
        rates = [node.link_rates_bytes_per_s.get(network, 0.0) for node in site.nodes.values()]
        networks.setdefault(max(rates, default=0.0), []).append(network)
    for rate, names in networks.items():
        if rate > most * 1.001:
            fitting = math.ceil(rate / most / site.scale)
            yield (
                f"links of {', '.join(names)} have {format_rate(rate)} here, and "
                f"{counted(processors, 'processor')} can carry {format_rate(most)} with room for what else "
                f"runs: they may be the limit, not the link; lab.scale 1/{fitting} would fit"
            )
