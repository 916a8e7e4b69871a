"""Every text of the plan fixtures that becomes part of a script."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.builders.plan_fixtures import PLANS, data_of

PARTS = ("schema", "id", "nodes", "networks", "pdus", "solution", "environment")
TOLD = {
    "title",
    "question",
    "kind",
    "schema",
    "id",
    "password",
    "values",
    "adjust",
    "version",
    "settings",
    "agents",
    "mode",
    "cabling",
    "cache",
    "level",
    "access",
    "cluster",
    "versions",
    "cache_timeout",
}
"""keys of text that is only printed, that is one of some words, or that has a separate rule"""


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all text in a part of a study."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from leaves(value, (*path, index))
    elif isinstance(data, str):
        yield path


@cache
def cases() -> list[Any]:
    """Each text of the parts of each kind's studies that become scripts."""
    found: dict[tuple[Any, ...], tuple[dict[str, Any], tuple[Any, ...], Path]] = {}
    for name, path in PLANS.items():
        data = {key: value for key, value in data_of(name)[0].items() if key in PARTS}
        for part in PARTS[2:]:
            for place in leaves(data.get(part, {}), (part,)):
                if not TOLD & set(place):
                    found.setdefault((data["solution"]["kind"], *place), (data, place, path))
    return [pytest.param(*value, id=".".join(map(str, key))) for key, value in found.items()]
