"""What every node needs that serves volumes by tgt, whatever they are."""

from seatrial.plan.plan import Step, remove_file, write_file

_SYSCTL = "/etc/sysctl.d/60-seatrial-tgt.conf"
_SEND = "4096 4194304 16777216"
"""net.ipv4.tcp_wmem: least, default and largest send buffer of a socket, in bytes; see tcp(7)"""


def send_buffers() -> Step:
    """Sockets that take a whole answer; before the target starts, as sockets keep what they began with."""
    return write_file(
        _SYSCTL,
        f"net.ipv4.tcp_wmem = {_SEND}",
        title="give the target's sockets room for whole answers",
        # A target that the package has started is without any volume, and its sockets are from before.
        after=f"sysctl -q -p {_SYSCTL}\n! systemctl -q is-active tgt || "
        '[ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt',
        reason="tgtd tries again at once when a socket is full, and keeps a processor busy with it for as long as the "
        "link is slower than the disks",
    )


def removal() -> Step:
    """As it was, from the next boot on."""
    return remove_file(_SYSCTL)
