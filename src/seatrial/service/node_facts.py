"""The software of a node: kernel, distribution, and the installed packages of storage."""

PACKAGES = (
    "beegfs-client",
    "ceph-common",
    "ceph-osd",
    "corosync",
    "gfs2-utils",
    "glusterfs-server",
    "gpfs.base",
    "ksmbd-tools",
    "lustre-client",
    "mdadm",
    "multipath-tools",
    "nfs-kernel-server",
    "nfs-utils",
    "open-iscsi",
    "openssh-server",
    "pacemaker",
    "samba",
    "tgt",
)
"""Debian and Red Hat packages; a node has few of them"""
INSTALLED = "installed "
"""begins the line of an installed package; the package managers report missing ones in words"""
COMMAND = f"""uname -r
. /etc/os-release; echo "$PRETTY_NAME"
if command -v dpkg-query >/dev/null
then dpkg-query -W -f '${{db:Status-Status}} ${{Package}} ${{Version}}\\n' {" ".join(PACKAGES)}
else rpm -q --qf '{INSTALLED}%{{NAME}} %{{VERSION}}-%{{RELEASE}}\\n' {" ".join(PACKAGES)}
fi 2>/dev/null
true"""
"""prints the kernel, the distribution, and one line per package"""


def facts_in(text: str) -> dict[str, str]:
    """The facts in the output of COMMAND; empty where the node did not answer."""
    lines = text.splitlines()
    if len(lines) < 2:
        return {}
    facts = {"kernel": lines[0], "system": lines[1]}
    packages = [line.removeprefix(INSTALLED) for line in lines[2:] if line.startswith(INSTALLED)]
    if packages:
        facts["storage_software"] = ", ".join(packages)
    return facts
