"""A row of the inventory goes out of use: refused while something depends on it, kept and findable afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model

from inventory.models import AccessLink, CoreLink, Interface, LineCard, Nren, Peering, Prefix, Router
from provisioning.models import (
    Actor,
    AdoptedName,
    BareInterface,
    CounterLook,
    Credential,
    Job,
    JobKind,
    JobState,
    Ownership,
    Quota,
    RouterCapabilities,
    RouterDifference,
    RouterQueue,
    RouterSync,
    Subscriber,
    Verb,
)
from provisioning.selectors.authority import permit
from provisioning.services import clock
from provisioning.services.audit import Deed
from provisioning.services.inventory.dependents import refuse_needed
from provisioning.services.inventory.editable import Row, domain_of, kind_of, spelled, values_of
from provisioning.services.inventory.editing import fresh, refuse_changed, seen_by
from provisioning.services.inventory.rewriting import Rewritten, Written, rewrite
from provisioning.services.locking import meet
from provisioning.services.telling import standing
from provisioning.services.topology.parting import ends_of, free_number, part
from provisioning.services.wording import one_line, reason_text


@dataclass(frozen=True)
class Leaves:
    """What becomes of a link's interfaces: they go with it, or stay without a use, each exempt from a policy for this reason."""

    exempt_reason: str = ""

    @property
    def stay(self) -> bool:
        return bool(self.exempt_reason)


def retire(
    *,
    actor: Actor,
    row: Row,
    reason: str,
    leaves: Leaves = Leaves(),
    gone: bool = False,
    seen: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> Rewritten:
    """Take a row of the network out of use and return what comes of it; on a dry run nothing stays written.

    What refers to it sees it still; its name, and the interface it was on, are free for another. ``leaves`` is for a link,
    ``gone`` for a router whose box is there no more, so that what is on it keeps nobody. With a router go its interfaces and
    line cards and all that is known of how it is; with an NREN its prefixes, its quota and who is told. ``seen`` is as of `edit`:
    where a field reads otherwise by now, RowChanged says so and nothing is written.

    Raises NotPermitted unless the table gives the actor the network, StillNeeded with what depends on it, StaleState where it was
    retired already, ReservationsStranded where somebody would be without a path.
    """
    permit(actor, Verb.NETWORK)
    why = reason_text(reason)
    kind = kind_of(row)
    if leaves.stay:
        one_line(leaves.exempt_reason, field="exempt_reason", longest=200)

    def write() -> Written:
        found = fresh(row)
        refuse_changed(found, spelled(values_of(found)), seen)
        links = isinstance(found, AccessLink | CoreLink | Peering)
        refuse_needed(found, gone=gone or (links and not leaves.stay))
        before = {"row": str(found), **spelled(values_of(found)), **_goes_with(found)}
        nrens = seen_by(found)
        _take_out(found, leaves)
        after: dict[str, Any] = {"retired": True}
        if isinstance(found, Router):
            after["box gone"] = gone
        if isinstance(found, AccessLink | CoreLink | Peering):
            after |= {"interfaces": f"stay: {leaves.exempt_reason}" if leaves.stay else "retired"}
        deed = Deed(row, before, after, nrens)
        return Written((deed,), last=lambda: _forget(found), told=lambda: _told(found))

    def first() -> None:
        if isinstance(row, AccessLink):
            meet([row.pk], ending=True)

    return rewrite(
        actor=actor,
        domain=domain_of(row),
        action=f"{kind.slug}.retire",
        cause=f"{row} is retired",
        reason=why,
        write=write,
        first=first,
        dry_run=dry_run,
    )


def _goes_with(row: Row) -> dict[str, Any]:
    """What is deleted with it, for the trail."""
    if isinstance(row, Router):
        kept = AdoptedName.objects.filter(router=row).order_by("kind", "name")
        owned = Ownership.objects.filter(router=row).order_by("kind", "name")
        return {
            "line_cards": [f"slot {card.slot} engine {card.engine}" for card in row.line_cards.all()],
            "interfaces": list(row.interfaces.order_by("name").values_list("name", flat=True)),
            "objects_of_ours": [f"{each.kind} {each.name}" for each in owned],
            "adopted_names": [f"{each.kind} {each.name} for {each.base}" for each in kept],
        }
    return {}


def _take_out(row: Row, leaves: Leaves) -> None:
    now = clock.now()
    if isinstance(row, LineCard):
        row.delete()
    elif isinstance(row, AccessLink | CoreLink | Peering):
        ends = sorted(end.pk for end in ends_of(row).values())
        part(row, now)
        rows = Interface.objects.filter(pk__in=ends)
        if leaves.stay:
            rows.update(exempt_reason=leaves.exempt_reason)
        else:
            rows.update(retired_at=now)
    else:
        type(row)._default_manager.filter(pk=row.pk).update(retired_at=now)
        if isinstance(row, Router):
            Interface.objects.filter(router=row).update(retired_at=now)
            LineCard.objects.filter(router=row).delete()
        elif isinstance(row, Nren):
            Prefix.objects.filter(nren=row).delete()
            Quota.objects.filter(nren=row).delete()


def _forget(row: Row) -> None:
    """What is known of how it is now; what was pushed, read and counted stays."""
    if isinstance(row, AccessLink | CoreLink | Peering):
        free_number(row)
    elif isinstance(row, Nren):
        Subscriber.objects.filter(nren=row, ended_at=None).update(ended_at=clock.now())
    elif isinstance(row, Router):
        for model in _OF_A_ROUTER:
            model._default_manager.filter(router=row).delete()
        Job.objects.filter(kind__in=_JOBS, subject_id=row.pk, state=JobState.QUEUED).delete()


def _told(row: Row) -> None:
    """What was told of it lasts no longer."""
    if isinstance(row, Router):
        standing.gone(row)


_OF_A_ROUTER: Final[tuple[type[Model], ...]] = (
    Credential, AdoptedName, RouterQueue, Ownership, RouterSync, RouterDifference, BareInterface, RouterCapabilities, CounterLook,
)  # fmt: skip
_JOBS: Final = (JobKind.PLAN_ROUTER, JobKind.VERIFY_ROUTER, JobKind.COUNT)
