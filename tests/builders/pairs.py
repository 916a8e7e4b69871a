"""The shipped pair of `nfs-ha`, with other keys of its solution."""

import copy
from typing import Any

from seatrial.labs.kinds import emulated
from seatrial.solutions.kinds.nfs_ha import NfsHa, load
from tests.builders.places import STUDIES
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

SHIPPED = STUDIES / "nss-ha" / "study.yaml"


def pair(**solution: Any) -> NfsHa:
    """The shipped pair with some keys of its solution changed."""
    data = loaded(SHIPPED.read_text())
    data = {
        key: data[key]
        for key in ("schema", "id", "environment", "networks", "pdus", "nodes", "solution")
    }
    data["solution"] = {
        key: value for key, value in {**data["solution"], **solution}.items() if value is not None
    }
    found = study(copy.deepcopy(data))
    return load(found, emulated.site(found))
