"""Judge the clients' logs of a consistency test: whether their histories together fit one storage.

The functions are pure. Times of a client are converted to the common clock and may be wrong by its
clock error; only a certain contradiction in spite of that is a violation.

While the storage did not answer, an EEXIST or an ENOENT may be true or false. The client may have
sent its request again, and got the answer to the second while the first had done the work. NFSv4.1
sessions give exactly-once semantics as long as the server keeps its reply cache (RFC 8881, section
2.10.6). NFSv3 has only the duplicate request cache, which no restart survives (RFC 1813, section
4.5). Such outcomes are `unknowns`.

An open by NFSv3 without a request to the server is reported separately, as `unasked`
(docs/nfs3-reader/README.md). `checked` has the number of checks, so that no check is never taken
for no violation.
"""

from collections.abc import Callable, Iterator, Sequence

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.reasons import Unknown

ANSWERED_MIN = 0.5
"""share of a client's operations of one kind that has to have been answered, without the errors of
the fault"""
ANSWERED_IN_ALL_MIN = 0.1
"""the same with them"""
_OPERATIONS = ("lock", "held", "append", "overwrite", "read", "create", "rename")


JudgeHistories = Callable[[Sequence[History], Circumstances, Findings], None]
"""adds the findings of one kind of consistency test"""


def judge(
    of_kind: JudgeHistories,
    histories: Sequence[History],
    circumstances: Circumstances,
    *,
    reads_files: bool = True,
) -> Findings:
    """Everything that the histories of one consistency test show.

    `reads_files`: the judgement needs the content of the storage in the end.
    """
    findings = Findings()
    if circumstances.final is None and reads_files:
        findings.doubt(Unknown.NO_END, "what the storage holds in the end could not be looked at")
    of_kind(histories, circumstances, findings)
    for item in histories:
        if not item.events:
            findings.doubt(Unknown.NO_HISTORY, f"the history of {item.client} is not there")
        elif item.cut and item.client not in circumstances.lost_power:
            findings.doubt(Unknown.CUT_HISTORY, f"the history of {item.client} is cut")
        elif item.client not in circumstances.lost_power:
            for operation in _OPERATIONS:
                _answered(item, operation, circumstances, findings)
    return findings


def _answered(
    item: History, operation: str, circumstances: Circumstances, findings: Findings
) -> None:
    """Doubt findings that rest on few answers: a failed operation could have shown something else.

    Errors that the fault explains count less, but with hardly any answer the state is unknown.
    """
    events = list(_counted(item, operation))
    failed = [event for event in events if event["outcome"] == "error"]
    answered = len(events) - len(failed)
    calm = sum(not _is_disturbed(item, event, circumstances) for event in failed)
    few = answered < ANSWERED_MIN * (answered + calm) or answered < ANSWERED_IN_ALL_MIN * len(
        events
    )
    if few:
        text = (
            f"{item.client}: only {answered} of {len(events)} operations `{operation}` were "
            "answered"
        )
        findings.doubt(Unknown.FEW_ANSWERS, text)


def _counted(item: History, operation: str) -> Iterator[Event]:
    """Its operations of one kind; a lock that is lost fails at every look, and counts once."""
    lost: set[str] = set()
    for event in item.of(operation):
        token = str(event.get("token"))
        if operation == "held" and event["outcome"] == "error":
            if token in lost:
                continue
            lost.add(token)
        yield event


def _is_disturbed(item: History, event: Event, circumstances: Circumstances) -> bool:
    if circumstances.disturbed is None:
        return False
    from_s, to_s = circumstances.disturbed
    return item.begin_s(event) - item.error_s <= to_s and item.end_s(event) + item.error_s >= from_s
