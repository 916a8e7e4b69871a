"""A step on a node without enough memory: the error begins with the message of the node's
kernel.
"""

import pytest

from seatrial.basics.errors import RunError
from seatrial.plan.plan import Plan, Stage, command_step
from seatrial.service.deploy import apply_plan
from tests.builders.labs import Bench

pytestmark = pytest.mark.lab


def test_the_end_of_a_program_for_memory_is_named_first(bench: Bench) -> None:
    """`tail` keeps a line that has no end; the node has 256 MiB."""
    step = command_step("use all memory", None, "tail /dev/zero")
    other = command_step("do nothing", None, "true")
    with pytest.raises(RunError) as caught:
        apply_plan(
            Plan("memory", "memory", (Stage("memory", {"c1": (step,), "nas": (other,)}),)),
            bench.ssh,
        )
    first = str(caught.value).splitlines()[0]
    assert first.startswith("tail was killed: out of memory (node c1 has 2")
    assert first.endswith("MiB)")
