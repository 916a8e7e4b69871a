"""The verb `schema`."""

from __future__ import annotations

import json


def schema() -> None:
    """Print the JSON Schema of a study, for editors."""
    from seatrial.start.json_schema import study_schema

    print(json.dumps(study_schema(), indent=2))
