"""Optional interfaces: protocols that answer `isinstance` by the names of their members.

Python 3.11 collects the members of a protocol again for each question, and then evaluates each
property of the object. A study asks thousands of times.
"""

from functools import cache
from inspect import get_annotations
from typing import Any, Protocol, _ProtocolMeta


class Optional(_ProtocolMeta):
    """The metaclass of such a protocol; it also needs `runtime_checkable`."""

    def __instancecheck__(self, instance: Any) -> bool:
        if not self.__dict__.get("_is_protocol", False):  # a class that inherits from one
            return super().__instancecheck__(instance)
        kind = type(instance)
        return all(hasattr(kind, name) or hasattr(instance, name) for name in _members(self))


@cache
def _members(protocol: type) -> tuple[str, ...]:
    """The public names that a protocol and those that it extends ask for."""
    protocols = [
        item
        for item in protocol.__mro__
        if item is not Protocol and item.__dict__.get("_is_protocol", False)
    ]
    names = (name for item in protocols for name in (*item.__dict__, *get_annotations(item)))
    return tuple(dict.fromkeys(name for name in names if not name.startswith("_")))
