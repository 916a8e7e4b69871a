"""A published claim and the series that answers it; each form of claim is a file in `claims`.

A form is a module with `judge(context)`, which answers from the measured series that the study
names. It is called as the claim's `form.type`.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from seatrial.basics.plugins import Plugins
from seatrial.judge.answer import Answer
from seatrial.judge.series import NoAnswer, Series, series
from seatrial.result.quantities import RATE
from seatrial.result.result import Result
from seatrial.study.published import PublishedClaim, SeriesRef
from seatrial.study.study import Study


@dataclass
class Context:
    """A claim, the series that answers it, and the figures that were used."""

    study: Study
    result: Result
    form: dict[str, Any]
    mapping: PublishedClaim
    measured: dict[str, Any] = field(default_factory=dict)

    def first(self) -> Series:
        """The claim's series."""
        return self.series(self.mapping.series)

    def both(self) -> tuple[Series, Series]:
        """The claim's series, and the series that it is compared with."""
        return self.first(), self.series(self.mapping.other)

    def series(self, reference: SeriesRef | None) -> Series:
        """A series of the result; NoAnswer when there is none."""
        if reference is None:
            raise NoAnswer("the study names no series for this claim")
        form = self.study.experiments[reference.experiment]
        found = series(
            self.result, reference, self.mapping.over, form.figure.y if form.figure else None
        )
        if self.mapping.among is not None:
            kept = {
                value: found.samples[value]
                for value in self.mapping.among
                if value in found.samples
            }
            found = replace(found, samples=kept)
            if not kept:
                raise NoAnswer(
                    f"{found.title} has no valid point among "
                    f"{', '.join(map(str, self.mapping.among))}"
                )
        self.measured[f"{found.title}, {found.quantity.unit}"] = {
            str(value): [round(rate / found.quantity.divisor, 3) for rate in sample.values]
            for value, sample in found.samples.items()
        }
        return found

    def resource(self) -> tuple[str, float]:
        """The resource that bounds the claim, as the study models it: (name, bytes per second, not
        scaled).
        """
        if self.mapping.share_of is None:
            raise NoAnswer("the study names no resource (share_of) for the published rate")
        return self.study.resource(self.mapping.share_of)

    def share(self, rate_bytes_per_s: float) -> float:
        """A measured rate as a share of the modelled resource's rate here; NoAnswer when a series
        is no rate.
        """
        if any(not title.endswith(RATE.unit) for title in self.measured):
            raise NoAnswer("operations per second are no share of a rate")
        scale = float(self.result.first("system").get("site", {}).get("scale", 1.0))  # of the lab
        return rate_bytes_per_s / (self.resource()[1] * scale)

    @property
    def here(self) -> str:
        """The place of the measurement, in words."""
        return (
            "here"
            if self.result.first("system").get("site", {}).get("kind") == "hosts"
            else "in the lab"
        )

    @property
    def of_here(self) -> str:
        """The origin of the figures, in words."""
        return "measured here" if self.here == "here" else "of the lab"


class ClaimForm(Protocol):
    """The module of a form."""

    def judge(self, context: Context) -> Answer:
        """Judge; NoAnswer when the result has nothing that could decide."""


_FORMS = Plugins("seatrial.judge.claims", "seatrial.claims", ("judge",))


def claim_form(name: str) -> ClaimForm | None:
    """The form of this name; None where no series could answer it."""
    return cast(ClaimForm, _FORMS.load(name)) if name in _FORMS.names() else None
