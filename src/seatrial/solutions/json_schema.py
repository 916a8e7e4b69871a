"""The JSON Schema of a study, with the options of every kind of solution, for editors."""

from typing import Any

from seatrial.solutions.base import solution_kind, solution_kinds
from seatrial.study.study import Study


def study_schema() -> dict[str, Any]:
    """One schema for the whole file; `$defs` of the solutions are joined in."""
    schema = Study.model_json_schema(by_alias=True)
    choices = []
    for kind in solution_kinds():
        options = solution_kind(kind).Options.model_json_schema(by_alias=True)
        schema["$defs"].update(options.pop("$defs", {}))
        name = f"Solution {kind}"
        schema["$defs"][name] = options
        choices.append({"$ref": f"#/$defs/{name}"})
    schema["properties"]["solution"] = {"oneOf": choices}
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Seatrial study"
    return schema
