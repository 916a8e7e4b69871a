"""A controller that is killed at any stage, a script that is cut off, a disk that is full: the next
try finishes it.

The whole plans of small studies are carried out, by sh, on nodes that are namespaces of this
machine (`sandbox.py`).
"""

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.check import prepare
from seatrial.plan.plan import Plan, Stage, Step, command_step, write_file
from seatrial.service.deploy import apply_plan
from seatrial.solutions.look import deployment, removal
from seatrial.solutions.parts.backups import back_up_units, backup_of
from seatrial.study.study import Study, load_study
from seatrial.transport import Completed, Local
from tests.builders.sandbox import Sandbox, possible, sandbox
from tests.builders.strategies import MINIMAL, text_of

CLIENTS = ("c1", "c2")
NODES = ("nas", *CLIENTS)
TOLD = {
    # the part of systemd that a plan uses: enabled and active units are files
    "systemctl": (
        """\
state=$root/etc/units.state
verb=
for word; do
    case $word in -*) continue ;; esac
    if [ -z "$verb" ]; then verb=$word; else units="$units ${word%.service}"; fi
done
touch $state
for unit in $units; do
    case $verb in
    is-active)
        grep -q "^active $unit$" $state || { case $* in *-q*) ;; *) echo inactive ;; esac; exit 3; }
        ;;
    is-enabled)
        grep -q "^enabled $unit$" $state || {
            case $* in *-q*) ;; *) echo disabled ;; esac; exit 1; }
        ;;
    start | restart) grep -q "^active $unit$" $state || echo "active $unit" >>$state ;;
    stop) sed -i "/^active $unit$/d" $state ;;
    enable) grep -q "^enabled $unit$" $state || echo "enabled $unit" >>$state ;;
    disable) sed -i "/^enabled $unit$/d" $state ;;
    show) echo no ;;
    esac
done
sort -o $state $state"""
    ),
    # the array and its file system are files, and a mount of it is a tmpfs
    "mount": 'exec /bin/mount -t tmpfs -o size=1m "$5" "$6"',
    "tfs-server": (
        """\
case $1 in
make) echo "$2" >$root/etc/tfs ;;
made) [ -s $root/etc/tfs ] ;;
end) rm $root/etc/tfs ;;
esac"""
    ),
    "sync": "",
    "crm_mon": "exit 1",
    "tgtadm": "exit 1",
}
MANIFEST: dict[str, Any] = {
    "title": "a file system of a test",
    "stages": [
        {
            "title": "store",
            "role": "server",
            "steps": [
                {"title": "make it", "check": "made.sh", "apply": "make.sh", "remove": "end.sh"},
                {"title": "tell it", "check": "told.sh", "apply": "tell.sh", "remove": "untell.sh"},
            ],
        },
        {
            "title": "tune",
            "role": "client",
            "steps": [
                {"title": "tune", "check": "tuned.sh", "apply": "tune.sh", "remove": "untune.sh"}
            ],
        },
    ],
    "mount": {"type": "tfs", "device": "{server}:/{study}"},
    "data_path": {"client links": {}},
}
SCRIPTS = {
    "made.sh": "tfs-server made",
    "make.sh": "tfs-server make $SEATRIAL_STUDY",
    "end.sh": "tfs-server end",
    "told.sh": "[ -s /etc/tfs.conf ]",
    "tell.sh": "mkdir -p /srv/tfs\necho clients $SEATRIAL_CLIENT_NODES >/etc/tfs.conf",
    "untell.sh": "rm /etc/tfs.conf\nrmdir /srv/tfs",
    "tuned.sh": "grep -qx 9000 /etc/tuned.value",
    "tune.sh": "echo 9000 >/etc/tuned.value",
    "untune.sh": "rm /etc/tuned.value",
}
needs_root = pytest.mark.skipif(
    not possible(), reason="only root has namespaces with mounts of their own"
)


def study_of(folder: Path) -> Study:
    """A server and two clients, built by scripts."""
    data = copy.deepcopy(MINIMAL)
    data["nodes"]["c[1-2]"] = data["nodes"].pop("c[1-4]")
    for network in data["networks"].values():
        network.pop("mtu", None)  # a namespace of mounts has the cards of this machine
    data["solution"] = {"kind": "script"}
    (folder / "solution").mkdir(parents=True)
    for name, text in {**SCRIPTS, "solution.yaml": text_of(MANIFEST)}.items():
        (folder / "solution" / name).write_text(text)
    (folder / "study.yaml").write_text(text_of(data))
    return load_study(folder / "study.yaml")


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Sandbox]:
    """A server and two clients."""
    with sandbox(tmp_path / "nodes", NODES, TOLD) as found:
        yield found


