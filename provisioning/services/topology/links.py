"""A core link is declared down, or up again, or taken away: the network without it is a version of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from django.db import transaction

from inventory.models import CoreLink
from provisioning.errors import InvalidInput
from provisioning.models import Actor, Verb
from provisioning.selectors.authority import permit
from provisioning.selectors.overcommitment import overcommitted
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.topology import digest_of
from provisioning.services import audit, clock
from provisioning.services.topology.ahead import write_ahead
from provisioning.services.topology.exceeding import exceeded_ahead, exceeded_now
from provisioning.services.topology.locks import lock_domain, lock_links_of
from provisioning.services.topology.moving import record
from provisioning.services.topology.parting import part
from provisioning.services.topology.recharging import prepare
from provisioning.services.topology.staging import stage, staged
from provisioning.services.topology.versions import Renewal, bring_back, known, renew
from provisioning.services.wording import reason_text

Deed = Literal["down", "up", "removed"]


def declare(*, actor: Actor, name: str, deed: Deed, reason: str, dry_run: bool = False) -> Renewal:
    """Declare the core link `name` down or up, or take it away; everything live follows. On a dry run nothing stays written.

    Raises NotPermitted unless the actor is the NOC or the command line, and InvalidInput for a link that is not there and without
    a reason.
    """
    with declaring(actor=actor, name=name, deed=deed, reason=reason, dry_run=dry_run) as act:
        return act()


@contextmanager
def declaring(
    *, actor: Actor, name: str, deed: Deed, reason: str, dry_run: bool = False
) -> Iterator[Callable[[], Renewal]]:
    """As `declare`, for whom it is a part of a transaction: before that paths are derived, without a lock, and what moves is
    brought over in parts where it is much; then what this gives is called in it, once.
    """
    permit(actor, Verb.NETWORK)
    why = reason_text(reason)
    link = CoreLink.objects.select_related("domain").filter(name=name).first()
    if link is None:
        raise InvalidInput(f"there is no core link {name!r:.200}", field="core_link")
    bring_back()
    before = known(link.domain)
    links = tuple(
        replace(each, down=deed == "down") if each.id == name else each
        for each in before.network.core_links
        if each.id != name or deed != "removed"
    )
    network, scheme = replace(before.network, core_links=links), scheme_of(before.domain)
    foreseen = digest_of(network, before.domain)
    ready = prepare(before.domain, network, scheme)
    cause = f"{name} {'is' if deed == 'removed' else 'is declared'} {deed}"
    broken = overcommitted(link.domain, now=clock.now())
    with staged() as staging:
        if not dry_run:
            stage(ready, staging, actor=actor, cause=cause)

        def act() -> Renewal:
            with transaction.atomic():
                lock_domain(link.domain.name)
                ahead = exceeded_ahead(network, scheme) if write_ahead(ready) else None
                lock_links_of(link.domain.name)
                row = CoreLink.objects.select_related("a_interface", "z_interface").filter(pk=link.pk).first()
                if row is not None and deed == "removed":
                    part(row, clock.now())
                elif row is not None:
                    CoreLink.objects.filter(pk=row.pk).update(down=deed == "down")
                renewal = renew(link.domain, cause=cause, before=before.network, ready=ready, staging=staging)
                if renewal.changed:
                    audit.record(
                        actor=actor,
                        action=f"core-link.{deed}",
                        obj=link.domain,
                        reason=why,
                        before=None,
                        after={
                            "core link": name,
                            "version": renewal.version.number,
                            "moved": len(renewal.moved),
                        },
                    )
                if ahead is not None and renewal.version.digest == foreseen:
                    over, _ = exceeded_now(ahead, network, scheme, clock.now())
                else:
                    over = overcommitted(link.domain, now=clock.now())
                renewal = replace(renewal, over=over, over_before=broken)
                record(actor, renewal.unrecorded, f"version {renewal.version.number}: {cause}")
                if dry_run:
                    transaction.set_rollback(True)
            return renewal

        yield act
