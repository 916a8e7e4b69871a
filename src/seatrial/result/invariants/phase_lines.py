"""The line of a phase: its rates follow from its tasks, its seconds add up, and its flags follow
from its counts.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from seatrial.analysis.aggregates import aggregate
from seatrial.plan.data_path import bucket_bytes
from seatrial.result.invariants.contradiction import Code, Contradiction, Subject
from seatrial.result.phases import LAB_BUSY_SHARE_MAX, ClientResult, PhaseResult

RATES_APART_MAX = 1e-6
"""relative: the rates are computed from the tasks that the line keeps"""
TIMES_APART_S = 0.05
"""a task's time may be above its client's by this many seconds"""
LATE_TASK_MIN = 0.5
"""the longest task of a busy machine has at least this share of its client's time, less
LATE_TASK_S"""
LATE_TASK_S = 0.5
SECONDS_APART_MAX = 0.01
"""relative, in addition to one operation of each task: the operations in progress when a second
ended"""
CLOCK_ERROR_MAX_S = 2.5
"""above it times of two machines cannot be compared: as for the looks at an array"""
BOUND_OVER_RATE_MAX = 8.0
"""a bound may exceed the mean rate of its resource by this factor: a favourable hash permits it"""
BUCKETS = 2.0
"""and by the contents of the token buckets of its links: each client has at most this number"""
LATENCY_ORDER = ("min", "p50", "p90", "p99", "p999", "max")


def of_phase(phase: PhaseResult) -> Iterator[Contradiction]:
    """The contradictions of a phase."""
    where = phase.title
    for code, detail in (
        *_durations(phase),
        *_tasks(phase),
        *_rates(phase),
        *_seconds(phase),
        *_flags(phase),
        *_latencies(phase),
        *_bounds(phase),
    ):
        yield Contradiction(code, Subject.PHASE, where, detail)


Problems = Iterator[tuple[Code, str]]


def _durations(phase: PhaseResult) -> Problems:
    for client in phase.clients:
        worked = client.size_bytes > 0 or client.operations > 0
        if worked and client.lost is None and client.elapsed_s <= 0:
            yield (
                Code.NO_DURATION,
                f"{client.client} did {client.operations} operations in {client.elapsed_s:g} s",
            )
        idle = [
            task
            for task in client.tasks
            if task.elapsed_s <= 0 and (task.size_bytes > 0 or task.operations > 0)
        ]
        if idle:
            yield (
                Code.NO_DURATION,
                f"a task of {client.client} moved {idle[0].size_bytes} bytes in "
                f"{idle[0].elapsed_s:g} s",
            )
    if phase.natural_bytes_per_s > 0 and phase.last_done_s is not None and phase.last_done_s <= 0:
        yield Code.NO_DURATION, f"it has a rate, and lasted {phase.last_done_s:g} s"


def _tasks(phase: PhaseResult) -> Problems:
    """Each client's figures against those of its tasks; older results have no operations of
    a task.
    """
    for client in phase.clients:
        if client.lost is not None:
            continue
        if not client.tasks:
            if client.operations > 0:
                yield (
                    Code.TASKS_GONE,
                    f"{client.client} did {client.operations} operations, and has no task",
                )
            continue
        operations = sum(task.operations for task in client.tasks)
        if operations and operations != client.operations:
            detail = (
                f"{client.client} did {client.operations} operations, and its tasks {operations}"
            )
            yield Code.OPERATIONS_DIFFER, detail
        longest_s = max(task.elapsed_s for task in client.tasks)
        reported_s = client.elapsed_s + client.start_late_s
        # A task may have begun later than the first one, and none ended after its client.
        is_too_long = longest_s > reported_s + TIMES_APART_S
        is_too_short = longest_s < LATE_TASK_MIN * reported_s - LATE_TASK_S
        if is_too_long or is_too_short:
            detail = (
                f"{client.client} ended after {reported_s:.6g} s, and the longest of its tasks "
                f"after {longest_s:.6g} s"
            )
            yield Code.NO_DURATION, detail


def _rates(phase: PhaseResult) -> Problems:
    """The line's figures of all tasks together, against the tasks."""
    total = aggregate([task for client in phase.clients for task in client.tasks])
    if total is None:
        return
    stated: list[tuple[str, float | None, float | None]] = [
        ("natural_bytes_per_s", phase.natural_bytes_per_s, total.natural_bytes_per_s),
        (
            "harmonic_mean_bytes_per_s",
            phase.harmonic_mean_bytes_per_s,
            total.harmonic_mean_bytes_per_s,
        ),
        (
            "harmonic_aggregate_bytes_per_s",
            phase.harmonic_aggregate_bytes_per_s,
            total.harmonic_aggregate_bytes_per_s,
        ),
        ("last_done_s", phase.last_done_s, total.last_done_s),
        ("first_done_s", phase.first_done_s, total.first_done_s),
        ("fairness", phase.fairness, total.fairness),
    ]
    if total.operations_per_s:  # older results have only a task's bytes
        stated.append(("operations_per_s", phase.operations_per_s, total.operations_per_s))
    for name, value, expected in stated:
        if (
            value is not None
            and expected is not None
            and not _near(value, expected, RATES_APART_MAX)
        ):
            yield (
                Code.RATES_NOT_FROM_TASKS,
                f"{name} is {value:.6g}, and its tasks give {expected:.6g}",
            )
            return


