"""`kind: service-dead`: a daemon of the service is killed, while the server keeps running."""

from typing import Literal

from pydantic import Field

from seatrial.faults.base import Actions, OnNode, Scene, Shell
from seatrial.faults.probe import Probe
from seatrial.result.evidence import Sign
from seatrial.solutions.base import MovesServices

TITLE = "a daemon of the service dies"
WORD = "daemon"
DURATION_S = 10.0
STOPPED_TESTS = {
    "nfsd": "read -r threads 2>/dev/null </proc/fs/nfsd/threads; [ ${threads:-0} = 0 ]",
    "mountd": "! pidof rpc.mountd",
    "statd": "! pidof rpc.statd",
    "idmapd": "! pidof rpc.idmapd",
}
KILL = {
    "nfsd": "rpc.nfsd 0",
    "mountd": "kill -KILL $(pidof rpc.mountd)",
    "statd": "kill -KILL $(pidof rpc.statd)",
    "idmapd": "kill -KILL $(pidof rpc.idmapd)",
}
REPAIR = {
    "nfsd": "systemctl restart nfs-server",
    "mountd": "systemctl restart nfs-mountd",
    "statd": "systemctl restart rpc-statd",
    "idmapd": "systemctl restart nfs-idmapd",
}


class Options(OnNode):
    """The daemon and the server."""

    daemon: Literal["nfsd", "mountd", "statd", "idmapd"] = Field(
        "nfsd",
        description="The daemon that is killed.",
    )
    repair: bool | None = Field(
        None,
        description="Start it again afterwards. By default where no other server monitors it.",
    )


def actions(options: Options, scene: Scene) -> Actions:
    """Kill the daemon. A highly available solution must repair it automatically."""
    node = options.where(scene)
    started = (
        not isinstance(scene.solution, MovesServices) if options.repair is None else options.repair
    )
    repair = (Shell(node, REPAIR[options.daemon]),) if started else ()
    stopped = Probe(STOPPED_TESTS[options.daemon], Sign.PROCESS_GONE)
    return Actions((Shell(node, KILL[options.daemon], probe=stopped),), repair)
