"""Resources: each function of `plan/sh` runs in sh, in a folder instead of the root of a node, and
with fakes of systemctl, mount and apt-get.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from seatrial.plan import library
from seatrial.plan.resources import (
    File,
    FstabLine,
    Mount,
    Mtu,
    NoFile,
    NoUnit,
    OriginalFile,
    Packages,
    Resource,
    Unit,
)

FAKES = {
    "systemctl": """
echo "systemctl $*" >>log
while :; do case $1 in -*) shift ;; *) break ;; esac; done
verb=$1
shift
[ "$verb" != show ] || exec cat stale
for unit; do
    case $verb in
    is-*) [ ! -e "$unit.${verb#is-}" ] || exit 0 ;;
    start | restart) touch "$unit.active" ;;
    stop) rm -f "$unit.active" ;;
    enable) touch "$unit.enabled" ;;
    disable) rm -f "$unit.enabled" ;;
    esac
done
[ "${verb#is-}" = "$verb" ]
""",
    "mount": 'echo "$5 $6 $2 $4 0 0" >>mounts',
    "umount": 'grep -vF " $1 " mounts >rest\nmv rest mounts',
    "apt-get": 'echo "apt-get $*" >>log\n[ "$1" != install ] || echo "installed $4" >>packages',
    "dpkg-query": "cat packages",
    "getent": 'echo "$2 is asked of $1" >>log\necho "10.0.0.1 $2"',
    "mdadm": 'echo "mdadm $*" >>log\n[ "$1" != --examine ] || echo MD_NAME=any:a',
    "udevadm": 'echo "udevadm $*" >>log',
    "wipefs": '[ "$1" = --no-act ] || exec echo "wipefs $*" >>log\n[ "$3" != busy ]',
    "blkdiscard": "exit 1",
    "ip": '[ "$1" != -o ] || exec echo "10.0.0.1 dev eth0 uid 0"\necho "$6" >"net/$4/mtu"',
}
"""command -> its text; it runs in the folder of the test"""
PLACES = {
    "/etc/fstab": "fstab",
    "/proc/mounts": "mounts",
    "/sys/class/net": "net",
    "/run/systemd/system": "systemd",
    "/sys/block": "block",
    "/dev/md": "md",
}
"""place on a node -> its place in the folder"""


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """The folder of a node with one link, two mounts and a few packages."""
    (tmp_path / "bin").mkdir()
    for name, text in FAKES.items():
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\ncd {tmp_path} || exit\n{text}\n")
        path.chmod(0o755)
    (tmp_path / "net" / "eth0").mkdir(parents=True)
    (tmp_path / "net" / "eth0" / "mtu").write_text("1500\n")
    (tmp_path / "fstab").write_text("# all mounts\n/dev/sda1 / ext4 defaults 0 1\n")
    (tmp_path / "mounts").write_text("/dev/sda1 / ext4 rw 0 0\n")
    (tmp_path / "packages").write_text("installed sed\nconfig-files tgt\n")
    (tmp_path / "log").touch()
    return tmp_path


def run(node: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run the text like the change of a step."""
    script = f"{library.functions_for(text)}{text}"
    script = script.replace(" -b ", " -e ")  # the disks are files
    for place, own in PLACES.items():
        script = script.replace(place, str(node / own))
    return subprocess.run(
        ["sh", "-euc", script],
        cwd=node,
        env={"PATH": f"{node}/bin:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def holds(node: Path, resource: Resource) -> bool:
    """The check of the resource."""
    shell = resource.shell()
    return (
        run(node, f"{content(resource)}if {shell.check}; then exit 0; fi; exit 1").returncode == 0
    )


def content(resource: Resource) -> str:
    """The function for the content."""
    text = resource.shell().content
    return "" if text is None else f"content() {{ cat <<'SEATRIAL'\n{text}SEATRIAL\n}}\n"


def change(node: Path, resource: Resource) -> str:
    """Apply the resource, which is then as requested; returns the output."""
    assert not holds(node, resource)
    done = run(node, content(resource) + resource.shell().apply)
    assert done.returncode == 0, done.stderr
    assert holds(node, resource)
    return done.stdout


def log(node: Path) -> list[str]:
    """The commands since the last call."""
    lines = (node / "log").read_text().splitlines()
    (node / "log").write_text("")
    return lines


def test_a_file_and_its_undo(node: Path) -> None:
    """With its mode, in a new folder, and with the difference for an audit."""
    file = File(f"{node}/a b/conf", "one\n$HOME `x`", mode="600", after="touch done", shown=True)
    change(node, file)
    path = node / "a b" / "conf"
    assert path.read_text() == "one\n$HOME `x`\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert (node / "done").exists()
    path.write_text("two\n$HOME `x`\n")
    shown = run(node, f"{content(file)}{file.shell().shows} || true").stdout
    assert shown == "now: two\nstudy: one\n"
    change(node, file.undo())
    assert not path.exists()
    assert not holds(node, file)


def test_a_file_that_cannot_be_written_is_not_replaced(node: Path) -> None:
    """A full disk: the former file stays, without a part of the new one."""
    (node / "conf").write_text("former\n")
    (node / "conf.new").symlink_to("/dev/full")
    file = File(f"{node}/conf", "new")
    assert run(node, content(file) + file.shell().apply).returncode != 0
    assert (node / "conf").read_text() == "former\n"
    assert not (node / "conf.new").is_symlink()


@pytest.mark.parametrize("former", [None, "", "theirs\n"])
def test_an_original_file_is_restored(node: Path, former: str | None) -> None:
    """An empty original is like none: packages leave empty files, and a cut copy is empty."""
    path = node / "conf"
    if former is not None:
        path.write_text(former)
    file = File(str(path), "ours", backup=f"{node}/made/before/conf")
    change(node, file)
    assert (node / "made" / "before").stat().st_mode & 0o077 == 0
    change(node, file.undo())
    assert (path.read_text() if path.exists() else None) == (former or None)
    assert list((node / "made" / "before").iterdir()) == []


def test_an_edited_file_stays(node: Path) -> None:
    """Except for the line of a setting, which is restored."""
    path = node / "conf"
    copy = f"{node}/made/conf"
    path.write_text("a = 1\n\t# key = 0  # why\n")
    assert run(node, f"set_line {path} {copy} key '\"x\"'").returncode == 0
    assert path.read_text() == 'a = 1\n\tkey = "x"\n'
    path.write_text(path.read_text() + "b = 2\n")
    change(node, OriginalFile(str(path), copy, "key"))
    assert path.read_text() == "a = 1\n\t# key = 0  # why\nb = 2\n"
    change(node, File(str(path), "ours", backup=copy))
    path.write_text("edited\n")
    assert "conf was edited since" in change(node, OriginalFile(str(path), copy))
    assert path.read_text() == "edited\n"


def test_without_systemd_a_unit_is_not_needed(node: Path) -> None:
    """Neither its file nor its state."""
    unit = Unit("own", needs_systemd=True)
    file = File(f"{node}/u", "x", needs_systemd=True)
    assert (holds(node, unit), holds(node, file)) == (True, True)
    (node / "systemd").mkdir()
    assert (holds(node, unit), holds(node, file)) == (False, False)
    assert holds(node, NoFile(f"{node}/u"))


def test_a_unit_and_its_undo(node: Path) -> None:
    """Now and at boot; with two units, one that runs is not enough."""
    change(node, Unit("one"))
    assert holds(node, Unit("one").undo()) is False
    assert run(node, "units_are active one two").returncode != 0
    assert (
        run(node, "restart_if_active two; [ ! -e two.active ]; restart_if_active one").stderr == ""
    )
    assert "systemctl restart one" in log(node)
    change(node, NoUnit(("one", "two")))
    assert not (node / "one.active").exists()
    assert not (node / "one.enabled").exists()


@pytest.mark.parametrize("stale", ["yes", "no"])
def test_systemd_rereads_files_only_when_it_has_to(node: Path, stale: str) -> None:
    """It takes seconds on a busy node."""
    (node / "stale").write_text(f"{stale}\n")
    assert run(node, "reread_unit own.service").returncode == 0
    assert ("systemctl daemon-reload" in log(node)) == (stale == "yes")


def test_packages_are_installed_and_listed(node: Path) -> None:
    """Nothing is installed when each command exists, wherever an administrator finds it."""
    assert holds(node, Packages({"sh": "dash"}, {}))
    packages = Packages({"none-such": "nfs-common", "sh": "dash"}, {"nfs-common": "nfs-utils"})
    assert not holds(node, packages)
    assert packages.shell().apply == "install_packages 'dash nfs-common' 'dash nfs-utils'"
    done = run(node, packages.listed_in(f"{node}/list").shell().apply)
    assert (done.returncode, done.stderr) == (0, "")
    assert log(node) == ["apt-get install -y --no-install-recommends dash nfs-common"]
    assert (node / "list").read_text() == "dash\n"
    assert not (node / "list.before").exists()


@pytest.mark.parametrize("fails", [False, True])
def test_a_failed_installation_is_listed_too(node: Path, *, fails: bool) -> None:
    """What was installed before the failure."""
    end = "false" if fails else "true"
    done = run(node, f"note_installed list\necho 'installed part' >>packages\n{end}")
    assert (done.returncode != 0) == fails
    assert (node / "list").read_text() == "part\n"


@pytest.mark.parametrize("is_new", [True, False])
def test_a_new_server_stays_disabled(node: Path, *, is_new: bool) -> None:
    """One that was installed before is not touched."""
    program = "/none/such" if is_new else "/bin/sh"
    packages = Packages({"none-such": "samba"}, {}, disabled=(program, "smbd", "nmbd"))
    assert run(node, packages.shell().apply).returncode == 0
    install = "apt-get install -y --no-install-recommends samba"
    masked = ["systemctl -q --runtime mask smbd nmbd", install]
    opened = ["systemctl -q --runtime unmask smbd nmbd"]
    off = ["systemctl -q --no-reload disable smbd nmbd"]
    assert log(node) == ([*masked, *opened, *off] if is_new else [install])


def test_a_line_of_fstab_and_its_undo(node: Path) -> None:
    """A dot in the mount point is a dot; a line of another source is replaced and unmounted."""
    before = (node / "fstab").read_text() + "x:/ /mnt/a-b nfs hard 0 0\n"
    (node / "fstab").write_text(before)
    change(node, FstabLine("old:/", "/mnt/a.b", "nfs", "hard"))
    (node / "mounts").write_text("old:/ /mnt/a.b nfs rw 0 0\nx:/ /mnt/a-b nfs rw 0 0\n")
    line = FstabLine("nas:/", "/mnt/a.b", "nfs", "hard,_netdev")
    change(node, line)
    assert (node / "mounts").read_text() == "x:/ /mnt/a-b nfs rw 0 0\n"
    assert (node / "fstab").read_text() == f"{before}nas:/ /mnt/a.b nfs hard,_netdev 0 0\n"
    change(node, line.undo())
    assert (node / "fstab").read_text() == before
    assert not list(node.glob("fstab.*"))


def test_a_mount_and_its_undo(node: Path) -> None:
    """Stacked mounts are all removed; a remount by another hand is found, and shown."""
    path = f"{node}/mnt"
    command = ("mount", "-t", "nfs", "-o", "hard", "nas:/", path)
    mount = Mount(path, "nas:/ hard", f"{node}/note", command, "touch ready")
    (node / "mounts").write_text(f"a:/ {path} nfs rw 0 0\nb:/ {path} nfs rw 0 0\n")
    change(node, mount)
    assert (node / "mounts").read_text() == f"nas:/ {path} nfs hard 0 0\n"
    assert (node / "ready").exists()
    (node / "mounts").write_text(f"nas:/ {path} nfs soft 0 0\n")
    assert not holds(node, mount)
    assert run(node, mount.shell().shows).stdout == "now: soft\ndeployed: hard\n"
    change(node, mount.undo())
    assert not Path(path).exists()
    assert run(node, mount.shell().shows).stdout == "now: nothing\n"


def test_the_mtu_of_a_link_and_its_undo(node: Path) -> None:
    """The first value is restored, unless another hand has changed the link since."""
    mtu = Mtu(9000, f"{node}/made", "ahostsv4", "nas")
    link = node / "net" / "eth0" / "mtu"
    assert run(node, mtu.shell().shows).stdout == "now: MTU 1500 of eth0\n"
    change(node, mtu)
    assert "nas is asked of ahostsv4" in log(node)
    link.write_text("1500\n")
    change(node, mtu)
    change(node, mtu.undo())
    assert link.read_text() == "1500\n"
    change(node, mtu)
    link.write_text("4000\n")
    change(node, mtu.undo())
    assert link.read_text() == "4000\n"


def test_an_array_is_compared_with_its_geometry(node: Path) -> None:
    """Level, disks and chunk, as the kernel reports them."""
    state = node / "block" / "a" / "md"
    state.mkdir(parents=True)
    assert run(node, "md_is_idle a /dev/sdb").returncode == 0
    assert run(node, "md_is_idle b /dev/sdb").returncode != 0
    assert run(node, "assemble_md a /dev/sdb /dev/sdc; settle_md a").returncode == 0
    assert log(node)[-2:] == [
        f"mdadm --assemble {node}/md/a /dev/sdb /dev/sdc",
        f"udevadm settle --timeout=120 --exit-if-exists={node}/md/a",
    ]
    (node / "md").mkdir()
    (node / "md" / "a").touch()
    for name, value in {"level": "raid6", "raid_disks": "4", "chunk_size": "65536"}.items():
        (state / name).write_text(f"{value}\n")
    for geometry, fits in {
        "6 4 65536": True,
        "6 4": True,
        "6 4 4096": False,
        "6 5 65536": False,
        "5 4 65536": False,
    }.items():
        assert (run(node, f"md_is a {geometry}").returncode == 0) == fits, geometry
    assert run(node, "md_is_idle a /dev/sdb").returncode != 0
    assert run(node, "assemble_md a /dev/sdb").returncode == 0
    assert log(node) == []


def test_devices_are_erased_together_or_not_at_all(node: Path) -> None:
    """A busy one is named; where parity relies on zeros, the discard must succeed."""
    done = run(node, "erase_devices discard one busy")
    assert (done.returncode, done.stderr) == (1, "busy is in use; nothing was erased\n")
    assert log(node) == []
    assert run(node, "erase_devices discard one two").returncode == 0
    assert sorted(log(node)) == ["wipefs --all one", "wipefs --all two"]
    assert run(node, "erase_devices zero one two").returncode != 0


def test_a_refusal_is_listed_once(node: Path) -> None:
    """The heading comes before the first step."""
    words = "would_change 'one step' pair /mark\nwould_change 'two steps' pair /mark"
    assert run(node, f"found=\n{words}").stdout.splitlines() == [
        "refused: pair has made nothing on this node (/mark is missing); this would be done:",
        "  one step",
        "  two steps",
    ]


def test_a_unit_is_removed_with_its_file(node: Path) -> None:
    """Without the file nothing is stopped."""
    (node / "stale").write_text("no\n")
    assert run(node, "remove_unit own own.service").returncode == 0
    assert log(node) == []
    (node / "own.service").touch()
    assert run(node, "remove_unit own own.service").returncode == 0
    assert log(node)[:2] == ["systemctl -q --no-reload disable own", "systemctl stop own"]
    assert not (node / "own.service").exists()


def test_arguments_are_quoted(node: Path) -> None:
    """Text of a study cannot become a command."""
    text = "x'; touch owned; $(touch owned) `touch owned`"
    for resource in (
        NoFile(text),
        OriginalFile(text, f"{node}/{text}"),
        FstabLine(text, text, text, text),
        Mount(text, text, f"{node}/note", ("true", text)),
        Packages({"none-such": text}, {}),
        NoUnit((text,)),
    ):
        shell = resource.shell()
        for part in (str(shell.check), shell.apply, shell.shows):
            run(node, part)
    assert not (node / "owned").exists()


def test_a_line_that_ends_the_text_is_refused() -> None:
    """The rest of a content would run as commands."""
    with pytest.raises(ValueError, match="a line SEATRIAL"):
        File("/x", "a\nSEATRIAL\nreboot")


def test_a_script_has_the_functions_that_it_calls() -> None:
    """Also those that they call, and no other one; a comment calls nothing."""
    assert library.names_for("content | write_file /x") == ("write_file", "store_version")
    assert library.names_for("# write_file") == ()


def test_every_function_is_read_and_tested() -> None:
    """Each definition in the files; the tests of this file call them all."""
    names = re.compile(r"^(\w+)\(\)", re.MULTILINE)
    defined = {
        name
        for path in library.FOLDER.glob("*.sh")
        if path.name != "prelude.sh"
        for name in names.findall(path.read_text())
    }
    assert defined == set(library.functions())
    called = (
        Path(__file__).read_text() + Path(library.__file__).with_name("resources.py").read_text()
    )
    assert set(library.names_for(called)) == defined
