"""Units that apply runtime settings of a plan, such as an MTU, again after every boot.

Steps request this by `Step.after_boot`; the units run the steps' own shell text. So a node that was
fenced or lost its power comes back as it was deployed. Network settings precede users of storage.
"""

from collections.abc import Iterable, Sequence

from seatrial.plan.library import functions_for
from seatrial.plan.plan import Step, command_step, write_file
from seatrial.plan.resources import call
from seatrial.solutions.parts.steps import restart_if_active, service, unit_file

_UNITS = {
    "network": (
        "After=network.target network-online.target\nBefore=remote-fs-pre.target open-iscsi.service"
        " tgt.service nfs-server.service corosync.service"
    ),
    "mounts": "After=local-fs.target remote-fs.target",
}
"""`Step.after_boot` -> systemd ordering of its unit"""


def steps(study_id: str, built: Iterable[Step]) -> list[Step]:
    """Steps that keep the settings of `built` across a boot, and remove units no longer needed."""
    units: list[Step] = []
    built_steps = list(built)
    unused = []
    for moment, order in _UNITS.items():
        if texts := list(
            dict.fromkeys(_text(step) for step in built_steps if step.after_boot == moment)
        ):
            units += _unit(study_id, moment, order, texts)
        else:
            unused.append(moment)
    return [*units, *([_none(study_id, unused)] if unused else [])]


def _unit(study_id: str, moment: str, order: str, texts: Sequence[str]) -> list[Step]:
    name = _name(study_id, moment)
    script = _script(study_id, moment)
    body = "".join(texts)
    unit = (
        f"[Unit]\nDescription=what {study_id} has set"
        f" ({moment})\n{order}\nStartLimitIntervalSec=0\n"
        f"[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart={script}\nRestart=on-failure\nRestartSec=5\n"
        "[Install]\nWantedBy=multi-user.target"
    )
    title = f"install the boot-time settings of {moment}"
    return [
        write_file(
            script,
            f"#!/bin/sh\n# What {study_id} has set on this node, after a boot.\n"
            f"{functions_for(body)}bad=0\n{body}exit $bad",
            mode="755",
            after=restart_if_active(name),
        ),
        # Clients of a lab have no systemd; they are recreated, not rebooted.
        *service(
            name,
            unit,
            title,
            reason="a fenced node must come back with the same settings",
            needs_systemd=True,
        ),
    ]


def _text(step: Step) -> str:
    return (
        f"# {step.title}\nif ! (\n{step.alone(step.check or '')}\n) >/dev/null 2>&1; then\n"
        f"(\nset -e\n{step.alone(step.apply)}\n)\n"
        "[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||\nfi\n"
    )


def removal(study_id: str) -> Step:
    """Remove all of these units, whichever version of the study installed them."""
    return _none(study_id, list(_UNITS))


def _none(study_id: str, moments: Sequence[str]) -> Step:
    units = [(_name(study_id, moment), _script(study_id, moment)) for moment in moments]
    files = [path for name, script in units for path in (unit_file(name), script)]
    removed = "\n".join(
        f"{call('remove_unit', name, unit_file(name))}\n{call('rm', '-f', script)}"
        for name, script in units
    )
    return command_step(
        f"remove the boot-time settings of {' and '.join(moments)}",
        call("no_file", *files),
        removed,
    )


def _name(study_id: str, moment: str) -> str:
    return f"seatrial-{study_id}-{moment}"


def _script(study_id: str, moment: str) -> str:
    return f"/usr/local/sbin/{_name(study_id, moment)}"
