"""Streams that are copies: an independent verifier, like genstream, dd and checkstream in the paper
of 2012.

Before a fault, a file with verifiable bytes is generated on the client's own disk. Then dd copies
it to the storage, part by part, each synced before the next begins, throughout the fault.
Afterwards `seatrial-agent check` reads the acknowledged bytes on another client. Neither operation
logs nor engines of the agent take part.
"""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from seatrial.basics.errors import RunError
from seatrial.faults.left_behind import LeftBehind
from seatrial.load.folder import folder_of
from seatrial.result.fault_parts import CopyResult
from seatrial.service.session import Session
from seatrial.service.workplace import remove_directory, require_room, shell
from seatrial.study.faults import Copy, Stream

SUBFOLDER = "copies"
COMMAND_TIMEOUT_S = 120.0
END_TIMEOUT_S = 15.0
"""a dd that waits for the storage ends within this time in s, or never"""
LIFE_S = 1800.0
"""lifetime in s; longer than any fault"""

# $1 local folder, $2 folder on the storage, $3 bytes of dd's block, $4 blocks of a part, $5 parts
# of a file, $6 pause, $7 seconds after which it ends without a stop request, in case its starter is
# gone.
# The clock is /proc/uptime, which a shell reads without a process.
_COPY = """\
copy=0
read -r first rest </proc/uptime
ended=$first
while [ ! -e "$1/stop" ] && [ $((${ended%.*} - ${first%.*})) -lt $7 ]; do
    part=0
    while [ $part -lt $5 ] && [ ! -e "$1/stop" ]; do
        read -r began rest </proc/uptime
        said=$(LC_ALL=C dd if="$1/source" of="$2/copy-$copy" bs=$3 count=$4 \
skip=$((part * $4)) seek=$((part * $4)) \\
            conv=fsync,notrunc 2>&1) || {
            # A refused operation is tried again: the verifier must see the following ones, too.
            echo "error $copy $part ${said%%
*}" >>"$1/log"
            sleep $6
            continue
        }
        read -r ended rest </proc/uptime
        echo "$copy $part $began $ended" >>"$1/log"
        part=$((part + 1))
        sleep $6
    done
    copy=$((copy + 1))
done
"""


@dataclass
class Copied:
    """The outcome of one stream; see the format of results."""

    client: str
    checked_by: str
    parts: int = 0
    size_bytes: int = 0
    """acknowledged: dd had ended, including its fsync"""
    longest_s: float = 0.0
    """the slowest part, which waited for the storage"""
    blocks: int = 0
    extents: dict[str, dict[str, int]] = field(default_factory=dict)
    """by class of content: number and size_bytes"""
    damage: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None
    """the last error of dd; the same part was retried"""
    unknown: str | None = None
    """why nothing, or not everything, was checked"""

    def result(self) -> CopyResult:
        """The entry in the line of the fault."""
        return cast(CopyResult, asdict(self))


@dataclass(frozen=True)
class PreparedCopy:
    """One stream, prepared for one fault."""

    name: str
    copy: Copy
    client: str
    checker: str
    directory: str
    local: str
    identity: str


