"""A row of the inventory is edited: on top of what was read, never over what somebody else wrote since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

from inventory.models import AccessLink, Interface, Nren, Router
from provisioning.errors import Conflict, InvalidFields, InvalidInput, NotAsRead, StaleState
from provisioning.models import Actor, AuditEvent, PremiumRequest, Verb
from provisioning.pipeline.states import SENDING, PushState, RequestState
from provisioning.pipeline.units import instant_text
from provisioning.selectors.authority import permit
from provisioning.services.audit import Deed
from provisioning.services.credentials import REACHED_BY, give_up, may_sign_in
from provisioning.services.inventory.contradictions import refuse_overlapping_prefixes
from provisioning.services.inventory.dependents import pushes_on
from provisioning.services.inventory.editable import (
    PREFIXES,
    Row,
    domain_of,
    kind_of,
    networks_of,
    put_values,
    spelled,
    values_of,
)
from provisioning.services.inventory.report import FieldChange
from provisioning.services.inventory.rewriting import Rewritten, Written, rewrite
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text

_DRIVEN_BY = REACHED_BY | {"platform", "ios", "driver"}
"""How a push speaks to its router, and with what."""
_LIVING = (RequestState.SUBMITTED, RequestState.HELD, RequestState.ADMITTED, RequestState.ACTIVE)


class RowChanged(NotAsRead):
    """Somebody else edited a row since it was read: ``standing`` is what its fields read now."""


def edit(
    *,
    actor: Actor,
    row: Row,
    values: Mapping[str, Any],
    reason: str,
    seen: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> Rewritten:
    """Give a row of the network these values of its editable fields, and return what comes of it; on a dry run nothing stays.

    ``seen`` is how the fields read when the form was made (`editable.spelled`): where one reads otherwise by now, nothing is
    written and RowChanged names it with who changed it. A field that is not in ``values`` stays as it is.
    With another address, port or host key of a router its stored sign-in is given up (`credentials.give_up`).

    Raises NotPermitted unless the table gives the actor the network, InvalidFields with everything that is wrong, StaleState
    where the row was retired, ReservationsStranded, Conflict where prefixes overlap another NREN's or a push of the router is
    half way.
    """
    permit(actor, Verb.NETWORK)
    why = reason_text(reason)
    kind = kind_of(row)
    unknown = sorted(set(values) - set(kind.fields))
    if unknown:
        raise InvalidInput(f"{', '.join(unknown)}: not to be edited here", field=unknown[0])

    def write() -> Written:
        there = fresh(row)
        before = spelled(values_of(there))
        refuse_changed(there, before, seen)
        wanted = {name: value for name, value in values.items() if _differs(name, value, before)}
        if not wanted:
            return Written(())
        _refuse_prefixes_in_use(there, wanted)
        put_values(there, wanted)
        # After what is wrong with the values themselves: whoever waits for the push need not be told that then.
        _refuse_half_way(there, wanted)
        if PREFIXES in wanted:
            refuse_overlapping_prefixes()
        after = spelled(values_of(fresh(row)))
        changed = [name for name in kind.fields if before[name] != after[name]]
        changes = tuple(FieldChange(name, before[name], after[name]) for name in changed)
        deed = Deed(
            there,
            {name: before[name] for name in changed},
            {name: after[name] for name in changed},
            seen_by(there),
        )
        if isinstance(there, Router) and REACHED_BY & set(changed) and may_sign_in(there):
            deed = replace(deed, after={**(deed.after or {}), "sign_in": "given up"})
            return Written((deed,), changes, last=lambda: give_up(there))
        return Written((deed,) if changed else (), changes)

    return rewrite(
        actor=actor,
        domain=domain_of(row),
        action=f"{kind.slug}.edit",
        cause=f"{row} is edited",
        reason=why,
        write=write,
        dry_run=dry_run,
    )


def fresh(row: Row) -> Row:
    """Return the row as it is stored now, locked. Raises StaleState where it is in use no more."""
    model: Any = type(row)
    found: Row | None = locked(model._default_manager.filter(pk=row.pk)).first()
    if found is None:
        raise StaleState(f"{row} was retired meanwhile. Nothing was written.")
    return found


def _differs(name: str, value: Any, before: Mapping[str, str]) -> bool:
    if name == PREFIXES:
        try:
            value = [str(network) for network in networks_of(value)]
        except InvalidInput:
            return True  # what is wrong with it is said with everything else
    return spelled({name: value})[name] != before[name]


def refuse_changed(row: Row, now: Mapping[str, str], seen: Mapping[str, str] | None) -> None:
    """Raise RowChanged where a field reads otherwise ``now`` than it was ``seen``; None: it was not read."""
    if seen is None:
        return
    others = [name for name, text in now.items() if name in seen and seen[name] != text]
    if not others:
        return
    said = "; ".join(
        f"{name} read {seen[name] or 'nothing'} and is {now[name] or 'nothing'}" for name in others
    )
    event = (
        AuditEvent.objects.filter(object_type=type(row).__name__, object_id=str(row.pk))
        .order_by("-chain_index")
        .first()
    )
    # An import writes no event about the row: the last one may be of somebody who wrote something else.
    after = event.after if event is not None and isinstance(event.after, dict) else {}
    theirs = event is not None and any(name in after and str(after[name]) == now[name] for name in others)
    by = (
        f" {event.actor} changed it at {instant_text(event.at)}."
        if event is not None and theirs
        else " An import, or somebody else, changed it."
    )
    raise RowChanged(
        f"{row} is not what you read any more: {said}.{by} Nothing was written.",
        standing=dict(now),
        changed=others,
    )


def _refuse_half_way(row: Row, wanted: Mapping[str, Any]) -> None:
    """A router is driven to the end of a push as it was when that began. One that is UNKNOWN keeps the platform alone: that its
    router is reached elsewhere, or has another release, may be what it waits for."""
    fields = _DRIVEN_BY & wanted.keys()
    if not isinstance(row, Router) or not fields:
        return
    states = (*SENDING, PushState.UNKNOWN) if "platform" in fields else SENDING
    if (obstacle := pushes_on([row.pk], states=states)) is not None:
        raise Conflict(
            f"{', '.join(sorted(fields))} of {row} cannot change now. {obstacle} Nothing was written."
        )


def _refuse_prefixes_in_use(row: Row, wanted: Mapping[str, Any]) -> None:
    """A prefix stays while a request that is not over sends from it, or is sent to it."""
    if not isinstance(row, Nren) or PREFIXES not in wanted:
        return
    try:
        kept = networks_of(wanted[PREFIXES])
    except InvalidInput:
        return
    left = [network for network in networks_of(values_of(row)[PREFIXES]) if network not in kept]
    if not left:
        return
    asked = PremiumRequest.objects.filter(state__in=_LIVING)
    used: dict[str, set[str]] = {}
    for column, link in (
        ("source_prefixes", "source_link__nren"),
        ("destination_prefixes", "destination_link__nren"),
    ):
        for key, texts in asked.filter(**{link: row.pk}).order_by("pk").values_list("pk", column):
            for network in map(ip_network, texts):
                if any(network.overlaps(one) for one in left) and not any(
                    one.version == network.version and network.subnet_of(one)  # type: ignore[arg-type]
                    for one in kept
                ):
                    used.setdefault(f"PIP-{key}", set()).add(str(network))
    if used:
        said = ", ".join(f"{name} ({', '.join(sorted(nets))})" for name, nets in list(used.items())[:20])
        raise InvalidFields([InvalidInput(f"still used by {said}: end these first", field=PREFIXES)])


def seen_by(row: Row) -> list[int]:
    """Return the NRENs whose row it is: they see what happens to it."""
    if isinstance(row, Nren):
        return [row.pk]
    if isinstance(row, AccessLink):
        return [row.nren_id]
    if isinstance(row, Interface):
        return list(AccessLink.objects.filter(interface=row.pk).values_list("nren_id", flat=True))
    return []
