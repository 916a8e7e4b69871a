"""Files of the whole node are backed up before a change, and restored."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.basics.errors import RunError
from seatrial.check import prepare
from seatrial.plan.plan import Step, command_step, write_file
from seatrial.plan.resources import Mtu
from seatrial.solutions.look import removal
from seatrial.solutions.parts import backups, nfs_delegations
from seatrial.solutions.parts.steps import fstab_line, no_fstab_line
from tests.builders.steps import edited, every_function, results
from tests.builders.strategies import study


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of the node that does not exist yet; its backup is next to it."""
    monkeypatch.setattr(backups, "MADE", str(tmp_path / "made"))
    return tmp_path / "etc" / "some.conf"


def written(path: Path, text: str = "ours") -> Step:
    """The step that takes the file over."""
    backup = backups.backup_of("pair", str(path))
    return write_file(str(path), text, after="true", backup=backup)


@pytest.mark.parametrize("former", [None, "theirs\n", "several\n\nlines $HOME `x`\n"])
def test_a_file_is_restored(place: Path, former: str | None) -> None:
    """Also after two writes; a second deploy and a second removal change nothing."""
    place.parent.mkdir()
    if former is not None:
        place.write_text(former)
        place.chmod(0o640)
    assert results(written(place)) == ["changed"]
    assert results(written(place)) == ["ok"]
    assert results(written(place, "ours, otherwise")) == ["changed"]
    assert results(backups.restore("pair", str(place))) == ["changed"]
    assert results(backups.restore("pair", str(place))) == ["ok"]
    if former is None:
        assert not place.exists()
    else:
        assert (place.read_text(), place.stat().st_mode & 0o777) == (former, 0o640)
    assert list((place.parent.parent / "made" / "pair" / "before").iterdir()) == []


def test_an_edited_file_stays(place: Path) -> None:
    """An edited file belongs to its editor."""
    place.parent.mkdir()
    place.write_text("theirs")
    results(written(place))
    place.write_text("edited")
    assert results(backups.restore("pair", str(place))) == ["changed"]
    assert place.read_text() == "edited"
    assert results(backups.restore("pair", str(place))) == ["ok"]


def test_one_line_of_an_edited_file_is_restored(place: Path) -> None:
    """The other edits stay."""
    place.parent.mkdir()
    place.write_text("a = 1\n\t# key = 0  # a comment\nb = 2\n")
    path = str(place)
    setting = f"set_line {path} {backups.backup_of('pair', path)} key 1"
    assert results(command_step("set", f"grep -q 'key = 1' {path}", setting)) == ["changed"]
    place.write_text(place.read_text() + "c = 3\n")
    back = backups.restore("pair", path, setting="key")
    assert results(back) == ["changed"]
    assert list((place.parent.parent / "made" / "pair" / "before").iterdir()) == []
    assert place.read_text() == "a = 1\n\t# key = 0  # a comment\nb = 2\nc = 3\n"


@pytest.mark.parametrize("place_is", ["old", "new"])
def test_a_killed_deploy_can_be_restored(place: Path, place_is: str) -> None:
    """Before the file is in its place, and right after it: the study's version is never taken
    for a foreign one.
    """
    place.parent.mkdir()
    place.write_text("mine\n")
    moved = '    mv "$1.new" "$1"\n'
    cut = f"{moved if place_is == 'new' else ''}    exit 1\n"
    with pytest.raises(RunError):
        results(edited(written(place), lambda text: text.replace(moved, cut)))
    assert place.read_text() == {"old": "mine\n", "new": "ours\n"}[place_is]
    results(backups.restore("pair", str(place)))
    assert place.read_text() == "mine\n"


def test_backups_are_private(place: Path) -> None:
    """A configuration may have secrets."""
    place.parent.mkdir()
    place.write_text("secret")
    place.chmod(0o600)
    results(written(place))
    folder = place.parent.parent / "made" / "pair" / "before"
    assert folder.stat().st_mode & 0o077 == 0
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}


@pytest.mark.parametrize(("now", "after"), [("9000", "1500"), ("4000", "4000")])
def test_the_mtu_of_a_link_is_restored(place: Path, now: str, after: str) -> None:
    """Unless another user has changed it since; the backup has the value before the first
    deploy.
    """
    net = place.parent / "net"
    tools = place.parent / "bin"
    (net / "eth0").mkdir(parents=True)
    tools.mkdir()
    mtu = net / "eth0" / "mtu"
    mtu.write_text("1500\n")
    fakes = {
        "ip": f'[ "$1" != -o ] || exec echo "10.0.0.1 dev eth0 uid 0"\necho "$6" >{net}/"$4"/mtu',
        "getent": "echo 10.0.0.1 nas",
    }
    for name, text in fakes.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)

    def here(text: str) -> str:
        return f"PATH={tools}:$PATH\n" + text.replace("/sys/class/net", str(net))

    for asked in (8000, 9000):
        change = Mtu(asked, backups.before("pair"), "ahostsv4", "nas")
        assert results(edited(Step("set", change), here)) == ["changed"]
    mtu.write_text(f"{now}\n")
    back = backups.restore_mtu("pair")
    back = edited(back, here)
    assert results(back) == ["changed"]
    assert mtu.read_text() == f"{after}\n"
    assert results(back) == ["ok"]


