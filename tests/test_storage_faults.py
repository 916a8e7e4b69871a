"""Faults of disks, file systems and cards: the actions, and their exact undo."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.faults.base import (
    Actions,
    Disk,
    NotHere,
    Power,
    Rebuild,
    Roles,
    Scene,
    Shell,
    Wait,
    fault_kind,
)
from seatrial.faults.combined import at_once
from seatrial.faults.kinds import disk_full, local_disk
from seatrial.labs.base import lab_kind
from seatrial.labs.emulation import disk_rates
from seatrial.plan.traits import REAL
from seatrial.result.evidence import Sign
from seatrial.solutions.base import load_solution
from tests.builders.fault_studies import scene
from tests.builders.strategies import changed, study


def of_server(kind: str, options: dict[str, Any], **solution: Any) -> Actions:
    """The actions of a kind on a server with six own disks."""
    whole = study(changed("solution", {"kind": "nfs", "raid": {"level": 6}, **solution}))
    site = lab_kind(whole).site(whole)
    loaded = load_solution(whole, site)
    module = fault_kind(kind)
    return module.actions(
        module.Options.model_validate(options),
        Scene(whole, site, loaded, Roles(loaded.servers, {"": "nas"})),
    )


def test_as_many_disks_fail_as_the_array_survives() -> None:
    """Without named disks; replaced when the fault is repaired; the run waits for the
    rebuild, but only as a whole.
    """
    found = of_server("disk-failure", {"count": 2, "rebuild": "90s"})
    (fail,) = found.inject
    (repair,) = found.repair
    (over,) = found.after
    assert isinstance(fail, Shell)
    assert fail.command == "mdadm /dev/md/small --fail /dev/ubdb /dev/ubdc"
    assert fail.probe is not None
    assert fail.probe.command.endswith('read -r degraded <$md/degraded; [ "$degraded" -ge 2 ]')
    assert isinstance(over, Rebuild)
    assert (over.node, over.array, over.begun_by, over.limit_s) == (
        "nas",
        "/dev/md/small",
        repair,
        90.0,
    )
    assert found.waits_s == 90.0
    with pytest.raises(ValueError, match="RAID 6 does not survive 3 failed disks; at most 2"):
        of_server("disk-failure", {"count": 3})


def test_disks_can_be_replaced_while_the_fault_lasts() -> None:
    """So that a second fault meets the rebuild; repair replaces the disks that were not reached."""
    found = of_server("disk-failure", {"replaced_after": "4s", "rebuild": "9s"})
    assert found.inject[1:] == (Wait(4.0), *found.repair)
    assert found.waits_s == 13.0
    both = at_once([found, Actions((Power("c1", "off"),), (Power("c1", "on"),))], 2.0)
    assert both.inject == (*found.inject, Wait(2.0), Power("c1", "off"))
    assert (both.repair, both.after) == ((Power("c1", "on"), *found.repair), found.after)


def test_an_array_of_spans_loses_a_member_of_its_first_span() -> None:
    """The upper RAID 0 survives nothing; and a server without an array has no disks to lose."""
    found = of_server("disk-failure", {}, raid={"level": 50, "spans": 2})
    (fail,) = found.inject
    assert isinstance(fail, Shell)
    assert fail.command == "mdadm /dev/md/small-s0 --fail /dev/ubdb"
    module = fault_kind("disk-failure")
    with pytest.raises(NotHere, match="no array that Seatrial created"):
        module.actions(module.Options.model_validate({}), scene())


def of_local_disks(local: dict[str, Any]) -> Actions:
    """The actions of a failed local disk on a server with six data disks."""
    whole = study(changed("nodes.nas.local_disks", local))
    site = lab_kind(whole).site(whole)
    loaded = load_solution(whole, site)
    module = fault_kind("local-disk")
    options = module.Options.model_validate({"rebuild": "9s"})
    return module.actions(options, Scene(whole, site, loaded, Roles(loaded.servers, {"": "nas"})))


def test_a_spare_replaces_a_local_disk_while_the_fault_lasts() -> None:
    """The rebuild begins with the failure; without a spare it begins with the repair."""
    found = of_local_disks({"size": "48MiB"})
    fail, over = found.inject
    (repair,) = found.repair
    assert isinstance(fail, Shell)
    assert fail.probe is not None
    assert fail.probe.shows == Sign.MEDIUM_GONE
    assert isinstance(over, Rebuild)
    assert (over.array, over.begun_by, over.limit_s) == ("/dev/md/system", fail, 9.0)
    assert isinstance(repair, Shell)
    assert "for disk in /dev/ubdh /dev/ubdi /dev/ubdj; do" in repair.command
    assert found.after == ()
    alone = of_local_disks({"size": "48MiB", "spares": 0})
    assert len(alone.inject) == 1
    (rebuild,) = alone.after
    assert isinstance(rebuild, Rebuild)
    assert (rebuild.begun_by,) == alone.repair


def test_the_failed_local_disk_is_one_that_holds_data(tmp_path: Path) -> None:
    """After an earlier fault, the first disk of the array is its spare."""
    for name, state in (("ubdb", "spare"), ("ubdc", "in_sync,write_mostly"), ("ubdd", "in_sync")):
        (tmp_path / f"dev-{name}").mkdir()
        (tmp_path / f"dev-{name}" / "state").write_text(f"{state}\n")
    (tmp_path / "mdadm").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "mdadm").chmod(0o755)
    text = f"PATH={tmp_path}:$PATH; md={tmp_path}; {local_disk.FAIL_FIRST.format('/dev/md/system')}"
    run = ["sh", "-c", text]
    done = subprocess.run(run, capture_output=True, text=True, timeout=10, check=True)
    assert done.stdout == "/dev/md/system --fail /dev/ubdc\n"
    for name in ("ubdc", "ubdd"):
        (tmp_path / f"dev-{name}" / "state").write_text("faulty\n")
    assert subprocess.run(run, timeout=10, check=False).returncode == 1


def test_a_slow_disk_keeps_a_share_of_its_rate() -> None:
    """The scaled one, on the node with the array; the lab knows the earlier rate."""
    rate = lab_kind(study()).site(study()).nodes["nas"].device_rate_bytes_per_s or 0.0
    assert of_server("slow-disk", {"share": 0.25}).inject == (Disk("nas", 1, rate / 4, None),)
    with pytest.raises(ValueError, match="nas has 6 disks, none is number 7"):
        of_server("slow-disk", {"disk": 7, "share": 0.5})
    with pytest.raises(ValueError, match="set share, requests_per_s, or both"):
        of_server("slow-disk", {})
    assert disk_rates.command(disk_rates.device_of(2, cached=False), 1e6, None).endswith(
        "echo 98:32 1000000 >/srv/lab-blkio/blkio.throttle.read_bps_device && "
        "echo 98:32 1000000 >/srv/lab-blkio/blkio.throttle.write_bps_device && "
        "echo 98:32 0 >/srv/lab-blkio/blkio.throttle.read_iops_device && "
        "echo 98:32 0 >/srv/lab-blkio/blkio.throttle.write_iops_device"
    )


def test_the_commands_of_longer_kinds_are_shell() -> None:
    """Read by the shell that runs them on nodes, without being run; of the full file system the
    place too.
    """
    full = of_server("disk-full", {"remainder": "1MiB"})
    commands = [*full.inject, *full.repair, *of_server("disk-failure", {"count": 2}).repair]
    local = of_local_disks({"size": "48MiB"})
    commands += [local.inject[0], *local.repair]
    for item in commands:
        assert isinstance(item, Shell)
        subprocess.run(["sh", "-n", "-c", item.command], check=True)
    (removal,) = full.repair
    assert isinstance(removal, Shell)
    assert removal.node != "nas"
    assert removal.command.startswith("rm -f /")


def test_a_full_file_system_keeps_its_remainder(tmp_path: Path) -> None:
    """Filled in steps as far as the file system allows; here with a replacement of fallocate
    and stat.
    """
    (tmp_path / "stat").write_text("#!/bin/sh\n[ $1 = -c ] && echo $3 || echo 100 4096\n")
    # Gives pieces of at most 100000 bytes, and 300000 bytes in all.
    (tmp_path / "fallocate").write_text(
        '#!/bin/sh\n[ "$4" -le 100000 ] && [ $(($2 + $4)) -le 300000 ] && echo "$2 $4" >>given\n'
    )
    for name in ("stat", "fallocate"):
        (tmp_path / name).chmod(0o755)
    command = disk_full.fill(str(tmp_path), 8192)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["sh", "-c", command], check=True, env=environment, timeout=30)
    at = 0
    for line in (tmp_path / "given").read_text().splitlines():
        start, length = map(int, line.split())
        assert start == at
        at += length
    assert 300000 - 2 * disk_full.SMALLEST_BYTES < at <= 300000
    (tmp_path / disk_full.FILE).unlink()
    (tmp_path / "shadow").write_text("root's")
    for target in ("shadow", "new"):
        (tmp_path / disk_full.FILE).symlink_to(target)
        refused = subprocess.run(
            ["sh", "-c", command], check=False, env=environment, timeout=30, capture_output=True
        )
        assert refused.returncode
        (tmp_path / disk_full.FILE).unlink()
    assert (tmp_path / "shadow").read_text() == "root's"
    assert not (tmp_path / "new").exists()
    (tmp_path / "stat").write_text("#!/bin/sh\necho 7\n")
    refused = subprocess.run(
        ["sh", "-c", command], check=False, env=environment, timeout=30, capture_output=True
    )
    assert b"nothing is mounted" in refused.stderr
    assert not (tmp_path / disk_full.FILE).exists()


def test_a_wall_clock_is_set_to_the_correct_time(tmp_path: Path) -> None:
    """Not back by the same step: it may have been corrected meanwhile; without a change
    nothing is undone.
    """
    module = fault_kind("wall-clock")
    found = module.actions(module.Options.model_validate({"ahead": "1h"}), scene())
    inject = found.inject[0]
    repair = found.repair[0]
    assert isinstance(inject, Shell)
    assert isinstance(repair, Shell)
    (tmp_path / "date").write_text(
        '#!/bin/sh\nfolder=$(dirname "$0")\n[ "$1" = --set ] || exec cat "$folder/wall"\necho "$2"'
        ' >>"$folder/set"\n'
    )
    (tmp_path / "date").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}

    def run(command: str, wall_s: float, uptime_s: float) -> list[str]:
        """The time that a command at this moment sets."""
        (tmp_path / "wall").write_text(f"{wall_s:.9f}\n")
        (tmp_path / "uptime").write_text(f"{uptime_s:.2f} 7.00\n")
        (tmp_path / "set").write_text("")
        text = command.replace("/proc/uptime", str(tmp_path / "uptime")).replace(
            "/run/", f"{tmp_path}/"
        )
        subprocess.run(["sh", "-c", text], check=True, env=environment, timeout=30)
        return (tmp_path / "set").read_text().split("\n")[:-1]

    assert run(repair.command, 1_795_000_000, 100) == []
    assert run(inject.command, 1_795_000_000, 100) == ["+3600.000 seconds"]
    assert run(inject.command, 1_795_003_601, 101) == ["+3600.000 seconds"], (
        "tried again: the first note stands"
    )
    assert run(repair.command, 1_795_000_009, 110) == ["@1795000010.000"], (
        "chrony had already corrected the clock"
    )
    assert run(repair.command, 1_795_000_010, 110) == []


def test_an_mtu_is_restored(tmp_path: Path) -> None:
    """Not to the study's value, which may be absent on real hosts; without a change nothing
    is undone.
    """
    module = fault_kind("mtu")
    here = scene()
    options = module.Options.model_validate({"network": "data", "at": "card", "mtu": 1400})
    with pytest.raises(NotHere, match="use at: switch"):
        module.actions(options, here)
    found = module.actions(options, replace(here, site=replace(here.site, traits=REAL)))
    inject = found.inject[0]
    repair = found.repair[0]
    assert isinstance(inject, Shell)
    assert isinstance(repair, Shell)
    (tmp_path / "mtu").write_text("9000\n")
    (tmp_path / "ip").write_text('#!/bin/sh\necho "$6" >$(dirname "$0")/mtu\n')
    (tmp_path / "ip").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    for command, wanted in (
        (repair.command, "9000"),
        (inject.command, "1400"),
        (repair.command, "9000"),
    ):
        text = command.replace("/sys/class/net/data", str(tmp_path)).replace(
            "/run/", f"{tmp_path}/"
        )
        subprocess.run(["sh", "-c", text], check=True, env=environment)
        assert (tmp_path / "mtu").read_text().strip() == wanted
