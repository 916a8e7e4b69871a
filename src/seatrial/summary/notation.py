"""The notation of numbers in sentences: significant digits, units, and the sign of a missing
value.
"""

from collections.abc import Sequence

from ClusterShell.NodeSet import NodeSetException

from seatrial.basics.node_sets import fold
from seatrial.basics.units import significant
from seatrial.result.quantities import RATE, Quantity

NONE = "–"
"""in place of a value that is not known"""
LAB_OWN = "value of the lab, not of hardware"
"""of a value that depends on the lab's times, which are not scaled"""


def mega(rate_bytes_per_s: float | None, digits: int = 3) -> str:
    """MB/s with this number of significant digits; a dash when there is no rate."""
    if rate_bytes_per_s is None:
        return NONE
    return figures(rate_bytes_per_s / RATE.divisor, digits)


def milliseconds(duration_s: float | None, digits: int = 3) -> str:
    """A time in ms with this number of significant digits."""
    return NONE if duration_s is None else figures(duration_s * 1e3, digits)


def seconds(duration_s: float | None, digits: int = 3) -> str:
    """A time in s with its unit, also a long one: one table never mixes `30.0 s` and `1 min`."""
    return NONE if duration_s is None else f"{figures(duration_s, digits)} s"


def written(quantity: Quantity, value: float | None, digits: int = 3) -> str:
    """A value of a quantity in its unit, without the unit's name."""
    return NONE if value is None else figures(value / quantity.divisor, digits)


def figures(value: float | None, digits: int = 3) -> str:
    """A number with this number of significant digits and without exponent: 0.0123, 12.3, 1230."""
    return NONE if value is None else significant(value, digits)


def ratio(value: float | None, first: float | None) -> str:
    """A value divided by its reference; a dash where either is missing."""
    return NONE if value is None or not first else figures(value / first)


def percent(share: float | None) -> str:
    """A share of one in whole percent."""
    return NONE if share is None else f"{share * 100:.0f} %"


def node_set(nodes: Sequence[str]) -> str:
    """The shortest node set of some names; a name that cannot be in one is printed as it is."""
    try:
        return fold(nodes)
    except NodeSetException:
        return ", ".join(nodes)