def _seconds(phase: PhaseResult) -> Problems:
    """The seconds of every client, and of all together, against the bytes that each transferred."""
    for client in phase.clients:
        tasks_bytes = sum(task.size_bytes for task in client.tasks)
        if (
            client.tasks
            and client.lost is None
            and not _near(tasks_bytes, client.size_bytes, RATES_APART_MAX)
        ):
            detail = f"{client.client} moved {client.size_bytes} bytes, and its tasks {tasks_bytes}"
            yield Code.SECONDS_DO_NOT_ADD_UP, detail
        counted_bytes = sum(second.size_bytes for second in client.seconds)
        if client.operations > 0 and not client.seconds:
            yield (
                Code.SECONDS_DO_NOT_ADD_UP,
                f"{client.client} did {client.operations} operations in no second",
            )
        if client.seconds and abs(counted_bytes - client.size_bytes) > _under_way_bytes([client]):
            detail = (
                f"{client.client} moved {client.size_bytes} bytes, and {counted_bytes} in its "
                "seconds"
            )
            yield Code.SECONDS_DO_NOT_ADD_UP, detail
    counted_bytes, moved_bytes = (
        sum(item.size_bytes for item in items) for items in (phase.seconds, phase.clients)
    )
    # Seconds of an output that was not read in time are left out; none is reported twice.
    if (
        phase.seconds
        and not phase.partial
        and counted_bytes - moved_bytes > _under_way_bytes(phase.clients)
    ):
        yield (
            Code.SECONDS_DO_NOT_ADD_UP,
            f"{moved_bytes} bytes were moved, and {counted_bytes} in its seconds",
        )


def _under_way_bytes(clients: Sequence[ClientResult]) -> float:
    """The tolerance in bytes between the seconds of clients and the bytes that they transferred."""
    moved_bytes = sum(client.size_bytes for client in clients)
    operations = sum(client.operations for client in clients)
    tasks = sum(max(len(client.tasks), 1) for client in clients)
    return SECONDS_APART_MAX * moved_bytes + tasks * moved_bytes / max(operations, 1)


def _flags(phase: PhaseResult) -> Problems:
    """Flags that follow from the line's other fields."""
    if not phase.partial:
        broken = [client for client in phase.clients if client.lost is not None or client.errors]
        if broken:
            why = broken[0].lost or "had errors"
            yield (
                Code.PARTIAL_UNSAID,
                f"{broken[0].client} {why}, and the phase is recorded as complete",
            )
    share = phase.cpus_busy_share
    if share is not None and share > 1.0 + RATES_APART_MAX:
        yield Code.SHARE_ABOVE_ONE, f"cpus_busy_share is {share:g}"
    if share is not None and share > LAB_BUSY_SHARE_MAX and not phase.lab_limited:
        yield (
            Code.LAB_LIMITED_UNSAID,
            f"the lab's CPUs were {share:.0%} busy, and are recorded as no limit",
        )
    if phase.clock_error_s > CLOCK_ERROR_MAX_S:
        yield Code.CLOCK_ERROR_TOO_LARGE, f"its clocks differ by up to {phase.clock_error_s:.3g} s"


