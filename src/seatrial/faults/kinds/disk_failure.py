"""`kind: disk-failure`: members of the solution's array fail together and are replaced by blank
ones. A rebuild under load follows.

The md metadata of the replaced members are erased. On hosts this needs their names in `--wipe`. The
fault ends with the rebuild, so that the next fault begins with a complete array. The result and the
report have the time of the rebuild and its effect on the streams. The fault is skipped where the
study creates no array.
"""

import shlex

from pydantic import Field

from seatrial.basics.errors import Refused
from seatrial.basics.schema import Duration, Model
from seatrial.faults.base import Actions, NotHere, Rebuild, Scene, Shell, Wait
from seatrial.faults.probe import Probe
from seatrial.result.evidence import Sign
from seatrial.solutions.base import MdArray

TITLE = "disks of the array fail and are replaced"
WORD = "disks"
DURATION_S = 10.0
SURVIVES = {1: 1, 5: 1, 6: 2, 10: 1}
"""disks that an md set of each level can lose, in any combination (md(4))"""


class Options(Model):
    """The number of disks, and when they are replaced."""

    count: int = Field(
        1,
        ge=1,
        description="Number of members that fail together, at most as many as the array survives.",
    )
    replaced_after: Duration | None = Field(
        None,
        description=(
            "Time from the failure to the replacement, after which `duration` begins. By "
            "default at the repair."
        ),
    )
    rebuild: Duration = Field(300.0, gt=0, description="Longest time that the rebuild may take.")


def actions(options: Options, scene: Scene) -> Actions:
    """Fail the first members; remove them and add them as new disks; wait for the end of the
    rebuild.
    """
    solution = scene.solution
    sets = solution.array_sets() if isinstance(solution, MdArray) else []
    if not isinstance(solution, MdArray) or not sets:
        raise NotHere("the solution has no array that Seatrial created")
    md_set = sets[0]
    survives = SURVIVES.get(md_set.level, 0)
    if options.count > survives:
        raise Refused(
            f"RAID {md_set.level} does not survive {options.count} failed disks; at most {survives}"
        )
    node = solution.array_node
    array = md_set.device
    replaced = md_set.members[: options.count]
    devices = [shlex.quote(device) for device in replaced]
    folder = md_folder(array)
    degraded = f'{folder}; read -r degraded <$md/degraded; [ "$degraded" -ge {options.count} ]'
    fail = Shell(
        node, f"mdadm {array} --fail {' '.join(devices)}", probe=Probe(degraded, Sign.MEDIUM_GONE)
    )
    repair = Shell(node, replace_command(array, devices), overwrites=replaced)
    rebuild = Rebuild(node, array, repair, f"{folder}; {WHOLE}", options.rebuild)
    if options.replaced_after is None:
        return Actions((fail,), (repair,), (rebuild,))
    return Actions((fail, Wait(options.replaced_after), repair), (repair,), (rebuild,))


def md_folder(array: str) -> str:
    """sh: sets $md to the kernel's folder of an array."""
    return f"md=$(readlink -f {array}); md=/sys/block/${{md##*/}}/md"


WHOLE = (
    'read -r degraded <$md/degraded; read -r action <$md/sync_action; [ "$degraded $action" = "0'
    ' idle" ]'
)


def replace_command(array: str, devices: list[str]) -> str:
    """A command that removes failed members and adds them again as new disks, all at once.

    They are rebuilt together. Healthy members are not touched. The content of a failed one is not
    used: a new disk would be blank.
    """
    return (
        f"{md_folder(array)}; [ -d $md ] || {{ echo no array {array} is up >&2; exit 1; }}; new=; "
        f"for disk in {' '.join(devices)}; do "
        "real=$(readlink -f $disk); state=$md/dev-${real##*/}/state; word=missing; "
        "[ ! -e $state ] || read -r word <$state; "
        f"case $word in *faulty*) mdadm {array} --remove $disk || exit 1;; missing) ;; *)"
        " continue;; esac; "
        'mdadm --zero-superblock $disk; new="$new $disk"; done; '
        f'[ -z "$new" ] || mdadm {array} --add $new'
    )
