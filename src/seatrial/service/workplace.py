"""The directories on the storage under test in which a run works: made with care, removed if that is possible."""

import shlex

from seatrial.basics.errors import RunError
from seatrial.basics.units import written_size
from seatrial.solutions.parts.steps import seen_by, seen_in_time
from seatrial.transport import Transport


def make_directory(transport: Transport, node: str, base: str, directory: str, timeout_s: float = 300) -> None:
    """A directory below `base`; refused where nothing is mounted, and nothing deployed: it would be on the node's disk.

    What a deploy has left in `base`/seatrial says as much as a mount: of storage of the site itself, `base` may be a
    folder, and without its mount it would not be there.
    """
    parent = shlex.quote(f"{base}/seatrial")  # for all: a local run makes it as root, clients come as nobody
    # Several clients may be the first, and one that has looked before believes for a while that there is none. A link
    # is there, too, whatever it leads to.
    there = seen_in_time(f"{{ [ -e {parent} ] || [ -L {parent} ]; }}", shlex.quote(base))
    mark = shlex.quote(seen_by(base, node))
    missing = f"{{ echo {shlex.quote(base)} is not mounted >&2; exit 1; }}"
    shell(
        transport,
        node,
        f"mountpoint -q {shlex.quote(base)} || [ -f {mark} ] || {missing}\n"
        f"said=$(LC_ALL=C mkdir -m 1777 {parent} 2>&1) || case $said in\n"
        f"*'File exists'*)\n{there}\n;;\n*) echo \"$said\" >&2; exit 1 ;;\nesac\n"
        f"[ ! -L {parent} ] || {{ echo {parent} is a link >&2; exit 1; }}\n"
        f"mkdir {shlex.quote(directory)} && sync -f {parent}",
        timeout_s,
    )


def require_room(transport: Transport, node: str, directory: str, needed_bytes: int, what: str) -> None:
    """RunError where the storage has less free than is to be written; one that does not tell is believed to have it."""
    free = free_bytes(transport, node, directory)
    if free is not None and free < needed_bytes:
        raise RunError(
            f"{what} writes {written_size(needed_bytes)} to {directory}, which has {written_size(free)} free",
            "a smaller file in its workload, fewer clients, or a shorter form",
        )


def free_bytes(transport: Transport, node: str, directory: str) -> int | None:
    """What is free where a directory lies; None where nobody says it."""
    done = transport.run(node, f"df --block-size=1 --output=avail {shlex.quote(directory)}", timeout_s=60)
    told = done.stdout.split()[-1:]
    return int(told[0]) if done.exit_code == 0 and told and told[0].isdigit() else None


def remove_directory(transport: Transport, node: str, directory: str, timeout_s: float = 300) -> None:
    """Remove it with all that is in it."""
    shell(transport, node, f"rm -rf {shlex.quote(directory)}", timeout_s)


def shell(transport: Transport, node: str, command: str, timeout_s: float = 300) -> None:
    """A command that must succeed; RunError says what it said: of a script, which is of several lines, nothing else."""
    done = transport.run(node, command, timeout_s=timeout_s)
    if done.exit_code:
        said = done.stderr.strip()
        raise RunError(
            f"{node}: {said}" if said and "\n" in command else f"{node}: {command}: {said or done.exit_code}"
        )
