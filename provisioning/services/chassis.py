"""The chassis of a router: its serial is learnt at the first reading, and another one is taken only at a person's word."""

from __future__ import annotations

from django.db import transaction

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import SYSTEM, Actor, RouterSync, Verb
from provisioning.pipeline.platforms import same_serial
from provisioning.selectors.authority import permit_named
from provisioning.services import audit, queues
from provisioning.services.locking import locked
from provisioning.services.wording import one_line, reason_text

LONGEST = 64


def learn(*, router: Router, serial: str) -> None:
    """Note the serial that a router showed where the inventory has none: from then on no other is taken for it."""
    if len(serial) > LONGEST:
        return
    with transaction.atomic():
        row = locked(Router.objects.filter(pk=router.pk)).get()
        if row.serial:
            return
        Router.objects.filter(pk=router.pk).update(serial=serial)
        audit.record(
            actor=SYSTEM,
            action="router.serial-learnt",
            obj=row,
            reason="as the router showed it when it was read; the inventory had none",
            before={"serial": ""},
            after={"serial": serial},
        )
    router.serial = serial


def accept(*, actor: Actor, router: Router, serial: str, reason: str) -> Router:
    """Take the serial that another chassis showed in place of the one in the inventory: it was replaced.

    Only the NOC, and only the serial that the router showed when it was last read: who accepts names it, so that nobody
    accepts unseen what has changed again. Its work goes on with the next look at its queue. A platform or release that
    contradicts the inventory is not accepted here; the inventory is corrected. Accepting what the inventory has is nothing.

    Raises NotPermitted, InvalidInput, Conflict when no such router answered.
    """
    permit_named(actor, Verb.MEND)
    serial = one_line(serial, field="serial", longest=LONGEST)
    reason = reason_text(reason)
    with transaction.atomic():
        row = locked(Router.objects.filter(pk=router.pk)).get()
        if row.serial == serial:
            return row
        shown = waiting(row)
        if not shown:
            raise Conflict(
                f"{row.name} did not answer with another serial when it was last read: there is nothing to accept"
            )
        if shown != serial:
            raise InvalidInput(f"{row.name} last said serial {shown}, not {serial}", field="serial")
        before, row.serial = row.serial, serial
        Router.objects.filter(pk=row.pk).update(serial=serial)
        audit.record(
            actor=actor,
            action="router.chassis-accepted",
            obj=row,
            reason=reason,
            before={"serial": before},
            after={"serial": serial},
        )
    queues.mark([row.pk])
    return row


def waiting(router: Router) -> str:
    """The serial of another chassis that answered when the router was last read; empty where there is none to accept."""
    sync = RouterSync.objects.filter(router=router).first()
    shown = "" if sync is None else str(sync.detail.get("said", {}).get("serial", ""))
    return "" if same_serial(router.serial, shown) else shown
