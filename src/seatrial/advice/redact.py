"""A copy of a result that is safe to publish, without hosts, addresses, serial numbers and users of
the site.

Every such name gets a replacement, the same in all files, so that the copy is a valid result with
the same verdicts, which is verified before the copy is kept. Derived files (the report) are
generated again from it.
"""

import gzip
import ipaddress
import json
import re
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from seatrial.advice.addresses import ADDRESS_4, Addresses
from seatrial.basics.errors import InputError
from seatrial.basics.node_sets import expand
from seatrial.judge.judge import judge, save, study_of
from seatrial.result.controller_log import FILE as CONTROLLER_LOG
from seatrial.result.live import LIVE
from seatrial.result.manifest import NoManifestError, Sums, file_sum, manifest_in, with_sums
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES, PUBLISHED, SUMS, seal
from seatrial.result.series import KEY as SERIES
from seatrial.result.series import compressed
from seatrial.study.nodes import Node
from seatrial.study.study import Study, parse_study
from seatrial.transport import HERE

Line = dict[str, Any]
COMPRESSED = ".gz"
FREE = frozenset({"kernel", "logs", "commands", CONTROLLER_LOG})
"""folders and files of the result that are left out: messages of kernels, daemons and commands may
name anything of a site
"""
LEFT_OUT = "left out of this copy\n"
OPERATOR = frozenset({"host", "user"})
"""keys of a machine's properties that name the controller and its user"""
OF_MACHINE = frozenset({"machine", "resumed"})
"""types of the lines with the properties of the controller"""
AS_PRINTED = frozenset({PUBLISHED})
"""published documents are copied byte for byte: they contain nothing of this site"""
PAPERS = ("report.pdf", "report-management.pdf", "report-technical.pdf", "report-evidence.pdf")
"""The first one is from older versions."""
DERIVED = ("report.html", *PAPERS, "results.json", "verdicts.json", SUMS, LIVE)
WORDS = frozenset(
    {
        "active",
        "passive",
        "data",
        "nodes",
        "server",
        "client",
        "array",
        "public",
        "private",
        "storage",
    }
)
"""names that are words of the format too, and reveal nothing of a site"""
SECRET_FILES = (
    "password_file",
    "community_file",
    "key_file",
    "known_hosts",
    "ssh_config",
    "credentials",
    "secrets",
)
ADDRESS_6 = r"(?<![\w:.])[0-9a-f:]*::?[0-9a-f:]*(?![\w:])"
"""candidates: times of day look alike"""
IDENTITIES: tuple[tuple[re.Pattern[str], Callable[[int], str]], ...] = (
    (re.compile(r"/dev/disk/by-[a-z]+/[\w.:+@=,#~%-]+"), "/dev/disk/by-id/disk-{}".format),
    # A refused disk is reported as (MODEL SERIAL SIZE), with multipath's number.
    (re.compile(r"(?<=refused: )(\S+) \([^()]*\)"), "/dev/disk/by-id/disk-{} (a disk)".format),
    (
        re.compile(r"\b(?<!\d\.)3[56][0-9a-f]{15}(?:[0-9a-f]{16})?\b", re.IGNORECASE),
        "3{:032x}".format,
    ),
    (
        re.compile(
            r"\b(?:ID_SERIAL(?:_SHORT)?=|serial(?: number)?:? |SN:? )(?=[\w-]*\d)[\w-]{6,}", re.I
        ),
        "serial {}".format,
    ),
    (re.compile(r"(?<![\w.])/(?:home|users)/[\w.-]+", re.IGNORECASE), "/home/user-{}".format),
    (re.compile(r"\b[ug]id=\d+\([\w.-]+\)"), "uid=0(user-{})".format),
    (re.compile(r"(?<=sudo: )[\w.-]+(?= :)"), "user-{}".format),
    (re.compile(r"\biqn\.[\w.:-]+"), "iqn.2000-01.example:{}".format),
    (re.compile(r"\b(?:naa|eui|t10)\.[0-9A-Za-z]+"), "naa.{:016x}".format),
    (re.compile(r"\b(?:wwn-)?0x[0-9a-f]{16,32}\b", re.IGNORECASE), "wwn-0x{:016x}".format),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w+"), "user-{}@example.org".format),
    # Reserved example addresses: RFC 7042 (section 2.1.2), RFC 3849.
    (
        re.compile(r"(?<![\w:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![\w:])", re.IGNORECASE),
        "00:00:5e:00:53:{:02x}".format,
    ),
    (re.compile(ADDRESS_6, re.IGNORECASE), "2001:db8::{:x}".format),
)
DOMAIN = r"(?:(?:\.[A-Za-z0-9-]+)+\.[A-Za-z]{2,})?"
"""what may follow a host's short name; a file's ending is no domain"""
IN_PATH = r"(?<=\bnodes\.)"
OF_PATH = rf"(?=\.(?:{'|'.join(Node.model_fields)})\b)"
"""context of a name in a path of a study (`nodes.nas.disks.paths.cabling`); its keys are no domain
"""
KEPT_ADDRESSES = frozenset(
    {"::", "::1", "0.0.0.0", "127.0.0.1", "255.255.255.255", "255.255.255.0", "255.255.0.0"}
)


