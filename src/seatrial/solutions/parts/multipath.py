"""dm-multipath, of which a study has maps of its own beside whatever else the node joins."""

from collections.abc import Iterable

CONFIG = "/etc/multipath.conf"
RECONFIGURED = "! systemctl -q is-active multipathd || multipathd reconfigure"
"""sh: have the daemon read it"""


def flushed(devices: Iterable[str]) -> str:
    """Sh that lets go of these maps, and of no other: `-F` would take every map of the node that is not open."""
    return (
        f"for map in {' '.join(device.rpartition('/')[2] for device in devices)}; do\n"
        "    [ ! -e /dev/mapper/$map ] || multipath -f $map || true\ndone\n"
    )