FSTAB = (
    "# /mnt/a.b is ours to come\n/dev/sda1 / ext4 defaults 0 1\nx:/ /mnt/a-b nfs hard 0"
    " 0\nx:/\t/mnt/a.bc\tnfs\thard\n"
)


def test_a_line_of_fstab_is_one_mount_points(tmp_path: Path) -> None:
    """A dot in it is a dot; comments and foreign lines stay byte for byte, and a removal
    restores the file.
    """
    path = tmp_path / "fstab"
    path.write_text(FSTAB)

    def moved(step: Step) -> Step:
        return edited(step, lambda text: text.replace("/etc/fstab", str(path)))

    for options in ("hard", "soft"):
        assert results(moved(fstab_line("nas:/", "/mnt/a.b", "nfs", options))) == ["changed"]
        assert path.read_text() == f"{FSTAB}nas:/ /mnt/a.b nfs {options} 0 0\n"
    assert results(moved(no_fstab_line("/mnt/a.b"))) == ["changed"]
    assert results(moved(no_fstab_line("/mnt/a.b"))) == ["ok"]
    assert path.read_text() == FSTAB
    assert list(tmp_path.iterdir()) == [path]


def test_an_mtu_is_backed_up_completely_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a full disk the step fails, the link is unchanged, and the earlier backup exists."""
    monkeypatch.setattr(backups, "MADE", str(tmp_path))
    stubs = f'ip() {{ echo "$*" >>{tmp_path}/told; }}\n'
    call = f"set_mtu_of 9000 {backups.before('pair')} lo"
    assert results(command_step("set", None, stubs + call)) == ["changed"]
    whole = (tmp_path / "pair" / "before" / "mtu-lo").read_text()
    (tmp_path / "told").unlink()
    # Where there is no room a file is made, and nothing gets into it.
    full = f"{stubs}echo() {{ return 1; }}\n{call}"
    with pytest.raises(RunError):
        results(command_step("set", None, full))
    assert not (tmp_path / "told").exists()
    assert [path.read_text() for path in (tmp_path / "pair" / "before").iterdir()] == [whole]


@pytest.mark.parametrize("former", ["1", "0"])
def test_delegations_are_given_again_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, former: str
) -> None:
    """When the last of two studies of a node is removed, and only then; a value that another
    user has set since stays.
    """
    live = tmp_path / "leases-enable"
    monkeypatch.setattr(backups, "MADE", str(tmp_path / "made"))
    monkeypatch.setattr(nfs_delegations, "LIVE", str(live))
    live.write_text(f"{former}\n")
    for study_id in ("one", "two"):
        assert results(nfs_delegations.none_given(study_id)) == ["changed"]
        assert results(nfs_delegations.none_given(study_id)) == ["ok"]
    live.write_text("1\n")  # a boot
    assert results(nfs_delegations.none_given("one")) == ["changed"]
    assert results(nfs_delegations.given_again("one")) == ["changed"]
    assert live.read_text() == "0\n"
    assert results(nfs_delegations.given_again("two")) == ["changed"]
    assert live.read_text() == f"{former}\n"
    assert results(nfs_delegations.given_again("two")) == ["ok"]

    results(nfs_delegations.none_given("one"))
    live.write_text("2\n")
    assert results(nfs_delegations.given_again("one")) == ["changed"]
    assert live.read_text() == "2\n"


def test_installed_packages_are_recorded(tmp_path: Path) -> None:
    """With their dependencies; packages that another user has installed meanwhile are not
    included.
    """
    file = tmp_path / "packages"
    there = tmp_path / "there"
    there.write_text("installed sed\ninstalled grep\nconfig-files nfs-common\n")
    tool = tmp_path / "bin" / "dpkg-query"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat {there}\n")
    tool.chmod(0o755)

    def asked(function: str) -> None:
        script = (
            f"PATH={tmp_path}/bin:$PATH\n{every_function()}{backups.FUNCTIONS}{function} {file}"
        )
        subprocess.run(["sh", "-c", script], check=True)

    asked("keep_packages")  # of an installation that was killed
    there.write_text(
        "installed sed\ninstalled grep\ninstalled dependent\nconfig-files nfs-common\n"
    )
    asked("keep_packages")
    there.write_text(
        "".join(
            f"installed {name}\n" for name in ("sed", "grep", "dependent", "libevent", "nfs-common")
        )
    )
    asked("note_packages")
    assert file.read_text().split() == ["libevent", "nfs-common"]
    asked("keep_packages")
    asked("note_packages")
    assert file.read_text().split() == ["libevent", "nfs-common"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "packages", "there"]
    assert file.stat().st_mode & 0o77 == 0


def test_packages_are_removed_last_and_only_where_named() -> None:
    """On every node, after the mark: one that cannot be removed leaves nothing else undone."""
    site, solution = prepare(study())
    without = removal(solution, {})
    named = removal(solution, {}, packages=True)
    title = "remove the installed packages"
    assert not [
        step
        for stage in without.stages
        for steps in stage.steps.values()
        for step in steps
        if step.title == title
    ]
    assert {
        name: steps[-1].title for name, steps in named.stages[-1].steps.items()
    } == dict.fromkeys(site.nodes, title)


@pytest.fixture
def debs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs real packages into a separate tree: name, and dependencies."""
    if shutil.which("dpkg-deb") is None:
        pytest.skip("no Debian")
    for folder in ("var/lib/dpkg/updates", "var/lib/dpkg/info", "made/one", "made/two"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/status").touch()
    monkeypatch.setenv("DPKG_ROOT", str(tmp_path))

    def install(name: str, depends: str = "") -> None:
        tree = tmp_path / "build" / name
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "etc").mkdir()
        (tree / f"etc/{name}.conf").write_text("as brought\n")
        (tree / "DEBIAN/conffiles").write_text(f"/etc/{name}.conf\n")
        facts = (
            f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: Test"
            f" <a@example.org>\nDescription: {name}\n"
        )
        (tree / "DEBIAN/control").write_text(facts + (f"Depends: {depends}\n" if depends else ""))
        built = tmp_path / f"{name}.deb"
        subprocess.run(["dpkg-deb", "-b", tree, built], check=True, capture_output=True)
        subprocess.run(
            ["dpkg", "--force-script-chrootless", "-i", built], check=True, capture_output=True
        )

    return install


