"""`check: integrity`: every block that was read is the block that was written there.

Passes when blocks were read back, or compared with the operation logs (`verify_tree`), and none was
wrong. Acknowledged and synced data must be present. Data that no client wrote must be absent. A
negative control counts only if it names this check, and passes if the check finds damage.

Unknown when nothing was checked, or when the part of a client is missing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from seatrial.basics.schema import Model
from seatrial.basics.units import counted
from seatrial.judge.answer import (
    Answer,
    EvidenceRow,
    Reason,
    combine,
    failed,
    passed,
    skipped,
    unknown,
)
from seatrial.judge.base import answer_on_control
from seatrial.judge.flaws import Evidence
from seatrial.judge.happened import only_if_shown, why_not_shown
from seatrial.result.extents import Extent, extent_count, has_place
from seatrial.result.fault_parts import Comparison, ComparisonLine
from seatrial.result.faults import FaultResult, copy_words
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.points import phase_text

TITLE = "every block read back is the one that was written"
NEEDS_FAULTS = True
FINDS_DAMAGE = True
RESTS_ON = frozenset(
    {
        Evidence.PHASES,
        Evidence.AGENT_LINES,
        Evidence.COMPARISONS,
        Evidence.FAULTS,
        Evidence.STREAMS,
        Evidence.COPIES,
    }
)
Options = Model
NAMED_MAX = 5


def check(result: Result, _options: Options) -> Answer:
    """Judge all phases and all streams that read; for a negative control, the opposite."""
    faults = result.faults
    controls = {fault.name for fault in faults if fault.controls}
    lines = [line for line in result.comparisons if line.get("fault") not in controls]
    phases = result.phases
    others = [fault for fault in faults if not fault.controls]
    judged = _with_all_measured(_judge(phases, others, lines), result, others)
    answer = replace(judged, rows=tuple(_rows(phases, others, lines)))
    of_controls = [
        answer_on_control(fault, judge(fault, comparisons_of(result, fault))).about(fault.name)
        for fault in faults
        if "integrity" in fault.controls
    ]
    if not of_controls:
        return answer
    # A study may consist of controls alone.
    of_others = [answer] if phases or others else []
    return combine([*of_others, *of_controls], "no block was read back")


def _rows(
    phases: Sequence[PhaseResult], faults: Sequence[FaultResult], lines: Sequence[ComparisonLine]
) -> Iterator[EvidenceRow]:
    """The evidence of each experiment, and of each fault."""
    for name in dict.fromkeys(phase.experiment for phase in phases):
        own_phases = [phase for phase in phases if phase.experiment == name]
        of_phases = [line for line in lines if line.get("fault") is None]
        own_lines = [line for line in of_phases if line["experiment"] == name]
        answer = _judge(own_phases, [], own_lines)
        # An experiment of metadata alone reads no blocks, and shows nothing of them.
        if answer.reason is not Reason.NOTHING_CHECKED:
            yield _row(name, answer, _checked(own_phases, [], own_lines))
    for fault in faults:
        # Older comparisons have the name of the fault in place of an experiment only.
        own_lines = [line for line in lines if line.get("fault", line["experiment"]) == fault.name]
        answer = (
            only_if_shown(fault, _judge([], [fault], own_lines))
            if fault.skipped is None
            else skipped(fault)
        )
        yield _row(fault.name, answer, _checked([], [fault], own_lines))


def _row(subject: str, answer: Answer, checked: int) -> EvidenceRow:
    return EvidenceRow(
        subject, answer.verdict, float(checked) or None, unit="blocks", note=answer.evidence
    )


def _checked(
    phases: Sequence[PhaseResult], faults: Sequence[FaultResult], lines: Sequence[ComparisonLine]
) -> int:
    """The blocks that were read back, and the blocks and names that were compared with logs."""
    compared = sum(int(line["must"] + line["names_checked"]) for line in lines)
    return _read_back(phases, faults) + compared


def comparisons_of(result: Result, fault: FaultResult) -> list[ComparisonLine]:
    """The lines of the result that compare a fault's trees with the operation logs."""
    return [line for line in result.comparisons if line.get("fault") == fault.name]


def _with_all_measured(answer: Answer, result: Result, faults: Sequence[FaultResult]) -> Answer:
    """The answer; no pass where the run measured less than planned, or a fault had no effect."""
    if answer.verdict != "pass":
        return answer
    if result.failed_experiments:
        broken = [f"{name}: {why}" for name, why in result.failed_experiments.items()]
        words = f"{answer.evidence}, but experiments failed: {'; '.join(broken)}"
        return unknown(words, Reason.NOT_CARRIED_THROUGH)
    if not result.complete:
        words = f"{answer.evidence}, but the run did not complete"
        return unknown(words, Reason.NOT_CARRIED_THROUGH)
    not_shown = [f"{fault.name}: {why}" for fault in faults if (why := why_not_shown(fault))]
    if not_shown:
        words = f"{answer.evidence}, but {'; '.join(not_shown[:NAMED_MAX])}"
        return unknown(words, Reason.NOT_SHOWN)
    return answer


