"""The base of every model for a user's YAML: frozen, strict, and with the place of each mistake."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from seatrial.basics.errors import InputError, suggestion
from seatrial.basics.node_sets import expand
from seatrial.basics.units import (
    format_size,
    parse_duration,
    parse_percent,
    parse_rate,
    parse_ratio,
    parse_size,
)
from seatrial.basics.yamlfile import Location, YamlFile, quoted


def _text(kind: str, pattern: str, example: str) -> WithJsonSchema:
    """A text of a `kind`, which is its format in the JSON Schema: docs/study-format.md names it."""
    return WithJsonSchema(
        {"type": "string", "format": kind, "pattern": pattern, "examples": [example]}
    )


Size = Annotated[
    int,
    BeforeValidator(parse_size),
    PlainSerializer(format_size, when_used="json"),
    _text("size", r"^[0-9.]+ ?([kKMGT]i?)?B$", "64MiB"),
]
Rate = Annotated[
    float,
    BeforeValidator(parse_rate),
    _text("rate", r"^[0-9.]+ ?([kKMGT]i?)?(B|bit)/s$", "10Gbit/s"),
]
Duration = Annotated[
    float,
    BeforeValidator(parse_duration),
    PlainSerializer(lambda value: f"{value}s", when_used="json"),
    _text("time", r"^[0-9.]+ ?(ns|us|ms|s|min|h)$", "10s"),
]
Ratio = Annotated[
    float,
    BeforeValidator(parse_ratio),
    WithJsonSchema({"type": ["string", "number"], "format": "ratio", "examples": ["1/40"]}),
]

Percent = Annotated[
    float,
    BeforeValidator(parse_percent),
    WithJsonSchema({"type": ["string", "number"], "format": "share", "examples": ["5%"]}),
]


def versions(*names: str) -> WithJsonSchema:
    """The schema of a version: YAML reads `4.2` as a number, and either is accepted."""
    numbers = (float(name) if "." in name else int(name) for name in names if name.count(".") < 2)
    return WithJsonSchema({"enum": [*names, *numbers]})


def _checked_node_set(nodes: str) -> str:
    expand(nodes)
    return nodes


Nodes = Annotated[
    str,
    AfterValidator(_checked_node_set),
    WithJsonSchema({"type": "string", "format": "node set", "examples": ["c[1-8]"]}),
]


class Model(BaseModel):
    """A frozen model that names unknown keys together with the known ones."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    REPLACED_KEYS: ClassVar[dict[str, str]] = {}
    """key that an earlier format had -> its replacement"""
    ALIASES: ClassVar[Mapping[str, str]] = {}
    """the name of a key in other tools -> the key, or several joined by ` and `: for hints, never
    accepted"""

    @model_validator(mode="before")
    @classmethod
    def _name_keys_that_are_gone(cls, data: Any) -> Any:
        for key in cls.REPLACED_KEYS if isinstance(data, dict) else ():
            if key in data:
                raise key_mistake(key, f"the key {key!r} is gone; {cls.REPLACED_KEYS[key]}")
        return data

    @model_validator(mode="before")
    @classmethod
    def _name_unknown_keys(cls, data: Any) -> Any:
        if isinstance(data, dict) and cls.model_config.get("extra") == "forbid":
            known_keys, numbers = _keys_of(cls)
            for key in numbers:
                if key in data:
                    _check_number(key, data[key])
            for key in data:
                if key not in known_keys:
                    raise key_mistake(
                        str(key),
                        f"unknown key {key!r}; {_meant(str(key), list(known_keys), cls.ALIASES)}",
                    )
        return data

    def replaced(self, **changes: Any) -> Self:
        """A copy with some fields changed; the values are already parsed and are not validated
        again.
        """
        return self.model_copy(update=changes)


