"""The JSON Schema of a study, with the options of every kind of solution, for editors."""

import json
from collections.abc import Mapping
from typing import Any

from seatrial.solutions.base import solution_kind, solution_kinds
from seatrial.study.study import Study


def study_schema() -> dict[str, Any]:
    """One schema for the whole file; `$defs` of the solutions are joined in."""
    schema = Study.model_json_schema(by_alias=True)
    choices = []
    for kind in solution_kinds():
        options = _named_apart(solution_kind(kind).Options.model_json_schema(by_alias=True), kind, schema["$defs"])
        schema["$defs"].update(options.pop("$defs", {}))
        name = f"Solution {kind}"
        schema["$defs"][name] = options
        choices.append({"$ref": f"#/$defs/{name}"})
    schema["properties"]["solution"] = {"oneOf": choices}
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Seatrial study"
    return schema


def _named_apart(options: dict[str, Any], kind: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """A kind's schema; definitions that collide with another kind's get the kind's name."""
    own = options.get("$defs", {})
    if all(known.get(name, part) == part for name, part in own.items()):
        return options
    text = json.dumps({key: value for key, value in options.items() if key != "$defs"} | {"$defs": list(own.values())})
    for name in own:
        text = text.replace(f'"#/$defs/{name}"', f'"#/$defs/{name} of {kind}"')
    renamed: dict[str, Any] = json.loads(text)
    parts = [f"{name} of {kind}" for name in own]
    return renamed | {"$defs": dict(zip(parts, renamed["$defs"], strict=True))}
