"""Validates figures of another program: only finite, non-negative ones enter a result."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from seatrial.advice.foreign import Foreign
from seatrial.basics.finite import is_finite


@dataclass(frozen=True)
class Sound:
    """Results with possible figures only, and a sentence for each figure that was left out."""

    results: tuple[Foreign, ...]
    notes: tuple[str, ...]


def sound(results: Iterable[Foreign]) -> Sound:
    """Leave out each figure that cannot be.

    A result without a rate above 0 is left out as a whole, except one with a problem: it stays, to
    be marked.
    """
    usable: list[Foreign] = []
    notes: list[str] = []
    for item in results:
        where = _where(item)
        bytes_per_s = _checked(item.bytes_per_s, f"{where}: bytes_per_s", notes)
        operations_per_s = _checked(item.operations_per_s, f"{where}: operations_per_s", notes)
        if not bytes_per_s and not operations_per_s and item.problem is None:
            zero = "its rate is 0" if 0 in (bytes_per_s, operations_per_s) else "it has no rate"
            notes.append(f"{where}: left out, as {zero}")
            continue
        latencies = {
            name: _checked(value, f"{where}: latency {name}", notes)
            for name, value in item.latency_ms.items()
        }
        usable.append(
            dataclasses.replace(
                item,
                bytes_per_s=bytes_per_s,
                operations_per_s=operations_per_s,
                latency_ms={name: value for name, value in latencies.items() if value is not None},
            )
        )
    return Sound(tuple(usable), tuple(notes))


def alike(results: Sequence[Foreign]) -> Iterator[str]:
    """A sentence for each group of indistinguishable results of one run."""
    counts = Counter(
        (item.section, item.phase, item.test, repr(item.point))
        for item in results
        if item.iteration is None
    )
    for (_, phase, test, _), count in counts.items():
        if count > 1:
            yield (f"{test} {phase}: {count} indistinguishable results of one run count as repeats")


def _checked(value: float | None, what: str, notes: list[str]) -> float | None:
    if value is None:
        return None
    if is_finite(value) and value >= 0:
        return float(value)
    notes.append(f"{what} is {str(value)[:40]}, and was left out")
    return None


def _where(item: Foreign) -> str:
    name = f"{item.test} {item.phase}"
    return name if item.line is None else f"line {item.line}: {name}"
