"""What an NREN may have at most, set by the NOC: on top of what was read, never over what somebody else has set since."""

from __future__ import annotations

from dataclasses import asdict

from django.db import transaction

from inventory.models import AccessLink, Domain, Nren
from provisioning.errors import InvalidInput, QuotaChanged
from provisioning.models import Actor, AuditEvent, Quota, Verb
from provisioning.pipeline.units import instant_text
from provisioning.selectors.authority import permit_named, refuse_by, to_quota
from provisioning.selectors.quotas import Limits, standing_limits
from provisioning.services import audit
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text

_ACTION = "quota.set"
_HIGHEST = {"rate_bps": (1 << 63) - 1, "open_requests": (1 << 31) - 1, "holds": (1 << 31) - 1}


def set_quota(
    *,
    actor: Actor,
    domain: Domain,
    nren: Nren | None,
    limits: Limits,
    reason: str,
    seen: Limits | None = None,
) -> Quota | None:
    """Have the NREN (None: whichever has none of its own) this quota from now on; without a bound it has none of its own.

    What stands above it is not taken back. ``seen`` is what was set for it when it was read: where that is another one by now
    QuotaChanged says which, and by whom, unless it is the one that is wanted. Raises NotPermitted unless the actor is a named
    approver of the NOC who does not belong to that NREN, InvalidInput.
    """
    permit_named(actor, Verb.QUOTA)
    refuse_by(to_quota(actor, None if nren is None else nren.pk))
    why = reason_text(reason)
    values = asdict(limits)
    for name, value in values.items():
        if value is not None and not 0 <= value <= _HIGHEST[name]:
            raise InvalidInput("a quota is 0 or more", field=name)
    with transaction.atomic():
        _lock(domain, nren)
        rows = Quota.objects.filter(domain=domain, nren=nren)
        standing = standing_limits(domain, nren)
        if seen is not None and standing not in (seen, limits):
            raise _changed(nren or domain, standing)
        if limits.any:
            if not rows.update(**values):
                Quota.objects.create(domain=domain, nren=nren, **values)
        else:
            rows.delete()
        audit.record(
            actor=actor,
            action=_ACTION,
            obj=nren or domain,
            reason=why,
            before=asdict(standing) if standing.any else None,
            after=values,
            nren_ids=[] if nren is None else [nren.pk],
        )
    return rows.first()


def _lock(domain: Domain, nren: Nren | None) -> None:
    """Wait for whoever sets it too; for whoever asks, who holds the NREN; and for every decision that is under way: one that saw
    no bound holds no NREN, and it holds an access link of the NREN that asks until what it takes can be counted.
    """
    if nren is None:
        list(locked(Domain.objects.filter(pk=domain.pk)).values_list("pk"))
    nrens = Nren.objects.filter(domain=domain) if nren is None else Nren.objects.filter(pk=nren.pk)
    links = AccessLink.objects.filter(nren__in=nrens.values("pk"))
    list(locked(links.order_by("pk")).values_list("pk"))
    list(locked(nrens.order_by("pk")).values_list("pk"))


def _changed(of: Nren | Domain, standing: Limits) -> QuotaChanged:
    """Who set it, and to what: of an event that is not kept any more, what alone."""
    event = (
        AuditEvent.objects.filter(object_type=type(of).__name__, object_id=str(of.pk), action=_ACTION)
        .order_by("-chain_index")
        .first()
    )
    by = f"{event.actor} set it at {instant_text(event.at)} to" if event else "it is"
    return QuotaChanged(
        f"the quota is not what you read any more: {by} {standing}", field="seen", standing=asdict(standing)
    )
