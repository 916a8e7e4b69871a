"""Persistence across a boot, and the restored state of a removal: rules for every plan of
every kind, executed by sh.
"""

import re
from pathlib import Path

import pytest

from seatrial.plan.plan import Plan, Step, command_step
from seatrial.solutions.parts import after_boot, backups
from tests.builders.plan_fixtures import PLANS, both_plans
from tests.builders.steps import commands_of, edited, results

RUNTIME = re.compile(r"ip link set|ip address (add|replace)|sysctl|>\s*\"?(/proc/(?!sysrq)|/sys/)")
"""what sets a value of the running kernel"""
ONCE = ("/proc/sys/vm/drop_caches",)
"""no setting, but something to do"""
WRITTEN = {
    "sysctl -q -p /etc/sysctl.d/": "the file is read at boot",
    "/proc/sys/fs/nfs/nlm_grace_period": "/etc/modprobe.d/seatrial-lockd.conf",
    "/proc/fs/nfsd/nfsv4leasetime": "/etc/nfs.conf.d/",
}
"""these have a separate file with the same setting"""
NEW_SERVICES = ("look", "install exportfs", "install smbd", "install chrony")
"""titles of steps that change only units of packages that they install"""
UNIT = re.compile(
    r"systemctl (?:-q |--no-reload |--now )*(?:enable|disable|add-wants \S+|stop|start|restart)"
    r" ([^\n;|&)]+)"
)
OWN = ("seatrial", "gfs2-", "ceph-mon@", "ceph-mgr@", "ceph-osd@", "ceph-mds@", "$")


def steps_of(plan: Plan) -> list[tuple[str, Step]]:
    """(node, step), in order."""
    return [
        (node, step)
        for stage in plan.stages
        for node, steps in stage.steps.items()
        for step in steps
    ]


RESTORED = ("restore the read-ahead", "restore the setting for NFS delegations")
"""steps with these titles set the value that a boot sets"""


@pytest.mark.parametrize("name", PLANS)
def test_runtime_settings_survive_a_boot(name: str) -> None:
    """Each such step runs again after a boot, or has a file with the same setting."""
    plan, _ = both_plans(name)
    for node, step in steps_of(plan):
        lines = [line for line in commands_of(step).splitlines() if RUNTIME.search(line)]
        lines = [line for line in lines if not any(word in line for word in ONCE)]
        if not lines or any(word in step.apply for word in WRITTEN):
            continue
        if step.title.startswith(RESTORED):  # the boot's own value
            continue
        if "write_file /usr/local/sbin/" in step.apply:  # a script of a unit's, which a boot starts
            continue
        assert step.after_boot, f"{node}: {step.title}: {lines}"


@pytest.mark.parametrize("name", PLANS)
def test_delegations_are_given_again_where_a_plan_gave_none(name: str) -> None:
    """By the removal, on the same nodes; a removal without a change before it reports `ok`."""
    plan, undone = both_plans(name)
    taken = {node for node, step in steps_of(plan) if step.title == "disable NFS delegations"}
    assert taken <= {
        node
        for node, step in steps_of(undone)
        if step.title == "restore the setting for NFS delegations"
    }


@pytest.mark.parametrize("name", PLANS)
def test_foreign_units_are_backed_up_before_a_change(name: str) -> None:
    """The removal restores them on the same nodes."""
    plan, undone = both_plans(name)
    given = {
        node
        for node, step in steps_of(undone)
        if step.title.startswith("restore the state of units")
    }
    for node in {node for node, _ in steps_of(plan)}:
        on_node = [step for other, step in steps_of(plan) if other == node]
        noted = {unit.removesuffix(".service") for step in on_node for unit in step.units}
        touched = {
            word.removesuffix(".service")
            for step in on_node
            if not step.title.startswith(NEW_SERVICES)
            for match in UNIT.finditer(
                re.sub(r"(?s)<<'SEATRIAL'.*?\nSEATRIAL", "", commands_of(step))
            )
            for word in match[1].split()
            if not word.startswith((*OWN, "-", '"', "2>"))
        }
        ours = {
            word
            for word in touched
            if f"/etc/systemd/system/{word}" in "".join(step.apply for step in on_node)
        }
        assert touched - ours <= noted, node
        assert bool(noted) == (node in given), node


