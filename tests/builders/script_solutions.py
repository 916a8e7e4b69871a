"""A solution `script`: its manifest and its scripts."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from seatrial.study.study import Study, load_study
from tests.builders.strategies import MINIMAL, text_of

MANIFEST: dict[str, Any] = {
    "title": "test file system",
    "packages": {"server": {"tfsd": "tfs-server"}, "client": {"mount.tfs": "tfs-client"}},
    "values": {"COPIES": 2, "MODE": "fast", "TUNED": True},
    "layout": ["COPIES"],
    "warnings": ["It loses what was not synced."],
    "stages": [
        {
            "title": "targets",
            "role": "server",
            "steps": [
                {
                    "title": "make them",
                    "check": "made.sh",
                    "apply": "make.sh",
                    "remove": "unmake.sh",
                    "removed": "unmade.sh",
                    "destroys": True,
                }
            ],
        },
        {
            "title": "clients",
            "role": "client",
            "steps": [
                {
                    "title": "tune",
                    "check": "tuned.sh",
                    "apply": "tune.sh",
                    "remove": "untune.sh",
                    "reason": "it",
                }
            ],
        },
    ],
    "mount": {"type": "tfs", "device": "{server}:/{study}"},
    "timers": {"takeover": {"seconds": "COPIES", "source": "tfsd.conf"}},
    "data_path": {
        "client links": {"write": "COPIES"},
        "server links": {"write": "COPIES"},
        "server disks": {"write": 2},
    },
}
FILES = {
    "made.sh": "#!/bin/sh -eu\n[ -e /tmp/made ]\n",
    "make.sh": "#!/bin/bash\nfor device in $SEATRIAL_DEVICES; do mktfs -c $COPIES $device; done\n",
    "unmake.sh": "rm /tmp/made",
    "unmade.sh": "[ ! -e /tmp/made ]",
    "tuned.sh": "#!/usr/bin/env bash\ntfs get $SEATRIAL_NODE\n",
    "tune.sh": "tfs set $SEATRIAL_NODE $TUNED\n",
    "untune.sh": "tfs unset\n",
}


def written(
    folder: Path,
    *,
    manifest: Callable[[dict[str, Any]], object] = lambda _data: None,
    files: dict[str, str | None] | None = None,
    **changes: Any,
) -> Study:
    """The small study with a folder of scripts, each of them changed like this; a file of
    None is missing.
    """
    data = copy.deepcopy(MINIMAL)
    reported = copy.deepcopy(MANIFEST)
    data["solution"] = {"kind": "script", **changes.pop("solution", {})}
    data.update(changes)
    manifest(reported)
    (folder / "solution").mkdir(exist_ok=True)
    for name, text in {**FILES, "solution.yaml": text_of(reported), **(files or {})}.items():
        if text is not None:
            (folder / "solution" / name).write_text(text)
    (folder / "study.yaml").write_text(text_of(data))
    return load_study(folder / "study.yaml")
