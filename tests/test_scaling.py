"""The universal scalability law of a sweep over clients."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seatrial.analysis.scaling import Law, fit
from seatrial.report import laws
from seatrial.summary.points import Measured, measured
from tests.builders.reports import sample_phases

COUNTS = (1, 2, 4, 8, 16, 32)


@settings(max_examples=25, deadline=None)
@given(st.floats(1, 1e9), st.floats(0, 0.9), st.floats(0, 0.05))
def test_points_of_a_law_give_the_law_back(
    one_client: float, contention: float, coherency: float
) -> None:
    """Without noise its bands are a line."""
    law = Law(one_client, contention, coherency)
    found = fit([(clients, law.rate(clients)) for clients in COUNTS])
    assert found is not None
    for clients in COUNTS:
        assert found.law.rate(clients) == pytest.approx(law.rate(clients), rel=1e-4)
        low, high = found.band(clients)
        assert low <= high * (1 + 1e-9)
        assert high / low == pytest.approx(1, abs=1e-3)


def test_peak_and_knee_by_hand() -> None:
    """σ 0.02 and κ 0.0005: the peak at sqrt(0.98 / 0.0005) = 44.3; without κ no peak, the knee at 1
    / σ.
    """
    law = Law(10, 0.02, 0.0005)
    assert law.peak_clients == pytest.approx(44.27, abs=0.01)
    assert law.rate(44) >= max(law.rate(40), law.rate(50))
    assert law.knee_clients == pytest.approx(law.rate(law.peak_clients) / 10)
    assert Law(10, 0.02, 0).peak_clients == math.inf
    assert Law(10, 0.02, 0).knee_clients == pytest.approx(50)
    assert Law(10, 0, 0).knee_clients == math.inf


def test_a_published_decline_has_a_peak_with_a_band() -> None:
    """Bonded GbE of gpfs-nsd (table 3, natural reads): it peaks near 8 clients and falls at 28."""
    found = fit([(1, 110.29), (2, 214.51), (4, 398.28), (8, 414.49), (16, 388.94), (28, 206.89)])
    assert found is not None
    low, high = found.peak_clients
    assert low <= found.law.peak_clients <= high
    assert 5 < found.law.peak_clients < 15
    assert found.law.coherency > 0


def test_a_sweep_without_decline_claims_none() -> None:
    """Linear scaling: neither contention nor coherency, and no peak."""
    found = fit([(clients, 5.0 * clients) for clients in COUNTS])
    assert found is not None
    assert found.law.contention == pytest.approx(0, abs=1e-9)
    assert found.law.coherency == pytest.approx(0, abs=1e-9)


def test_more_than_linear_is_no_negative_contention() -> None:
    """Clients that do not wait for each other wait 0, not less."""
    found = fit([(1, 10.0), (2, 22.0), (4, 50.0), (8, 110.0), (16, 230.0)])
    assert found is not None
    bands = (*found.contention, *found.coherency)
    assert min(found.law.contention, found.law.coherency, *bands) >= 0


def test_a_band_holds_nine_draws_of_ten() -> None:
    """Not all of them: the band of 90 %."""
    found = fit([(1, 10.0), (2, 18.0), (4, 37.0), (8, 60.0), (16, 70.0), (32, 82.0)])
    assert found is not None
    low, high = found.band(16)
    inside = sum(low <= law.rate(16) <= high for law in found.draws) / len(found.draws)
    assert 0.89 <= inside <= 0.96


FOUR = [(1, 1.0), (2, 2.0), (4, 3.0), (8, 3.5)]


@pytest.mark.parametrize("points", [FOUR, [*FOUR, (16, 0.0)], [*FOUR, *FOUR]])
def test_too_few_points_have_no_law(points: list[tuple[int, float]]) -> None:
    """And rates of 0 have none."""
    assert fit(points) is None


def test_the_same_points_have_the_same_bands() -> None:
    """A second report of a result has the same text."""
    points = [(1, 10.0), (2, 18.0), (4, 31.0), (8, 40.0), (16, 39.0)]
    assert fit(points) == fit(points)


def _points(rates: dict[int, float], **more: str) -> list[Measured]:
    first = sample_phases()[0]
    return measured(
        replace(first, point={"clients": clients, **more}, natural_bytes_per_s=rate)
        for clients, rate in rates.items()
    )


def test_the_report_has_the_law_of_each_sweep() -> None:
    """One that declines, one that does not, one that is too short to have a law."""
    declining = {1: 10e6, 2: 19e6, 4: 35e6, 8: 40e6, 16: 30e6, 32: 18e6}
    rising = {clients: clients * 5e6 for clients in (1, 2, 4, 8, 16)}
    found = laws.scaling("", [*_points(declining, disk="old"), *_points(rising, disk="new")])
    assert found is not None
    assert [row[0] for row in found.rows] == ["disk old, write", "disk new, write"]
    assert found.rows[0][-1] == "declines"
    assert found.rows[1][1:] == (
        "5.00",
        "0 (0 to 0)",
        "0 (0 to 0)",
        "∞",
        "–",
        "–",
        "no decline shown",
    )
    assert laws.scaling("", _points({1: 1e6, 2: 2e6, 4: 3e6, 8: 4e6})) is None
