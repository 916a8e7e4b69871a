"""Small studies from a seed: a solution, its version, RAID, file system, sync and one fault."""

import random
from collections.abc import Callable
from typing import Any

CLIENTS = 2
FAULTS: dict[str, dict[str, Any]] = {
    "loss": {
        "kind": "net-emulation",
        "node": "nas",
        "effect": "loss",
        "percent": 2,
        "duration": "5s",
    },
    "delay": {
        "kind": "net-emulation",
        "node": "nas",
        "effect": "delay",
        "delay": "20ms",
        "duration": "5s",
    },
    "reorder": {
        "kind": "net-emulation",
        "node": "nas",
        "effect": "reorder",
        "percent": 20,
        "delay": "5ms",
        "duration": "5s",
    },
    "link": {"kind": "public-link", "node": "nas", "network": "data", "duration": "5s"},
    "hang": {"kind": "freeze", "node": "nas", "duration": "5s"},
    "power": {"kind": "power-cut", "node": "nas", "duration": "5s"},
    "nothing": {},
}
"""what a server alone can go through; nothing that is synced may be lost by any of them"""
LOSES = {"power"}
"""an export that answers before the disks loses unwritten data here; such a study would state it"""


def _raid(dealer: random.Random) -> dict[str, Any] | None:
    level, disks = dealer.choice([(None, 1), (0, 4), (1, 2), (5, 4), (6, 6), (10, 4), (50, 6)])
    if level is None:
        return None
    spans = {"spans": 2} if level == 50 else {}
    return {
        "level": level,
        "chunk": dealer.choice(["16KiB", "64KiB", "256KiB"]),
        "disks": disks,
        **spans,
    }


def _nfs(dealer: random.Random) -> dict[str, Any]:
    return {
        "kind": "nfs",
        "export": {"mode": dealer.choice(["sync", "async"]), "threads": dealer.choice([2, 8, 64])},
        "mount": {
            "version": dealer.choice(["3", "4.0", "4.1", "4.2"]),
            "options": [
                "hard",
                *dealer.choice([[], ["noatime"], ["rsize=32768", "wsize=32768"], ["noac"]]),
            ],
        },
    }


def _smb(dealer: random.Random) -> dict[str, Any]:
    return {
        "kind": "smb",
        "share": {
            "sync": dealer.choice(["strict", "always"]),
            "encryption": dealer.choice(["off", "required"]),
            "signing": dealer.choice(["auto", "required"]),
        },
        "mount": {
            "version": dealer.choice(["3.0", "3.1.1"]),
            "cache": dealer.choice(["strict", "none"]),
        },
    }


def _sshfs(dealer: random.Random) -> dict[str, Any]:
    return {"kind": "sshfs", "mount": {"cache": dealer.choice([True, False])}}


SOLUTIONS: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "nfs": _nfs,
    "smb": _smb,
    "sshfs": _sshfs,
}


def study_of(seed: int) -> dict[str, Any]:
    """The study of a seed: the same one always."""
    dealer = random.Random(seed)
    solution = SOLUTIONS[dealer.choice(["nfs", "nfs", "nfs", "smb", "sshfs"])](dealer)
    raid = _raid(dealer)
    disks = {"count": raid.pop("disks") if raid else 1, "size": "192MiB", "rate": "130MB/s"}
    if raid:
        solution["raid"] = raid
    solution["filesystem"] = {"kind": dealer.choice(["ext3", "ext4", "xfs"])}
    if solution["filesystem"]["kind"] == "xfs":
        disks["size"] = "544MiB"  # a smaller array of two mirrors is refused
    is_async = solution.get("export", {}).get("mode") == "async"
    known = [
        name
        for name in FAULTS
        if not (is_async and name in LOSES) and not _unsuited(solution["kind"], name)
    ]
    fault = dealer.choice(known)
    pattern = dealer.choice(["sequential", "random", "strided"])
    data: dict[str, Any] = {
        "schema": "study/1",
        "id": f"random-{seed}",
        "title": f"Random study {seed}: {solution['kind']}, {fault}",
        "environment": {"kind": "emulated", "scale": "1/40"},
        "networks": {"data": {"mtu": dealer.choice([1500, 9000])}},
        "nodes": {
            "nas": {"memory": "384MiB", "link": "10Gbit/s", "disks": disks},
            f"c[1-{CLIENTS}]": {"memory": "160MiB", "link": "4Gbit/s"},
        },
        "solution": solution,
        "experiments": {
            "one": {
                "workload": {
                    "pattern": pattern,
                    "transfer_size": dealer.choice(["4KiB", "64KiB", "1MiB"]),
                    "file_size": dealer.choice(["2MiB", "8MiB"]),
                    "layout": dealer.choice(["n-n", "n-1-segmented"]),
                    "fsync": dealer.choice(["file", "none"]),
                    "close_in_timing": True,
                    **({"skip": 2} if pattern == "strided" else {}),
                },
                "sweep": {"clients": [1, CLIENTS]},
            }
        },
        "criteria": [
            {"id": "intact", "check": "integrity"},
            {"id": "deploy-twice", "check": "idempotence"},
            {"id": "within-bounds", "check": "bound", "margin": 0.1},
        ],
    }
    if FAULTS[fault]:
        small = {
            "phases": ["write"],
            "pattern": "random",
            "transfer_size": "4KiB",
            "file_size": "4MiB",
        }
        data["background_load"] = {
            "small": {"workload": {**small, "fsync": "transfer", "arrivals_per_s": 2}}
        }
        data["faults"] = {fault: FAULTS[fault]}
        data["criteria"].append({"id": "as-expected", "check": "faults"})
    return data


def _unsuited(kind: str, fault: str) -> bool:
    """Sshfs and SMB end with their server: open files are lost, and both report it."""
    return kind != "nfs" and fault in ("power", "hang", "link")