def take(tmp_path: Path) -> tuple[int, str]:
    """The output of the removal of the study `one`."""
    script = (
        f"set -e\n{every_function()}{backups.FUNCTIONS}take_packages {tmp_path}/made/one/packages"
    )
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip()


def installed(tmp_path: Path) -> dict[str, str]:
    """Package -> its state."""
    reported = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n"],
        capture_output=True,
        text=True,
        check=False,
    )
    return dict(line.split() for line in reported.stdout.splitlines())


def test_packages_are_removed_unless_another_one_needs_them(
    tmp_path: Path, debs: Callable[..., None]
) -> None:
    """Real packages: a needed package stays recorded, an edited configuration stays, another
    study keeps everything.
    """
    noted = tmp_path / "made/one/packages"
    for name, depends in (
        ("sed", ""),
        ("base", ""),
        ("server", "base"),
        ("tool", "base"),
        ("dependent", "base"),
    ):
        debs(name, depends)
    noted.write_text("base\nserver\ntool\ngone\n")
    (tmp_path / "etc/tool.conf").write_text("edited\n")

    (tmp_path / "made/two/mark").touch()
    code, printed = take(tmp_path)
    assert (code, "another study is deployed on this node" in printed) == (1, True)
    assert len(installed(tmp_path)) == 5
    (tmp_path / "made/two/mark").unlink()

    assert take(tmp_path) == (1, "dependent depends on base")
    assert installed(tmp_path) == {
        "sed": "installed", "base": "installed", "dependent": "installed", "tool": "config-files"
    }  # fmt: skip
    assert (tmp_path / "etc/tool.conf").read_text() == "edited\n"
    assert not (tmp_path / "etc/server.conf").exists()
    assert noted.read_text() == "base\n"

    subprocess.run(["dpkg", "--purge", "dependent"], check=True, capture_output=True)
    assert take(tmp_path) == (0, "")
    assert installed(tmp_path) == {"sed": "installed", "tool": "config-files"}
    assert not noted.parent.exists()
    noted.parent.mkdir()
    assert take(tmp_path) == (0, "")


def test_without_a_list_of_packages_none_is_recorded_or_dropped(tmp_path: Path) -> None:
    """An empty list would count every package of the node as installed, and its removal would
    remove them all.
    """
    tool = tmp_path / "bin/dpkg-query"
    file = tmp_path / "packages"
    tool.parent.mkdir()

    def asked(function: str, says: str) -> int:
        tool.write_text(f"#!/bin/sh\n{says}\n")
        tool.chmod(0o755)
        functions = f"{every_function()}{backups.FUNCTIONS}"
        script = f"set -e\nPATH={tool.parent}:$PATH\n{functions}{function} {file}"
        return subprocess.run(["sh", "-c", script], capture_output=True, check=False).returncode

    assert asked("keep_packages", "exit 2") != 0
    assert asked("note_packages", "echo installed sed; echo installed grep") == 0
    assert not file.exists()
    file.write_text("nfs-common\n")
    assert asked("take_packages", "exit 2") != 0
    assert file.read_text() == "nfs-common\n"