def plans(folder: Path) -> tuple[Plan, Plan]:
    """The plan of the deploy, and that of the removal."""
    site, solution = prepare(study_of(folder))
    return deployment(solution, site, {}), removal(solution, {})


class Killed(BaseException):
    """The controller has ended."""


class Mortal(Local):
    """It passes on its input for this number of scripts; the next one finds no controller."""

    def __init__(self, inner: Sandbox, scripts: int) -> None:
        self.inner = inner
        self.left = scripts

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """One script less."""
        if self.left == 0:
            raise Killed
        self.left -= 1
        return self.inner.run(node, command, stdin=stdin, timeout_s=timeout_s)


def scripts_of(plan: Plan) -> int:
    """How many are piped."""
    return sum(len(stage.steps) for stage in plan.stages)


@needs_root
def test_a_deploy_and_a_removal_leave_nothing(tmp_path: Path, nodes: Sandbox) -> None:
    """The basis of the other tests: a deploy makes it, a second deploy changes nothing, a
    removal restores the node.
    """
    plan, undo = plans(tmp_path / "study")
    before = nodes.state()
    apply_plan(plan, nodes)
    deployed = nodes.state()
    assert deployed != before
    assert set(apply_plan(plan, nodes).summary().split()[1:]) == {"ok"}
    assert nodes.state() == deployed
    assert "/mnt/small tmpfs" in deployed["c2 mounts"]
    apply_plan(undo, nodes)
    assert nodes.state() == before
    assert "changed" not in apply_plan(undo, nodes).summary()


@needs_root
def test_a_deploy_that_was_killed_is_finished_by_the_next(tmp_path: Path, nodes: Sandbox) -> None:
    """After each of its scripts: the state is that of one deploy; or a removal leaves nothing."""
    plan, undo = plans(tmp_path / "study")
    before = nodes.state()
    apply_plan(plan, nodes)
    whole = nodes.state()
    apply_plan(undo, nodes)
    clean = nodes.state()
    assert clean == before
    for scripts in range(scripts_of(plan)):
        for then, wanted in ((plan, whole), (undo, clean)):
            with pytest.raises(Killed):
                apply_plan(plan, Mortal(nodes, scripts))
            apply_plan(then, nodes)
            assert nodes.state() == wanted, f"killed after {scripts} scripts"
            apply_plan(undo, nodes)
            assert nodes.state() == clean, f"killed after {scripts} scripts"


@needs_root
def test_a_removal_that_was_killed_is_finished_by_the_next(tmp_path: Path, nodes: Sandbox) -> None:
    """After each script of it: another removal leaves nothing, another deploy all."""
    plan, undo = plans(tmp_path / "study")
    clean = nodes.state()
    apply_plan(plan, nodes)
    whole = nodes.state()
    for scripts in range(scripts_of(undo)):
        for then, wanted in ((undo, clean), (plan, whole)):
            apply_plan(plan, nodes)
            with pytest.raises(Killed):
                apply_plan(undo, Mortal(nodes, scripts))
            apply_plan(then, nodes)
            assert nodes.state() == wanted, f"killed after {scripts} scripts"


@needs_root
def test_a_foreign_mount_stays(tmp_path: Path, nodes: Sandbox) -> None:
    """Over the study's own mount: neither a removal nor a deploy begins, on any node; without
    it both complete.
    """
    plan, undo = plans(tmp_path / "study")
    before = nodes.state()
    apply_plan(plan, nodes)
    own = nodes.state()
    nodes.inside(
        "c2", "/bin/mount -t tmpfs -o size=1m theirs /mnt/small && echo theirs >/mnt/small/file"
    )
    deployed = nodes.state()
    for then in (undo, plan):
        with pytest.raises(
            RunError, match="has theirs at /mnt/small .tmpfs., which small did not create"
        ):
            apply_plan(then, nodes)
        assert nodes.state() == deployed
        assert nodes.inside("c2", "cat /mnt/small/file") == "theirs\n"
    nodes.inside("c2", "umount /mnt/small")
    assert nodes.state() == own
    apply_plan(undo, nodes)
    assert nodes.state() == before