class Copies:
    """All copies of one fault, each in a separate directory."""

    def __init__(
        self, session: Session, agent: str, run_id: str, losing_memory: frozenset[str]
    ) -> None:
        """`losing_memory`: the clients that will lose their memory; they neither copy nor check."""
        self._session = session
        self._agent = agent
        self._run_id = run_id
        self._losing_memory = losing_memory
        self.prepared: list[PreparedCopy] = []
        self._running: list[PreparedCopy] = []

    @property
    def _folder(self) -> str:
        return f"{folder_of(self._agent)}/{SUBFOLDER}"

    def generate_source(
        self, name: str, stream: Stream, clients: Sequence[str], directory: str, generation: int
    ) -> None:
        """Generate the source; the directory must exist."""
        if stream.copy_of is None:
            raise ValueError(f"{name} is not a copy")
        able = [
            item
            for item in (*clients, *self._session.solution.clients)
            if item not in self._losing_memory
        ]
        client = able[0] if able else clients[0]
        checker = next((item for item in able if item != client), client)
        local = f"{self._folder}/{self._run_id}-{generation}"
        identity = (
            f"--run {self._run_id[:16]} --file-name copy --generation {generation} --block-bytes"
            " 4096"
        )
        self.prepared.append(
            PreparedCopy(name, stream.copy_of, client, checker, directory, local, identity)
        )
        transport = self._session.transport
        size_bytes = stream.copy_of.size
        shell(transport, client, f"mkdir -p {local}", COMMAND_TIMEOUT_S)
        require_room(transport, client, local, size_bytes, f"{name}: its source on {client}")
        generate = f"{self._agent} generate --size {size_bytes} {identity} {local}/source"
        shell(transport, client, generate, COMMAND_TIMEOUT_S)

    def start(self) -> None:
        """Begin to copy; it continues until `stop`."""
        for item in self.prepared:
            copy = item.copy
            fields = [
                item.local,
                item.directory,
                copy.block,
                copy.part // copy.block,
                copy.size // copy.part,
                copy.pause,
                int(LIFE_S),
            ]
            script = shlex.join(["sh", "-c", _COPY, "seatrial-copy", *map(str, fields)])
            command = f"nohup {script} >/dev/null 2>&1 </dev/null & echo $! >{item.local}/pid"
            shell(self._session.transport, item.client, command, COMMAND_TIMEOUT_S)
            self._running.append(item)

    def stop(self) -> None:
        """Begin no further part, and wait for the current one with a limit."""
        while self._running:
            item = self._running.pop()
            ended = f"touch {item.local}/stop; read -r pid <{item.local}/pid; "
            ended += "pkill -x -P $pid sleep; tries=0; while [ -d /proc/$pid ] && "
            ended += (
                f"[ $tries -lt {END_TIMEOUT_S * 5:.0f} ]; do tries=$((tries + 1)); sleep 0.2; done"
            )
            try:
                self._session.transport.run(item.client, ended, timeout_s=COMMAND_TIMEOUT_S)
            except RunError:
                continue  # Its client is gone; its log is read afterwards.

    def check(self) -> dict[str, CopyResult]:
        """By stream, the result of checking all acknowledged bytes on another client.

        The caches must be empty.
        """
        return {item.name: self._checked(item).result() for item in self.prepared}

    def not_checked(self, reason: str) -> dict[str, CopyResult]:
        """The result where nothing could be checked."""
        return {
            item.name: Copied(item.client, item.checker, unknown=reason).result()
            for item in self.prepared
        }

    def _checked(self, item: PreparedCopy) -> Copied:
        if item.checker == item.client:
            # The copying client may read from its own memory.
            unchecked = "no other client was available for the check"
            return Copied(item.client, item.checker, unknown=unchecked)
        transport = self._session.transport
        log = transport.run(item.client, f"cat {item.local}/log", timeout_s=COMMAND_TIMEOUT_S)
        copied, sizes = read_log(log.stdout, item)
        if not sizes:
            copied.unknown = "no part was copied"
            return copied
        for name, size_bytes in sizes.items():
            done = transport.run(
                item.checker,
                self._check_command(item, name, size_bytes),
                timeout_s=COMMAND_TIMEOUT_S,
            )
            problem = f"{name} could not be checked: {done.stderr.strip() or done.exit_code}"
            if done.exit_code > 1:
                copied.unknown = problem
                continue
            try:
                add(copied, name, json.loads(done.stdout))
            except (ValueError, KeyError):
                copied.unknown = (
                    f"{name} could not be checked: {done.stderr.strip() or done.exit_code}"
                )
        return copied

    def _check_command(self, item: PreparedCopy, name: str, size_bytes: int) -> str:
        """A command that exits with 0 or 1 as `check` does, and with 3 where the file exists and is
        unreadable.

        A part that dd did not complete begins at `size_bytes`, and may have any content. Only a
        missing file counts as empty: an error of the storage proves no loss.
        """
        path = shlex.quote(f"{item.directory}/{name}")
        check = f"{self._agent} check --json {item.identity} --size {size_bytes} -"
        failed = f"{self._folder}/{self._run_id}-unread"
        return (
            f"mkdir -p {self._folder}; rm -f {failed}; {{ LC_ALL=C head -c {size_bytes} {path}"
            f" 2>{failed}.says || grep -q 'No such file' {failed}.says || cp {failed}.says"
            f" {failed}; }} | {check}; status=$?; rm -f {failed}.says; [ ! -e {failed} ] || {{ cat"
            f" {failed} >&2; rm -f {failed}; exit 3; }}; exit $status"
        )

    def clean(self, nodes: Sequence[str], timeout_s: float) -> list[LeftBehind]:
        """Remove the copies on the first usable node; returns what remains."""
        self.stop()
        not_removed = []
        for item in self.prepared:
            node = item.client if item.client in nodes else next(iter(nodes), item.client)
            try:
                remove_directory(self._session.transport, node, item.directory, timeout_s)
                remove_directory(self._session.transport, item.client, item.local, timeout_s)
            except RunError as error:
                not_removed.append(LeftBehind(node, item.directory, str(error)))
        self.prepared.clear()
        return not_removed


def read_log(log: str, item: PreparedCopy) -> tuple[Copied, dict[str, int]]:
    """The log of the copying client, and the acknowledged bytes by file; a truncated last line does
    not count.
    """
    copied = Copied(item.client, item.checker)
    sizes = {}
    for line in log.splitlines(keepends=True):
        fields = line.split()
        if fields and fields[0] == "error":
            copied.error = line.removeprefix("error ").strip()
        elif len(fields) == 4 and line.endswith("\n"):
            number, part, began_s, ended_s = fields
            sizes[f"copy-{number}"] = (int(part) + 1) * item.copy.part
            copied.parts += 1
            copied.longest_s = max(copied.longest_s, float(ended_s) - float(began_s))
    copied.size_bytes = sum(sizes.values())
    return copied, sizes


def add(copied: Copied, name: str, report: dict[str, Any]) -> None:
    """Add the findings of `check` in one file."""
    copied.blocks += int(report["blocks"])
    for extent in report["extents"]:
        counted = copied.extents.setdefault(extent["class"], {"number": 0, "size_bytes": 0})
        counted["number"] += 1
        counted["size_bytes"] += int(extent["length"])
        if extent["class"] != "valid":
            copied.damage.append({"file": name, **extent})
