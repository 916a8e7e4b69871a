"""The throughput of a run as a sentence: peak, knee and bound, from usable points only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from seatrial.analysis.scaling import POINTS_MIN, fit
from seatrial.basics.units import counted
from seatrial.result.quantities import OPERATIONS, RATE
from seatrial.summary.names import point_name
from seatrial.summary.notation import LAB_OWN, figures, percent, written
from seatrial.summary.points import STEADY_MIN_S, Measured

SPREAD_MIN = 1.25
"""from this ratio of the highest to the lowest repeat on, both are shown"""
PHASES_MAX = 2
"""phases in one sentence"""


@dataclass(frozen=True)
class BoundShare:
    """A rate compared with its bound."""

    share: str
    """`91 %`"""
    layer: str
    """the layer that sets the bound: `client links`"""


@dataclass(frozen=True)
class Candidate:
    """A point that may be the highest of its phase."""

    experiment: str
    """its title"""
    item: Measured

    @property
    def choice(self) -> tuple[str, str]:
        """The experiment, and the values of the point without the number of clients."""
        return self.experiment, repr({**self.item.point, "clients": 0})


@dataclass(frozen=True)
class Peak:
    """The highest usable point of a phase."""

    phase: str
    item: Measured
    experiment: str
    """its title; empty where only one experiment has the phase"""
    least: "Peak | None" = None
    """the worst choice, where more than the number of clients varies"""

    @property
    def value(self) -> str:
        """`22.5 MB/s`."""
        return f"{written(self.item.quantity, self.item.mean)} {self.item.quantity.unit}"

    @property
    def is_of_lab(self) -> bool:
        """Whether it depends on the lab's own times, and is no figure of hardware."""
        return self.item.in_lab and self.item.quantity is OPERATIONS

    @property
    def where(self) -> str:
        """`clients 2`, with the experiment where it is ambiguous, and the precision of
        the figure.
        """
        usable = len(self.item.usable)
        repeats = len(self.item.repeats)
        few = f"{usable} of {counted(repeats, 'repeat')}" if usable < repeats else ""
        lab_mark = LAB_OWN if self.is_of_lab else ""
        parts = (self.experiment, point_name(self.item.point), few, self._spread, lab_mark)
        return ", ".join(part for part in parts if part)

    @property
    def _spread(self) -> str:
        """From the lowest to the highest repeat, where a mean alone would hide the spread."""
        values = self.item.values
        if len(values) < 2 or max(values) < SPREAD_MIN * min(values):
            return ""
        low, high = (written(self.item.quantity, value) for value in (min(values), max(values)))
        return f"repeats from {low} to {high}"

    @property
    def bound(self) -> BoundShare | None:
        """The share of its bound; None where the bound is unknown."""
        if self.item.quantity is not RATE:
            return None
        bound_bytes_per_s = self.item.first_of("bound_bytes_per_s")
        layer = self.item.first_of("bound")
        if not bound_bytes_per_s or not layer:
            return None
        return BoundShare(percent((self.item.mean or 0.0) / bound_bytes_per_s), layer)


@dataclass(frozen=True)
class Throughput:
    """The throughput of a run over all experiments."""

    peaks: tuple[Peak, ...]
    knee: str
    """client count at which the rate stops growing, or that it is unknown; empty where clients do
    not vary
    """
    points: int
    scale: str = ""
    """of a scale model: `1/40`"""
    doubts: str = ""
    """why points are not usable"""
    short_s: float | None = None
    """longest measured time in s, where every usable point was too short for a steady state"""

    @property
    def words(self) -> str:
        """`write reaches 22.5 MB/s (clients 2; 91 % of its bound, client links)`; empty without
        measurements.
        """
        if not self.points:
            return ""
        if not self.peaks and self.short_s is not None:
            least = f"a steady state needs {STEADY_MIN_S:g} s"
            longest = f"the longest phase was measured for {figures(self.short_s, 2)} s"
            return f"no rate is claimed: {longest}, and {least}"
        if not self.peaks:
            none = (
                "the only point is not"
                if self.points == 1
                else f"none of the {self.points} points is"
            )
            return (
                f"no rate can be claimed: {none} usable{f' ({self.doubts})' if self.doubts else ''}"
            )
        return "; ".join(_reached(peak) for peak in self.peaks)

    @property
    def reserve(self) -> str:
        """The limitations of these figures: the knee, caveats, and the scale of the rates."""
        scale = (
            f"rates are the lab’s, to the scale of {self.scale}"
            if self.scale and self.peaks
            else ""
        )
        return "; ".join(part for part in (self.knee, *_caveats(self.peaks), scale) if part)


