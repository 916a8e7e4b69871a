"""A study with changed values, and its site and solution.

Every point, variant and trial value of an experiment is such a study.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from seatrial.labs.base import lab_kind
from seatrial.plan.site import Site
from seatrial.solutions.base import Solution, load_solution
from seatrial.study.study import Study


@dataclass(frozen=True)
class Variant:
    """The data of a varied study that exist before any node does."""

    study: Study
    site: Site
    solution: Solution


class _Asked:
    """A study and its changes as a cache key; the study is compared by identity."""

    def __init__(self, study: Study, changes: Mapping[str, Any]) -> None:
        self.study = study
        self.changes = changes
        self._text = json.dumps(changes, sort_keys=True, default=repr)

    def __hash__(self) -> int:
        return hash((id(self.study), self._text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.study is other.study and self._text == other._text


def vary(study: Study, changes: Mapping[str, Any] | None = None) -> Variant:
    """The study with replaced values, such as `{"solution.export.threads": 64}`.

    Without changes it is the study itself. InputError when the study, its lab or its solution
    rejects a value. The same study and changes give the same object.
    """
    return _vary(_Asked(study, changes or {}))


@lru_cache(maxsize=512)
def _vary(asked: _Asked) -> Variant:
    study = asked.study.with_values(asked.changes) if asked.changes else asked.study
    site = lab_kind(study).site(study)
    return Variant(study, site, load_solution(study, site))
