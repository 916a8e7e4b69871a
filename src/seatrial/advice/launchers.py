"""Labels that launchers put before each line of a program's output, and the text of each label
without them.

`srun --label` writes `0: `, Open MPI's `--tag-output` writes `[1,0]<stdout>: `, MPICH's
`-prepend-rank` and Intel MPI's `-l` write `[0] `, `pdsh` and `clush` write `host: `.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LABELS = (
    re.compile(r"\s*(?P<label>\d+):(?: |$)"),
    re.compile(r"(?P<label>\[[^\]\s]*\d+,\d+\](?:<std(?:out|err)>)?):? ?"),
    re.compile(r"(?P<label>\[\d+\])(?: |$)"),
    re.compile(r"(?P<label>[A-Za-z0-9](?:[\w.-]*\w)?):(?: |$)"),
)
_LAUNCHER_SPEAKS = re.compile(
    r"(?:srun|slurmstepd|mpirun|mpiexec|prterun|pdsh@\S+|clush|salloc|sbatch): "
)


@dataclass(frozen=True)
class Part:
    """The lines of one label, without it; a text without labels is one part, of the label ''."""

    label: str
    text: str
    numbers: tuple[int, ...]
    """of each line of `text`, its number in the file"""


def parts(text: str) -> tuple[Part, ...]:
    """The text taken apart by the labels of its lines, in the order in which the labels first
    appear.

    A text is labelled where every line with something in it has a label of one kind. Messages of
    the launcher itself do not count.
    """
    lines = text.split("\n")
    labelled_numbers = [
        number
        for number, line in enumerate(lines)
        if line.strip() and not _LAUNCHER_SPEAKS.match(line)
    ]
    for pattern in _LABELS if labelled_numbers else ():
        matches = [(number, pattern.match(lines[number])) for number in labelled_numbers]
        if all(match is not None and match["label"] for _, match in matches):
            return tuple(
                _taken_apart(lines, [(number, match) for number, match in matches if match])
            )
    return (Part("", text, tuple(range(1, len(lines) + 1))),)


def _taken_apart(lines: list[str], matches: list[tuple[int, re.Match[str]]]) -> Iterator[Part]:
    numbers_by_label: dict[str, list[int]] = {}
    starts: dict[int, int] = {}
    for number, match in matches:
        numbers_by_label.setdefault(
            match["label"].removesuffix("<stderr>").removesuffix("<stdout>"), []
        ).append(number)
        starts[number] = match.end()
    for label, numbers in numbers_by_label.items():
        text = "\n".join(lines[number][starts[number] :] for number in numbers)
        yield Part(label, text, tuple(number + 1 for number in numbers))


def mostly_labelled(text: str) -> bool:
    """Whether more than half of the lines have a label of one kind: a hint of a text that cannot be
    taken apart.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    return any(
        2 * sum(bool(pattern.match(line)) for line in lines) > len(lines) for pattern in _LABELS[:3]
    )
