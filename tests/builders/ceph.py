"""CephFS: a small study of it, and its solution."""

import copy
from typing import Any

from seatrial.labs.kinds import emulated
from seatrial.solutions.kinds.cephfs import CephFs, load
from seatrial.study.study import Study
from tests.builders.places import STUDIES
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

SHIPPED = STUDIES / "gpfs-nsd" / "study.yaml"


def small(hosts: int = 3, **solution: Any) -> Study:
    """Some storage servers of one disk, two clients, and these keys of the solution."""
    data = loaded(SHIPPED.read_text())
    data = {key: data[key] for key in ("schema", "id", "environment", "networks", "solution")}
    data["nodes"] = {
        f"s[1-{hosts}]": {
            "memory": "704MiB",
            "link": "1Gbit/s",
            "disks": {"count": 1, "size": "1GiB"},
        },
        "c[1-2]": {"memory": "256MiB", "link": "1Gbit/s"},
    }
    data["solution"] = {"kind": "cephfs", **solution}
    return study(copy.deepcopy(data))


def built(hosts: int = 3, **solution: Any) -> CephFs:
    """Its solution."""
    found = small(hosts, **solution)
    return load(found, emulated.site(found))
