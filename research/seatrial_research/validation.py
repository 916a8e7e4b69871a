"""What `seatrial predict --validate` calls."""

from dataclasses import asdict
from typing import Any

from seatrial_research.text import validation_text
from seatrial_research.validate import validate_papers


def as_data() -> dict[str, Any]:
    """The validation for `--json`."""
    return asdict(validate_papers())


def as_text() -> str:
    """The validation for the terminal."""
    return validation_text(validate_papers())
