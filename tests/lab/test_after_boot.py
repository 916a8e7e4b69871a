"""After a power cut, a server boots into its deployed state, including settings that a kernel
loses.
"""

import pytest

from seatrial.labs.kinds import emulated
from seatrial.service.deploy import apply_plan
from seatrial.solutions.base import load_solution
from seatrial.solutions.look import deployment, removal
from seatrial.study.study import parse_study
from tests.builders.labs import Bench
from tests.builders.strategies import text_of
from tests.builders.yaml_texts import loaded

pytestmark = pytest.mark.lab


def test_settings_that_a_kernel_loses_are_set_again(bench: Bench) -> None:
    """Read-ahead, MTU and no delegations of the server.

    The scripts of the units change nothing where every setting is in place. A study without a
    setting restores it at the next deploy.
    """
    data = loaded(bench.path.read_text())
    data["solution"]["readahead"] = "3MiB"
    study = parse_study(text_of(data), bench.path)
    site = emulated.site(study)
    solution = load_solution(study, site)
    ahead = f"cat /sys/class/bdi/$(mountpoint -d /srv/{study.id})/read_ahead_kb"
    links = "cat /sys/class/net/*/mtu"
    leases = "cat /proc/sys/fs/leases-enable"
    units = f"systemctl is-active seatrial-{study.id}-network seatrial-{study.id}-mounts"
    apply_plan(deployment(solution, site, {}), bench.ssh)
    try:
        before = {
            command: bench.ssh.run("nas", command).stdout
            for command in (ahead, links, leases, units)
        }
        assert before[ahead] == "3072\n"
        assert before[leases] == "0\n"
        assert before[units] == "active\nactive\n"
        bench.ssh.run("nas", "sync")
        bench.lab.power("nas", "off")
        bench.ssh.forget("nas")
        bench.lab.power("nas", "on")
        assert bench.lab.wait_for_ssh("nas")["failure"] is None
        until = f'until [ "$({units} | sort -u)" = active ]; do sleep 1; done'
        done = bench.ssh.run("nas", until, timeout_s=90)
        assert done.exit_code == 0
        assert {
            command: bench.ssh.run("nas", command).stdout
            for command in (ahead, links, leases, units)
        } == before
        # This study does not set the read-ahead.
        apply_plan(deployment(bench.solution, site, {}), bench.ssh)
        assert bench.ssh.run("nas", units).stdout == "active\ninactive\n"
    finally:
        apply_plan(removal(bench.solution, {}), bench.ssh)
    assert bench.ssh.run("nas", leases).stdout == "1\n"
    assert bench.ssh.run("nas", f"ls /usr/local/sbin/seatrial-{study.id}-*").exit_code != 0
