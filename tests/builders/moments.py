"""Events of servers that fence each other or take a journal over."""

from typing import Any

from tests.builders.fault_results import fault


def wrote(start_s: float, end_s: float, volume: str = "s") -> dict[str, Any]:
    """An interval of a writer."""
    return {"volume": volume, "start_unix_s": start_s, "end_unix_s": end_s, "bytes": 4096}


def moment(
    unix_s: float, node: str, what: str, subject: str = "s-service", **more: Any
) -> dict[str, Any]:
    """An event that a server logged."""
    return {
        "unix_s": unix_s,
        "node": node,
        "what": what,
        "text": what,
        "subject": subject,
        "good": True,
        **more,
    }


def power(unix_s: float, node: str, what: str, by: str = "a-bmc") -> dict[str, Any]:
    """A line of the power log."""
    return {"unix_s": unix_s, "node": node, "what": what, "by": by}


WATCHED: dict[str, Any] = {
    "writers_watched": (95.0, 165.0),
    "writers_error_s": 0.5,
    "clock_error_s": 0.1,
}
FENCED: dict[str, Any] = {
    **WATCHED,
    "writers": {"a": [wrote(95.0, 101.0)], "b": [wrote(106.0, 165.0)]},
    "moments": (moment(104.0, "b", "fenced", "a"), moment(105.0, "b", "starting")),
    "power": (power(102.0, "a", "off"), power(103.0, "a", "on")),
}


def message(unix_s: float, what: str, subject: str = "", node: str = "c1") -> dict[str, Any]:
    """A message of a node."""
    return {
        "unix_s": unix_s,
        "node": node,
        "what": what,
        "subject": subject,
        "text": "",
        "good": True,
    }


def taken(at_s: float = 107.0, fenced_s: float = 106.0, **changes: Any) -> Any:
    """A fault in which c1 fenced c6 and took its journal over."""
    moments = (
        message(104.6, "fencing", "c6"),
        message(at_s, "recovering", "journal 3"),
        message(fenced_s, "fenced", "c6"),
    )
    power = ({"unix_s": 105.3, "node": "c6", "what": "off", "by": "c6-bmc"},)
    return fault(**{"moments": moments, "power": power, **changes})
