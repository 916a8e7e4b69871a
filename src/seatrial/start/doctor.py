"""The abilities of this machine: control real hosts, or run the lab too.

For each missing part there is a command that repairs it. Nothing is decided here that another
module decides: the modules that need the packages, the ids and the image for a run report them.
"""

import os
import platform
import shutil
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from seatrial.basics.errors import SeatrialError
from seatrial.basics.shipped import find_agent, in_checkout, installing_typesetter
from seatrial.basics.units import counted
from seatrial.labs.emulation.apt_sources import codename, debian_sources
from seatrial.labs.emulation.image import image_is_there, require_subordinate_ids
from seatrial.labs.emulation.kernel import kernel_text
from seatrial.labs.emulation.tools import missing_packages
from seatrial.labs.emulation.uml_spec import available_bytes
from seatrial.transport import Local

NAMESPACES = "unshare --user --map-root-user --net --mount --pid --fork true"
"""the first command of the lab, without the programs that it then starts"""
SWITCHES = {
    "/proc/sys/kernel/unprivileged_userns_clone": (
        "0",
        "sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    "/proc/sys/user/max_user_namespaces": ("0", "sysctl -w user.max_user_namespaces=10000"),
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
}
"""a kernel's switch -> the value that forbids user namespaces, and the command that allows them"""


@dataclass(frozen=True)
class Finding:
    """One examined part of this machine."""

    needed_for: Literal["hosts", "lab", "paper"]
    what: str
    good: bool
    detail: str
    repair: str | None = None
    """the command that repairs it; None when no repair is needed, or no command can do it"""

    @property
    def needed(self) -> bool:
        """Whether runs cannot do without it; only reports as PDF need a typesetter."""
        return self.needed_for != "paper"


def examine(*, lab: bool = True) -> list[Finding]:
    """The requirements of runs on real hosts, of PDF reports and, if `lab` is set, of the lab."""
    typst = find_spec("typst") is not None
    detail = "Typst" if typst else "no Typst; reports as HTML need none"
    paper = Finding("paper", "typesetter of reports as PDF", typst, detail, installing_typesetter())
    return [*_for_hosts(), *(_for_lab() if lab else ()), paper]


def doctor_text(findings: Sequence[Finding]) -> str:
    """Text for the operator: the abilities, each finding, and the commands that repair it."""
    good = {
        part
        for part in ("hosts", "lab")
        if all(item.good for item in findings if item.needed_for == part)
    }
    examined = {item.needed_for for item in findings}
    lines = [
        f"{_state(item):8s}  {item.needed_for:5s}  {item.what}: {item.detail}" for item in findings
    ]
    repairs = dict.fromkeys(item.repair for item in findings if item.repair and not item.good)
    if repairs:
        lines += ["", "to repair it:", *(f"    {command}" for command in repairs)]
    return "\n".join([_able(good, examined), "", *lines])


def _state(item: Finding) -> str:
    if item.good:
        return "ok"
    return "missing" if item.needed else "optional"


def _able(good: Set[str], examined: Set[str]) -> str:
    if "hosts" not in good:
        return (
            "This machine can judge results, draw reports and write studies. "
            "To run a study it lacks the parts that are missing below."
        )
    if "lab" not in examined:
        return "This machine can deploy, load and judge real hosts."
    if "lab" in good:
        return "This machine can run the lab, and deploy, load and judge real hosts."
    hosts = "This machine can deploy, load and judge real hosts."
    return f"{hosts} For the lab it lacks the parts that are missing below."


def _for_hosts() -> Iterator[Finding]:
    yield Finding("hosts", "Python", True, platform.python_version())
    ssh = shutil.which("ssh")
    yield Finding(
        "hosts", "ssh", ssh is not None, ssh or "no command ssh", _installing(["openssh-client"])
    )
    by_sudo = (
        "no; `kind: mount` needs none, other kinds need `environment: {kind: hosts, sudo: true}`"
    )
    yield Finding("hosts", "root here", True, by_sudo if os.geteuid() else "yes")
    yield _answered("hosts", "agent", lambda: f"{find_agent()}, for nodes of Linux on x86-64")


def _for_lab() -> Iterator[Finding]:
    machine = f"{platform.system()} {platform.machine()}"
    yield Finding(
        "lab",
        "machine",
        machine == "Linux x86_64",
        f"{machine}; the lab's kernels are for Linux on x86-64",
    )
    if machine != "Linux x86_64":
        return
    yield _answered("lab", "Debian", _debian)
    missing = missing_packages()
    detail = f"missing: {' '.join(missing)}" if missing else "all installed"
    yield Finding("lab", "Debian packages", not missing, detail, _installing(missing))
    yield _namespaces()
    if os.geteuid():
        yield _answered("lab", "subordinate user ids", _subordinate_ids)
    yield Finding("lab", "kernel of the nodes", True, kernel_text())
    made = not missing and image_is_there()
    image = "built" if made else "not built yet; the first run would build it, in about a minute"
    yield Finding("lab", "image of the nodes", made, image, _setting_up("seatrial lab image"))
    free = f"{available_bytes() / 2**30:.1f} GiB free, {counted(os.cpu_count() or 1, 'processor')}"
    yield Finding("lab", "memory", True, f"{free}; seatrial list shows the memory of a study")


def _answered(part: Literal["hosts", "lab"], what: str, ask: Callable[[], str]) -> Finding:
    """The answer of a function; when it raises an error, the error and its hint."""
    try:
        return Finding(part, what, True, ask())
    except SeatrialError as error:
        return Finding(part, what, False, str(error), error.hint)
    except OSError as error:
        return Finding(part, what, False, f"{error.filename}: {error.strerror}")


def _debian() -> str:
    name = codename()
    debian_sources(Path("/etc/apt"), name)
    return f"{name}, with apt sources for the nodes' image"


def _subordinate_ids() -> str:
    require_subordinate_ids()
    return "assigned"


def _namespaces() -> Finding:
    what = "user namespaces"
    if shutil.which("unshare") is None:
        return Finding(
            "lab", what, False, "cannot be tried without unshare", _installing(["util-linux"])
        )
    done = Local().run("this machine", NAMESPACES, timeout_s=20)
    if done.exit_code == 0:
        return Finding("lab", what, True, "allowed")
    error = (done.stderr.strip().splitlines() or ["refused"])[-1]
    for path, (forbidding, command) in SWITCHES.items():
        if Path(path).is_file() and Path(path).read_text().strip() == forbidding:
            return Finding("lab", what, False, error, _as_root(command))
    hint = "a container's engine may forbid them, then run on the machine itself"
    return Finding("lab", what, False, f"{error}; {hint}")


def _installing(names: Sequence[str]) -> str | None:
    """The command that installs Debian packages; None on another system.

    In a checkout it installs everything that is missing at once.
    """
    if shutil.which("apt-get") is None:
        return None
    return _setting_up(_as_root(f"apt-get install {' '.join(names)}"))


def _setting_up(otherwise: str) -> str:
    return "make setup" if in_checkout() else otherwise


def _as_root(command: str) -> str:
    return command if os.geteuid() == 0 else f"sudo {command}"
