"""A result that is safe to publish: no name of the site is in it, and its verdicts are
unchanged.
"""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seatrial.advice.redact import KEPT_ADDRESSES, names_of, redact
from seatrial.basics.errors import InputError
from seatrial.judge.judge import judge
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import seal
from seatrial.result.writer import Writer
from seatrial.study.study import load_study, parse_study
from tests.builders.places import STUDIES
from tests.builders.results import phase, result_of
from tests.builders.stored import KEPT
from tests.builders.strategies import MINIMAL, study

SECRETS = (
    "fileserver", "compute3", "cluster.acme.com", "10.20.30.40", "10.20.30.41", "fd00:1:2:3::7",
    "52:54:00:ab:cd:ef",
    "wwn-0x5000c500a1b2c3d4", "0x5000c500deadbeef", "iqn.1993-08.org.debian:01:abcdef",
    "alice@acme.com", "rackadmin",
    "/root/.secret-of-acme", "2001:db8::5", "fe80::a236:9fff:fe12:3456", "fe80::1", "/home/alice",
    "FILESERVER",
    "Compute4", "3600508b400105e210000900000490000",
)  # fmt: skip

REFUSED = "refused: /dev/sdb (SAMSUNG_MZ7LH S45NNA0M123456 953869 MiB) is in use: mounted"


def site() -> dict[str, Any]:
    """The study of a site with its own names and addresses."""
    data = copy.deepcopy(MINIMAL)
    data["environment"] = {"kind": "hosts"}
    server: dict[str, Any] = {
        "link": "10Gbit/s",
        "address": "10.20.30.40",
        "disks": {"devices": ["/dev/disk/by-id/wwn-0x5000c500a1b2c3d4"]},
    }
    server["bmc"] = {
        "network": "data",
        "address": "fileserver-bmc.cluster.acme.com",
        "user": "rackadmin",
    }
    server["bmc"]["password_file"] = "/root/.secret-of-acme"
    data["nodes"] = {"fileserver": server, "compute[1-4].cluster.acme.com": {}}
    data["solution"] |= {"server": "fileserver", "raid": {"level": 0}}
    del data["solution"]["raid"]
    return data


def recorded(folder: Path) -> Result:
    """A result that names all of it, also where a study does not."""
    result_of(folder, site(), phase(), complete=False)
    writer = Writer(folder, append=True)
    text = (
        f"compute3.cluster.acme.com: lost {' '.join(SECRETS)} {REFUSED} compute[1-4]"
        " fileserver:/srv"
    )
    writer.line("experiment-failed", name="two", reason=text)
    writer.keep("agent/one-compute3.cluster.acme.com.jsonl", text)
    writer.keep("console/fileserver.log", text)
    writer.close()
    return read_result(folder)


def test_nothing_of_the_site_is_left(tmp_path: Path) -> None:
    """In no file, and in the name of none; the same name is the same everywhere."""
    result = recorded(tmp_path / "record")
    (tmp_path / "record/kernel").mkdir()
    (tmp_path / "record/kernel/gone.log").write_text(
        "+1.000 n1 oom-kill: task=brightminds_v2,uid=1234\n"
    )
    redact(result, tmp_path / "copy")
    assert (tmp_path / "copy/kernel/gone.log").read_text() == "left out of this copy\n"
    files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    everything = "\n".join(
        [
            *(str(path.relative_to(tmp_path)) for path in files),
            *(path.read_text() for path in files),
        ]
    )
    assert [
        secret for secret in (*SECRETS, "SAMSUNG_MZ7LH", "S45NNA0M123456") if secret in everything
    ] == []
    assert [word for word in ("acme", "5000c500", "10.20.30") if word in everything] == []
    copied = read_result(tmp_path / "copy")
    assert copied.failed_experiments["two"].count("host-") >= 4
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700
    assert re.search(r'host-\d-\[1-4\]"?: ', (tmp_path / "copy/study.yaml").read_text())


@pytest.mark.parametrize(
    "path", sorted(STUDIES.glob("*/study.yaml")), ids=lambda path: path.parent.name
)
def test_a_study_is_one_with_other_names(path: Path) -> None:
    """Every shipped study: keys of the format after a node's name are not taken for its domain."""
    it = load_study(path)
    names = names_of(it)
    other = parse_study(names.replaced(path.read_text()), path)
    assert [names.replaced(node) for node in it.node_names()] == list(other.node_names())
    rows = {names.replaced(name): len(one.variants) for name, one in it.experiments.items()}
    assert rows == {name: len(one.variants) for name, one in other.experiments.items()}


