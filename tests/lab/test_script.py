"""The solution `script` for real: GlusterFS, from the scripts of the study that is shipped."""

import shutil
from collections.abc import Iterator

import pytest

from seatrial.check import prepare
from seatrial.service.deploy import apply_plan
from seatrial.service.fingerprint import inspecting
from seatrial.service.session import Session
from tests.builders.labs import Bench, booted, phase
from tests.builders.places import STUDIES
from tests.builders.yaml_texts import loaded

pytestmark = pytest.mark.lab

SHIPPED = STUDIES / "script-glusterfs"


@pytest.fixture(scope="module")
def gluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A lab with one disk on each of two servers, and two clients."""
    folder = tmp_path_factory.mktemp("gluster")
    shutil.copytree(SHIPPED / "solution", folder / "solution")
    data = loaded((SHIPPED / "study.yaml").read_text())
    data["id"] = "tests-gluster"
    data["environment"]["scale"] = "1/20"
    data["nodes"]["s[1-2]"]["disks"]["count"] = 1
    with booted(data, folder) as bench:
        yield bench


def test_in_service_loaded_damaged_and_out_again(gluster: Bench) -> None:
    """The second deploy changes nothing, a byte that is wrong in both copies is found, a removal
    leaves the data.
    """
    assert gluster.seatrial("deploy").returncode == 0
    second = gluster.seatrial("deploy")
    assert second.returncode == 0, second.stderr
    assert "changed" not in second.stderr

    site, solution = prepare(gluster.study)
    session = Session(gluster.study, site, solution, gluster.lab, gluster.ssh, outlives_run=True)
    with inspecting(session) as honest:
        apply_plan(solution.plan({}), gluster.ssh)
    assert (honest.untold, honest.differences) == ([], [])
    with inspecting(session) as meddled:  # a change that no step reports
        apply_plan(solution.plan({}), gluster.ssh)
        gluster.ssh.run("s1", "echo >>/etc/hosts; systemctl restart glusterd")
    assert [(item.node, item.what) for item in meddled.differences] == [
        ("s1", "file /etc/hosts: changed"),
        ("s1", "service glusterd.service: was started again"),
    ]

    gluster.ssh.run("c1", f"mkdir {gluster.solution.directory}/load")
    assert not [item for item in phase(gluster, "write") if item.damage or item.errors]
    # The brick of the restarted daemon may lack writes; it is repaired automatically.
    whole = '[ $(gluster volume heal tests-gluster info | grep -c "entries: 0$") = 2 ]'
    repaired = gluster.ssh.run(
        "s1", f"timeout 90 sh -c 'until {whole}; do sleep 0.5; done'", timeout_s=100
    )
    assert repaired.exit_code == 0
    apply_plan(gluster.solution.empty_caches(gluster.solution.clients), gluster.ssh)
    read = phase(gluster, "read")
    assert [item.size_bytes for item in read] == [2**20, 2**20]
    assert not [item for item in read if item.damage or item.errors]

    spoil = (
        "printf xyz | dd of=$(find /srv/tests-gluster -name f0001.000 -size +1k) bs=1 seek=600000"
        " conv=notrunc"
    )
    for server in gluster.solution.servers:
        assert gluster.ssh.run(server, spoil).exit_code == 0
    apply_plan(gluster.solution.empty_caches(gluster.solution.clients), gluster.ssh)
    damage = [item for client in phase(gluster, "read") for item in client.damage]
    assert [item["offset"] for item in damage] == [146 * 4096]

    removed = gluster.seatrial("undeploy")
    assert removed.returncode == 0, removed.stderr
    assert "changed" not in gluster.seatrial("undeploy").stderr
    look = "ps ax -o comm | grep gluster; grep tests-gluster /proc/mounts /etc/fstab"
    for node in (*gluster.solution.servers, *gluster.solution.clients):
        assert gluster.ssh.run(node, look).stdout == ""
    again = gluster.seatrial("deploy")
    assert again.returncode == 0, again.stderr
    assert gluster.ssh.run("c2", f"ls {gluster.solution.directory}/load").stdout.split() == [
        "f0000.000",
        "f0001.000",
    ]
