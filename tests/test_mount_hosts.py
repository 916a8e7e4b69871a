"""The hosts of existing storage: their identity, and the trust in their configuration."""

from pathlib import Path

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.labs.kinds import hosts
from seatrial.study.study import parse_study
from seatrial.transport import Completed, OpenSsh
from tests.builders.mounts import mounted
from tests.builders.strategies import study, text_of


@pytest.mark.parametrize(
    "line",
    [
        "ProxyCommand touch {marker}",
        "  proxycommand=touch {marker}",
        '"ProxyCommand" touch {marker}',
        'Match exec "touch {marker}"\n  User root',
        "PermitLocalCommand yes",
        "KnownHostsCommand /usr/bin/touch {marker}",
        "Include {marker}",
        "ProxyJump other",
        "StrictHostKeyChecking no",
        "PKCS11Provider {marker}.so",
    ],
)
def test_a_received_ssh_config_runs_nothing(tmp_path: Path, line: str) -> None:
    """It would run on the controller, before any node is reached."""
    marker = tmp_path / "ran"
    (tmp_path / "ssh_config").write_text(
        f"# whom\nHost n1\n  HostName 192.0.2.1\n{line.format(marker=marker)}\n"
    )
    text = text_of({**mounted(), "environment": {"kind": "hosts", "ssh_config": "ssh_config"}})
    found = parse_study(text, tmp_path / "study.yaml")
    with pytest.raises(
        InputError,
        match=(
            r"study.yaml:\d+:\d+: environment.ssh_config: .*ssh_config:4: .* is not accepted in a"
            r" study"
        ),
    ):
        hosts.find(found, "x")
    assert not marker.exists()


def test_a_foreign_lab_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own lab folder is trusted with its content; a foreign one, or a link, is not."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    marker = tmp_path / "ran"
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "lab").mkdir(parents=True)
    (elsewhere / "lab/ssh_config").write_text(f"ProxyCommand touch {marker}\n")
    (tmp_path / "seatrial").symlink_to(elsewhere)
    data = {
        **mounted(),
        "environment": {"kind": "hosts", "ssh_config": str(tmp_path / "seatrial/lab/ssh_config")},
    }
    with pytest.raises(RunError, match="is not a private folder of yours"):
        hosts.find(study(data), "x")
    (tmp_path / "seatrial").unlink()
    data["environment"]["ssh_config"] = str(elsewhere / "lab/ssh_config")
    with pytest.raises(InputError, match="is not accepted in a study"):
        hosts.find(study(data), "x")
    assert not marker.exists()
    assert not (tmp_path / "seatrial").exists(), "who has no lab has no folder of labs"


def test_a_received_ssh_config_has_the_hosts(tmp_path: Path) -> None:
    """And with which key."""
    lines = [
        "Host n1",
        "  HostName = 127.0.0.1",
        "  Port 1",
        "  IdentityFile ./key",
        "ConnectTimeout 1",
        "",
    ]
    (tmp_path / "ssh_config").write_text("\n".join(lines))
    data = {
        **mounted(),
        "nodes": {"n1": {}},
        "environment": {"kind": "hosts", "ssh_config": "ssh_config"},
        "experiments": {},
    }
    with pytest.raises(RunError, match="^n1: "):
        hosts.find(parse_study(text_of(data), tmp_path / "study.yaml"), "x")


def test_a_machine_is_no_two_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be deployed to twice, and a client would read its own files; a container
    counts as a machine.
    """
    machines = {"n1": "boot-a\nmnt:[1]", "n2": "boot-a\nmnt:[2]", "n3": "boot-a\nmnt:[1]"}
    monkeypatch.setattr(
        OpenSsh,
        "run",
        lambda _self, node, *_, **__: Completed(node, 0, f"0\n{machines[node]}\n", ""),
    )
    with pytest.raises(RunError, match="^n1 and n3 are the same machine$"):
        hosts.find(
            study({**mounted(), "nodes": {key: {} for key in machines}, "experiments": {}}), "x"
        )
    hosts.find(study({**mounted(), "nodes": {"n1": {}, "n2": {}}, "experiments": {}}), "x")


def test_this_machine_is_refused_where_we_are_not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """As any other node is that lets us do nothing."""
    monkeypatch.setattr(
        OpenSsh, "run", lambda _self, node, *_, **__: Completed(node, 0, "1000\n", "")
    )
    with pytest.raises(RunError, match="localhost: this is not root but user 1000") as error:
        hosts.find(
            study(
                {
                    **mounted(),
                    "nodes": {"localhost": {}},
                    "solution": {"kind": "script", "folder": "x"},
                }
            ),
            "x",
        )
    assert "runs as root" in str(error.value.hint)
