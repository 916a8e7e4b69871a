"""Plans of a few steps, run by this machine's sh."""

import re
from collections.abc import Callable

from seatrial.plan import library
from seatrial.plan.plan import Plan, Stage, Step, command_step
from seatrial.service.deploy import Mode, apply_plan
from seatrial.transport import Local

CALLS = {
    r"^start_unit (.*)$": r"systemctl -q --no-reload enable \1\nsystemctl start \1",
    r"^stop_unit (.*)$": r"systemctl -q --no-reload disable \1\nsystemctl stop \1",
    r"^install_disabled \S+ '([^']*)' .*$": r"systemctl -q --no-reload disable \1",
    r"^remove_unit (\S+) (\S+)$": r"systemctl -q --no-reload disable \1\nsystemctl stop \1\nrm \2",
    r"^restart_if_active (\S+)$": r"systemctl restart \1",
    r"^back_up_file \S+ (\S+)$": r"mv \1.new \1",
    r"^content \| write_file (\S+) \S+ (\S+)$": r"mv \2.ours.new \2.ours\nmv \1.new \1",
    r"^content \| write_file (\S+).*$": r"mv \1.new \1",
    r"^restore_file \S+ (\S+).*$": r"rm -f \1.ours \1",
    r"^set_line (\S+) (\S+) .*$": r"mv \2.new \2\nmv \2.ours.new \2.ours\nmv \1.new \1",
    r"^(?:put|remove)_fstab_line .*$": r"mv /etc/fstab.new /etc/fstab",
    r"^set_mtu .*$": r"ip link set",
}
"""call of a function -> the commands by which rules about plans find changes"""


def plan_of(*steps: Step) -> Plan:
    """One stage on one node."""
    return Plan("test", "a test", (Stage("only", {"here": steps}),))


def results(*steps: Step, mode: Mode = "apply") -> list[str]:
    """How every step ended, run for real by this machine's sh."""
    return [item.result for item in apply_plan(plan_of(*steps), Local(), mode=mode).results]


def commands_of(step: Step) -> str:
    """What the step's change does, with the commands of the functions that it calls."""
    text = step.apply
    for pattern, commands in CALLS.items():
        text = re.sub(pattern, commands, text, flags=re.MULTILINE)
    return text


def edited(step: Step, edit: Callable[[str], str]) -> Step:
    """The step with this change of its text and of the functions that it calls, such as other
    paths.
    """
    called = library.functions_for(f"{step.check}\n{step.apply}\n{step.functions}")
    return command_step(
        step.title,
        None if step.check is None else edit(step.alone(step.check)),
        edit(step.alone(step.apply)),
        functions=edit(called + step.functions),
    )


def every_function() -> str:
    """The functions of resources."""
    return "".join(f"{text}\n" for text in library.functions().values())
