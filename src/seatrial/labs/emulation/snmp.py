"""A small SNMP agent, versions 1 and 2c: BER, and GET, GETNEXT and SET over a table; no I/O.

No lightweight library has the agent's side, and a fence agent uses little of SNMP.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

Oid = tuple[int, ...]
Value = int | bytes | Oid | None

INTEGER = 0x02
OCTETS = 0x04
NULL = 0x05
OBJECT_ID = 0x06
SEQUENCE = 0x30
TICKS = 0x43
NO_SUCH_OBJECT = 0x80
"""version 2c sends it in place of the value of an unknown object"""
END_OF_VIEW = 0x82
"""version 2c sends it in place of a value after the last object"""
GET = 0xA0
GET_NEXT = 0xA1
RESPONSE = 0xA2
SET = 0xA3
VERSION_1 = 0
VERSION_2C = 1
NO_SUCH_NAME = 2
BAD_VALUE = 3
WRONG_VALUE = 10
NOT_WRITABLE = 17


class MalformedError(ValueError):
    """The bytes are no message that this agent supports."""


@dataclass(frozen=True)
class Ticks:
    """A time in hundredths of a second."""

    hundredths: int


Bound = tuple[Oid, Value | Ticks]


# ---- basic encoding rules


def tagged(tag: int, content: bytes) -> bytes:
    """One element with this tag."""
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def encode(value: Value | Ticks) -> bytes:
    """A value with the tag of its type."""
    if value is None:
        return tagged(NULL, b"")
    if isinstance(value, Ticks):
        return tagged(TICKS, _integer(value.hundredths % 2**32))
    if isinstance(value, int):
        return tagged(INTEGER, _integer(value))
    if isinstance(value, bytes):
        return tagged(OCTETS, value)
    return tagged(OBJECT_ID, _oid(value))


def _integer(value: int) -> bytes:
    magnitude = value if value >= 0 else ~value
    return value.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)


def _oid(oid: Oid) -> bytes:
    if len(oid) < 2:
        raise ValueError(f"{oid} is too short for an object identifier")
    content = b""
    for number in (oid[0] * 40 + oid[1], *oid[2:]):
        septets = [number & 0x7F]
        while number := number >> 7:
            septets.append(number & 0x7F | 0x80)
        content += bytes(reversed(septets))
    return content


class Reader:
    """Reads elements from the front; MalformedError when the next one is of another kind."""

    def __init__(self, octets: bytes) -> None:
        self.rest = octets

    def element(self) -> tuple[int, bytes]:
        """The next tag and its content."""
        if len(self.rest) < 2:
            raise MalformedError("an element is cut short")
        tag = self.rest[0]
        length = self.rest[1]
        start = 2
        if length & 0x80:
            start += length & 0x7F
            if not 2 < start <= min(6, len(self.rest)):
                raise MalformedError("this profile of a length is not supported")
            length = int.from_bytes(self.rest[2:start], "big")
        if start + length > len(self.rest):
            raise MalformedError("an element is longer than the message")
        content, self.rest = self.rest[start : start + length], self.rest[start + length :]
        return tag, content

    def content(self, tag: int) -> bytes:
        """The content of the next element, which must have this tag."""
        actual, content = self.element()
        if actual != tag:
            raise MalformedError(f"tag {actual:#x} instead of {tag:#x}")
        return content

    def integer(self) -> int:
        """The next element, an integer."""
        return _read_integer(self.content(INTEGER))

    def value(self) -> Value | Ticks:
        """The next element, of any type of a variable."""
        tag, content = self.element()
        if tag == INTEGER:
            return _read_integer(content)
        if tag == OCTETS:
            return content
        if tag == OBJECT_ID:
            return _read_oid(content)
        if tag == TICKS:
            return Ticks(_read_integer(content))
        if tag in (NULL, NO_SUCH_OBJECT, END_OF_VIEW):
            return None
        raise MalformedError(f"a value of tag {tag:#x} is not supported")


def _read_integer(content: bytes) -> int:
    if not content:
        raise MalformedError("an integer without octets")
    return int.from_bytes(content, "big", signed=True)


def _read_oid(content: bytes) -> Oid:
    if not content or content[-1] & 0x80:
        raise MalformedError("an object identifier is cut short")
    numbers = []
    number = 0
    for octet in content:
        number = number << 7 | octet & 0x7F
        if not octet & 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return (first, numbers[0] - 40 * first, *numbers[1:])


# ---- messages


@dataclass(frozen=True)
class Message:
    """A request or a response."""

    version: int
    community: bytes
    kind: int
    request_id: int
    error: int
    error_index: int
    bound: tuple[Bound, ...]

    @classmethod
    def decode(cls, octets: bytes) -> "Message":
        """Parse a message; MalformedError when it is invalid."""
        whole = Reader(Reader(octets).content(SEQUENCE))
        version = whole.integer()
        community = whole.content(OCTETS)
        kind, content = whole.element()
        body = Reader(content)
        numbers = [body.integer() for _ in range(3)]
        pairs = Reader(body.content(SEQUENCE))
        bound = []
        while pairs.rest:
            pair = Reader(pairs.content(SEQUENCE))
            bound.append((_read_oid(pair.content(OBJECT_ID)), pair.value()))
        return cls(version, community, kind, numbers[0], numbers[1], numbers[2], tuple(bound))

    def encode(self, exceptions: Mapping[int, int] | None = None) -> bytes:
        """The bytes; `exceptions` maps an index (from 0) to the tag that replaces its value."""
        tags = exceptions or {}
        pairs = b"".join(
            tagged(
                SEQUENCE,
                encode(oid) + (tagged(tags[index], b"") if index in tags else encode(value)),
            )
            for index, (oid, value) in enumerate(self.bound)
        )
        body = b"".join(
            encode(number) for number in (self.request_id, self.error, self.error_index)
        )
        head = encode(self.version) + encode(self.community)
        return tagged(SEQUENCE, head + tagged(self.kind, body + tagged(SEQUENCE, pairs)))


# ---- the agent


class Table(Protocol):
    """The variables of an agent."""

    async def read(self) -> Mapping[Oid, Value | Ticks]:
        """All current values."""

    def may_write(self, oid: Oid, value: Value | Ticks) -> bool | None:
        """None when `oid` is read-only; False when it does not accept this value."""

    async def write(self, oid: Oid, value: Value | Ticks) -> None:
        """Write the value."""


async def answer(request: Message, table: Table) -> bytes:
    """The response to a request of version 1 or 2c; MalformedError for an unsupported request."""
    if request.version not in (VERSION_1, VERSION_2C) or request.kind not in (GET, GET_NEXT, SET):
        raise MalformedError("neither GET, GETNEXT nor SET of version 1 or 2c")
    if request.kind == SET:
        return await _answer_set(request, table)
    values = await table.read()
    names = sorted(values)
    bound: list[Bound] = []
    exceptions: dict[int, int] = {}
    for index, (oid, _) in enumerate(request.bound):
        next_oid: Oid | None = oid if oid in values else None
        if request.kind == GET_NEXT:
            place = bisect_right(names, oid)
            next_oid = names[place] if place < len(names) else None
        if next_oid is None and request.version == VERSION_1:
            return _refusal(request, NO_SUCH_NAME, index)
        if next_oid is None:
            exceptions[index] = NO_SUCH_OBJECT if request.kind == GET else END_OF_VIEW
        bound.append((next_oid or oid, values[next_oid] if next_oid else None))
    return _response(request, tuple(bound), exceptions)


async def _answer_set(request: Message, table: Table) -> bytes:
    """Write all variables or none: every one is checked before the first write."""
    for index, (oid, value) in enumerate(request.bound):
        allowed = table.may_write(oid, value)
        if allowed is None:
            return _refusal(
                request, NO_SUCH_NAME if request.version == VERSION_1 else NOT_WRITABLE, index
            )
        if not allowed:
            return _refusal(
                request, BAD_VALUE if request.version == VERSION_1 else WRONG_VALUE, index
            )
    for oid, value in request.bound:
        await table.write(oid, value)
    return _response(request, request.bound, {})


def _response(request: Message, bound: tuple[Bound, ...], exceptions: dict[int, int]) -> bytes:
    return Message(
        request.version, request.community, RESPONSE, request.request_id, 0, 0, bound
    ).encode(exceptions)


def _refusal(request: Message, error: int, index: int) -> bytes:
    return Message(
        request.version,
        request.community,
        RESPONSE,
        request.request_id,
        error,
        index + 1,
        request.bound,
    ).encode()
