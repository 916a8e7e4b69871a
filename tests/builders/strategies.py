"""Studies for tests: one that holds together, and ways to change it."""

import copy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from seatrial.study.study import Study, parse_study
from tests.builders.yaml_texts import loaded

MINIMAL: dict[str, Any] = {
    "schema": "study/1",
    "id": "small",
    "environment": {"kind": "emulated", "scale": "1/40"},
    "networks": {"data": {"mtu": 9000}},
    "nodes": {
        "nas": {
            "memory": "512MiB",
            "link": "10Gbit/s",
            "disks": {"count": 6, "size": "256MiB", "rate": "130MB/s"},
        },
        "c[1-4]": {"memory": "128MiB", "link": "4Gbit/s"},
    },
    "solution": {
        "kind": "nfs",
        "raid": {"level": 50, "spans": 2, "chunk": "64KiB"},
        "export": {"threads": 16},
    },
    "experiments": {
        "one": {
            "workload": {"transfer_size": "64KiB", "file_size": "8MiB"},
            "sweep": {"clients": [1, 2]},
            "repeats": 2,
        }
    },
    "criteria": [{"id": "intact", "check": "integrity"}],
}
DUMPER: Any = yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper


def text_of(data: dict[str, Any]) -> str:
    """As a user would write it, more or less."""
    return str(yaml.dump(data, Dumper=DUMPER, sort_keys=False, allow_unicode=True))


@cache
def written_in(path: Path) -> Any:
    """What is in a YAML file, read once: copy it before you change it."""
    return loaded(path.read_text())


def changed(path: str, value: Any) -> dict[str, Any]:
    """The minimal study with the value at a dotted path replaced (`None` removes it)."""
    data = copy.deepcopy(MINIMAL)
    *parents, last = path.split(".")
    target = data
    for key in parents:
        target = target[key]
    if value is None:
        del target[last]
    else:
        target[last] = value
    return data


def study(data: dict[str, Any] | None = None) -> Study:
    """The study that the data stand for."""
    return parse_study(text_of(data or MINIMAL), Path("study.yaml"))
