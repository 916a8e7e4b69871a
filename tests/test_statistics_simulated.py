"""The coverages and errors of docs/statistics.md, drawn again with the same seeds."""

import pytest

from tests.builders.places import ROOT
from tests.simulations import Simulated, every
from tests.simulations_criteria import criteria

PAGE = (ROOT / "docs" / "statistics.md").read_text()


@pytest.mark.parametrize("row", [*every(), *criteria()], ids=lambda row: f"{row.what}, {row.case}")
def test_a_simulation_gives_the_promised_and_printed_figures(row: Simulated) -> None:
    """Within its permitted range, and to the digits of the page: `python -m
    tests.simulations` prints its table.
    """
    share = row.share()
    assert row.least <= share <= row.most
    assert f"| {row.what} | {row.case} | {100 * share:.1f} % | {row.nominal} |" in PAGE
