"""mdtest's output (versions 1.9 to 4): metadata operations per second.

A table of times follows the table of rates with `-P`, and is no further repeat. A table of times
alone (`-Z`) is refused: its unit differs between versions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from seatrial.advice.foreign import Foreign, Line, ReaderError, Reading, first_of, sections

_BANNER = re.compile(
    r"^mdtest-(\S+) was launched with (\d+) total task\(s\) on (\d+) node", re.MULTILINE
)
_COMMAND = re.compile(r"^Command line used:(.*)$", re.MULTILINE)
_WITH_VALUE = "abdefGiIlnNpsVwWxz"
_SETTINGS = {
    "b": "branches",
    "B": "no barriers",
    "c": "collective creates",
    "e": "bytes read",
    "I": "items per directory",
    "k": "mknod",
    "L": "leaves only",
    "N": "shifted tasks",
    "R": "random stat",
    "S": "shared file",
    "u": "directory of each task",
    "W": "stonewall",
    "X": "verify read",
    "y": "fsync",
    "Y": "sync after phases",
    "z": "depth",
}
"""options that identify a point, by their meaning"""
_TASKS = re.compile(r"^(\d+) tasks, (\d+) (files/directories|files|directories)")
_SUMMARY = re.compile(r"^SUMMARY(?P<kind>[^:]*):\s*\(of (?P<iterations>\d+) iterations\)")
_ROW = re.compile(r"^\s+([A-Z]\w+ \w+)\s*:?((?:\s+-?(?:[\d.]+|nan|inf))+)\s*$", re.IGNORECASE)
_STONEWALL_ROW = re.compile(r"^\s+File create \(stonewall\)")
# As printed by FAIL, ERR and the check of read data; errors of other libraries are not mdtest's.
_ERROR = re.compile(r"^\s*(?:ior )?ERROR\b|: Process \d+(?:\(\S+\))?: FAILED in |\bMPI_ABORT\b")
_PHASES = {
    "File creation": "create",
    "File stat": "stat",
    "File read": "read-files",
    "File removal": "remove",
    "Directory creation": "mkdir",
    "Directory stat": "directory-stat",
    "Directory rename": "directory-rename",
    "Directory removal": "rmdir",
}
"""Operations on the tree are not read: one task creates and removes it. A workload here has no stat
or rename of directories alone: these keep their names, and match none.
"""
_COLUMNS = 4
"""Max, Min, Mean, Std Dev over the iterations"""
_COLUMNS_WITH_RANKS = 7
"""Max, Min, Mean over the ranks, then those over the iterations"""


def recognises(text: str) -> bool:
    """Whether a text is output of mdtest: it has the banner."""
    return _BANNER.search(text) is not None


def version(text: str) -> str:
    """The versions in the banners; of several, all different ones."""
    return ", ".join(dict.fromkeys(match[1] for match in _BANNER.finditer(text)))


@dataclass
class _Run:
    """The state of a run while its lines are read."""

    number: int
    launched_tasks: int
    nodes: int
    tasks: int
    items: str | None = None
    iterations: int = 1
    options: dict[str, str] = field(default_factory=dict)
    """of the command line, by their letters; a flag is `yes`"""
    in_rates: bool = False
    in_times: bool = False
    problem: str | None = None
    rates: list[Foreign] = field(default_factory=list)
    times_line: int | None = None
    not_run: int = 0


def read(text: str) -> Reading:
    """For each test of each run its iterations, as far as the summary determines them.

    Raises ReaderError where a run has a table of times alone, or no rate but 0.
    """
    results: list[Foreign] = []
    not_understood: list[Line] = []
    notes: list[str] = []
    for section in sections(text, _BANNER):
        banner = _BANNER.search(section.text)
        if banner is None:
            continue
        tasks = int(banner[2])
        run = _Run(section.number, launched_tasks=tasks, nodes=int(banner[3]), tasks=tasks)
        run.options = _options(first_of(_COMMAND, section.text))
        not_understood += [line for line in section.lines() if not _read_line(run, line)]
        if not run.rates and run.times_line is not None and not run.not_run:
            reason = (
                "it has a table of times alone (-Z), and its unit differs between versions; run"
                " mdtest with -P"
            )
            raise ReaderError(reason, run.times_line)
        results += run.rates
        if run.not_run:
            notes.append(
                f"{run.not_run} tests with a rate of 0.000, which mdtest prints for tests that "
                "did not run, are left out"
            )
    return Reading(tuple(results), tuple(not_understood), tuple(notes))


def _options(command: str) -> dict[str, str]:
    """As getopt(3) takes them: `-w 3901`, `-w=3901`, `-w3901`, `-uF`."""
    words = [word.strip("'\"") for word in command.split()]
    options: dict[str, str] = {}
    place = 1
    while place < len(words):
        word = words[place]
        place += 1
        if not word.startswith("-") or word.startswith("--"):
            continue
        for number, letter in enumerate(word[1:], start=2):
            if letter not in _WITH_VALUE:
                options[letter] = "yes"
                continue
            value = word[number:].removeprefix("=")
            if not value and place < len(words):
                value = words[place]
                place += 1
            options[letter] = value
            break
    return options


def _settings(run: _Run) -> dict[str, str]:
    settings = {} if run.items is None else {"items": run.items}
    for letter, value in run.options.items():
        if letter in _SETTINGS and value != "0":
            settings[_SETTINGS[letter]] = value
    return settings


def _read_line(run: _Run, line: Line) -> bool:
    """Process one line; returns whether it was understood."""
    if counts := _TASKS.match(line.text):
        run.tasks = int(counts[1])
        run.items = counts[2]
        run.in_rates = run.in_times = False
    elif summary := _SUMMARY.match(line.text):
        run.iterations = int(summary["iterations"])
        run.in_times = "time" in summary["kind"]
        run.in_rates = not run.in_times
        run.times_line = line.number if run.in_times and run.times_line is None else run.times_line
    elif _ERROR.search(line.text):
        run.problem = run.problem or f"mdtest reports: {line.text.strip()}"
        run.rates = [_with_problem(item, run.problem) for item in run.rates]
    elif not line.text.strip():
        run.in_rates = run.in_times = False
    elif run.in_rates:
        return _read_row(run, line)
    return True


def _with_problem(item: Foreign, problem: str) -> Foreign:
    return replace(item, problem=problem)


def _read_row(run: _Run, line: Line) -> bool:
    if _STONEWALL_ROW.match(line.text):
        return True  # the creations until the stonewall are part of the file creations above it
    match = _ROW.match(line.text)
    if match is None:
        # The head of the table, its rule, and the lines that end a run.
        is_head = line.text.split()[:1] in (["Operation"], ["---------"])
        is_end = line.text.startswith("-- ")
        is_of_debugging = re.match(r"V-\d+: ", line.text) is not None  # from -v on
        return is_head or is_end or is_of_debugging
    figures = [float(word) for word in match[2].split()]
    if len(figures) not in (_COLUMNS, _COLUMNS_WITH_RANKS):
        return False
    phase = _PHASES.get(match[1])
    if phase is None:
        return match[1].startswith("Tree ")
    highest, lowest, mean, _ = figures[-_COLUMNS:]
    if highest == lowest == mean == 0:
        run.not_run += 1
        return True
    for number, rate in enumerate(_iterations(run.iterations, highest, lowest, mean)):
        run.rates.append(_result(run, phase, match[1], rate, iteration=number, line=line.number))
    return True


def _result(run: _Run, phase: str, test: str, rate: float, *, iteration: int, line: int) -> Foreign:
    # With -f, -l and -s, fewer tasks than were launched run a test; on how many nodes is not
    # printed.
    all_run = run.tasks == run.launched_tasks
    return Foreign(
        phase,
        test,
        operations_per_s=rate,
        clients=run.nodes if all_run else None,
        tasks=run.tasks,
        api=run.options.get("a", "").upper() or None,
        file_bytes=_file_bytes(run) if test.startswith("File ") else None,
        settings=_settings(run),
        iteration=iteration,
        section=run.number,
        problem=run.problem,
        line=line,
    )


def _file_bytes(run: _Run) -> int | None:
    """The size of each file; mdtest's default is an empty file."""
    text = run.options.get("w", "0")
    return int(text) if run.options and text.isdecimal() else None


def _iterations(count: int, highest: float, lowest: float, mean: float) -> Iterator[float]:
    """The highest, lowest and mean give up to three values; of more, only the mean is known."""
    if count == 2:
        yield from (highest, lowest)
    elif count == 3:
        yield from (highest, lowest, 3 * mean - highest - lowest)
    else:
        yield mean
