"""Combines the results of nodes that ran the same work at the same time, with separate outputs.

Together they moved all bytes in the time of the slowest. A reader that knows bytes and time
provides them. Otherwise, the files' sizes must be known and equal on all nodes: then the slowest
node's time is its bytes over its rate.
"""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeVar

from seatrial.advice.foreign import Foreign
from seatrial.basics.known import all_known

Value = TypeVar("Value")


class CannotCombine(ValueError):  # noqa: N818 - the import makes it an error of the user's input
    """Why results of several nodes cannot be combined."""


def together(by_label: Mapping[str, Sequence[Foreign]]) -> list[Foreign]:
    """One result for each test that all labels have; raises CannotCombine where the nodes did not
    do the same.
    """
    if len(by_label) == 1:
        return list(next(iter(by_label.values())))
    keyed = {label: _keyed(results) for label, results in by_label.items()}
    first = next(iter(keyed.values()))
    for label, results in keyed.items():
        if results.keys() != first.keys():
            reference = next(iter(keyed))
            raise CannotCombine(f"the lines of {label} and {reference} have different results")
    return [_combined([results[key] for results in keyed.values()]) for key in first]


def _keyed(results: Sequence[Foreign]) -> dict[tuple[str, str, int], Foreign]:
    """Each result by its work, and by its number among results of the same work."""
    seen = Counter[tuple[str, str]]()
    by_work = {}
    for item in results:
        key = (item.phase, repr(item.point))
        seen[key] += 1
        by_work[(*key, seen[key])] = item
    return by_work


def _combined(members: Sequence[Foreign]) -> Foreign:
    first = members[0]
    bytes_per_s = _rate(
        [item.bytes_per_s for item in members], [item.moved_bytes for item in members], members
    )
    operations = _rate(
        [item.operations_per_s for item in members],
        [item.moved_operations for item in members],
        members,
    )
    elapsed = all_known([item.elapsed_s for item in members])
    moved_bytes = all_known([item.moved_bytes for item in members])
    moved_operations = all_known([item.moved_operations for item in members])
    tasks = all_known([item.tasks for item in members])
    return dataclasses.replace(
        first,
        bytes_per_s=bytes_per_s,
        operations_per_s=operations,
        # Each label is a node; a node's own count only shows that it is one.
        clients=sum(item.clients or 1 for item in members),
        tasks=None if tasks is None else sum(tasks),
        latency_ms={},  # percentiles of several nodes cannot be added
        moved_bytes=None if moved_bytes is None else sum(moved_bytes),
        moved_operations=None if moved_operations is None else sum(moved_operations),
        elapsed_s=None if elapsed is None else max(elapsed),
        problem="; ".join(dict.fromkeys(item.problem for item in members if item.problem)) or None,
    )


def _rate(
    rates: Sequence[float | None], moved: Sequence[int | None], members: Sequence[Foreign]
) -> float | None:
    """Total data over the time of the slowest; None where no node has a rate."""
    if all(rate is None for rate in rates):
        return None
    elapsed = all_known([item.elapsed_s for item in members])
    amounts = all_known(moved)
    if elapsed is not None and amounts is not None and max(elapsed) > 0:
        return sum(amounts) / max(elapsed)
    known_rates = all_known(rates)
    sizes = {item.file_bytes for item in members}
    if known_rates is None or None in sizes:
        raise CannotCombine("each node's data and time are not printed")
    # The same amount on each node: the slowest node's time is the time of all.
    return len(known_rates) * min(known_rates)
