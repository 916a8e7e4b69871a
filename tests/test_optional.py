"""Optional interfaces answer `isinstance` as Python's own protocols do."""

from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import pytest

from seatrial.basics.optional import Optional


@runtime_checkable
class Named(Protocol, metaclass=Optional):
    """With a value."""

    name: str


@runtime_checkable
class Opens(Named, Protocol, metaclass=Optional):
    """With a value of another one, and a method."""

    def open(self) -> None:
        """It has no effect."""


class Door(Opens):
    """It inherits the interface, and a class that inherits is no protocol."""

    name = "door"

    def open(self) -> None:
        """It has no effect."""


class Gate:
    """It has each name, and inherits nothing."""

    def open(self) -> None:
        """It has no effect."""

    @property
    def name(self) -> str:
        """A question about the interface must not work it out."""
        raise AssertionError

    @cached_property
    def other(self) -> str:
        """No interface asks for it."""
        raise AssertionError


class Given:
    """Only its instances have the value."""

    def __init__(self) -> None:
        self.name = "given"


@pytest.mark.parametrize(
    ("item", "interfaces"),
    [
        (Door(), (Named, Opens)),
        (Gate(), (Named, Opens)),
        (Given(), (Named,)),
        (object(), ()),
        (None, ()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_object_is_known_by_the_names_of_its_members(
    item: Any, interfaces: tuple[type, ...]
) -> None:
    """The class or the instance has them. A protocol that extends another one asks for both."""
    assert tuple(kind for kind in (Named, Opens) if isinstance(item, kind)) == interfaces


def test_a_class_that_inherits_is_asked_for_by_its_type() -> None:
    """Not by its names."""
    assert isinstance(Door(), Door)
    assert not isinstance(Gate(), Door)
