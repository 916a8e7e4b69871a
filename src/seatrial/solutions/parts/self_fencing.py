"""The self-fencing watchdog: a server reboots itself when a service cannot be stopped.

It acts when the peer does not fence the server. The 2012 paper's servers do so after five minutes
(line 402). It is no fencing: the peer does not rely on it, and takes nothing over because of it.
"""

from collections.abc import Sequence

from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts.steps import no_service, restart_if_active, service

SCRIPT = "/usr/local/sbin/seatrial-self-fencing"
NAME = "seatrial-self-fencing"
LOOK_S = 5


def steps(directories: Sequence[str], volumes: Sequence[str], limit_s: int) -> list[Step]:
    """Install the watchdog.

    `directories`: mount points of the services' file systems, which are on `volumes`. `limit_s`:
    seconds after which a stop counts as failed.
    """
    return [
        write_file(
            SCRIPT,
            _script(directories, volumes, limit_s),
            title="install the self-fencing watchdog",
            mode="755",
            after=restart_if_active(NAME),
        ),
        *service(
            NAME,
            "[Unit]\nDescription=reboot when a service cannot be"
            f" stopped\n[Service]\nExecStart={SCRIPT}\n"
            "Restart=always\nOOMScoreAdjust=-1000\n[Install]\nWantedBy=multi-user.target",
            f"start the self-fencing watchdog with a limit of {limit_s} s",
            reason="a server that hangs in a stop and that its peer cannot fence hangs for ever",
        ),
    ]


def _script(directories: Sequence[str], volumes: Sequence[str], limit_s: int) -> str:
    """Detects a stop that takes too long, or a file system that is mounted without the cluster."""
    # pacemaker kills a slow agent; the process that it waited for cannot be killed, and stays. Only
    # processes of root count, as any user can choose names of processes. Only unmounts and volume
    # groups of the services count: nothing else justifies a reset. pgrep matches the whole line.
    pattern = (
        f"^((/bin/)?umount (-[a-z]+ )*({'|'.join(directories)})|(/usr/sbin/)?rpc.nfsd"
        f" 0|(/[a-z/]*sbin/)?(lvm )?vgchange .*-an .*({'|'.join(volumes)})|([^ ]+"
        " )?/usr/lib/ocf/resource[.]d/[^ ]+ stop)$"
    )
    mounted = " || ".join(f"grep -q ' {path} ' /proc/mounts" for path in directories)
    return f"""\
#!/bin/sh
# Reboots this server at once, without writing anything back, if a service could not be stopped for
# {limit_s} s. During maintenance of the cluster, a server or a resource, the administrator may stop
# daemons while services run, and an unmount may take long.
maintained() {{
    grep -Eq 'name="maintenance(-mode)?"[^>]*value="(true|yes|on|1)"' \
/var/lib/pacemaker/cib/cib.xml 2>/dev/null
}}
# Seconds since the mount was first seen without pacemaker. One check takes a while, and can see
# only a part of a service that is just being stopped.
alone=-{LOOK_S}
while sleep {LOOK_S}; do
    alone=$((alone + {LOOK_S}))
    {{ {mounted}; }} && ! pidof pacemakerd >/dev/null && ! maintained || alone=-{LOOK_S}
    [ $alone -ge {limit_s} ] || \
pgrep --euid 0 --older {limit_s} --full '{pattern}' >/dev/null || continue
    if ! maintained; then
        echo "seatrial-self-fencing: a service could not be stopped for {limit_s} s" >/dev/kmsg
        echo b >/proc/sysrq-trigger
    fi
done
"""


def removal() -> list[Step]:
    """Remove the watchdog."""
    return [*no_service(NAME, "stop the self-fencing watchdog"), remove_file(SCRIPT)]
