"""`kind: disk-full`: a file in the first service's directory takes all free space except a
remainder. Then a client removes it.

The fault is refused where no file system is mounted at the directory, and where a file of that name
exists.
"""

import shlex

from pydantic import Field

from seatrial.basics.schema import Model, Size
from seatrial.faults.base import Actions, Scene, Shell
from seatrial.faults.probe import Probe
from seatrial.result.evidence import Sign

TITLE = "the file system is full"
WORD = "disk full"
DURATION_S = 15.0
FILE = ".seatrial-full"
SMALLEST_BYTES = 4096
NOBODY = 65534


class Options(Model):
    """The remaining space of the first service's file system."""

    remainder: Size = Field(0, ge=0, description="Bytes that remain free.")


def fill(path: str, remainder_bytes: int) -> str:
    """A command that allocates the free space in ever smaller pieces: no file system gives its last
    blocks at once.

    It never fills the node's own root, where nothing is mounted. It writes to a newly created file,
    because the folder's owner may replace the path by a link at any moment.
    """
    place = shlex.quote(path)
    return (
        f"cd {place} && {{ [ $(stat -c %d .) != $(stat -c %d /) ] || "
        f"{{ echo nothing is mounted at {place} >&2; false; }}; }} && "
        f"set -C && exec 3>{FILE} && file=/proc/self/fd/3 && set -- $(stat -f -c '%a %S' .) && "
        f"left=$(($1 * $2 - {remainder_bytes})) && piece=$left && at=0 && "
        f"while [ $piece -ge {SMALLEST_BYTES} ] && [ $left -ge {SMALLEST_BYTES} ]; do "
        "if fallocate -o $at -l $piece $file 2>/dev/null; then at=$((at + piece)) left=$((left -"
        " piece)); "
        "else piece=$((piece / 2)); fi; [ $piece -le $left ] || piece=$left; done; [ $at -gt 0"
        " ] && "
        # Clients may then remove it, also where the export squashes root.
        # The number is the anonuid of exports(5).
        f"chown {NOBODY}:{NOBODY} $file"
    )


def actions(options: Options, scene: Scene) -> Actions:
    """A file on the active server; a client removes it, whichever server has the file
    system then.
    """
    path = scene.solution.local_directory
    client = scene.solution.clients[-1]
    full = shlex.quote(f"{scene.solution.directory}/{FILE}")
    filled = Probe(f"[ -s {shlex.quote(f'{path}/{FILE}')} ]", Sign.MEDIUM_GONE)
    fault = Shell(scene.node("active"), fill(path, options.remainder), probe=filled)
    return Actions((fault,), (Shell(client, f"rm -f {full} && ! [ -e {full} ]"),))
