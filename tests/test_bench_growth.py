"""The words of scripts/bench_growth.py, and the cost of a fault beyond its own time."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.builders.tools import script

growth = script("bench_growth")
TIMES = {
    "started_unix_s": 100.0,
    "injected_unix_s": 112.0,
    "repaired_unix_s": 122.0,
    "recovered_unix_s": 130.0,
    "ended_unix_s": 135.0,
}


def costs(**changes: float) -> Any:
    """The costs of a verb that grow with the number of results."""
    each = {"cpu_s": 0.1, "memory_mib": 2.0, "output_bytes": 3000} | changes
    return growth.ManyResults(
        "catalogue",
        {
            count: growth.Cost(
                1.0 + each["cpu_s"] * count,
                50.0 + each["memory_mib"] * count,
                int(each["output_bytes"] * count),
            )
            for count in growth.COUNTS
        },
    )


def test_the_growth_of_a_verb_is_printed_per_result() -> None:
    """A verb without an output, such as `history`, has no fit of it."""
    text = "1.00 s + 100.0 ms per result, 50 MiB + 2.00 MiB per result"
    assert growth.growth(costs()) == f"{text}, 3.0 kB of output per result"
    assert growth.growth(costs(output_bytes=0)) == text
    few = growth.ManyResults("history", {1: growth.Cost(1.0, 1.0, 0)})
    assert growth.growth(few) == "too few counts for a fit"


@pytest.mark.parametrize(
    ("changes", "expected_s"),
    [
        ({}, 12.0 + 5.0),
        ({"recovered_unix_s": None}, 12.0 + 13.0),
        ({"injected_unix_s": None}, None),
        ({"ended_unix_s": None}, None),
    ],
)
def test_the_overhead_is_what_precedes_the_injection_and_follows_the_recovery(
    changes: dict[str, float | None], expected_s: float | None
) -> None:
    """A fault that did not run to its end has none."""
    assert growth.overhead_s(SimpleNamespace(**TIMES | changes)) == expected_s
