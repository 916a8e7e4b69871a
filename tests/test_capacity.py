"""Whether a machine carries the links of a study's lab."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest

from seatrial.check import prepare
from seatrial.labs.emulation.capacity import cramped_links
from seatrial.plan.traits import REAL
from seatrial.study.study import load_study
from tests.builders.places import STUDIES
from tests.builders.strategies import MINIMAL, study

SHIPPED = sorted(STUDIES.glob("*/study.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_two_processors_carry_every_link_of_the_shipped_studies_twice_over(path: Path) -> None:
    """A busy core must not be a verdict on a link."""
    site, _ = prepare(load_study(path))
    assert [*cramped_links(site, 2)] == []


def test_a_link_that_is_too_fast_is_reported_with_the_scale_that_fits() -> None:
    """By the processors of this machine; more than two serve no single link faster."""
    data = copy.deepcopy(MINIMAL)
    data["environment"]["scale"] = "1/10"
    site, _ = prepare(study(data))
    (printed,) = cramped_links(site, 2)
    assert printed.startswith(
        "links of data have 125 MB/s here, and 2 processors can carry 45 MB/s"
    )
    assert printed.endswith("environment.scale 1/28 would fit")
    assert "1/56" in next(cramped_links(site, 1))
    assert "1/28" in next(cramped_links(site, 64))
    data["environment"]["scale"] = "1/28"
    assert [*cramped_links(prepare(study(data))[0], 2)] == []
    assert [*cramped_links(replace(site, traits=REAL), 2)] == []
