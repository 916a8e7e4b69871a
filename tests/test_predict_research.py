"""The package of the research: the product works without it, and names it where it is needed."""

import pytest

from seatrial.basics.errors import InputError
from seatrial.predict import research


def test_the_installed_package_validates_the_model() -> None:
    """As data and as text."""
    found = research.papers_validation()
    assert found.as_data()["bound_exceeded"] == 0
    assert "published figures" in found.as_text()


def test_without_the_package_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user can install it then."""
    monkeypatch.setattr(research, "entry_points", lambda **_: ())
    with pytest.raises(InputError, match="in the package seatrial-research") as error:
        research.papers_validation()
    assert "pip install seatrial-research" in str(error.value.hint)
