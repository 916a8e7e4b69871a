"""IO500's summary (`result_summary.txt`) since 2020: its lines `[RESULT]`.

Phases that no workload here has, such as those of mdworkbench, keep their names.
"""

import re

from seatrial.advice.foreign import Foreign, Line, Reading, number, sections, size_bytes

_VERSION = re.compile(r"^IO500 version (\S+)", re.MULTILINE)
_RESULT = re.compile(
    r"\[RESULT(?P<bad>-invalid)?\]\s+(?P<test>[A-Za-z][\w-]*)\s+(?P<value>\S+)\s+(?P<unit>GiB/s|kIOPS)"
    r"\s*:\s*time\s+\S+\s+seconds\s*(?P<invalid>\[INVALID\])?\s*",
)
_ANY_RESULT = re.compile(
    r"^\[RESULT(?:-invalid)?\][ \t]+[A-Za-z][\w-]*[ \t]+\S+[ \t]+(?:GiB/s|kIOPS)", re.MULTILINE
)
_BEGINS_UNKNOWN = re.compile(r"\[(?!SCORE)[A-Z]")
_OLD = re.compile(r"^\[RESULT(?:-invalid)?\]\s+(?:BW|IOPS)\s+phase\s+\d+", re.MULTILINE)
_SCORE_INVALID = re.compile(r"^\[SCORE[^\]]*\].*\[INVALID\]|^\[SCORE-invalid\]", re.MULTILINE)
_DATA = re.compile(r"ior-.*-(write|read)")
_NAMES = {
    "write": "create",
    "create": "create",
    "stat": "stat",
    "read": "read-files",
    "delete": "remove",
}


def recognises(text: str) -> bool:
    """A line of its results, in the format since 2020."""
    return _ANY_RESULT.search(text) is not None and _OLD.search(text) is None


def refuses(text: str) -> str | None:
    """The summary of the scripts before that, and the other file of results."""
    if _OLD.search(text):
        return (
            "this is a summary of IO500's scripts of 2018 and 2019 ('BW phase 1'), which is not"
            " read: import the output of its IOR and mdtest runs"
        )
    if re.search(r"^\[(?:ior|mdtest)-(?:easy|hard)", text, re.MULTILINE) and "score" in text:
        return "this is IO500's result.txt; import result_summary.txt from the same folder"
    return None


def version(text: str) -> str:
    """The version in the summary; of several, all different ones."""
    return ", ".join(dict.fromkeys(_VERSION.findall(text)))


def read(text: str) -> Reading:
    """IOR's parts in bytes, all others in operations; results that IO500 calls invalid are kept,
    and marked.
    """
    results: list[Foreign] = []
    not_understood: list[Line] = []
    notes: list[str] = []
    for section in sections(text, _VERSION):
        if _SCORE_INVALID.search(section.text):
            notes.append("IO500 marks the score of the whole run as invalid")
        for line in section.lines():
            match = _RESULT.fullmatch(line.text.strip())
            if match is not None and (match["unit"] == "kIOPS" or _DATA.fullmatch(match["test"])):
                results.append(_result(match, line.number, section.number))
            elif _BEGINS_UNKNOWN.match(line.text):
                not_understood.append(line)
    return Reading(tuple(results), tuple(not_understood), tuple(notes))


def _result(match: re.Match[str], line: int, section: int) -> Foreign:
    name = match["test"]
    test, _, deed = name.rpartition("-")
    value = number(match["value"])
    problem = None
    if match["bad"] or match["invalid"]:
        problem = "IO500 marks it as invalid"
    elif value == 0:
        problem = "IO500 prints a result of 0"
    if match["unit"] == "GiB/s":
        transfer = re.match(r"ior-rnd(\d+[KMG])B?(?:-|$)", name)
        return Foreign(
            phase=deed,
            test=test,
            bytes_per_s=None if value is None else value * 2**30,
            pattern="random" if transfer else None,
            transfer_bytes=size_bytes(transfer[1]) if transfer else None,
            section=section,
            problem=problem,
            line=line,
        )
    own_name = deed not in _NAMES or not test.startswith("md")
    return Foreign(
        phase=name if own_name else _NAMES[deed],
        test=name if own_name else test,
        operations_per_s=None if value is None else value * 1000,
        section=section,
        problem=problem,
        line=line,
    )