def _meant(key: str, known_keys: Sequence[str], aliases: Mapping[str, str]) -> str:
    """The key that another tool has under the given name, else the closest one, else all known
    keys.
    """
    if key in aliases:
        return f"did you mean {' and '.join(map(repr, aliases[key].split(' and ')))}?"
    return suggestion(key, known_keys, f"known keys: {', '.join(known_keys)}")


def key_mistake(key: str, message: str) -> PydanticCustomError:
    """The error of a validator for a key that is not permitted; the message points to the key, not
    to its value.
    """
    return PydanticCustomError("unknown_key", "{message}", {"message": message, "key": key})


@lru_cache(maxsize=1024)
def _keys_of(model: type[Model]) -> tuple[dict[str, None], tuple[str, ...]]:
    """The keys that a model knows, in order, and those of numbers that are written as numbers;
    cached.
    """
    numbers = []
    for name, field in model.model_fields.items():
        types = set(get_args(field.annotation) or (field.annotation,)) - {type(None)}
        if types <= {int, float} and not any(
            isinstance(item, BeforeValidator) for item in field.metadata
        ):
            numbers.append(field.alias or name)
    return dict.fromkeys(field.alias or name for name, field in model.model_fields.items()), tuple(
        numbers
    )


def _check_number(key: str, value: Any) -> None:
    """`true` is no number, and neither is text: pydantic would make 1 of one and read the other."""
    if isinstance(value, bool | str):
        raise PydanticCustomError(
            "number", "{message}", {"message": f"{value!r} is not a number", "key": key}
        )


AnyModel = TypeVar("AnyModel", bound=BaseModel)


def validate(model: type[AnyModel], data: Any, source: YamlFile, prefix: Location = ()) -> AnyModel:
    """Read `data`, the value at `prefix` of `source`, into `model`; InputError lists every mistake.

    Each line of the error reads `file:line:column: where: what is wrong, what would be right`.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        last = dict(error.errors(include_url=False)[-1])
        message = "\n".join(_lines(error, source, prefix))
        raise InputError(message, reason=_message(last)) from None


def mistake(source: YamlFile, location: Location, message: str) -> InputError:
    """The error for a mistake at `location` that only a look at the whole study can find."""
    place = f"{source.where(location)}: {source.name_of(location)}"
    return InputError(f"{place}: {message}", reason=message)


def first_message(error: ValidationError) -> str:
    """The first mistake, without its place."""
    return _message(dict(error.errors(include_url=False)[0]))


def _lines(error: ValidationError, source: YamlFile, prefix: Location) -> list[str]:
    lines = []
    for item in error.errors(include_url=False):
        location: Location = prefix + tuple(item["loc"])
        if "key" in item.get("ctx", {}):
            location = (*location, item["ctx"]["key"])
        position = (*location, "(key)") if item["type"] == "unknown_key" else location
        lines.append(
            f"{source.where(position)}: {source.name_of(location)}: {_message(dict(item))}"
        )
    return list(dict.fromkeys(lines))


def _message(item: dict[str, Any]) -> str:
    kind = item["type"]
    value = item.get("input")
    if kind == "missing":
        return "this key is missing"
    if kind in ("unknown_key", "number"):
        return str(item["msg"])
    if kind == "literal_error":
        expected = item["ctx"]["expected"]
        # Among versions and levels, the closest one is not the intended one.
        choices = re.findall(r"'([a-z][^']*)'", expected)
        return f"{value!r} is not known; {suggestion(str(value), choices, f'one of {expected}')}"
    text = str(item["msg"]).removeprefix("Value error, ")
    if kind == "value_error":
        return text
    written = _written(kind, value)
    advice = "" if written is None else f"; quote the text: {quoted(written)}"
    return f"{text[:1].lower()}{text[1:]}, found {value!r}{advice}"


def _written(kind: str, value: Any) -> str | None:
    """The words for a text that YAML takes for something else: `{node}`, a mapping, or a number."""
    if kind != "string_type":
        return None
    if isinstance(value, dict) and list(value.values()) == [None]:
        return f"{{{next(iter(value))}}}"
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
