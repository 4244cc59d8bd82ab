"""What was recognised and proven, as rows: names, cases of access links; ownership comes from the plan that follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction

from inventory.models import AccessLink, CoreLink, Router
from provisioning.errors import Conflict, InvalidInput, StaleState
from provisioning.models import Actor, AdoptedName, Verb
from provisioning.pipeline import ios
from provisioning.pipeline.adoption import RouterAdoption
from provisioning.pipeline.intent import AdoptedObject
from provisioning.pipeline.mqc.referring import ACCESS_LIST, CLASS_MAP
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.authority import permit_named
from provisioning.selectors.network import the_domain
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import audit, intents
from provisioning.services.adopting.recognising import Recognised
from provisioning.services.inventory.stranding import fresh_obstacles, ground_of, promised, refuse_stranding
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text

SEEN_CHARACTERS = 8
"""The least of a digest that names it."""


def apply(
    *, actor: Actor, recognised: Sequence[Recognised], reason: str = "", seen: Sequence[str] = ()
) -> list[str]:
    """Write the names and cases of these routers, all or none; return the routers written.

    Nothing is sent and nothing becomes ours by it: the next plan of the router does that, when it finds it as adopted.
    `seen` are digests (or their beginnings) that were read before: a router that shows another one is refused.

    Raises:
        NotPermitted: the actor is not NOC staff.
        StaleState: a router was edited since it was looked at.
        Conflict: re-rendering a router would change something, or nothing on it is recognised; nothing is written for
            any of them, and the reason says which are proven.
        ReservationsStranded: a case would take from under a reservation what it needs.
    """
    permit_named(actor, Verb.NETWORK)
    reason = reason_text(reason, needed=False)
    _refuse([each.adoption for each in recognised], seen)
    domain = the_domain()
    with transaction.atomic():
        _lock()
        ground = ground_of(domain)
        written = [_write(each.adoption) for each in recognised]
        refuse_stranding(fresh_obstacles(ground, ground_of(domain), promised(domain)))
        names = [router.name for router, _, _ in written]
        intents.keep_names(intents.wanted(domain=domain, routers=names), names)
        for router, before, after in written:
            audit.record(
                actor=actor, action="router.adopted", obj=router, reason=reason, before=before, after=after
            )
    return [router.name for router, _, _ in written]


def forget(*, actor: Actor, routers: Sequence[str], reason: str = "") -> list[str]:
    """Give up the adopted names of these routers; return those that had any. Ownership stays: the next plan renames.

    Raises NotPermitted, and InvalidInput for a router that is not there.
    """
    permit_named(actor, Verb.NETWORK)
    reason = reason_text(reason, needed=False)
    rows = {router.name: router for router in Router.objects.filter(name__in=routers)}
    missing = sorted(set(routers) - rows.keys())
    if missing:
        raise InvalidInput(f"there is no router {missing[0]!r:.80}", field="router")
    given_up = []
    with transaction.atomic():
        _lock()
        for name, router in sorted(rows.items()):
            names = _names(AdoptedName.objects.filter(router=router))
            if names:
                AdoptedName.objects.filter(router=router).delete()
                audit.record(
                    actor=actor,
                    action="router.names-given-up",
                    obj=router,
                    reason=reason,
                    before={"names": names},
                    after={"names": []},
                )
                given_up.append(name)
    return given_up


def _refuse(adoptions: Sequence[RouterAdoption], seen: Sequence[str]) -> None:
    if any(len(each) < SEEN_CHARACTERS for each in seen):
        raise InvalidInput(f"a digest is named by {SEEN_CHARACTERS} characters or more", field="seen")
    for adoption in adoptions:
        if seen and not any(adoption.digest.startswith(each) for each in seen):
            raise StaleState(
                f"{adoption.router} shows {adoption.digest[:12]}, not what was seen: somebody edited it since. "
                "Look again."
            )
    why_not = [_why_not(adoption) for adoption in adoptions if not adoption.proven]
    if why_not:
        proven = ", ".join(adoption.router for adoption in adoptions if adoption.proven)
        others = (
            f"proven, and adopted when named without the others: {proven}" if proven else "none is proven"
        )
        raise Conflict(f"{'; '.join(why_not)}. Nothing is written for any; {others}", field="router")


def _why_not(adoption: RouterAdoption) -> str:
    if adoption.in_vain:
        return f"{adoption.router} is not adopted: no policy is recognised at a place the inventory knows"
    said = "; ".join((*adoption.proof.conflicts[:3], *adoption.proof.commands[:3]))
    return f"{adoption.router} is not adopted: re-rendering would change it ({said})"


def _lock() -> None:
    """Make imports, admissions and adoptions follow each other; links in the order everybody locks them."""
    list(locked(AccessLink.objects.order_by("pk")))
    list(locked(CoreLink.objects.order_by("pk")))


def _write(adoption: RouterAdoption) -> tuple[Router, dict[str, Any], dict[str, Any]]:
    router = Router.objects.get(name=adoption.router)
    before: dict[str, Any] = {"names": _names(AdoptedName.objects.filter(router=router)), "cases": {}}
    for link in AccessLink.objects.filter(name__in=adoption.cases).order_by("pk"):
        before["cases"][link.name] = f"{link.case}, {'standing' if link.standing else 'while reserved'}"
        link.case, link.standing = adoption.cases[link.name], True
        link.save(update_fields=["case", "standing"])
    AdoptedName.objects.filter(router=router).delete()
    rows = [
        AdoptedName.objects.create(
            router=router,
            link=entry.link,
            kind=entry.kind,
            base=entry.base,
            name=entry.name,
            stands_for=entry.stands_for,
            form=_form(adoption.router, entry),
        )
        for entry in adoption.names
    ]
    after = {
        "names": _names(rows),
        "cases": {link: f"{case}, standing" for link, case in sorted(adoption.cases.items())},
        "digest": adoption.digest,
        "grants without a reservation": adoption.grants,
    }
    return router, before, after


def _names(rows: Iterable[AdoptedName]) -> list[str]:
    return [f"{row.kind} {row.base}{f' on {row.link}' if row.link else ''}: {row.name}" for row in rows]


def _form(router: str, entry: AdoptedObject) -> str:
    """The object in the router's own words; raises Conflict when they would not be read back as they are."""
    if entry.form is None:
        return ""
    text = Renderer(shared_ios_environment()).text(entry.form)
    read = ios.parse_fragment(text)
    store = {ACCESS_LIST: read.access_lists, CLASS_MAP: read.class_maps}.get(entry.kind, read.policy_maps)
    if store.get(entry.name) != entry.form:
        raise Conflict(f"{router}: {entry.kind} {entry.name} cannot be written down as the router has it")
    return text
