"""The places in rows where text stands that people, other networks or routers wrote, and the filling of them.

Rows are written by hand here, past every door: what is refused today may stand in a row of before, and what a router says was
never refused. What a door refuses is another test's (`test_doors`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import CharField, Model

from inventory.models import Interface, Nren, Peering, Pop
from provisioning.models import (
    ApiToken,
    AuditEvent,
    BreakGlass,
    CapacityChange,
    Change,
    ConfigSnapshot,
    Message,
    Modification,
    Notification,
    PremiumRequest,
    Reservation,
    RouterPush,
    RouterSync,
    Subscriber,
    Transcript,
)
from tests.fuzz.values import Drawn, harmless, storable

TEXTS: dict[type[Model], tuple[str, ...]] = {
    PremiumRequest: ("contact", "reason", "decision_reason"),
    Reservation: ("waits_for", "drift", "drift_by"),
    Modification: ("reason", "decision_reason"),
    Change: ("title", "reason", "approval_reason", "override_reason", "pause_reason", "ticket", "ahead_why"),
    RouterPush: ("error",),
    CapacityChange: ("reason", "said_by"),
    BreakGlass: ("reason", "acknowledgement"),
    ApiToken: ("name",),
    Subscriber: ("address",),
    Message: ("error",),
    Notification: ("title", "text"),
    AuditEvent: ("reason", "object_label", "actor", "account"),
    Interface: ("description", "exempt_reason"),
    User: ("first_name", "last_name"),
}
"""Columns of text; each row's is a place of its own."""

NAMES: dict[type[Model], tuple[str, ...]] = {
    Nren: ("name",),
    Pop: ("name",),
    Peering: ("peer",),
    User: ("username",),
}
"""Columns whose rows must differ, and by which lists are sorted: the value stands behind something of its own."""

INSIDE: dict[type[Model], dict[str, Callable[[str], Any]]] = {
    PremiumRequest: {"warnings": lambda text: [text]},
    BreakGlass: {"objections": lambda text: [text]},
    RouterPush: {"unsaved": lambda text: [f"+ {text}", f"- {text}"]},
    Change: {
        "open_edges": lambda text: [{"router": "de6", "interface": f"x{text}", "reason": text}],
    },
    RouterSync: {
        "detail": lambda text: {
            "items": [{"object": f"policy-map {text}", "expected": f"a {text}", "found": "b"}]
        },
        "open_edges": lambda text: [{"interface": f"x{text}", "reason": text}],
    },
    ConfigSnapshot: {
        "text": lambda text: f"!\nhostname nl6\n!\ninterface POS1/0\n description {_flat(text)}\n!\nend\n"
    },
    Transcript: {"lines": lambda text: [[0.1, ">", text], [0.2, "<", f"nl6#{text}"]]},
    AuditEvent: {
        "before": lambda text: {"rate": text},
        "after": lambda text: {text: text, "rate": [text, None]},
    },
}
"""Columns that hold more than one text, and what one value makes of them."""

PER_MODEL = 12
OF_EVENTS = 50
"""So many rows of a model are filled at most, the newest: those are shown."""


def _flat(text: str) -> str:
    return "".join(each for each in text if each not in "\n\r")


@dataclass(frozen=True)
class Filled:
    """One place with its value: `put(True)` writes the harmless one of the same shape."""

    model: type[Model]
    key: Any
    column: str
    token: str
    value: str
    make: Callable[[str], Any]

    def put(self, plain: bool) -> None:
        cut = len(self.value) // 2
        parts = (self.value[:cut], self.value[cut:])
        head, tail = map(harmless, parts) if plain and not self.value.isspace() else parts
        text = f"{head}{self.token}{tail}"
        self.model._default_manager.filter(pk=self.key).update(**{self.column: self.make(text)})


def filled(drawn: Drawn, models: Collection[type[Model]] = ()) -> list[Filled]:
    """A value for every place there is (in these models, where some are named), of the length that its column takes."""
    return list(_filled(drawn, models or (*TEXTS, *NAMES, *INSIDE)))


def _filled(drawn: Drawn, models: Collection[type[Model]]) -> Iterator[Filled]:
    for model in dict.fromkeys(models):
        most = OF_EVENTS if model is AuditEvent else PER_MODEL
        keys = list(model._default_manager.order_by("-pk").values_list("pk", flat=True)[:most])
        makers: dict[str, tuple[Callable[[str], Any], bool]] = {
            **dict.fromkeys(TEXTS.get(model, ()), (str, False)),
            **dict.fromkeys(NAMES.get(model, ()), (str, True)),
            **{column: (make, False) for column, make in INSIDE.get(model, {}).items()},
        }
        for key in keys:
            for column, (make, apart) in makers.items():
                field = model._meta.get_field(column)
                longest = (field.max_length or 2000) if isinstance(field, CharField) else 2000
                token = drawn.token()
                value = storable(drawn.one(), max(longest - len(token), 0))
                if apart:
                    value, token = value[: longest - 2 * len(token)], token
                    yield Filled(model, key, column, token, value, _behind(token))
                else:
                    yield Filled(model, key, column, token, value, make)


def _behind(token: str) -> Callable[[str], str]:
    return lambda text: f"{token}{text}"
