"""The NFS server's daemons on servers where the cluster starts and stops them."""

from collections.abc import Mapping, Sequence

from seatrial.plan.plan import Step, command_step, remove_file, write_file
from seatrial.solutions.parts import nfs_delegations
from seatrial.solutions.parts.steps import drop_in, reread

_NFSD_AT_BOOT = "/etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount"


def steps(study_id: str, threads: int, lease_s: int, addresses: Mapping[str, str]) -> list[Step]:
    """Set lease, grace and ports, and start nothing at boot.

    `addresses`: service -> its address.
    """
    return [
        *(_name(address, f"{study_id}-{service}") for service, address in addresses.items()),
        write_file(
            f"/etc/nfs.conf.d/seatrial-{study_id}.conf",
            f"[nfsd]\nthreads={threads}\nlease-time={lease_s}\ngrace-time={lease_s}\nvers3=y\nvers4=y\n"
            "[mountd]\nport=20048\n[statd]\nno-notify=y\nport=4001\n[lockd]\nport=4002\nudp-port=4002",
            title=f"set {lease_s} s of NFSv4 lease and grace period, and fixed ports",
            reason="after a takeover, clients may reclaim their locks for one grace period, and no "
            "new lock is granted. The cluster notifies NFSv3 clients, from the service's address. "
            "A notification by statd would have the server's own address, which they do not know",
        ),
        write_file(
            "/etc/modprobe.d/seatrial-lockd.conf",
            f"options lockd nlm_grace_period={lease_s} nlm_tcpport=4002 nlm_udpport=4002",
            title=f"set {lease_s} s of grace period for the NFSv3 lock manager",
            after=f"modprobe lockd\necho {lease_s} >/proc/sys/fs/nfs/nlm_grace_period",
            reason="its default of 50 s would also delay NFSv4's locks, as both must end",
        ),
        nfs_delegations.none_given(study_id),
        command_step(
            "disable the NFS service outside the cluster",
            "! systemctl -q is-enabled nfs-server",
            "systemctl -q --no-reload disable nfs-server\nsystemctl stop nfs-server",
            takes=(("exports", f"/srv/{study_id}"),),
            units=("nfs-server",),
        ),
        command_step(
            "load nfsd at boot",
            f"[ -e {_NFSD_AT_BOOT} ] && systemctl -q is-active proc-fs-nfsd.mount",
            "systemctl -q --no-reload add-wants multi-user.target proc-fs-nfsd.mount\n"
            "systemctl start proc-fs-nfsd.mount",
            reason="loading it during a takeover would take too long",
            units=("proc-fs-nfsd.mount",),
        ),
    ]


def distribution_steps(study_id: str) -> list[Step]:
    """For the distribution's agents; the lightweight agent does this itself."""
    return [
        write_file(
            drop_in(_TRACKER, study_id),
            "[Unit]\nPartOf=nfs-server.service",
            title="stop the NFSv4 client tracker with the server",
            after=reread(_TRACKER),
            reason="with an init script, as in Debian, the agent nfsserver leaves it running: "
            "/var/lib/nfs stays busy, the stop fails, and a planned move ends in fencing",
        ),
        write_file(
            drop_in(_TELLER, study_id),
            "[Service]\nExecCondition=/bin/false",
            title="leave NFSv3 restart notifications to the cluster",
            after=reread(_TELLER),
            reason="nfs-server starts it after each boot, before the service has its address",
        ),
    ]


_TRACKER = "nfsdcld.service"
_TELLER = "rpc-statd-notify.service"


def _name(address: str, name: str) -> Step:
    line = f"{address} {name}"
    return command_step(
        f"add the host name {name} for {address}",
        f"grep -qxF '{line}' /etc/hosts",
        f"sed -i '/ {name}$/d' /etc/hosts\necho '{line}' >>/etc/hosts",
        reason="NFSv3 clients get notifications by the name of the address, which must resolve",
    )


def removal(study_id: str, services: Sequence[str]) -> list[Step]:
    """Restore the former state of the daemons."""
    names = "|".join(f"{study_id}-{service}" for service in services)
    return [
        command_step(
            "remove the host names of the services",
            f"! grep -qE ' ({names})$' /etc/hosts",
            f"sed -E -i '/ ({names})$/d' /etc/hosts",
        ),
        command_step(
            "stop loading nfsd at boot", f"! [ -e {_NFSD_AT_BOOT} ]", f"rm {_NFSD_AT_BOOT}"
        ),
        remove_file(f"/etc/nfs.conf.d/seatrial-{study_id}.conf"),
        remove_file("/etc/modprobe.d/seatrial-lockd.conf"),
        nfs_delegations.given_again(study_id),
        *(remove_file(drop_in(unit, study_id), after=reread(unit)) for unit in (_TRACKER, _TELLER)),
    ]