def _latencies(phase: PhaseResult) -> Problems:
    figures = [
        *phase.latency_ms.items(),
        *(item for client in phase.clients for item in client.latency_ms.items()),
    ]
    for name, statistics in figures:
        ordered = [statistics[key] for key in LATENCY_ORDER if key in statistics]
        mean = statistics.get("mean")
        if (
            mean is not None
            and ordered
            and not ordered[0] * (1 - 1e-3) <= mean <= ordered[-1] * (1 + 1e-3)
        ):
            yield (
                Code.LATENCIES_OUT_OF_ORDER,
                f"the mean of {name} is not between its least and its greatest",
            )
            return
        if any(later < earlier * (1 - 1e-3) for earlier, later in pairwise(ordered)):
            yield Code.LATENCIES_OUT_OF_ORDER, f"a higher percentile of {name} is the smaller one"
            return


def _bounds(phase: PhaseResult) -> Problems:
    """A bound against the rates of the data path; the steady state against the seconds."""
    rates = dict(phase.layers)
    bound = phase.bound_bytes_per_s
    if rates and phase.bound is not None and phase.bound not in rates:
        yield (
            Code.BOUND_NOT_FROM_LAYERS,
            f"its bound is {phase.bound}, which is not on its data path",
        )
    if bound is not None and phase.bound in rates and rates[phase.bound] > 0:
        factor = bound / rates[phase.bound]
        if factor > _most_over(phase, rates[phase.bound]) or factor < 1 - 1e-3:
            yield (
                Code.BOUND_NOT_FROM_LAYERS,
                f"its bound is {factor:.3g} times the rate of the {phase.bound}",
            )
    predicted = phase.predicted_bytes_per_s
    if predicted is not None and rates and not _near(predicted, min(rates.values()), 1e-3):
        yield (
            Code.BOUND_NOT_FROM_LAYERS,
            "predicted_bytes_per_s is not the rate of its slowest resource",
        )
    first_s = phase.first_done_s
    most_bytes = sum(client.size_bytes for client in phase.clients)
    until_wall = (phase.stonewalled_bytes_per_s or 0.0) * (first_s or 0.0)
    if phase.clients and until_wall > most_bytes * (1 + SECONDS_APART_MAX):
        yield Code.RATES_NOT_FROM_TASKS, "stonewalled_bytes_per_s is more than was moved at all"
    if phase.steady and phase.seconds:
        steady = float(phase.steady["rate_bytes_per_s"])
        most = max(item.size_bytes for item in phase.seconds)
        if steady > most + _under_way_bytes(phase.clients):
            yield (
                Code.STEADY_ABOVE_ITS_SECONDS,
                f"its steady rate is {steady:.6g} bytes/s, its best second has {most}",
            )


def _most_over(phase: PhaseResult, rate_bytes_per_s: float) -> float:
    """The permitted excess of a bound over the rate of its resource: infinite, where nearly all of
    the bytes fit into the token buckets.
    """
    moved_bytes = sum(client.size_bytes for client in phase.clients)
    links = max(len(phase.clients), 1)
    burst_bytes = BUCKETS * links * bucket_bytes(rate_bytes_per_s / links)
    if burst_bytes >= moved_bytes:
        return float("inf")
    return max(BOUND_OVER_RATE_MAX, 1 / (1 - burst_bytes / moved_bytes))


def _near(one: float, other: float, apart_max: float) -> bool:
    """Whether two figures are the same, to a relative difference."""
    return abs(one - other) <= apart_max * max(abs(one), abs(other))
