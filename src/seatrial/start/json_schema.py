"""The JSON Schema of a study, with the options of every kind of solution, lab, fault and check, for
editors.

docs/study-format.md is made from it, too (`scripts/study_format.py`): every text of the page about
a key is the description of the key's field, and every text about a kind is the docstring of the
kind's module.
"""

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seatrial.basics.schema import Model
from seatrial.faults.base import fault_kind, fault_kinds
from seatrial.judge.base import checker, checker_names
from seatrial.judge.controls import names_of_judges
from seatrial.judge.fault_properties import property_names
from seatrial.labs.base import lab_kind_named, lab_kinds
from seatrial.solutions.base import solution_kind, solution_kinds
from seatrial.study.faults import Expected, Fault
from seatrial.study.published import PublishedClaim
from seatrial.study.study import Criterion, Study

Schema = dict[str, Any]


def study_schema() -> Schema:
    """One schema for the whole file.

    `$defs` has a part for each kind, such as `Solution nfs`, `Lab emulated`, `Fault panic` and
    `Check spread`. The parts of faults and checks have the keys of every fault or claim, too. A
    file that a kind reads in addition to the study has a part as well, such as `File script
    solution.yaml`.
    """
    schema = Study.model_json_schema(by_alias=True)
    parts: Schema = schema["$defs"]
    _name_words(parts[Expected.__name__]["properties"]["detected_by"], names_of_judges())
    _name_words(parts[PublishedClaim.__name__]["properties"]["decides"], property_names())
    properties = schema["properties"]
    for kind in solution_kinds():
        module = solution_kind(kind)
        _add(parts, f"Solution {kind}", _options(module.Options, kind, parts), module, "kind")
        for name, model in getattr(module, "FILES", {}).items():
            parts[f"File {kind} {name}"] = _options(model, f"{kind} {name}", parts)
    for kind in lab_kinds():
        lab = lab_kind_named(kind)
        _add(parts, f"Lab {kind}", _options(lab.Options, kind, parts), lab, "kind")
    for kind in fault_kinds():
        fault = fault_kind(kind)
        base = parts[Fault.__name__]
        whole = _joined(base, _options(fault.Options, kind, parts))
        duration = {**whole["properties"]["duration"], "default": f"{fault.DURATION_S:g}s"}
        whole["properties"]["duration"] = duration
        _add(parts, f"Fault {kind}", whole, fault, "kind")
    for kind in checker_names():
        check = checker(kind)
        whole = _joined(parts[Criterion.__name__], _options(check.Options, kind, parts))
        _add(parts, f"Check {kind}", whole, check, "check")
    properties["solution"] = _one_of(properties["solution"], "Solution", parts)
    properties["environment"] = _one_of(properties["environment"], "Lab", parts)
    properties["faults"]["additionalProperties"] = _one_of({}, "Fault", parts)
    properties["criteria"]["items"] = _one_of({}, "Check", parts)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Seatrial study"
    return schema


def _name_words(about: Schema, names: Sequence[str]) -> None:
    """Name the known words of a key that has one word or a list of words."""
    words = {"enum": list(names), "type": "string"}
    _, several = about["anyOf"]
    about["anyOf"] = [words, {**several, "items": words}]


def kind_text(module: object) -> str:
    """The docstring of a kind's module as paragraphs, each on one line, without the name that it
    begins with.
    """
    text = inspect.getdoc(module) or ""
    text = re.sub(r"^(?:\w+ )?`[^`]+`: ", "", text)
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join([paragraphs[0][:1].upper() + paragraphs[0][1:], *paragraphs[1:]])


def _one_of(description: Mapping[str, Any], sort: str, parts: Schema) -> Schema:
    """The schema with the choice of one kind, in place of the keys of any kind."""
    choices = [{"$ref": f"#/$defs/{name}"} for name in parts if name.startswith(f"{sort} ")]
    texts = {key: value for key, value in description.items() if key in ("description", "title")}
    return {**texts, "oneOf": choices}


def _joined(base: Schema, options: Schema) -> Schema:
    """The keys that all kinds have, and those of one kind; any other key is a mistake."""
    required = dict.fromkeys((*base.get("required", ()), *options.get("required", ())))
    properties = {**base["properties"], **options.get("properties", {})}
    return {
        **options,
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _add(parts: Schema, name: str, whole: Schema, module: object, key: str) -> None:
    """Put the part of a kind into the schema; `key` is the key that names the kind."""
    kind = name.partition(" ")[2]
    described = whole["properties"].get(key, {})
    whole["properties"] = {key: {"const": kind, "type": "string"}, **whole["properties"]}
    about = {"description": f"Selects `{kind}`.", **described}
    whole["properties"][key] = {**about, "const": kind, "type": "string"}
    parts[name] = {**whole, "title": name, "description": kind_text(module)}


def _options(options: type[Model], kind: str, parts: Schema) -> Schema:
    """The schema of a kind's options; their parts are moved to those of the whole schema."""
    schema = _named_apart(options.model_json_schema(by_alias=True), kind, parts)
    parts.update(schema.pop("$defs", {}))
    schema.setdefault("properties", {})
    return schema


def _named_apart(options: Schema, kind: str, used_definitions: Mapping[str, Any]) -> Schema:
    """A kind's schema; definitions that collide with another kind's get the kind's name."""
    definitions = options.get("$defs", {})
    if all(used_definitions.get(name, part) == part for name, part in definitions.items()):
        return options
    text = json.dumps(
        {key: value for key, value in options.items() if key != "$defs"}
        | {"$defs": list(definitions.values())}
    )
    for name in definitions:
        text = text.replace(f'"#/$defs/{name}"', f'"#/$defs/{name} of {kind}"')
    renamed: Schema = json.loads(text)
    parts = [f"{name} of {kind}" for name in definitions]
    return renamed | {"$defs": dict(zip(parts, renamed["$defs"], strict=True))}


def without_description(schema: Schema) -> Iterator[str]:
    """`PART.key` of every key that has no description."""
    for name, part in {"Study": schema, **schema["$defs"]}.items():
        for key, about in part.get("properties", {}).items():
            if not about.get("description"):
                yield f"{name}.{key}"
