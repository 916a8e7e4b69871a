"""Whether a machine has enough processor time for the links of its lab.

Each byte on a lab's link costs processor time of the sender's, the receiver's and the machine's
kernel. A measurement of a link that takes most of this time measures how busy the machine was.
"""

import math
from collections.abc import Iterator

from seatrial.basics.units import counted, format_rate
from seatrial.plan.site import Site

CARRIED_BYTES_PER_S = 90e6
"""bytes/s between two nodes by NFS on two idle processors; half of it on one.

iperf3 alone takes one processor second for 56 to 63 MB (docs/lab.md).
"""
ROOM = 2.0
"""headroom factor, so that other load does not affect the measurement"""


def fitting_bytes_per_s(processors: int) -> float:
    """The highest link rate with `ROOM` on this many processors; one link uses at most two."""
    return CARRIED_BYTES_PER_S * min(processors, 2) / 2 / ROOM


def cramped_links(site: Site, processors: int) -> Iterator[str]:
    """A sentence for each link rate that is too high for the processors; none on real hosts."""
    if not site.traits.shares_processors:
        return
    most = fitting_bytes_per_s(processors)
    networks: dict[float, list[str]] = {}
    for network in site.mtus:
        rates = [node.bandwidth_bytes_per_s(network) or 0.0 for node in site.nodes.values()]
        networks.setdefault(max(rates, default=0.0), []).append(network)
    for rate, names in networks.items():
        if rate > most * 1.001:
            fitting = math.ceil(rate / most / site.scale)
            yield (
                f"links of {', '.join(names)} have {format_rate(rate)} here, and"
                f" {counted(processors, 'processor')} can carry {format_rate(most)} with headroom:"
                f" the processors may be the limit, not the link; environment.scale 1/{fitting}"
                " would fit"
            )
