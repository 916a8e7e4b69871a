"""`--set KEY=VALUE` of `run` and `predict`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seatrial.basics.errors import InputError, option

if TYPE_CHECKING:
    from seatrial.study.study import Study

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="another value in the study: nodes.nas.link=25Gbit/s; repeatable",
    ),
]


def values_of(study: Study, changes: Sequence[str]) -> dict[str, Any]:
    """Dotted path -> value, read as YAML.

    InputError for a text without `=`, and for a key that the study cannot have.
    """
    from seatrial.basics.yamlfile import parse_yaml

    values = {}
    for text in changes:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set {text}: write KEY=VALUE, such as nodes.nas.link=25Gbit/s")
        _check_parents(study, key)
        values[key] = option(
            "--set", lambda yaml_text: parse_yaml(yaml_text, Path("--set")).data, value
        )
    return values


def _check_parents(study: Study, key: str) -> None:
    """InputError unless every part of the key but the last is in the study: a node that does not
    exist has no link.
    """
    at: Any = study.source.data
    for part in key.split(".")[:-1]:
        if not isinstance(at, dict) or part not in at:
            keys = f"; one of {', '.join(map(str, at))}" if isinstance(at, dict) else ""
            raise InputError(f"--set {key}: the study has no {part!r} there{keys}")
        at = at[part]
