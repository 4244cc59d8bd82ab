"""What is said of an object of a NetBox that is not in the file, and how its fields are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inventory.readers.errors import printable
from inventory.readers.netbox.bundle import Object

Outcome = Literal["wrong", "left out"]


@dataclass(frozen=True)
class NotInFile:
    """One object: `wrong` is not taken and has to be mended, or the rules have; `left out` is not taken by a rule."""

    outcome: Outcome
    kind: str
    key: int
    name: str
    field: str
    reason: str

    def line(self) -> str:
        """Return the remark for a terminal: ``wrong     dcim.interface 17 uk6 POS1/0: speed: ...``."""
        said = f"{self.field}: {self.reason}" if self.field else self.reason
        return printable(f"{self.outcome:9} {self.kind} {self.key} {self.name}: {said}")


MISSHAPEN = (AttributeError, KeyError, TypeError)
"""What reading an object raises that is of another shape than NetBox's schema has: a bundle may be written by hand."""
OTHER_SHAPE = "is not what NetBox's API answers"


class NotTaken(Exception):
    """An object is not taken: why, and whether something is wrong with it."""

    def __init__(self, reason: str, field: str = "", *, wrong: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.field = field
        self.wrong = wrong


def left_out(reason: str) -> NotTaken:
    """Return that an object is not taken by a rule."""
    return NotTaken(reason, wrong=False)


class Remarks:
    """What is said of objects, one remark for each object and field."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, int, str], NotInFile] = {}

    def add(self, kind: str, each: Object, error: NotTaken) -> None:
        """Say why an object is not taken."""
        self.say(
            "wrong" if error.wrong else "left out", kind, each["id"], name_of(each), error.field, error.reason
        )

    def say(self, outcome: Outcome, kind: str, key: int, name: str, field: str, reason: str) -> None:
        """Say something of an object; what was said first of a field of it stays."""
        self._said.setdefault((kind, key, field), NotInFile(outcome, kind, key, name, field, reason))

    def all(self) -> tuple[NotInFile, ...]:
        """Return what is wrong, then what is left out, by object."""
        return tuple(
            sorted(
                self._said.values(),
                key=lambda each: (each.outcome != "wrong", each.kind, each.key, each.field),
            )
        )


def name_of(each: Object) -> str:
    """What people call an object: an interface with its device."""
    name = str(each.get("name") or each.get("display") or each.get("cid") or "")
    device = inner(each, "device")
    return f"{device.get('name') or device.get('display') or ''} {name}".strip()


def inner(each: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the object nested in a field; an empty one where there is none."""
    found = each.get(name)
    return found if isinstance(found, dict) else {}


def key_of(each: Mapping[str, Any]) -> int:
    """Return the id of an object; 0, which no object has, where there is none."""
    found = each.get("id")
    return found if isinstance(found, int) else 0


def id_of(each: Mapping[str, Any], name: str) -> int:
    """Return the id of the object nested in a field; 0 where there is none."""
    return key_of(inner(each, name))


def slug_of(each: Mapping[str, Any], name: str) -> str:
    """Return the slug of the object nested in a field; "" where there is none."""
    return str(inner(each, name).get("slug") or "")


def value_of(each: Mapping[str, Any], name: str) -> str:
    """Return the value of a choice field, such as ``status``: ``{"value": "active", "label": "Active"}``."""
    found = each.get(name)
    return str(found.get("value") or "") if isinstance(found, dict) else str(found or "")


def refuse_status(each: Object, *allowed: str) -> None:
    """Raise NotTaken for an object whose status is none of these; one that has none is active."""
    status = value_of(each, "status") or "active"
    if status not in (allowed or ("active",)):
        raise left_out(f"its status is {status}")


class Customs:
    """The custom fields of an object, by what the rules call them."""

    def __init__(self, fields: Mapping[str, str], *objects: Object) -> None:
        self._fields = fields
        self._objects = objects

    def get(self, name: str) -> Any:
        """Return what is said; None where nothing is. Raises NotTaken where two objects say different things."""
        called = self._fields.get(name)
        if called is None:
            return None
        said = [inner(each, "custom_fields").get(called) for each in self._objects]
        given = [_plain(value) for value in said if value not in (None, "", [])]
        if any(value != given[0] for value in given[1:]):
            raise NotTaken(f"says {given[0]!r:.40} here and {given[1]!r:.40} there", called)
        return given[0] if given else None

    def into(self, entry: dict[str, Any], *names: str) -> dict[str, Any]:
        """Put what is said under these names into an entry, and return it."""
        for name in names:
            if (value := self.get(name)) is not None:
                entry[name] = value
        return entry


def _plain(value: Any) -> Any:
    """A selection is its value, an object its slug or name."""
    if isinstance(value, dict):
        return value.get("value") or value.get("slug") or value.get("name")
    return int(value) if isinstance(value, float) and value.is_integer() else value
