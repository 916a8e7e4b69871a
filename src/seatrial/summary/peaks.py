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
        usable, repeats = len(self.item.usable), len(self.item.repeats)
        few = f"{usable} of {counted(repeats, 'repeat')}" if usable < repeats else ""
        own = LAB_OWN if self.is_of_lab else ""
        parts = (self.experiment, point_name(self.item.point), few, self._spread, own)
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
    def bound(self) -> tuple[str, str] | None:
        """(`91 %`, `client links`): the share of its bound, and the layer that sets it; None where
        unknown.
        """
        bound_bytes_per_s = (
            self.item.first_of("bound_bytes_per_s") if self.item.quantity is RATE else None
        )
        name = self.item.first_of("bound")
        return (
            (percent((self.item.mean or 0.0) / bound_bytes_per_s), name)
            if bound_bytes_per_s and name
            else None
        )


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
    bound = f"; {peak.bound[0]} of its bound, {peak.bound[1]}" if peak.bound else ""
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
        client, share = max(busy, key=lambda pair: pair[1])
        yield f"the processors of {client} were {percent(share)} busy, and may have been the limit"
    for whose in dict.fromkeys(
        phase.cached for item in items for phase in item.basis if phase.cached
    ):
        yield f"reads may come from {whose} caches"


def throughput(
    experiments: Sequence[tuple[str, Sequence[Measured]]], scale: str = ""
) -> Throughput:
    """The throughput of (title, points) of every experiment.

    A sweep over clients is preferred, then any rate, then operations.
    """
    every = [item for _, points in experiments for item in points]
    believed = [(title, item) for title, points in experiments for item in points if item.usable]
    usable = [(title, item) for title, item in believed if not item.is_short]
    short_s = (
        max((item.lasted_s or 0.0 for _, item in believed), default=None) if not usable else None
    )
    swept = {title for title, points in experiments if len(_numbers_tried(points)) > 1}
    rates = [(title, item) for title, item in usable if item.quantity is RATE]
    chosen = [pair for pair in rates if pair[0] in swept] or rates or usable
    peaks = list(_peaks(chosen))[:PHASES_MAX]
    knee = _knee(peaks, chosen) if len(_numbers_tried(every)) > 1 else ""
    doubts = dict.fromkeys(
        doubt for item in every for repeat in item.repeats for doubt in repeat.doubts
    )
    return Throughput(tuple(peaks), knee, len(every), scale, ", ".join(doubts), short_s)


def _numbers_tried(points: Sequence[Measured]) -> set[int]:
    """The client counts of the points."""
    return {item.point["clients"] for item in points if "clients" in item.point}


def _peaks(chosen: Sequence[tuple[str, Measured]]) -> Iterator[Peak]:
    for phase in dict.fromkeys(item.phase for _, item in chosen):
        of_phase = [(title, item) for title, item in chosen if item.phase == phase]
        title, best = max(of_phase, key=lambda pair: pair[1].mean or 0.0)
        many = len({title for title, _ in of_phase}) > 1
        peak = Peak(phase, best, title if many else "")
        least_title, least = min(of_phase, key=lambda pair: pair[1].mean or 0.0)
        # More than the number of clients must differ.
        choices = {(title, repr({**item.point, "clients": 0})) for title, item in of_phase}
        if least is not best and len(choices) > 1:
            peak = replace(peak, least=Peak(phase, least, least_title if many else ""))
        yield peak


def _not_distinguished(best: Measured, least: Measured) -> str:
    """Whether the repeats cannot separate the best choice from the worst; true for
    single repeats.
    """
    if len(best.values) < 2 or len(least.values) < 2:
        return ", which single repeats cannot distinguish"
    if min(best.values) > max(least.values):
        return ""
    return ", which their repeats cannot distinguish"


def _knee(peaks: Sequence[Peak], chosen: Sequence[tuple[str, Measured]]) -> str:
    """The knee of the first peak, on its line of points: only the number of clients varies."""
    if not peaks or "clients" not in peaks[0].item.point:
        return ""
    best = peaks[0].item
    rest = {key: value for key, value in best.point.items() if key != "clients"}
    line = [
        (int(item.point["clients"]), fmean(item.values))
        for _, item in chosen
        if item.phase == best.phase
        and {**item.point, "clients": 0} == {**rest, "clients": 0}
        and item.values
    ]
    counts, law = {clients for clients, _ in line}, fit(line)
    if law is None:
        number = counted(len(counts), "client count")
        usable = f"usable at {number}, {POINTS_MIN} needed"
        return f"the client count at which it stops growing is not known ({usable})"
    knee = law.law.knee_clients
    if knee > max(counts):
        return f"no knee up to {max(counts)} clients"
    return f"the knee is at {figures(knee, 2)} clients"
