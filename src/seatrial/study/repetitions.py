"""`repeat: 20` of a fault: each repetition is a fault with a name, `crash-01` to `crash-20`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial.basics.yamlfile import Mistake
from seatrial.study.faults import Fault
from seatrial.study.profiles import Profile

DIGITS_MIN = 2
"""of the number in a name"""


@dataclass(frozen=True)
class Repetition:
    """One fault of a run, and where it comes from."""

    written: str
    """the name that the study writes"""
    number: int
    """from 1"""


@dataclass(frozen=True)
class Repetitions:
    """The faults as the study writes them, and each repetition by its name, in that order."""

    written: dict[str, Fault]
    of: dict[str, Repetition]
    named_twice: tuple[str, ...]
    """names that two faults would have"""

    def faults(self, written: Mapping[str, Fault]) -> dict[str, Fault]:
        """Every fault of a profile with its repetitions; `written` has the faults as written."""
        return {
            name: written[repetition.written]
            for name, repetition in self.of.items()
            if repetition.written in written
            and repetition.number <= written[repetition.written].repeat
        }

    def written_name(self, name: str) -> str:
        """The name under which the study writes a fault; the name itself where there is no such
        fault.
        """
        return self.of[name].written if name in self.of else name

    def is_chosen(self, name: str, chosen: Sequence[str]) -> bool:
        """Whether a fault is asked for: by its own name, or by that of all repetitions."""
        return name in chosen or self.written_name(name) in chosen

    def mistakes(self) -> Iterator[Mistake]:
        """Faults with the same name: (where, the mistake)."""
        for name in self.named_twice:
            mistake = f"its repetition {name!r} has the name of another fault; rename one of them"
            yield Mistake(("faults", self.of[name].written), mistake)

    def mistakes_in(self, form: Profile, written: Mapping[str, Fault]) -> Iterator[Mistake]:
        """Profiles with more repetitions than the study: (where, the mistake)."""
        for name, fault in written.items():
            most = self.written[name].repeat
            if fault.repeat > most:
                mistake = f"{fault.repeat} are more than the {most} of the full study"
                yield Mistake(("faults", name, form, "repeat"), mistake)


def repetitions(written: Mapping[str, Fault]) -> Repetitions:
    """Each repetition of the faults that a study writes."""
    of: dict[str, Repetition] = {}
    named_twice = []
    for name, fault in written.items():
        for number in range(1, fault.repeat + 1):
            repeated = _name(name, number, fault.repeat)
            if repeated in of:
                named_twice.append(repeated)
            if repeated not in of or fault.repeat > 1:
                of[repeated] = Repetition(name, number)
    return Repetitions(dict(written), of, tuple(named_twice))


def _name(written: str, number: int, most: int) -> str:
    if most == 1:
        return written
    digits = max(DIGITS_MIN, len(str(most)))
    return f"{written}-{number:0{digits}d}"
