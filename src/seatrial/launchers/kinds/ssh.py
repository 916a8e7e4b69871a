"""Launcher `ssh`: one connection for each node, with the user's own OpenSSH."""

from seatrial.basics.errors import InputError
from seatrial.launchers.base import LaunchRequest, refuse_template
from seatrial.transport import OpenSsh, Transport


def transport(request: LaunchRequest) -> Transport:
    """Access by ssh; `localhost` needs no ssh."""
    refuse_template(request, "ssh")
    if request.arguments:
        raise InputError(
            "the launcher ssh takes no launcher_arguments", "write options into your ~/.ssh/config"
        )
    return OpenSsh(request.ssh_config, sudo=request.sudo)
