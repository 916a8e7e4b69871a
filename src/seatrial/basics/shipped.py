"""What comes with Seatrial beside its code: the studies, the published facts, the agent.

In a checkout it lies where it is written; a wheel has it in `seatrial/shipped`.
"""

from pathlib import Path

_IN_WHEEL = Path(__file__).parents[1] / "shipped"
CHECKOUT = Path(__file__).parents[3]


def shipped(name: str) -> Path:
    """Where `studies`, `published` or `seatrial-agent` lies; a path that is not there where it did not come along."""
    return _IN_WHEEL / name if _IN_WHEEL.is_dir() else CHECKOUT / name


def in_checkout() -> bool:
    """Whether this is the source tree, where `make setup` mends what is missing."""
    return not _IN_WHEEL.is_dir() and (CHECKOUT / "Makefile").is_file()
