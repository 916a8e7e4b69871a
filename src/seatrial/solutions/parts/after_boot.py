"""Units that apply runtime settings of a plan, such as an MTU, again after every boot.

Steps request this by `Step.after_boot`; the units run the steps' own shell text. So a node that was
fenced or lost its power comes back as it was deployed. Network settings precede users of storage.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from seatrial.plan.plan import Step, write_file
from seatrial.solutions.parts.steps import reread, restart_if_active, service, unit_file

_UNITS = {
    "network": "After=network.target network-online.target\n"
    "Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service",
    "mounts": "After=local-fs.target remote-fs.target",
}
"""`Step.after_boot` -> systemd ordering of its unit"""


def steps(study_id: str, built: Iterable[Step]) -> list[Step]:
    """Steps that keep the settings of `built` across a boot, and remove units no longer needed."""
    units: list[Step] = []
    built_steps, unused = list(built), []
    for moment, order in _UNITS.items():
        if texts := list(dict.fromkeys(_text(step) for step in built_steps if step.after_boot == moment)):
            units += _unit(study_id, moment, order, texts)
        else:
            unused.append(moment)
    return [*units, *([_none(study_id, unused)] if unused else [])]


def _unit(study_id: str, moment: str, order: str, texts: Sequence[str]) -> list[Step]:
    name, script = _name(study_id, moment), _script(study_id, moment)
    body = "".join(texts)
    unit = (
        f"[Unit]\nDescription=what {study_id} has set ({moment})\n{order}\nStartLimitIntervalSec=0\n"
        f"[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart={script}\nRestart=on-failure\nRestartSec=5\n"
        "[Install]\nWantedBy=multi-user.target"
    )
    title = f"install the boot-time settings of {moment}"
    return [
        write_file(
            script,
            f"#!/bin/sh\n# What {study_id} has set on this node, after a boot.\nbad=0\n{body}exit $bad",
            mode="755",
            after=restart_if_active(name),
        ),
        # Clients of a lab have no systemd; they are recreated, not rebooted.
        *(
            replace(step, check=f"[ ! -d /run/systemd/system ] || {{\n{step.check}\n}}")
            for step in service(
                name,
                unit,
                title,
                reason="a fenced node must come back with the same settings",
            )
        ),
    ]


def _text(step: Step) -> str:
    text = f"# {step.title}\nif ! (\n{step.check}\n) >/dev/null 2>&1; then\n(\nset -e\n{step.apply}\n)\n"
    text += "[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||\nfi\n"
    return text


def removal(study_id: str) -> Step:
    """Remove all of these units, whichever version of the study installed them."""
    return _none(study_id, list(_UNITS))


def _none(study_id: str, moments: Sequence[str]) -> Step:
    checks, undo = [], []
    for moment in moments:
        name, script = _name(study_id, moment), _script(study_id, moment)
        unit = unit_file(name)
        checks.append(f"[ ! -e {unit} ] && [ ! -e {script} ]")
        undo.append(
            f"[ ! -e {unit} ] || {{\n    systemctl -q --no-reload disable {name}\n    systemctl stop {name}\n"
            f"    rm {unit}\n    {reread(f'{name}.service')}\n}}\nrm -f {script}"
        )
    return Step(
        f"remove the boot-time settings of {' and '.join(moments)}",
        " && ".join(checks),
        "\n".join(undo),
    )


def _name(study_id: str, moment: str) -> str:
    return f"seatrial-{study_id}-{moment}"


def _script(study_id: str, moment: str) -> str:
    return f"/usr/local/sbin/{_name(study_id, moment)}"