@dataclass
class Names:
    """The replacement of each name of the site; the same name gets the same one everywhere."""

    exact: dict[str, str] = field(default_factory=dict)
    """a word -> another word"""
    numbered: dict[tuple[str, str], str] = field(default_factory=dict)
    """text before and after the number of a node -> text before it in the copy"""
    addresses: Addresses = field(default_factory=Addresses)
    """the IPv4 addresses that the site has"""
    generated: dict[str, str] = field(default_factory=dict)
    _numbers: dict[str, Iterator[int]] = field(default_factory=dict)

    def replaced(self, text: str) -> str:
        """The text with every name replaced."""
        for (before, behind), new in self.numbered.items():
            name = rf"{re.escape(before)}(\d+|\[[\d,/-]+\]){re.escape(behind)}"
            text = re.sub(f"{IN_PATH}{name}{OF_PATH}", rf"{new}\1", text)
            pattern = rf"(?<![A-Za-z0-9]){name}{DOMAIN}(?![A-Za-z0-9])"
            text = re.sub(pattern, rf"{new}\1", text, flags=_letters(before + behind))
        for old, new in sorted(self.exact.items(), key=lambda item: -len(item[0])):
            domain = DOMAIN if new.startswith("host-") else ""
            text = re.sub(f"{IN_PATH}{re.escape(old)}{OF_PATH}", new, text)
            pattern = rf"(?<![A-Za-z0-9]){re.escape(old)}{domain}(?![A-Za-z0-9])"
            text = re.sub(pattern, new, text, flags=_letters(old))
        for kind, form in IDENTITIES:
            text = kind.sub(self._by(kind.pattern, form), text)
        return self._without_addresses(text)

    def _without_addresses(self, text: str) -> str:
        """The text with every IPv4 address of the site replaced; a version that looks like one
        stays.
        """
        another = self._by(ADDRESS_4, _address_4)
        parts = []
        end = 0
        for match in self.addresses.are_at(text):
            parts += [text[end : match.start()], another(match)]
            end = match.end()
        return "".join([*parts, text[end:]])

    def _by(self, kind: str, form: Callable[[int], str]) -> Callable[[re.Match[str]], str]:
        numbers = self._numbers.setdefault(kind, count(1))

        def another(match: re.Match[str]) -> str:
            old = match.group()
            if (
                old in KEPT_ADDRESSES
                or old in self.generated.values()
                or (kind == ADDRESS_6 and not _is_address(old))
            ):
                return old
            if old not in self.generated:
                self.generated[old] = form(next(numbers))
            return self.generated[old]

        return another


def _address_4(number: int) -> str:
    """A reserved IPv4 address (RFC 2544: 198.18.0.0/15)."""
    return f"198.{18 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


def _letters(name: str) -> re.RegexFlag:
    """A name matches in any case, except the shortest: C1 is a published claim, and no node c1."""
    return re.IGNORECASE if sum(map(str.isalpha, name)) >= 3 else re.NOFLAG