@needs_root
def test_another_source_is_mounted_instead(tmp_path: Path, nodes: Sandbox) -> None:
    """For a changed study; where the former mount cannot be unmounted, its line stays: it
    marks the mount as ours.
    """
    former, _undo = plans(tmp_path / "former")
    folder = tmp_path / "changed"
    study_of(folder)
    manifest = {**MANIFEST, "mount": {"type": "tfs", "device": "{server}:/other"}}
    (folder / "solution" / "solution.yaml").write_text(text_of(manifest))
    site, solution = prepare(load_study(folder / "study.yaml"))
    plan = deployment(solution, site, {})
    before = nodes.state()
    apply_plan(former, nodes)
    busy = nodes.folder / "c2" / "bin" / "umount"
    busy.write_text("#!/bin/sh\necho target is busy\nexit 1\n")
    busy.chmod(0o755)
    with pytest.raises(RunError, match="target is busy"):
        apply_plan(plan, nodes)
    assert "nas:/small /mnt/small " in nodes.inside("c2", "cat /etc/fstab /proc/mounts")
    busy.unlink()
    apply_plan(plan, nodes)
    assert (
        nodes.inside("c2", "awk '$2 == \"/mnt/small\" { print $1 }' /proc/mounts") == "nas:/other\n"
    )
    apply_plan(removal(solution, {}), nodes)
    assert nodes.state() == before


def alone(*steps: Step) -> Plan:
    """Steps on one client."""
    return Plan("small", "a test", (Stage("only", {"c1": steps}),))


FULL: dict[str, Plan | None] = {
    "etc": None,
    "run": None,
    "usr/local/sbin": alone(write_file("/usr/local/sbin/seatrial-test", "x\n" * 4000, mode="755")),
    "var/lib/seatrial": alone(
        write_file("/etc/hosts", "127.0.0.1 mine", backup=backup_of("small", "/etc/hosts")),
        back_up_units("small", ("nfs-server", "tgt")),
    ),
}
"""the full place -> the files to write; the whole plan of the study"""


@needs_root
@pytest.mark.parametrize("place", FULL)
def test_a_full_disk_is_reported_and_nothing_is_partial(tmp_path: Path, place: str) -> None:
    """The message names node, step and place; no file is cut off; with room again a second
    deploy completes.
    """
    plan = FULL[place] or plans(tmp_path / "study")[0]
    listed = (
        f"find /{place} -type f ! -name filler.log ! -name units.state -exec md5sum {{}} + |"
        " sort -k2"
    )
    with sandbox(tmp_path / "nodes", NODES, TOLD) as nodes:
        copy_of = tmp_path / "copy"
        fill = (
            f"cp -a /{place} {copy_of}-$$ && mount -t tmpfs -o size=4m full /{place} && "
            f"cp -a {copy_of}-$$/. /{place}/ && ! cat /dev/zero >/{place}/filler.log 2>/dev/null"
        )
        before = {}
        for node in NODES:
            nodes.inside(node, fill.replace("mount -t", "/bin/mount -t"))
            before[node] = nodes.inside(node, listed)
        with pytest.raises(
            RunError, match=r"step '.*' failed:\n(.|\n)*no room is left on"
        ) as caught:
            apply_plan(plan, nodes)
        assert f"no room is left on /{place}" in str(caught.value)
        for node in NODES:
            after = nodes.inside(node, listed)
            assert not set(before[node].splitlines()) - set(after.splitlines()), (
                "a file of the node's own was changed"
            )
            assert not re.search(r"[.]new|/hosts-.*[.]absent", after.removeprefix(before[node]))
            nodes.inside(node, f"rm /{place}/filler.log")
        apply_plan(plan, nodes)
        assert "changed" not in apply_plan(plan, nodes).summary()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 1.0])
def test_a_script_that_is_cut_off_does_nothing(tmp_path: Path, share: float) -> None:
    """The connection is lost while it is piped: a shell runs nothing before the last line."""
    made = tmp_path / "made"
    steps = tuple(write_file(str(made / str(number)), "x\n" * number) for number in range(1, 9))
    plan = Plan("cut", "a test", (Stage("only", {"here": steps}),))
    ((*_, script),) = plan.scripts()
    last = script.rindex("main <")
    Local().run("here", "sh -s apply here", stdin=script.encode()[: int(last * share)])
    assert not made.exists()


def test_a_step_that_cannot_write_leaves_the_old_file(tmp_path: Path) -> None:
    """Its folder is a file: the step fails, and reports it."""
    (tmp_path / "file").write_text("mine")
    step = write_file(str(tmp_path / "file" / "below"), "x")
    with pytest.raises(RunError, match="mkdir"):
        apply_plan(
            Plan("p", "p", (Stage("s", {"here": (step, command_step("next", "true", "false"))}),)),
            Local(),
        )
    assert (tmp_path / "file").read_text() == "mine"
