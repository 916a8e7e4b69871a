"""The SNMP agent: encoded messages are decoded, malformed ones are refused, and the three
requests.
"""

import asyncio
import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.labs.emulation import snmp
from seatrial.labs.emulation.snmp import (
    GET,
    GET_NEXT,
    RESPONSE,
    SET,
    MalformedError,
    Message,
    Oid,
    Reader,
    Ticks,
    Value,
)

NUMBERS = st.integers(0, 2**32 - 1)
OIDS = st.tuples(st.integers(0, 2), st.integers(0, 39)).flatmap(
    lambda head: st.lists(NUMBERS, max_size=12).map(lambda rest: (*head, *rest))
)
VALUES = st.one_of(
    st.none(),
    st.integers(-(2**31), 2**32),
    st.binary(max_size=300),
    OIDS,
    st.integers(0, 2**32 - 1).map(Ticks),
)
MESSAGES = st.builds(
    Message,
    st.sampled_from([0, 1]),
    st.binary(max_size=20),
    st.sampled_from([GET, GET_NEXT, RESPONSE, SET]),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(0, 20),
    st.integers(0, 20),
    st.lists(st.tuples(OIDS, VALUES), max_size=5).map(tuple),
)


@given(VALUES)
def test_a_value_survives_a_round_trip(value: Value | Ticks) -> None:
    """Nothing is left over."""
    reader = Reader(snmp.encode(value))
    assert reader.value() == value
    assert reader.rest == b""


@given(MESSAGES)
def test_a_message_survives_a_round_trip(message: Message) -> None:
    """Of both versions, with many variables."""
    assert Message.decode(message.encode()) == message


@pytest.mark.parametrize(
    ("octets", "value"),
    [
        ("020100", 0),
        ("02017f", 127),
        ("02020080", 128),
        ("0201ff", -1),
        ("020180", -128),
        ("0500", None),
        ("06082b06010201010200", (1, 3, 6, 1, 2, 1, 1, 2, 0)),
        ("06092b06010401823e0305", (1, 3, 6, 1, 4, 1, 318, 3, 5)),
    ],
)
def test_the_encoding_is_that_of_everybody(octets: str, value: Value) -> None:
    """Octets as the standard has them, so that encoder and decoder are not wrong together."""
    assert snmp.encode(value).hex() == octets
    assert Reader(bytes.fromhex(octets)).value() == value


def test_altered_messages_are_read_or_refused() -> None:
    """Never another error, and never without end; from a fixed seed."""
    rng = random.Random(161)
    good = Message(
        1, b"private", SET, 7, 0, 0, (((1, 3, 6, 1, 4), 5), ((1, 3, 300), b"x" * 140))
    ).encode()
    for _ in range(3000):
        octets = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            octets[rng.randrange(len(octets))] = rng.randrange(256)
        del octets[rng.choice([len(octets), rng.randrange(len(octets) + 1)]) :]
        try:
            Message.decode(bytes(octets))
        except MalformedError:
            continue


@pytest.mark.parametrize(
    "octets", ["", "02", "0200", "0600", "060181", "0405", "0480", "30840000", "020301", "460100"]
)
def test_truncated_messages_are_refused(octets: str) -> None:
    """Elements without content, lengths beyond the end, types that no variable has."""
    with pytest.raises(MalformedError):
        Reader(bytes.fromhex(octets)).value()


class Table:
    """Two that can be read, one that can be written."""

    def __init__(self) -> None:
        self.values: dict[Oid, Value | Ticks] = {(1, 3, 1): b"name", (1, 3, 2): 1, (1, 3, 10): 3}

    async def read(self) -> Mapping[Oid, Value | Ticks]:
        return self.values

    def may_write(self, oid: Oid, value: Value | Ticks) -> bool | None:
        return value in (1, 2) if oid == (1, 3, 2) else None

    async def write(self, oid: Oid, value: Value | Ticks) -> None:
        self.values[oid] = value


def ask(
    version: int, kind: int, *bound: tuple[Oid, Value]
) -> tuple[int, int, list[tuple[Oid, Value | Ticks]]]:
    """(error, index, variables) of the answer."""
    request = Message(version, b"c", kind, 42, 0, 0, bound)
    answer = Message.decode(asyncio.run(snmp.answer(request, Table())))
    assert (answer.kind, answer.request_id, answer.community) == (RESPONSE, 42, b"c")
    return answer.error, answer.error_index, list(answer.bound)


def test_get_and_next() -> None:
    """Numbers are in order of size, not of text; past the end each version answers in its own
    form.
    """
    assert ask(0, GET, ((1, 3, 1), None), ((1, 3, 2), None)) == (
        0,
        0,
        [((1, 3, 1), b"name"), ((1, 3, 2), 1)],
    )
    assert ask(0, GET_NEXT, ((1, 3, 2), None)) == (0, 0, [((1, 3, 10), 3)])
    assert ask(0, GET, ((1, 3, 2), None), ((1, 3), None))[:2] == (snmp.NO_SUCH_NAME, 2)
    assert ask(0, GET_NEXT, ((1, 3, 10), None))[:2] == (snmp.NO_SUCH_NAME, 1)
    assert ask(1, GET_NEXT, ((1, 3, 10), None)) == (0, 0, [((1, 3, 10), None)])
    end = asyncio.run(snmp.answer(Message(1, b"c", GET_NEXT, 1, 0, 0, (((1, 4), None),)), Table()))
    assert end.endswith(bytes([snmp.END_OF_VIEW, 0]))


def test_set_does_all_or_nothing() -> None:
    """A variable that cannot be written, or not so, keeps the others from being written."""
    assert ask(0, SET, ((1, 3, 2), 2)) == (0, 0, [((1, 3, 2), 2)])
    assert ask(0, SET, ((1, 3, 2), 9))[:2] == (snmp.BAD_VALUE, 1)
    assert ask(1, SET, ((1, 3, 2), 9))[:2] == (snmp.WRONG_VALUE, 1)
    assert ask(0, SET, ((1, 3, 1), b"x"))[:2] == (snmp.NO_SUCH_NAME, 1)
    assert ask(1, SET, ((1, 3, 1), b"x"))[:2] == (snmp.NOT_WRITABLE, 1)
    table = Table()
    asyncio.run(
        snmp.answer(Message(1, b"c", SET, 1, 0, 0, (((1, 3, 2), 2), ((1, 3, 1), 2))), table)
    )
    assert table.values[1, 3, 2] == 1


def test_other_requests_are_none_of_ours() -> None:
    """Version 3, or a bulk request."""
    for version, kind in ((3, GET), (1, 0xA5)):
        with pytest.raises(MalformedError):
            asyncio.run(snmp.answer(Message(version, b"c", kind, 1, 0, 0, ()), Table()))