def test_a_setting_is_set_again_by_the_same_words(tmp_path: Path) -> None:
    """A boot loses the value; the script sets it, leaves a correct value alone, and reports a
    failure.
    """
    value = tmp_path / "value"
    script = tmp_path / "script"
    step = command_step(
        "set it",
        f"grep -qx 9000 {value}",
        f"[ -e {value} ]\necho 9000 >{value}",
        after_boot="network",
    )
    value.write_text("1500\n")
    written, *_rest = after_boot.steps("pair", [step, step])
    text = str(written.shell.content)
    assert text.count("echo 9000") == 1
    script.write_text(text)
    run = command_step("boot", None, f"sh {script}")
    assert results(run) == ["changed"]
    assert value.read_text() == "9000\n"
    changed = value.stat().st_mtime_ns
    results(run)
    assert value.stat().st_mtime_ns == changed
    value.unlink()
    assert results(command_step("boot", None, f"! sh {script}")) == ["changed"]


def test_a_setting_that_the_study_drops_is_restored(tmp_path: Path) -> None:
    """By the next deploy of a changed study, and by a removal, also after an interrupted deploy."""
    units = tmp_path / "units"
    scripts = tmp_path / "sbin"
    log = tmp_path / "log"
    tool = tmp_path / "systemctl"
    tool.write_text(f'#!/bin/sh\necho "$*" >>{log}\n[ "$1" != show ] || echo yes\n')
    tool.chmod(0o755)

    def tried(step: Step, *files: Path) -> list[str]:
        for folder in (units, scripts):
            folder.mkdir(exist_ok=True)
        for file in files:
            file.touch()
        log.unlink(missing_ok=True)

        def here(text: str) -> str:
            moved = text.replace("/etc/systemd/system", str(units))
            return f"PATH={tmp_path}:$PATH\n" + moved.replace("/usr/local/sbin", str(scripts))

        return results(edited(step, here))

    mtu = command_step("set it", "false", "true", after_boot="network")
    *_network, later = after_boot.steps("pair", [mtu])
    network = [units / "seatrial-pair-network.service", scripts / "seatrial-pair-network"]
    mounts = [units / "seatrial-pair-mounts.service", scripts / "seatrial-pair-mounts"]
    stopped = ["-q --no-reload disable seatrial-pair-mounts", "stop seatrial-pair-mounts"]
    assert tried(later, *network) == ["ok"]
    assert tried(later, *mounts) == ["changed"]
    assert log.read_text().splitlines()[:2] == stopped
    assert [file.exists() for file in (*network, *mounts)] == [True, True, False, False]
    assert tried(later, mounts[1]) == ["changed"]
    assert not log.exists()
    assert tried(after_boot.removal("pair"), *mounts) == ["changed"]
    assert list(units.iterdir()) == list(scripts.iterdir()) == []
    assert tried(after_boot.removal("pair")) == ["ok"]


@pytest.mark.parametrize(
    ("was", "does"),
    [
        (
            ("a.service", "enabled", "active"),
            ["-q --no-reload enable a.service", "start a.service"],
        ),
        (("a.service", "enabled", "inactive"), ["-q --no-reload enable a.service"]),
        (
            ("a.service", "disabled", "inactive"),
            ["-q is-enabled a.service", "-q --no-reload disable a.service"],
        ),
        (("a.service", "static", "inactive"), []),
        (("a.service", "", ""), []),
        (("a.mount", "static", "inactive"), ["-q is-active a.mount", "stop a.mount"]),
        (("a.target", "", ""), ["-q is-active a.target", "stop a.target"]),
        (("a.target", "static", "active"), ["start a.target"]),
    ],
)
def test_units_are_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was: tuple[str, str, str], does: list[str]
) -> None:
    """Also after a second attempt of the deploy, which finds its own state."""
    monkeypatch.setattr(backups, "MADE", str(tmp_path / "made"))
    unit, enabled, active = was
    log = tmp_path / "log"
    tool = tmp_path / "systemctl"

    def systemctl(printed: str, runs: str) -> None:
        tool.write_text(
            f"#!/bin/sh\ncase $1 in\nis-enabled) [ -z '{printed}' ] || echo '{printed}' ;;\n"
            f"is-active) [ -z '{runs}' ] || echo '{runs}' ;;\n*) echo \"$*\" >>{log} ;;\nesac\n"
        )
        tool.chmod(0o755)

    path = f"PATH={tmp_path}:$PATH\n"

    def tried(step: Step) -> list[str]:
        return results(edited(step, lambda text: f"{path}{text}"))

    systemctl(enabled, active)
    assert tried(backups.back_up_units("pair", (unit,))) == ["changed"]
    systemctl("enabled", "active")
    assert tried(backups.back_up_units("pair", (unit,))) == ["ok"]
    assert tried(backups.restore_units("pair")) == ["changed"]
    assert (log.read_text().splitlines() if log.exists() else []) == does
    assert tried(backups.restore_units("pair")) == ["ok"]
