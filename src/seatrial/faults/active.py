"""The server that a fault requires to be active, checked before anything runs."""

from collections.abc import Mapping

from seatrial.solutions.base import MovesServices, Solution, service_servers_of
from seatrial.study.faults import Fault
from seatrial.study.study import Study


def roles_asked_for(study: Study, solution: Solution, name: str, fault: Fault) -> Mapping[str, str]:
    """Which server must run which service before the fault: service -> server.

    Raises InputError where the solution cannot move the service there.
    """
    if fault.active is None:
        return {}
    place = ("faults", name, "active")
    if not isinstance(solution, MovesServices):
        raise study.mistake(place, f"no service of {study.solution.kind} can be moved to a server")
    services = solution.services
    servers = service_servers_of(solution)
    required = fault.active if isinstance(fault.active, Mapping) else {services[0]: fault.active}
    for service, server in required.items():
        if service not in services:
            reason = f"{service!r} is not a service of this storage; one of {', '.join(services)}"
            raise study.mistake(place, reason)
        if server not in servers:
            reason = f"{server!r} cannot run the service {service}; one of {', '.join(servers)}"
            raise study.mistake(place, reason)
    return required
