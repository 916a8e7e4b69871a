"""A published claim and the series that answers it; each form of claim is a file in `claims`.

A form is a module with `judge(context)`, which answers from the measured series that the study
names. It is called as the claim's `form.type`.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from seatrial.judge.answer import Answer
from seatrial.judge.borrowed import borrowed_study, missing_words
from seatrial.judge.series import NoAnswer, NotMeasured, Series, series
from seatrial.plan.traits import is_emulated_in
from seatrial.result.published import CLAIM_KINDS
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
    _scales: dict[str, float] = field(default_factory=dict)
    """of each study that has a series in the claim"""
    _units: set[str] = field(default_factory=set)
    """of the series that were read"""

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
        result, study = self._source(reference)
        experiment = study.experiments.get(reference.experiment)
        figure = experiment.figure if experiment is not None else None
        quantity = figure.y if figure else None
        try:
            measured = series(result, reference, self.mapping.over, quantity)
        except NotMeasured as reason:
            profiles = _other_profiles(study, result, reference.experiment)
            raise NotMeasured(f"{reason}{profiles}") from None
        if reference.from_ is not None:
            measured = replace(measured, title=f"{reference.from_} {measured.title}")
        if self.mapping.among is not None:
            selected = {
                value: measured.samples[value]
                for value in self.mapping.among
                if value in measured.samples
            }
            measured = replace(measured, samples=selected)
            if not selected:
                raise NoAnswer(
                    f"{measured.title} has no valid point among "
                    f"{', '.join(map(str, self.mapping.among))}"
                )
        unit = measured.quantity.unit
        self._units.add(unit)
        self.measured[f"{measured.title}, {unit}"] = {
            str(value): [round(rate / measured.quantity.divisor, 3) for rate in sample.values]
            for value, sample in measured.samples.items()
        }
        return measured

    def _source(self, reference: SeriesRef) -> tuple[Result, Study]:
        """The result and the study of a series. NoAnswer where it is of another study without a
        result here, or of one at another scale than a series before it.
        """
        if reference.from_ is None:
            result = self.result
            study = self.study
        elif reference.from_ not in self.result.borrowed:
            raise NoAnswer(missing_words(reference.from_))
        else:
            result = self.result.borrowed[reference.from_]
            study = borrowed_study(self.result, reference.from_)
        self._scales[study.id] = _scale_of(result)
        if len(set(self._scales.values())) > 1:
            words = ", ".join(f"{name} at {scale:g}" for name, scale in self._scales.items())
            raise NoAnswer(f"the studies were measured at different scales: {words}")
        return result, study

    def study_of(self, reference: SeriesRef) -> Study:
        """The study that measured a series."""
        return self._source(reference)[1]

    def resource(self) -> tuple[str, float]:
        """The resource that bounds the claim, as the study models it: (name, bytes per second, not
        scaled).
        """
        reference = self.mapping.series
        name = self.mapping.share_of
        if name is None:
            raise NoAnswer("the study names no resource (share_of) for the published rate")
        study = self._source(reference)[1] if reference is not None else self.study
        try:
            return study.resource(name)
        except ValueError as error:  # a resource of another study, which no check of this one sees
            raise NoAnswer(f"{study.id} has no resource {name!r}: {error}") from None

    def share(self, rate_bytes_per_s: float) -> float:
        """A measured rate as a share of the modelled resource's rate here; NoAnswer when a series
        is no rate.
        """
        if self._units - {RATE.unit}:
            raise NoAnswer("operations per second are no share of a rate")
        reference = self.mapping.series
        result = self._source(reference)[0] if reference is not None else self.result
        return rate_bytes_per_s / (self.resource()[1] * _scale_of(result))

    @property
    def here(self) -> str:
        """The place of the measurement, in words."""
        site = self.result.first("system").get("site", {})
        return "in the lab" if is_emulated_in(site) else "here"

    @property
    def of_here(self) -> str:
        """The origin of the figures, in words."""
        return "measured here" if self.here == "here" else "of the lab"


def _scale_of(result: Result) -> float:
    """The factor on rates in the lab; 1 on hosts."""
    return float(result.first("system").get("site", {}).get("scale", 1.0))


class ClaimForm(Protocol):
    """The module of a form."""

    def judge(self, context: Context) -> Answer:
        """Judge; NoAnswer when the result has nothing that could decide."""


def claim_form(name: str) -> ClaimForm | None:
    """The form of this name; None where no series could answer it."""
    return cast(ClaimForm, CLAIM_KINDS.load(name)) if name in CLAIM_KINDS.names() else None


def _other_profiles(study: Study, result: Result, experiment: str) -> str:
    """The profiles that measure an experiment, other than that of the result; empty without one."""
    own = result.first("run").get("profile")
    profiles = [
        profile
        for profile in study.all_profiles
        if profile != own and experiment in study.experiments_in(profile)
    ]
    if not profiles:
        return ""
    if len(profiles) == 1:
        return f"; the profile {profiles[0]} measures it"
    return f"; the profiles {', '.join(profiles[:-1])} and {profiles[-1]} measure it"
