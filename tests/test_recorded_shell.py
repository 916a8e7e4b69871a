"""Scripts under a shell with recorders as commands: accepted text never adds a command, a word or
an option.

`tests/test_hostile.py` tests the refusals of the reader. Here any text is put into any place. Where
the study is accepted, the steps of its deploy and of its removal run the same commands with the
same number of words.
"""

import copy
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.plan import library
from seatrial.plan.plan import command_step, render_step
from seatrial.plan.site import Site
from seatrial.solutions.base import Solution
from seatrial.solutions.look import deployment, removal
from seatrial.study.study import parse_study
from tests.builders.places import STUDIES
from tests.builders.steps import every_function
from tests.builders.strategies import text_of, written_in
from tests.builders.texts import cases

COMMANDS = """
awk basename blkid blockdev cat chmod chown chronyc cibadmin cmp corosync-cfgtool corosync-cmapctl
cp crm_attribute crm_mon crm_node crm_resource cut date dd df diff dirname dlm_tool dmsetup dpkg
dpkg-query ethtool exportfs fence_ipmilan find findmnt fsck fuser getent grep head hostname id
install ip iscsiadm ln ls lsblk lsof lvcreate lvs mdadm mkdir mkfs.ext4 mkfs.gfs2 mkfs.xfs mktemp
modprobe mount mountpoint multipath multipathd mv nft od paste pgrep pvcreate pvs readlink realpath
rm rmdir sed seq sh sha256sum showmount smbcontrol smbpasswd sort stat stonith_admin swapon sync
sysctl systemctl tail targetcli tee tgtadm timeout touch tr tune2fs udevadm umount uname uniq
useradd vgchange vgcreate vgs wc wipefs xargs ceph ceph-authtool ceph-mon ceph-osd ceph-volume
monmaptool rados apt-get
"""
RECORDER = f"""\
PATH=/nowhere
answer=0
count=0
recorded() {{
    count=$((count + 1))
    [ $count -lt 100 ] || exit 1
    printf '%s %s\\n' "${{1//[$'\\n ']/_}}" "$#" >&9
    return "$answer"
}}
command_not_found_handle() {{ recorded "$@"; }}
for name in {" ".join(COMMANDS.split())}; do eval "$name() {{ recorded $name \\"\\$@\\"; }}"; done
exec 9>>/log
"""
"""those of a plan, which are faster as functions and end a loop; bash calls the handler for every
other that is neither
a function nor built in; what a path names is not there"""
NO_WAITING = "again() { exit 1; }\nsleep() { exit 1; }\n"
CALLS = "current=0\n(check_0)\n(guard 0)\n(apply_0)\nanswer=1\n(check_0)\n(apply_0)\nanswer=0\n"

HOSTILE = (
    ";zz",
    "$(zz)",
    "`zz`",
    "|zz",
    "&zz&",
    "\nzz\n",
    "'zz'",
    '"',
    "'",
    "$zz",
    "(zz)",
    " zz",
    "#",
    "\\\\",
    "*",
    "?",
)
TEXTS = st.lists(
    st.one_of(st.text("aZ09_.:+@=,~%/-{}", min_size=1, max_size=6), st.sampled_from(HOSTILE)),
    min_size=1,
    max_size=2,
).map("".join)
"""what some kinds of text may contain, and what none may"""


class Shell:
    """An empty root folder with bash in it, and separate namespaces."""

    def __init__(self, root: Path) -> None:
        self.root = root
        libraries = subprocess.run(
            ["ldd", "/bin/bash"], capture_output=True, text=True, check=True
        ).stdout.split()
        for name in ["/bin/bash", *(word for word in libraries if word.startswith("/"))]:
            target = root / name.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, target)
        for folder in ("dev", "tmp"):
            (root / folder).mkdir()
        subprocess.run(["mknod", root / "dev/null", "c", "1", "3"], check=True)

    def words(self, script: str) -> set[tuple[str, int]]:
        """Its commands: (command, number of its words)."""
        (self.root / "log").write_text("")
        (self.root / "script").write_text(script)
        shell = [
            "unshare",
            "--mount",
            "--net",
            "--pid",
            "--fork",
            "--kill-child",
            "chroot",
            str(self.root),
            "/bin/bash",
            "-c",
        ]
        inner = f"{RECORDER}. /script </dev/null >/dev/null 2>&1; exit 0"
        subprocess.run(
            [*shell, inner], check=True, timeout=60, stdin=subprocess.DEVNULL, capture_output=True
        )
        lines = (self.root / "log").read_text().splitlines()
        return {(name, int(count)) for name, _, count in (line.rpartition(" ") for line in lines)}


