"""The reasons for which sudo makes a login not root."""

import re

from seatrial.transport import Completed

SUDO_SAYS = (
    (
        r"(password|authentication) is required",
        "sudo requires a password, or does not know this login",
    ),
    (
        r"must have a tty",
        "sudo requires a terminal (requiretty); add Defaults:LOGIN !requiretty to sudoers",
    ),
    (
        r"not in the sudoers|may not run sudo|not allowed to",
        "sudo does not let this login become root",
    ),
    (
        r"(?i)sudo: (command )?not found|command not found: sudo|unknown command:? sudo",
        "sudo is not installed",
    ),
    (
        r"Unmatched",
        "the login's shell does not accept sh syntax; use sh, bash, dash, ksh or zsh",
    ),
    (
        r"no new privileges|nosuid|setuid|owned by uid 0",
        "sudo cannot make any login root, as in a container without that privilege",
    ),
)
"""pattern of an error of sudo or of a login's shell -> its meaning"""


def refused_by_sudo(done: Completed) -> str:
    """Why sudo failed: the meaning of a known message, or the last line of its output."""
    for pattern, meaning in SUDO_SAYS:
        if re.search(pattern, done.stderr):
            return meaning
    lines = done.stderr.strip().splitlines()
    last = lines[-1] if lines else f"exit code {done.exit_code}"
    return f"no root by sudo: {last.removeprefix('sudo: ')}"
