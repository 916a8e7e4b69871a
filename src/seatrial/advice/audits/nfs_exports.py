"""Rules for NFS exports and server threads."""

from collections.abc import Iterator, Sequence
from ipaddress import ip_network

from seatrial.advice.audit_base import Facts, Finding

THREADS_MIN = 8


def _is_everybody(client: str) -> bool:
    """Whether a client of exports(5) is every machine: `*`, `*.*`, `<world>`, a network of all
    addresses.
    """
    if client == "<world>" or (client and set(client) <= set("*.?")):
        return True
    address, slash, mask = client.partition("/")
    if not slash:
        return False
    try:
        network = ip_network(f"{'0.0.0.0' if address == '0' else address}/{mask}", strict=False)
    except ValueError:
        return False  # a name, a netgroup, `gss/krb5p`
    return network.prefixlen == 0


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Exports that lose data or trust every client; too few threads."""
    for node in facts:
        for export in node.exports:
            path = export.path
            client = export.client
            options = export.options
            where = f"{path} to {client}"
            if "async" in options:
                why = "acknowledged data are in the server's memory only, and are lost with it"
                yield Finding(
                    node.node, "unsafe", f"{where} is exported async", "sync", why, "async"
                )
            if "no_root_squash" in options:
                why = "root of that client is root on the files of everybody"
                yield Finding(
                    node.node, "unsafe", f"{where} has no_root_squash", "root_squash", why
                )
            if _is_everybody(client):
                why = "any machine that reaches the server may mount it"
                yield Finding(
                    node.node, "unsafe", f"{path} is exported to everybody", "name the clients", why
                )
            if "insecure" in options:
                why = "any user's program on the client may speak as its kernel"
                yield Finding(
                    node.node, "fragile", f"{where} is insecure", "leave insecure out", why
                )
        threads = node.values.get("nfsd_threads", "")
        if threads.isdigit() and 0 < int(threads) < THREADS_MIN:
            why = (
                "one thread serves one request at a time: with too few, clients wait for each other"
            )
            yield Finding(
                node.node, "slow", f"{threads} nfsd threads", f"at least {THREADS_MIN}", why
            )