def test_a_domain_after_nodes_is_a_domain() -> None:
    """Only a key of a node stays after its name."""
    names = names_of(study(MINIMAL))
    assert names.replaced("nodes.nas.disks.paths.cabling") == "nodes.host-1.disks.paths.cabling"
    assert names.replaced("nodes.c2.disks.paths.rate") == "nodes.host-2-2.disks.paths.rate"
    assert (
        names.replaced("nodes.nas.cluster.acme.com nodes.c2.acme.com")
        == "nodes.host-1 nodes.host-2-2"
    )


def test_the_copy_is_all_that_is_written(tmp_path: Path) -> None:
    """A folder of the result that is called like a file of secrets: its name in the copy would be
    an absolute path.
    """
    data = site()
    data["environment"]["ssh_config"] = "hosts.d"
    result_of(tmp_path / "record", data, phase(), complete=False)
    (tmp_path / "record/hosts.d").mkdir()
    (tmp_path / "record/hosts.d/evil.conf").write_text("x")
    redact(read_result(tmp_path / "record"), tmp_path / "copy")
    assert (tmp_path / "copy/_etc_ssh_config/evil.conf").read_text() == "x"
    assert not Path("/etc/ssh_config").exists()


def test_the_verdicts_stay(tmp_path: Path) -> None:
    """For a whole result, with every criterion and fault."""
    result = read_result(KEPT)
    redact(result, tmp_path / "copy")
    before, after = (
        [(item.claim, item.verdict) for item in judge(it)]
        for it in (result, read_result(tmp_path / "copy"))
    )
    assert before == after


def test_figures_stay_as_they_are_and_escaped_texts_do_not(tmp_path: Path) -> None:
    """A fraction has as many digits as multipath's number of a disk; a name after an escaped
    line feed is a name.
    """
    result_of(tmp_path / "record", site(), phase(), complete=False)
    writer = Writer(tmp_path / "record", append=True)
    figures = {"mean": 0.35724237999999997, "max": 36761499999999997, "second": 0.36377499999999996}
    writer.line(
        "said", text="lost:\nfileserver 3600508b400105e210000900000490000\tfileserver", **figures
    )
    writer.keep(
        "agent/said.txt", "took 0.35724237999999997 s on mpath.3600508b400105e210000900000490000"
    )
    writer.close()
    redact(read_result(tmp_path / "record"), tmp_path / "copy")
    line = next(read_result(tmp_path / "copy").of("said"))
    assert {key: line[key] for key in figures} == figures
    assert re.fullmatch(r"lost:\nhost-\d 3[0-9a-f]{32}\thost-\d", line["text"])
    assert "3600508b" not in line["text"]
    kept = (tmp_path / "copy" / "agent" / "said.txt").read_text()
    assert re.fullmatch(r"took 0\.35724237999999997 s on mpath\.30[0-9a-f]{31}", kept)


def test_host_and_user_of_the_controller_are_left_out(tmp_path: Path) -> None:
    """In every line with the properties of the machine; a PDF is not copied either."""
    result_of(tmp_path / "record", site(), phase(), complete=False)
    writer = Writer(tmp_path / "record", append=True)
    for kind in ("machine", "resumed"):
        writer.line(kind, kernel="6.12", host="login-7", user="alice")
    writer.close()
    (tmp_path / "record" / "report-evidence.pdf").write_bytes(b"%PDF- login-7")
    redact(read_result(tmp_path / "record"), tmp_path / "copy")
    copied = read_result(tmp_path / "copy")
    (machine,) = copied.of("machine")
    assert machine["kernel"] == "6.12"
    texts = [path.read_text() for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    assert not [text for text in texts if "login-7" in text or "alice" in text]
    assert not list((tmp_path / "copy").glob("*.pdf"))


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    """No file is overwritten."""
    with pytest.raises(InputError, match="already exists"):
        redact(recorded(tmp_path / "record"), tmp_path)


def test_a_result_is_its_writers_alone(tmp_path: Path) -> None:
    """Names, addresses and scripts of a site are in it."""
    recorded(tmp_path / "record")
    assert (tmp_path / "record").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "address", ["{node}.ib.acme.com", "ib-{node}.acme.com", "storage.acme.com"]
)
def test_names_in_messages_alone_are_redacted(address: str, tmp_path: Path) -> None:
    """A node's name with its domain, the login, a serial number without its maker's name."""
    data = site()
    data["nodes"] = {
        "fileserver": data["nodes"]["fileserver"],
        "compute[1-4]": {"address": address},
    }
    data["nodes"]["fileserver"].pop("bmc")
    result_of(tmp_path / "record", data, phase(), complete=False)
    writer = Writer(tmp_path / "record", append=True)
    reported = (
        f"compute3.acme.com fileserver.acme.com {address.replace('{node}', 'compute2')}: sudo:"
        " alice : a password is required; uid=1001(alice) gid=100(alice) in /users/alice;"
        " ID_SERIAL=S45NNA0M123456 serial number S45NNA0M9"
    )
    writer.line("experiment-failed", name="two", reason=reported)
    writer.close()
    redact(read_result(tmp_path / "record"), tmp_path / "copy")
    everything = "\n".join(
        path.read_text() for path in (tmp_path / "copy").rglob("*") if path.is_file()
    )
    assert [word for word in ("acme", "alice", "S45NNA0M", "compute") if word in everything] == []


