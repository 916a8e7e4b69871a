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


def study_file(path: Path) -> Path:
    """A study's file: `path` itself, or its folder's; where neither is there, that of a study in `studies` by name.

    Those in the current folder come before those that came along.
    """
    places = [path, Path("studies") / path, shipped("studies") / path] if len(path.parts) == 1 else [path]
    place = next((place for place in places if place.exists()), path)
    return place / "study.yaml" if place.is_dir() else place
