"""The text of the items of a published result (`published/README.md`), shortened, as Markdown."""

import re
from collections.abc import Mapping
from typing import Any

Facts = Mapping[str, Any]
_SIGNS = {
    "approx": "about ",
    "gt": "more than ",
    "ge": "at least ",
    "lt": "less than ",
    "le": "at most ",
    "min": "at least ",
    "max": "at most ",
}


def text_of(section: str, item: Facts) -> str:
    """An item of one of the lists of a published result: what the paper has, without its lines."""
    return _WRITERS[section](item)


def lines_of(item: Facts) -> str:
    """The source lines, `L230, L349`; empty where the facts have none."""
    sources = [str(part.get("src", "")) for part in item.get("parts", [item])]
    return ", ".join(dict.fromkeys(line for text in sources for line in text.split(",") if line))


def cell(text: str) -> str:
    """Text in a cell of a table: neither a column, nor a tag, nor emphasis begins by accident."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(
        part.replace("|", r"\|") if part.startswith("`") else _plain(part) for part in parts
    )


def _plain(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([*_\[\]])", r"\\\1", escaped).replace("|", "&#124;")


def amount(item: Any) -> str:
    """A quantity of a published result with its unit, such as `about 600 MB/s`."""
    if isinstance(item, list):
        return ", ".join(amount(part) for part in item)
    if not isinstance(item, Mapping):
        return str(item)
    unit = f" {item['unit']}" if item.get("unit") else ""
    if "value" in item:
        return f"{amount(item['value'])}{unit}"
    if {"min", "max"} <= set(item):
        return f"{item['min']} to {item['max']}{unit}"
    for sign, word in _SIGNS.items():
        if sign in item:
            return f"{word}{amount(item[sign])}{unit}"
    return ", ".join(f"{key} {amount(value)}" for key, value in item.items())


def _code(argv: Any) -> str:
    texts = argv if isinstance(argv, list) else [argv]
    return "; ".join(f"`{text}`" for text in texts if text)


def _experiment(item: Facts) -> str:
    label = "" if item.get("kind") == "prose" else f"{item['label']}: "
    printed = [_point(point) for point in item.get("points") or []]
    printed += [_point(point) for point in item.get("prose_values") or []]
    printed += [
        f"{other['what']}{_at(other)}" for other in item.get("qualitative") or [] if "what" in other
    ]
    if item.get("kind") == "table":
        printed.insert(0, f"{len(item['rows'])} lines")
    if item.get("kind") == "config_table":
        printed += [_config(row) for row in item["rows"]]
    stated = f". Printed: {'; '.join(printed)}" if printed else ""
    return f"{label}{item['title']}{stated}"


def _config(row: Facts) -> str:
    values = {key: value for key, value in row.items() if key not in ("item", "src")}
    if set(values) == {"value"}:
        return f"{row['item']}: {amount(values['value'])}"
    texts = (f"{key} {amount(value)}" for key, value in values.items())
    return f"{row['item']}: {', '.join(texts)}"


def _point(point: Facts) -> str:
    sign = f" {point['sign']}" if point.get("sign") else ""
    return f"{point['metric']} {amount(point)}{sign}{_at(point)}"


def _at(point: Facts) -> str:
    return f" ({point['at']})" if point.get("at") else ""


def _hardware(item: Facts) -> str:
    return "; ".join(_part(part) for part in item["parts"])


def _part(part: Facts) -> str:
    """A component, a link, a group of clients or a layout: its name, number and properties."""
    ends = f"{part['a']} to {part['b']}" if {"a", "b"} <= set(part) else ""
    name = ends or str(part.get("model") or part.get("raid") or part.get("note") or part["id"])
    count = part.get("count")
    number = f"{count} x " if isinstance(count, int) and count > 1 else ""
    properties = {**part.get("specs", {}), **{key: part[key] for key in part if key not in _NAMES}}
    listed = ", ".join(f"{key} {amount(value)}" for key, value in properties.items() if value)
    return f"{number}{name}" + (f" ({listed})" if listed else "")


_NAMES = {
    *("id", "layer", "kind", "model", "of", "count", "specs", "src", "a", "b", "raid", "from"),
    *("check", "note", "count_scope"),
}
"""keys of a part that name it, or that are no property of it"""


def _setting(item: Facts) -> str:
    default = f" (default {amount(item['default'])})" if "default" in item else ""
    unit = f" {item['unit']}" if item.get("unit") else ""
    argv = f": {_code(item['argv'])}" if item.get("argv") else ""
    tested = f"; tested {amount(item['tested'])}" if "tested" in item else ""
    effect = f". {item['effect']}" if item.get("effect") else ""
    return (
        f"{item['scope']}: {item['name']} {amount(item['value'])}{unit}{default}{tested}"
        f"{argv}{effect}"
    )


def _step(item: Facts) -> str:
    argv = f": {_code(item['argv'])}" if item.get("argv") else ""
    return f"{item['scope']}: {item['action']}{argv}"


def _workload(item: Facts) -> str:
    version = f" {item['version']}" if item.get("version") else ""
    argv = f": {_code(item['argv'])}" if item.get("argv") else ""
    repeats = f". Repeats: {item['repeats']}" if item.get("repeats") else ""
    control = item.get("cache_control")
    caches = f". Caches: {amount(control)}" if control else ""
    return f"{item['name']}, {item['tool']}{version}{argv}{repeats}{caches}"


def _fault(item: Facts) -> str:
    by = f", by: {item['simulated_by']}" if item.get("simulated_by") else ""
    recovery = item.get("recovery")
    duration = f". Recovery: {amount(recovery)}" if recovery else ""
    tested = "" if item.get("tested") else " (not tested by the authors)"
    return f"{item['failure']}{tested}{by}. Expected: {item['expected']}{duration}"


def _limit(item: Facts) -> str:
    return f"{item['what']}: {amount({k: v for k, v in item.items() if k in _AMOUNT})}"


_AMOUNT = {"value", "unit", *_SIGNS}


def _advice(item: Facts) -> str:
    return str(item["statement"])


_WRITERS = {
    "experiments": _experiment,
    "faults": _fault,
    "hardware": _hardware,
    "settings": _setting,
    "deployment": _step,
    "workloads": _workload,
    "limits": _limit,
    "advice": _advice,
    "claims": _advice,
}