VERSIONS = (
    "megaraid_sas 00.00.05.34-rc1", "mpt2sas 08.101.00.00",
    "Modular Disk Storage Manager 3.0.0.18", "kernel 4.18.0.37",
    "version 10.2.0.4", "firmware 07.03.05.00", "linux-image 4.18.0.372", "1.2.3.4-rc1",
    "ior@3.3.0", "v2.12.0.8",
    "driver: 5.10.3.1", "took 1.2.3.4 and more",
)  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_stays(version: str) -> None:
    """A number of four parts is an address only where the site knows it or the words around it say
    so.
    """
    assert names_of(study(site())).replaced(f"with {version}.") == f"with {version}."


ADDRESSES = (
    "10.20.30.40 is a node", "lost 10.20.30.99", "connect to host 141.20.5.7 port 22",
    "inet 141.20.5.7/24 scope link",
    "mount 141.20.5.7:/srv at /mnt", "addr=141.20.5.7,vers=4.2", "clientaddr=141.20.5.7",
    "osd.3 [v2:141.20.5.7:6802]",
    "141.20.5.7: Connection refused", "root@141.20.5.7", '{"address": "141.20.5.7"}',
    "at 141.20.5.7, 141.20.5.7",
    "-p 141.20.5.7,3260", "from 141.20.5.7-141.20.5.9",
)  # fmt: skip


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_removed(text: str) -> None:
    """One of the site's networks everywhere, any other in the usual words around addresses."""
    replaced = names_of(study(site())).replaced(text)
    assert not re.search(r"141\.20|10\.20\.30", replaced)
    assert "198.18.0.1" in replaced


PARTS = st.tuples(*[st.integers(0, 255)] * 4)


@given(
    PARTS,
    st.sampled_from(
        ["driver {}", "firmware {}", "Storage Manager {}", "version {}", "{}-rc1", "v{}", "{}"]
    ),
)
def test_no_version_is_falsified(parts: tuple[int, int, int, int], profile: str) -> None:
    """With any numbers, unless the site has an address of that network."""
    version = profile.format(".".join(map(str, parts)))
    assume(parts[:3] != (10, 20, 30))
    assert (
        names_of(study(site())).replaced(f"it has {version}, as printed")
        == f"it has {version}, as printed"
    )


@given(
    PARTS,
    st.sampled_from(
        ["host {}", "inet {}/24", "{}:/srv", "addr={}", "root@{}", "{}:6802", "[{}]", "via {}"]
    ),
)
def test_no_address_remains(parts: tuple[int, int, int, int], profile: str) -> None:
    """With any numbers, in the usual words around an address; also where it is bare elsewhere."""
    address = ".".join(map(str, parts))
    assume(address not in KEPT_ADDRESSES)
    names = names_of(study(site()))
    text = f"it {profile.format(address)} gone"
    names.addresses.learn_text(text)
    assume(not address.startswith("198.18."))
    pattern = rf"(?<![\d.]){re.escape(address)}(?![\d.])"
    assert not re.search(pattern, names.replaced(text))
    assert not re.search(pattern, names.replaced(f"lost {address} again"))


def test_published_text_is_copied_unchanged(tmp_path: Path) -> None:
    """With versions, addresses and names that the site has too: it is a printed text."""
    result_of(tmp_path / "record", site(), phase(), complete=False)
    printed = "id: other\ntitle: fileserver at 10.20.30.40, driver 3.0.0.18, host compute3\n"
    (tmp_path / "record/published.yaml").write_text(printed)
    seal(tmp_path / "record")
    redact(read_result(tmp_path / "record"), tmp_path / "copy")
    assert (tmp_path / "copy/published.yaml").read_text() == printed


def test_the_published_versions_of_stored_results_stay(tmp_path: Path) -> None:
    """The five that were once falsified."""
    redact(read_result(KEPT), tmp_path / "copy")
    assert (tmp_path / "copy/published.yaml").read_bytes() == (KEPT / "published.yaml").read_bytes()