def judge(fault: FaultResult, lines: Sequence[ComparisonLine] = ()) -> Answer:
    """The answer on one fault alone.

    `lines`: its comparisons in the result. They name the missing files and blocks where the line of
    an older fault does not.
    """
    if fault.skipped is not None:
        return skipped(fault)
    checked = sum(item.blocks_checked for item in fault.streams)
    damage = [
        _Damage(f"{fault.name}, {stream.client}", extent)
        for stream in fault.streams
        for extent in stream.damage
    ]
    if damage:
        return failed(_damaged(damage, checked))
    lost = _lost_in(fault, lines)
    if lost:
        return failed("; ".join(lost))
    if fault.not_compared or not fault.compared:
        why = fault.not_compared or fault.failed or "not compared with the operation logs"
        return unknown(why, Reason.NOTHING_CHECKED)
    copies = [f"{name}: {copy_words(item)}" for name, item in fault.copies.items()]
    if any(item["unknown"] for item in fault.copies.values()):
        return unknown("; ".join(copies), Reason.INCOMPLETE)
    read = f"{counted(checked, 'block')} read back, all valid"
    valid = f"{read}; every block and name matches the operation logs"
    return passed("; ".join([valid, *copies]))


def _lost_in(fault: FaultResult, lines: Sequence[ComparisonLine]) -> list[str]:
    """The lost or wrong data of a fault, against the operation logs and in the copies by dd."""
    copies = fault.copies.items()
    copied = [f"{name}: {copy_words(item)}" for name, item in copies if item["damage"]]
    wrong = sum(map(_wrong, fault.compared.values()))
    if not wrong:
        return copied
    refused = f"{_damaged_places(fault, lines)}{_unreadable(fault)}"
    compared = f"{wrong} blocks or names lost or wrong, by the operation logs{refused}"
    return [compared, *copied]


def _unreadable(fault: FaultResult) -> str:
    """The clients that could not read the compared files; empty where each client could."""
    clients = {
        client
        for compared in fault.compared.values()
        for client in compared.get("unreadable_by", ())
    }
    return f" (I/O errors on {', '.join(sorted(clients))})" if clients else ""


def _damaged_places(fault: FaultResult, lines: Sequence[ComparisonLine]) -> str:
    """Some of the files or blocks that a comparison found lost or wrong, by place or name; empty
    where none is noted.

    They are no count: one extent may be many blocks.
    """
    by_stream = {str(line["point"].get("stream")): line for line in lines}
    places = []
    for stream, item in fault.compared.items():
        # An older fault has the counts only.
        has_places = item.get("extents") or item.get("names")
        comparison = item if has_places else by_stream.get(stream)
        if comparison is None:
            continue
        places += [f"{_place(extent)} ({stream})" for extent in comparison.get("extents", ())]
        places += [
            f"{name['class']}: {name['file']} ({stream})" for name in comparison.get("names", ())
        ]
    return f", among them {'; '.join(places[:NAMED_MAX])}" if places else ""


def _wrong(compared: Comparison) -> int:
    return compared["lost"] + compared["wrong"] + compared["names_wrong"]


def _place(extent: Extent) -> str:
    return (
        f"{extent.get('class')} in {extent.get('file')} at "
        f"{extent.get('offset')}+{extent.get('length')}"
    )


@dataclass(frozen=True)
class _Damage:
    """A wrong extent that a client read."""

    read_by: str
    """the phase or the stream, and the client"""
    extent: Extent


