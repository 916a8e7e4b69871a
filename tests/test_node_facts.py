"""The facts of a node: its own script on this machine, and the output of other machines."""

import os
import platform
import stat
import subprocess
from pathlib import Path

import pytest

from seatrial.report.environment import tables
from seatrial.result.result import Result
from seatrial.service.node_facts import PACKAGES, SCRIPT, facts_in

HEAD = "kernel\t6.12.9\nsystem\tDebian GNU/Linux 12 (bookworm)\n"
END = "end\t\n"
NFS = (
    "mount\t/mnt/a nfs4 rw,relatime,vers=4.2,rsize=1048576,wsize=524288,hard,proto=tcp,"
    "clientaddr=10.0.0.7,addr=10.0.0.1\n"
)
SMB = "mount\t/mnt/b cifs rw,vers=3.1.1,username=ada,uid=0,rsize=4194304\n"
ETHTOOL = """\
#!/bin/sh
case $1 in
-a) printf 'Pause parameters for %s:\\nAutonegotiate: on\\nRX: off\\nTX: on\\n' "$2" ;;
-k) printf 'tcp-segmentation-offload: on\\n\\ttx-tcp-segmentation: on\\n'
    printf 'generic-receive-offload: off\\nlarge-receive-offload: off [fixed]\\n' ;;
esac
"""


def ran(environment: dict[str, str] | None = None) -> dict[str, str]:
    """The facts of this machine."""
    done = subprocess.run(
        ["sh", "-s"], input=SCRIPT, capture_output=True, check=True, timeout=60, env=environment
    )
    return facts_in(done.stdout.decode())


def test_the_script_reports_this_machine() -> None:
    """It ends without an error, whichever package manager the machine has."""
    facts = ran()
    assert facts["kernel"] == platform.release()
    assert facts["system"]
    software = facts.get("storage_software", "")
    names = {item.split()[0] for item in software.split(", ") if item}
    assert names <= set(PACKAGES)


@pytest.mark.skipif(not list(Path("/sys/class/net").glob("*/device")), reason="no network card")
def test_the_time_service_of_a_node_is_a_fact(tmp_path: Path) -> None:
    """With the state of the clock; neither is known on a node without systemd."""
    answers = {"timedatectl": "yes", "systemctl": "chrony.service loaded active running NTP"}
    for name, answer in answers.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert ran(environment)["clock"] == "synchronised: yes, service: chrony.service"
    for name in answers:
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
    assert "clock" not in ran(environment)


def test_flow_control_and_offloads_of_a_card_are_facts(tmp_path: Path) -> None:
    """Where ethtool is installed; the MTU is known without it."""
    tool = tmp_path / "ethtool"
    tool.write_text(ETHTOOL)
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    links = ran({**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})["links"]
    assert " mtu " in links
    assert links.endswith(", flow control rx off tx on, tso on gro off lro off")


@pytest.mark.parametrize(
    ("lines", "software"),
    [
        ("installed\tmdadm 4.2-5\ninstalled\ttgt 1:1.0.85-1\n", "mdadm 4.2-5, tgt 1:1.0.85-1"),
        ("config-files\tsamba 2:4.17\nunknown ok\tnot-installed\n", None),
        ("package samba is not installed\n", None),
        ("", None),
    ],
)
def test_only_installed_packages_are_facts(lines: str, software: str | None) -> None:
    """A removed package and a message are none."""
    facts = facts_in(HEAD + lines + END)
    assert facts["kernel"] == "6.12.9"
    assert facts.get("storage_software") == software


def test_mounts_have_the_negotiated_options() -> None:
    """Without addresses and users, which differ between clients."""
    assert facts_in(HEAD + NFS + SMB + END)["mounts"] == (
        "/mnt/a nfs4: rw,relatime,vers=4.2,rsize=1048576,wsize=524288,hard,proto=tcp; "
        "/mnt/b cifs: rw,vers=3.1.1,rsize=4194304"
    )


def test_clients_with_equal_mounts_are_one_row_of_the_report() -> None:
    """A client that negotiated another size is another row."""
    small = NFS.replace("wsize=524288", "wsize=262144")
    facts = {
        **{f"c{number}": facts_in(HEAD + NFS + END) for number in (1, 2)},
        "c3": facts_in(HEAD + small + END),
        "nas": facts_in(HEAD + END),
    }
    lines = ({"type": "run"}, {"type": "nodes", "facts": facts})
    found = {item.caption: item.rows for item in tables(Result(Path("nowhere"), lines))}
    assert [row[0] for row in found["Mounts, as negotiated."]] == ["c[1-2]", "c3"]
    assert found["Properties reported by the nodes."] == (
        ("c[1-3],nas", "kernel 6.12.9, system Debian GNU/Linux 12 (bookworm)"),
    )


def test_a_silent_node_has_no_facts() -> None:
    """Nor has one that ended in the middle."""
    assert facts_in("") == {}
    assert facts_in(HEAD) == {}
