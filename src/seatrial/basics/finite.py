"""JSON for any program: `NaN` and `Infinity` are not JSON, and a figure that is not finite is
unknown.
"""

import json
import math
from collections.abc import Callable
from typing import Any


def is_finite(value: object) -> bool:
    """Whether it is a number that can be counted with: no bool, not `nan`, not `inf`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False  # an int above every float


def only_finite(value: Any) -> Any:
    """The same value with None for every float that is not finite, at any depth."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: only_finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [only_finite(item) for item in value]
    return value


def json_text(
    data: Any,
    *,
    separators: tuple[str, str] | None = None,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """JSON of `data`, where figures that are not finite are null. It makes a copy only where there
    is such a figure.
    """
    try:
        return json.dumps(data, separators=separators, default=default, allow_nan=False)
    except ValueError:
        return json.dumps(
            only_finite(data), separators=separators, default=default, allow_nan=False
        )