def _judge(
    phases: Sequence[PhaseResult], faults: Sequence[FaultResult], lines: Sequence[ComparisonLine]
) -> Answer:
    """The answer on these phases, faults and comparisons, in the order of the evidence's weight."""
    checked = _read_back(phases, faults)
    damage = [*_damage_in_phases(phases), *_damage_in_streams(faults)]
    if damage:
        return failed(_damaged(damage, checked))
    lost = [text for line in lines for text in _lost(line)] or _lost_in_counts(faults)
    if lost:
        more = f" and {len(lost) - NAMED_MAX} more" if len(lost) > NAMED_MAX else ""
        return failed(f"by the operation logs: {'; '.join(lost[:NAMED_MAX])}{more}")
    damaged_copies = [
        f"{fault.name} {name}: {copy_words(copied)}"
        for fault in faults
        for name, copied in fault.copies.items()
        if copied["damage"]
    ]
    if damaged_copies:
        return failed("; ".join(damaged_copies))
    compared = sum(line["must"] + line["names_checked"] for line in lines)
    if not checked and not compared:
        return unknown("no block was read back", Reason.NOTHING_CHECKED)
    valid = f"{counted(checked, 'block')} valid, but"
    partial = _partial(phases, faults)
    if partial:
        return unknown(f"{valid} incomplete: {'; '.join(partial)}", Reason.INCOMPLETE)
    unlogged = _unlogged(phases, lines)
    if compared and unlogged:
        words = f"{valid} operation logs are incomplete: {'; '.join(unlogged)}"
        return unknown(words, Reason.INCOMPLETE)
    by_dd = sum(copied["blocks"] for fault in faults for copied in fault.copies.values())
    verifier = f"; {counted(by_dd, 'block')} copied by dd, all valid" if by_dd else ""
    logged = f"; {compared} blocks and names match the operation logs" if compared else ""
    return passed(f"{counted(checked, 'block')} read back, all valid{logged}{verifier}")


def _read_back(phases: Sequence[PhaseResult], faults: Sequence[FaultResult]) -> int:
    """The blocks that clients read back, in phases and in streams."""
    of_clients = sum(client.blocks_checked for phase in phases for client in phase.clients)
    of_streams = sum(stream.blocks_checked for fault in faults for stream in fault.streams)
    return of_clients + of_streams


def _damage_in_phases(phases: Iterable[PhaseResult]) -> Iterator[_Damage]:
    for phase in phases:
        for client in phase.clients:
            read_by = f"{phase.title}, {client.client}"
            yield from (_Damage(read_by, extent) for extent in client.damage)


def _damage_in_streams(faults: Iterable[FaultResult]) -> Iterator[_Damage]:
    for fault in faults:
        for stream in fault.streams:
            read_by = f"{fault.name} {stream.stream}, {stream.client}"
            yield from (_Damage(read_by, extent) for extent in stream.damage)


def _lost_in_counts(faults: Iterable[FaultResult]) -> list[str]:
    """The streams with lost or wrong data, by the counts of their comparisons."""
    return [
        f"{fault.name} {name}: {wrong} blocks or names lost or wrong"
        for fault in faults
        for name, compared in fault.compared.items()
        if (wrong := _wrong(compared))
    ]


def _unlogged(phases: Iterable[PhaseResult], lines: Iterable[ComparisonLine]) -> list[str]:
    """The clients and tasks without a complete operation log."""
    clients = [
        f"{phase.title}, {client.client}"
        for phase in phases
        for client in phase.clients
        if client.log_error
    ]
    return [*clients, *(text for line in lines for text in line.get("unfinished", ()))]


def _partial(phases: Iterable[PhaseResult], faults: Iterable[FaultResult]) -> list[str]:
    """The phases, faults and copies with a part that is missing or was not compared."""
    faults = list(faults)
    not_compared = [
        f"{fault.name}: {fault.not_compared or fault.failed}"
        for fault in faults
        if fault.skipped is None and (fault.not_compared or (fault.failed and not fault.compared))
    ]
    unknown_copies = [
        f"{fault.name} {name}: {copied['unknown']}"
        for fault in faults
        for name, copied in fault.copies.items()
        if copied["unknown"] and not fault.not_compared
    ]
    return [*(phase.title for phase in phases if phase.partial), *not_compared, *unknown_copies]


def _damaged(damage: Sequence[_Damage], checked: int) -> str:
    with_place = [item for item in damage if has_place(item.extent)]
    kinds = Counter(str(item.extent.get("class")) for item in with_place)
    counts = [f"{count} {kind}" for kind, count in kinds.items()]
    omitted = extent_count(item.extent for item in damage) - len(with_place)
    if omitted:
        counts.append(f"{omitted} more")
    places = [f"{_place(item.extent)} ({item.read_by})" for item in with_place[:NAMED_MAX]]
    return f"{', '.join(counts)} among {counted(checked, 'block')}: {'; '.join(places)}"


def _lost(line: ComparisonLine) -> list[str]:
    """The lost or wrong data of a comparison, in words."""
    where = phase_text(line["experiment"], line["point"], f"repeat {line['repeat']}")
    blocks = [f"{_place(item)}: {item['detail']} ({where})" for item in line["extents"]]
    names = [
        f"{item['class']}: {item['file']}: {item['detail']} ({where})" for item in line["names"]
    ]
    if blocks or names:
        return [*blocks, *names]
    count = line.get("lost", 0) + line.get("wrong", 0)
    return [f"{counted(count, 'block')} lost or wrong ({where})"] if count else []
