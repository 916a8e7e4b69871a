"""The OpenSSH configuration file that a study of hosts names."""

import re
from pathlib import Path

from seatrial.labs.emulation.runtime import is_of_a_lab
from seatrial.study.study import Study

HARMLESS = {
    "addressfamily", "batchmode", "bindaddress", "bindinterface", "ciphers", "compression",
    "connectionattempts",
    "connecttimeout", "host", "hostkeyalgorithms", "hostkeyalias", "hostname", "identitiesonly",
    "identityfile",
    "kexalgorithms", "loglevel", "macs", "port", "preferredauthentications", "pubkeyauthentication",
    "serveralivecountmax", "serveraliveinterval", "tcpkeepalive", "user",
}  # fmt: skip
"""Options of ssh_config(5) with a host, a key or a time.

None of them runs a command, loads a library, reads another file or trusts an unknown host.
"""


def file_of(study: Study, named: Path | None) -> Path | None:
    """The file, relative to the study's folder; None where the study names none.

    InputError when it does not exist, or has options that run commands.
    """
    if named is None:
        return None
    path = study.source.path.absolute().parent / named.expanduser()
    if not path.is_file():
        raise study.mistake(("environment", "ssh_config"), f"{path}: no such file")
    if not is_of_a_lab(path):
        _require_harmless(study, path)
    return path


def _require_harmless(study: Study, path: Path) -> None:
    """InputError when a study's file contains more than hosts, keys and times.

    ssh runs commands for some options. The file of a lab of this user has a ProxyCommand and is
    accepted, because Seatrial has written it.
    """
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        keyword = re.split(r"[\s=]", line.strip(), maxsplit=1)[0].strip('"')
        if keyword and not keyword.startswith("#") and keyword.lower() not in HARMLESS:
            raise study.mistake(
                ("environment", "ssh_config"),
                f"{path}:{number}: {keyword!r} is not accepted in a study's file: ssh might run a "
                "command for it, or trust more; move it to ~/.ssh/config, and leave ssh_config out",
            )