def _is_address(text: str) -> bool:
    try:
        return bool(ipaddress.IPv6Address(text))
    except ValueError:
        return False


def names_of(study: Study) -> Names:
    """The names of a study's nodes, and its addresses, users and folders of secrets."""
    names = Names()
    letters = count(1)
    for node in (*study.node_names(), *_other_machines(study)):
        match = re.fullmatch(r"(.*?)(\d+)(\D*)", node)
        if match is None:
            if node not in WORDS:
                names.exact.setdefault(node, f"host-{next(letters)}")
        elif (match[1], match[3]) not in names.numbered:
            new = f"host-{next(letters)}-"
            names.numbered[match[1], match[3]] = new
            names.numbered.setdefault((match[1], ""), new)  # its short name
            if "." in match[3][1:]:
                names.exact[match[3].strip(".-")] = "example.org"
    names.addresses.learn_study(study.source.data)
    users = count(1)
    for key, value in _texts(study.source.data):
        if (
            key in ("address", "addresses", "pdu_address")
            and _is_name(value)
            and value not in names.exact
        ):
            names.exact.update(_of_address(value, letters))
        if key in ("user", "community", "password") and value not in WORDS:
            names.exact.setdefault(value, f"user-{next(users)}")
        if key in SECRET_FILES:
            names.exact.setdefault(value, f"/etc/{key}")
    return names


def _other_machines(study: Study) -> list[str]:
    """Machines of the site that are no nodes: observed servers, and hosts of commands."""
    sets = [text for key, text in _texts(study.source.data) if key in ("host", "servers")]
    machines = (name for text in sets for name in expand(text))
    return [name for name in machines if name not in (*study.node_names(), HERE)]


def _of_address(value: str, letters: Iterator[int]) -> dict[str, str]:
    """The parts of an address that identify the site: all of it, or the context of a
    node's name.
    """
    if "{node}" not in value:
        return {value: f"host-{next(letters)}"}
    parts = (part.strip(".-") for part in value.split("{node}"))
    return {part: "example.org" for part in parts if len(part) > 1}


def _is_name(text: str) -> bool:
    """Whether an address consists of letters; those of digits are found anywhere."""
    return (
        len(text.replace("{node}", "")) > 1
        and re.fullmatch(r"[0-9a-f.:/]+", text, re.IGNORECASE) is None
    )