def taken(data: dict[str, Any], path: Path) -> tuple[Site, Solution] | None:
    """The study's site and solution, or None where it is refused."""
    try:
        return prepare(parse_study(text_of(data), path))
    except InputError:
        return None


def script_of(site: Site, solution: Solution) -> str:
    """Every step of a deploy and of a removal, each once, in separate shells; first all
    commands succeed, then none.
    """
    found: dict[str, dict[str, None]] = {}
    for plan in (deployment(solution, site, {}), removal(solution, {})):
        for stage in plan.stages:
            for step in (step for steps in stage.steps.values() for step in steps):
                functions = "".join(dict.fromkeys([stage.functions, step.functions]))
                found.setdefault(functions, {})[render_step(0, step)] = None
    groups = (
        "\n".join([functions, *(f"{step}{CALLS}" for step in steps)])
        for functions, steps in found.items()
    )
    return "\n".join(
        [library.prelude(), every_function(), NO_WAITING, *(f"({group})" for group in groups)]
    )


def ended(data: dict[str, Any], place: tuple[Any, ...], text: str) -> dict[str, Any]:
    """The study with this text appended to the text of one place."""
    changed = copy.deepcopy(data)
    target: Any = changed
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] += text
    return changed


def studies() -> dict[str, tuple[dict[str, Any], Path, list[tuple[Any, ...]]]]:
    """For each kind the study with the most places for text, its path, and those places."""
    found: dict[Path, tuple[dict[str, Any], Path, list[tuple[Any, ...]]]] = {}
    for data, place, path in (case.values for case in cases()):
        found.setdefault(path, (data, path, []))[2].append(place)
    for path, (data, _, places) in found.items():
        if base := written_in(path).get("base"):
            found[path] = data, STUDIES / base / "study.yaml", places
    return {
        path.parent.name: study
        for path, study in sorted(found.items(), key=lambda item: len(item[1][2]))
    }


FOUND = studies()


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """One for all studies."""
    return Shell(tmp_path_factory.mktemp("root"))


@pytest.mark.parametrize("kind", FOUND)
@settings(
    max_examples=100 if "SEATRIAL_SOAK" in os.environ else 2,
    suppress_health_check=list(HealthCheck),
)
@given(TEXTS)
def test_accepted_text_runs_nothing(shell: Shell, kind: str, text: str) -> None:
    """In every place of a kind's study that takes it."""
    data, path, places = FOUND[kind]
    plain = taken(data, path)
    assert plain is not None
    changed = data
    where = list[tuple[Any, ...]]()
    for place in places:
        tried = ended(changed, place, text)
        if taken(tried, path) is not None:
            changed, where = tried, [*where, place]
    other = taken(changed, path)
    assert other is not None
    assert shell.words(script_of(*other)) == shell.words(script_of(*plain)), (text, where)


@pytest.mark.parametrize("text", ["; zz", "$(zz)", " zz", "`zz`"])
def test_the_recorders_record(shell: Shell, text: str) -> None:
    """The commands of a step if a text with shell syntax reached it."""

    def words(name: str) -> set[tuple[str, int]]:
        step = command_step("format", f"blkid {name}", f"mkfs.xfs {name}")
        return shell.words(f"{library.prelude()}({render_step(0, step)}{CALLS})")

    assert words("/dev/sdb") == {("blkid", 2), ("mkfs.xfs", 2), ("mktemp", 1), ("uname", 2)}
    assert words(f"/dev/sdb{text}") != words("/dev/sdb")
