"""What docs/statistics.md says of coverage and errors, drawn again with the same seeds."""

from pathlib import Path

import pytest

from tests.simulations import Simulated, every
from tests.simulations_criteria import criteria

PAGE = (Path(__file__).parent.parent / "docs" / "statistics.md").read_text()


@pytest.mark.parametrize("row", [*every(), *criteria()], ids=lambda row: f"{row.what}, {row.case}")
def test_a_simulation_gives_what_is_promised_and_printed(row: Simulated) -> None:
    """Within what it may be, and to the digit that the page has: `python -m tests.simulations` prints its table."""
    share = row.share()
    assert row.least <= share <= row.most
    assert f"| {row.what} | {row.case} | {100 * share:.1f} % | {row.nominal} |" in PAGE
