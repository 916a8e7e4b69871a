"""The working directories of a run on the tested storage; they are removed when possible."""

import shlex
from pathlib import PurePosixPath

from seatrial.basics.errors import RunError
from seatrial.basics.units import written_size
from seatrial.solutions.parts.steps import seen_by, seen_in_time
from seatrial.transport import Transport


def make_directory(
    transport: Transport, node: str, base: str, directory: str, timeout_s: float = 300
) -> None:
    """Create a directory of a run; RunError when the storage at `base` is not mounted.

    Otherwise the directory would be on the node's own disk. A deployment's marker file in the
    folder above `directory` counts like a mount, because `base` may be a folder of existing
    storage.
    """
    above = str(PurePosixPath(directory).parent)
    parent = shlex.quote(above)
    # Several clients may create it at once, and a client may cache for a while that it is missing.
    # A link counts as existing, whatever its target.
    parent_exists = seen_in_time(f"{{ [ -e {parent} ] || [ -L {parent} ]; }}", shlex.quote(base))
    mark = shlex.quote(seen_by(above, node))
    missing = f"{{ echo {shlex.quote(base)} is not mounted >&2; exit 1; }}"
    shell(
        transport,
        node,
        f"mountpoint -q {shlex.quote(base)} || [ -f {mark} ] || {missing}\n"
        # Root's is for all users: servers may map clients to an anonymous user.
        'mode=700\n[ "$(id -u)" != 0 ] || mode=1777\n'
        f"said=$(LC_ALL=C mkdir -m $mode {parent} 2>&1) || case $said in\n"
        f"*'File exists'*)\n{parent_exists}\n;;\n*) echo \"$said\" >&2; exit 1 ;;\nesac\n"
        f"[ ! -L {parent} ] || {{ echo {parent} is a link >&2; exit 1; }}\n"
        f"mkdir {shlex.quote(directory)} && sync -f {parent}",
        timeout_s,
    )


def require_room(
    transport: Transport, node: str, directory: str, needed_bytes: int, what: str
) -> None:
    """RunError when less than `needed_bytes` is free; storage that does not report is accepted."""
    free = free_bytes(transport, node, directory)
    if free is not None and free < needed_bytes:
        raise RunError(
            f"{what} writes {written_size(needed_bytes)} to {directory}, which has"
            f" {written_size(free)} free",
            "use a smaller file in its workload, fewer clients, or a shorter profile",
        )


def free_bytes(transport: Transport, node: str, directory: str) -> int | None:
    """The free bytes of the file system of a directory; None when unknown."""
    done = transport.run(
        node, f"df --block-size=1 --output=avail {shlex.quote(directory)}", timeout_s=60
    )
    last = done.stdout.split()[-1:]
    return int(last[0]) if done.exit_code == 0 and last and last[0].isdigit() else None


def remove_directory(
    transport: Transport, node: str, directory: str, timeout_s: float = 300
) -> None:
    """Remove the directory and its contents."""
    shell(transport, node, f"rm -rf {shlex.quote(directory)}", timeout_s)


def shell(transport: Transport, node: str, command: str, timeout_s: float = 300) -> None:
    """Run a command that must succeed; RunError has its error output.

    A script of several lines is not repeated in the error, unless it printed none.
    """
    done = transport.run(node, command, timeout_s=timeout_s)
    if not done.exit_code:
        return
    stderr = done.stderr.strip()
    if stderr and "\n" in command:
        raise RunError(f"{node}: {stderr}")
    raise RunError(f"{node}: {command}: {stderr or done.exit_code}")
