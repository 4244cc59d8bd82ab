"""The one way a state changes: along its table, by one conditional UPDATE, with its audit event, in one
transaction.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from django.db import models, transaction
from django.db.models.functions import Now

from provisioning.errors import NotVisible, StaleState
from provisioning.models import Actor, PremiumRequest, RouterPush
from provisioning.pipeline.states import PUSH_TRANSITIONS, REQUEST_TRANSITIONS
from provisioning.selectors.pushing import with_names
from provisioning.services import audit, pairs
from provisioning.services.locking import locked
from provisioning.services.telling import events

Row = TypeVar("Row", bound=models.Model)

TABLES: Mapping[type[models.Model], Mapping[Any, frozenset[Any]]] = {
    PremiumRequest: REQUEST_TRANSITIONS,
    RouterPush: PUSH_TRANSITIONS,
}
_VERBS = {PremiumRequest: "request", RouterPush: "push"}
_AT_ONCE = 200
_NAMED_BY = ("change", "router")
"""What the name of a push is made of, beside its own row."""


def move(
    *,
    model: type[Row],
    pk: int,
    from_states: Collection[StrEnum],
    to_state: StrEnum,
    actor: Actor,
    reason: str,
    action: str | None = None,
    noted: Mapping[str, Any] | None = None,
    beside: RouterPush | None = None,
    **fields: Any,
) -> Row:
    """Move the row from one of ``from_states`` to ``to_state``, set ``fields`` with it, and return it as
    it is now.

    ``action`` names the deed in the audit trail; by default it is made from the state reached. ``noted`` is what its event says
    beside the fields. ``beside`` is the same push as the caller has it, with its change and its router: they come with what is
    returned, and of the row only what was written is read again. Raises StaleState when the row is in another state by now,
    NotVisible when it is gone, and ValueError when the table does not know the step (a fault of the caller).
    """
    _in_the_table(model, from_states, to_state)
    rows: Any = model._default_manager
    with transaction.atomic():
        before: Any = locked(rows.filter(pk=pk)).first()
        if before is None:
            raise NotVisible(f"{model.__name__} {pk} does not exist")
        moved = rows.filter(
            pk=pk, state=before.state, state__in=[str(state) for state in from_states]
        ).update(state=str(to_state), state_changed_at=Now(), **fields)
        if moved != 1:
            expected = " or ".join(sorted(str(state) for state in from_states))
            raise StaleState(f"{before} is {before.state}, not {expected}", state=str(before.state))
        after: Any = _after(model, before, fields, beside)
        audit.record(
            actor=actor,
            action=action or f"{_VERBS[model]}.{str(to_state).lower()}",
            obj=after,
            reason=reason,
            before={"state": before.state, **_said(before, fields)},
            after={"state": after.state, **_said(after, fields), **(noted or {})},
            nren_ids=_concerned(after),
        )
        events.moved([after], [before.state])
    return after  # type: ignore[no-any-return]


def _after(
    model: type[models.Model], before: models.Model, fields: Collection[str], beside: RouterPush | None
) -> models.Model:
    """The row as it is now that these fields were written, for who holds it."""
    rows: Any = model._default_manager.filter(pk=before.pk)
    if beside is None or not all(RouterPush._meta.get_field(name).is_cached(beside) for name in _NAMED_BY):  # type: ignore[union-attr]
        return (with_names(rows) if model is RouterPush else rows).get()
    written = [model._meta.get_field(name).attname for name in ("state", "state_changed_at", *fields)]  # type: ignore[union-attr]
    after = copy.copy(before)
    after._state = copy.copy(before._state)
    after._state.fields_cache = {name: getattr(beside, name) for name in _NAMED_BY}
    for name, value in zip(written, rows.values_list(*written).get(), strict=True):
        setattr(after, name, value)
    return after


def move_all(
    *,
    model: type[Row],
    keys: Collection[int],
    from_states: Collection[StrEnum],
    to_state: StrEnum,
    actor: Actor,
    reason: str,
    action: str | None = None,
    own: Mapping[int, Mapping[str, Any]] | None = None,
    noted: Mapping[int, Mapping[str, Any]] | None = None,
    **fields: Any,
) -> list[Row]:
    """As `move`, for many rows in a bounded number of statements; return those moved, by key, as they are now. ``own`` are fields
    whose value is each row's own, by key: the same fields of every row; ``noted`` what each event says beside the fields.

    A row that is gone, or in another state by now, is left as it is: the others are moved all the same. Raises
    ValueError when the table does not know a step.
    """
    _in_the_table(model, from_states, to_state)
    rows: Any = model._default_manager.order_by("pk")
    with transaction.atomic():
        found = locked(rows.filter(pk__in=list(keys), state__in=[str(state) for state in from_states]))
        before: dict[int, Any] = {row.pk: row for row in found}
        rows.order_by().filter(pk__in=list(before)).update(
            state=str(to_state), state_changed_at=Now(), **fields
        )
        names = [*fields, *_write(model, {pk: (own or {}).get(pk, {}) for pk in before})]
        after = list(rows.filter(pk__in=list(before)))
        audit.record_all(
            actor=actor,
            action=action or f"{_VERBS[model]}.{str(to_state).lower()}",
            reason=reason,
            deeds=[
                audit.Deed(
                    row,
                    before={"state": before[row.pk].state, **_said(before[row.pk], names)},
                    after={"state": row.state, **_said(row, names), **(noted or {}).get(row.pk, {})},
                    nren_ids=_concerned(row),
                )
                for row in after
            ],
        )
        events.moved(after, {row.state for row in before.values()})
    return after


def _said(row: models.Model, names: Collection[str]) -> dict[str, Any]:
    """What a row holds in these fields; of another row its key, which need not be read for that."""
    attributes = {name: row._meta.get_field(name).attname for name in names}  # type: ignore[union-attr]
    return {name: getattr(row, attribute) for name, attribute in attributes.items()}


def _write(model: type[models.Model], own: Mapping[int, Mapping[str, Any]]) -> list[str]:
    """Write each row's own values; the names of the fields."""
    names = list(dict.fromkeys(name for values in own.values() for name in values))
    if names:
        rows: Any = [model(pk=pk, **values) for pk, values in own.items()]
        model._default_manager.bulk_update(rows, names, batch_size=_AT_ONCE)
    return names


def _in_the_table(model: type[models.Model], from_states: Collection[StrEnum], to_state: StrEnum) -> None:
    table = TABLES[model]
    for state in from_states:
        if to_state not in table[state]:
            raise ValueError(f"{model.__name__}: {state} -> {to_state} is not in the table")


def _concerned(row: Any) -> list[int]:
    """The NRENs that may see what happened to the row: those of a request."""
    if not isinstance(row, PremiumRequest):
        return []
    return pairs.concerned(row)
