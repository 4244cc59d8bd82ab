"""What a server answered, held against the types that are its promise: one of another version may not keep it."""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from expedite_client.errors import NotUnderstood

Kind = TypeVar("Kind")
_ELSE: Final = "the server answers something else than this client knows"


class JsonObject(dict[str, Any]):
    """An object of JSON. A member that is not there raises NotUnderstood where it is read: perhaps nobody asks for it."""

    def __missing__(self, name: str) -> Any:
        raise NotUnderstood(f"{_ELSE}: there is no {name}")


_NAMES: Final[dict[type, str]] = {
    JsonObject: "an object",
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    NoneType: "null",
}


def check(value: object, shape: Any, at: str = "it") -> None:
    """Raise NotUnderstood where something is of another kind than its shape says, such as null for a list.

    A member that is missing, and one that the shape has not, pass: a server may be older or newer than this client.
    """
    origin = get_origin(shape) or shape
    if is_typeddict(shape):
        found = _of_kind(value, dict, at)
        for name, inner in _members(shape).items():
            if name in found:
                check(found[name], inner, name)
    elif origin is list:
        (inner,) = get_args(shape) or (Any,)
        for one in _of_kind(value, list, at):
            check(one, inner, at)
    elif origin in (Union, UnionType):
        if value is not None:
            (inner, *others) = [each for each in get_args(shape) if each is not NoneType]
            check(value, Any if others else inner, at)
    elif origin is float:
        _of_kind(value, int if isinstance(value, int) else float, at)  # JSON has one kind of number
    elif origin is not Any and origin is not Literal:
        _of_kind(value, origin, at)


def _of_kind(value: object, kind: type[Kind], at: str) -> Kind:
    if not isinstance(value, kind):
        raise NotUnderstood(f"{_ELSE}: {at} is {_NAMES[type(value)]}, not {_NAMES[kind]}")
    return value


@cache
def _members(shape: Any) -> dict[str, Any]:
    return get_type_hints(shape)