def _texts(data: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a study, with the nearest key that is a word of the format."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _texts(value, key if key in ("addresses", "secrets") else str(name))
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _texts(value, key)
    elif isinstance(data, str):
        yield key, data


def redact(result: Result, out: Path) -> Names:
    """Write the copy to `out`, which must not exist.

    Raises InputError, without a copy, where its verdicts would differ.
    """
    if out.exists():
        raise InputError(f"{out} already exists", "give a new folder")
    names = names_of(study_of(result))
    for line in result.of("borrowed"):
        other = names_of(parse_study(str(line["study_text"]), result.folder / "study.yaml"))
        names.exact = {**other.exact, **names.exact}
        names.numbered = {**other.numbered, **names.numbered}
        names.addresses.of_site |= other.addresses.of_site
        names.addresses.networks |= other.addresses.networks
    for path in sorted(result.folder.rglob("*")):
        if path.is_file() and path.name not in (*AS_PRINTED, *DERIVED):
            names.addresses.learn_text(_content(path))
    try:
        _copy(result.folder, out, names)
        _renew_sums(result, out)
        seal(out)
        copied = read_result(out)
        before, after = (
            [(item.claim, item.verdict) for item in judge(judged)] for judged in (result, copied)
        )
        if before != after:
            raise InputError(
                f"{result.folder}: a node has the name of a word of the format, so the copy"
                " is judged differently",
                "rename the node in the result's files first",
            )
        save(copied, judge(copied))
    except Exception:
        shutil.rmtree(out, ignore_errors=True)
        raise
    return names


def _copy(folder: Path, out: Path, names: Names) -> None:
    out.mkdir(parents=True, mode=0o700)
    ordered = sorted(folder.rglob("*"), key=lambda path: (path.name != LINES, path))
    for path in ordered:
        relative = path.relative_to(folder)
        if not path.is_file() or str(relative) in DERIVED:
            continue
        # Part by part: the replacement of a name may be a path.
        target = out.joinpath(*(names.replaced(part).replace("/", "_") for part in relative.parts))
        target.parent.mkdir(parents=True, exist_ok=True)
        if str(relative) in AS_PRINTED:
            target.write_bytes(path.read_bytes())
            continue
        text = LEFT_OUT if relative.parts[0] in FREE else _text(path, names)
        if path.suffix == COMPRESSED:
            with compressed(target) as file:
                file.write(text.encode())
        else:
            target.write_text(text)


def _renew_sums(result: Result, out: Path) -> None:
    """The copy's manifest has the sums of the copy's files; invalid sums of the result stay
    invalid.
    """
    copied = read_result(out)
    sums = (
        Sums(file_sum(copied, "study.yaml"), file_sum(copied, PUBLISHED))
        if _holds(result)
        else None
    )
    lines = [dict(line) for line in copied.lines]
    renewed = with_sums(lines, sums) if sums else lines
    originals = list(result.of("borrowed"))
    for line, original in zip(
        (item for item in renewed if item["type"] == "borrowed"), originals, strict=True
    ):
        if _holds(Result(result.folder, tuple(original["lines"])), files=False):
            line["lines"] = with_sums(line["lines"], None)
    path = out / LINES
    remaining = deque(zip(copied.lines, renewed, strict=True))
    path.write_text(
        "\n".join(_renewed_text(text, remaining) for text in path.read_text().split("\n"))
    )


def _renewed_text(text: str, remaining: deque[tuple[Line, Line]]) -> str:
    """A line with its current content; one that the reader has left out is unchanged."""
    try:
        line = json.loads(text)
        if remaining and isinstance(line, dict) and line.get("type") == "phase" and SERIES in line:
            remaining.popleft()  # its seconds are in a file; it has no sums
            return text
        is_next = bool(remaining) and line == remaining[0][0]
    except (ValueError, RecursionError):
        return text
    if not is_next:
        return text
    before, after = remaining.popleft()
    return text if before == after else json.dumps(after, separators=(",", ":"))


def _holds(result: Result, *, files: bool = True) -> bool:
    """Whether a result has the manifest, and the `files`, of its run."""
    try:
        manifest = manifest_in(result)
    except NoManifestError:
        return False
    if manifest is None:
        return False
    stated = (manifest.study_sha256, manifest.published_sha256)
    return not files or stated == (file_sum(result, "study.yaml"), file_sum(result, PUBLISHED))


def _content(path: Path) -> str:
    """The text of a file, also of a compressed one."""
    if path.suffix != COMPRESSED:
        return path.read_text(errors="replace")
    with gzip.open(path, "rt", errors="replace") as file:
        return file.read()


def _text(path: Path, names: Names) -> str:
    """The content of a file with replaced names; only the texts in lines of JSON: a figure may look
    like a serial number.
    """
    text = _content(path)
    if ".jsonl" not in path.suffixes[-2:]:
        return names.replaced(text)
    replaced = lru_cache(maxsize=4096)(names.replaced)  # most texts are on every line

    def renamed(line: str) -> str:
        try:
            data = _without_operator(json.loads(line))
            return json.dumps(_renamed(data, replaced), separators=(",", ":"))
        except (ValueError, RecursionError):  # cut off where its writer ended
            return replaced(line)

    return "\n".join(map(renamed, text.split("\n")))


def _without_operator(data: Any) -> Any:
    """A line without the host and the user that ran Seatrial."""
    if not isinstance(data, dict) or data.get("type") not in OF_MACHINE:
        return data
    return {key: value for key, value in data.items() if key not in OPERATOR}


def _renamed(data: Any, replaced: Callable[[str], str]) -> Any:
    if isinstance(data, str):
        return replaced(data)
    if isinstance(data, list):
        return [_renamed(item, replaced) for item in data]
    if isinstance(data, dict):
        return {replaced(key): _renamed(value, replaced) for key, value in data.items()}
    return data