def _reached(peak: Peak) -> str:
    bound = f"; {peak.bound.share} of its bound, {peak.bound.layer}" if peak.bound else ""
    best = "at best " if peak.least else ""
    words = f"{peak.phase} reaches {best}{peak.value} ({peak.where}{bound})"
    if peak.least:
        least = f"{peak.least.value} ({peak.least.where})"
        words += f" and at worst {least}{_not_distinguished(peak.item, peak.least.item)}"
    return words


def _caveats(peaks: Sequence[Peak]) -> Iterator[str]:
    """The caveats of these figures, each once for all of them."""
    items = [one.item for peak in peaks for one in (peak, peak.least) if one]
    busy = [phase.busy_client for item in items for phase in item.basis if phase.busy_client]
    if busy:
        busiest = max(busy, key=lambda client: client.share)
        yield (
            f"the processors of {busiest.client} were {percent(busiest.share)} busy, "
            "and may have been the limit"
        )
    for owner in dict.fromkeys(
        phase.cached for item in items for phase in item.basis if phase.cached
    ):
        yield f"reads may come from {owner} caches"


def throughput(
    experiments: Sequence[tuple[str, Sequence[Measured]]], scale: str = ""
) -> Throughput:
    """The throughput of (title, points) of every experiment.

    A sweep over clients is preferred, then any rate, then operations.
    """
    all_points = [item for _, points in experiments for item in points]
    candidates = [Candidate(title, item) for title, points in experiments for item in points]
    valid = [candidate for candidate in candidates if candidate.item.usable]
    usable = [candidate for candidate in valid if not candidate.item.is_short]
    lasted_s = [candidate.item.lasted_s or 0.0 for candidate in valid]
    swept = {title for title, points in experiments if len(_client_counts(points)) > 1}
    rates = [candidate for candidate in usable if candidate.item.quantity is RATE]
    swept_rates = [candidate for candidate in rates if candidate.experiment in swept]
    chosen = swept_rates or rates or usable
    peaks = list(_peaks(chosen))[:PHASES_MAX]
    doubts = dict.fromkeys(
        doubt for item in all_points for repeat in item.repeats for doubt in repeat.doubts
    )
    return Throughput(
        peaks=tuple(peaks),
        knee=_knee(peaks, chosen) if len(_client_counts(all_points)) > 1 else "",
        points=len(all_points),
        scale=scale,
        doubts=", ".join(doubts),
        short_s=None if usable else max(lasted_s, default=None),
    )


def _client_counts(points: Sequence[Measured]) -> set[int]:
    """The client counts of the points."""
    return {item.point["clients"] for item in points if "clients" in item.point}


def _peaks(chosen: Sequence[Candidate]) -> Iterator[Peak]:
    """The best and the worst point of each phase."""
    for phase in dict.fromkeys(candidate.item.phase for candidate in chosen):
        of_phase = [candidate for candidate in chosen if candidate.item.phase == phase]
        is_ambiguous = len({candidate.experiment for candidate in of_phase}) > 1
        ranked = [
            Peak(phase, candidate.item, candidate.experiment if is_ambiguous else "")
            for candidate in of_phase
        ]
        best = max(ranked, key=_mean)
        worst = min(ranked, key=_mean)
        # More than the number of clients must differ.
        choices = {candidate.choice for candidate in of_phase}
        if worst.item is not best.item and len(choices) > 1:
            best = replace(best, least=worst)
        yield best


def _mean(peak: Peak) -> float:
    return peak.item.mean or 0.0


def _not_distinguished(best: Measured, least: Measured) -> str:
    """Whether the repeats cannot separate the best choice from the worst; true for
    single repeats.
    """
    if len(best.values) < 2 or len(least.values) < 2:
        return ", which single repeats cannot distinguish"
    if min(best.values) > max(least.values):
        return ""
    return ", which their repeats cannot distinguish"


def _knee(peaks: Sequence[Peak], chosen: Sequence[Candidate]) -> str:
    """The knee of the first peak, on its line of points: only the number of clients varies."""
    if not peaks or "clients" not in peaks[0].item.point:
        return ""
    best = peaks[0].item
    of_phase = [candidate.item for candidate in chosen if candidate.item.phase == best.phase]
    line = [
        (int(item.point["clients"]), fmean(item.values))
        for item in of_phase
        if item.values and {**item.point, "clients": 0} == {**best.point, "clients": 0}
    ]
    counts = {clients for clients, _ in line}
    law = fit(line)
    if law is None:
        number = counted(len(counts), "client count")
        usable = f"usable at {number}, {POINTS_MIN} needed"
        return f"the client count at which it stops growing is not known ({usable})"
    knee = law.law.knee_clients
    if knee > max(counts):
        return f"no knee up to {max(counts)} clients"
    return f"the knee is at {figures(knee, 2)} clients"
