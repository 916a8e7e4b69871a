"""Make the manual pages from the commands: `python scripts/man.py FOLDER` writes seatrial.1,
seatrial-run.1, ...
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import seatrial
from seatrial.cli import app
from seatrial.cli.groups import operand_rows, option_rows

CODES = "docs/command-line.md of the source tree has examples, and the contract of the exit codes."


def roff(text: str) -> str:
    """Text with what troff would take for its own escaped."""
    text = re.sub(r"\s+", " ", text).strip().replace("\\", r"\e").replace("-", r"\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def page(words: str, command: Any, context: Any) -> str:
    """One page."""
    name = words.replace(" ", "-")
    lines = [f'.TH {name.upper()} 1 "" "seatrial {seatrial.__version__}"', ".SH NAME"]
    lines += [f"{roff(name)} \\- {roff(command.get_short_help_str(200))}"]
    lines += [
        ".SH SYNOPSIS",
        f".B {roff(words)}",
        roff(" ".join(command.collect_usage_pieces(context))),
    ]
    lines += [".SH DESCRIPTION", roff(command.help or "")]
    for title, rows in (
        ("OPERANDS", operand_rows(command)),
        ("OPTIONS", option_rows(command, context)),
    ):
        lines += [f".SH {title}"] if rows else []
        for name, text in rows:
            lines += [".TP", f".B {roff(name)}", roff(text) or "\\&"]
    if hasattr(command, "commands"):
        lines.append(".SH COMMANDS")
        for verb, child in sorted(command.commands.items()):
            lines += [".TP", f".BR {roff(f'{words} {verb}').replace(' ', '-')} (1)"]
            lines.append(roff(child.get_short_help_str(200)))
    lines += [".SH EXIT STATUS", roff(str(app.info.epilog).removeprefix("Exit codes: "))]
    return "\n".join([*lines, ".SH SEE ALSO", roff(CODES), ""])


def pages(words: str, command: Any, parent: Any = None) -> Iterator[tuple[str, str]]:
    """(File, text) of a command's page, and of those of all commands below it."""
    context = command.context_class(
        command, info_name=words.rpartition(" ")[2], parent=parent, **command.context_settings
    )
    yield f"{words.replace(' ', '-')}.1", page(words, command, context)
    if hasattr(command, "commands"):
        for verb, child in command.commands.items():
            yield from pages(f"{words} {verb}", child, context)


def main(folder: Path) -> None:
    """Write every page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages("seatrial", typer.main.get_command(app)):
        (folder / name).write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
