"""What routers must hold: the baseline, and the reservations that are on them (ADR 16, ADR 17)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Exists, OuterRef, Q, QuerySet

from inventory.models import AccessLink, CoreLink, Domain, Peering, Router
from provisioning.errors import InvalidInput, WrongRouter
from provisioning.models import Change, ChangeKind, LedgerEntry, LinkObjectName, Modification, PremiumRequest
from provisioning.pipeline import intent
from provisioning.pipeline.intent import AdoptedObject, RouterIntent
from provisioning.pipeline.platforms import Profile, profile
from provisioning.pipeline.scheme import Scheme, ServiceClass
from provisioning.pipeline.topology import Network
from provisioning.pipeline.units import first_few
from provisioning.selectors.adopted import adopted_objects
from provisioning.selectors.modifications import put_terms
from provisioning.selectors.network import exempt_interfaces, load_network, object_numbers, the_domain
from provisioning.selectors.queues import ON as ON
from provisioning.selectors.queues import OVER as OVER
from provisioning.selectors.requests import crossed, sls_of
from provisioning.selectors.requests import routers_concerned as routers_concerned
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.templates import template_digest
from provisioning.services.reading import Reading, Unread

NO_INTENT = "no-intent"
NAMED = 5
"""So many routers are named in a sentence."""
FOLLOWS_REQUESTS = frozenset({ChangeKind.RESERVATION, ChangeKind.REMOVAL})


@dataclass(frozen=True)
class Wanted:
    """The intents of the routers that were asked for, from one look at the rows.

    `network` is the slice of these routers (`load_network`), the whole network when all were asked for. `requests` are
    those that are on in the intents and enter at one of these routers; `passing` those that enter elsewhere and are to be
    asked about here all the same (`concerning`).

    `unbuildable` names the routers whose intent cannot be worked out, with the reason; they are in `routers` and not
    in `intents`. What such a router holds cannot be judged, so it is UNKNOWN; the others are not kept from anything.
    """

    domain: Domain
    network: Network
    scheme: Scheme
    requests: tuple[PremiumRequest, ...]
    passing: tuple[PremiumRequest, ...]
    routers: Mapping[str, Router]
    intents: Mapping[str, RouterIntent]
    profiles: Mapping[str, Profile]
    exempt: Mapping[str, Mapping[str, str]]
    suffixes: Mapping[str, int]
    adopted: Mapping[str, tuple[AdoptedObject, ...]]
    unbuildable: Mapping[str, str]
    scheme_digest: str
    template_digest: str

    def digest(self, names: Iterable[str]) -> str:
        """sha256 (hex) over the intents of these routers."""
        said = "\n".join(f"{name} {self._revision(name)}" for name in sorted(set(names)))
        return hashlib.sha256(said.encode()).hexdigest()

    def _revision(self, name: str) -> str:
        return self.unbuildable[name] if name in self.unbuildable else self.intents[name].revision

    def engines(self, router: str) -> dict[str, str]:
        """The engine of the line card under each managed interface of a router, where the inventory knows one."""
        found = self.network.router(router)
        managed = sorted(self.intents[router].managed)
        cards = {} if found is None else {name: found.engine_of(name) for name in managed}
        return {name: card[1] for name, card in cards.items() if card is not None}

    def concerning(self, router: str) -> tuple[PremiumRequest, ...]:
        """The requests that are on and enter at this router, and those that were admitted over it and are promised over
        static routes; oldest first.
        """
        return self._concerning.get(router, ())

    @cached_property
    def _concerning(self) -> Mapping[str, tuple[PremiumRequest, ...]]:
        found: dict[str, list[PremiumRequest]] = {name: [] for name in self.routers}
        pinned = _names_of(each for each in self.scheme.classes if each.static_routes)
        for request in sorted((*self.requests, *self.passing), key=lambda each: each.pk):
            ingress = request.source_link.interface.router.name
            beyond = request.service_class in pinned
            for name in (crossed(request) if beyond else {ingress}) & found.keys():
                found[name].append(request)
        return {name: tuple(requests) for name, requests in found.items()}

    def judged(self, readings: Mapping[str, Reading | Unread]) -> dict[str, Reading | Unread]:
        """Return the readings, those of routers without an intent as Unread with the reason: nothing says what is
        right there. What another router said of itself that answered in its place is said with it.
        """
        return {name: self._judged(name, reading) for name, reading in readings.items()}

    def _judged(self, name: str, reading: Reading | Unread) -> Reading | Unread:
        if name not in self.unbuildable:
            return reading
        why = f"what it is to hold cannot be worked out: {self.unbuildable[name]}"
        if isinstance(reading, Reading):
            return Unread(name, NO_INTENT, why, reading.read_at)
        if reading.code == WrongRouter.code:
            return Unread(name, NO_INTENT, f"{why}; and {reading.reason}", reading.read_at, reading.said)
        return reading


def wanted(
    *,
    domain: Domain | None = None,
    routers: Collection[str] | None = None,
    puts_on: Collection[int] = (),
    takes_off: Collection[int] = (),
    modifies: Collection[int] = (),
) -> Wanted:
    """Return what these routers (or all of the domain) must hold; changes no row.

    On are the reservations that their ingress was seen with and that were not seen gone from it, those in `puts_on` (keys
    of requests) too, those in `takes_off` not; what `modifies` (keys of modifications) changes is as it is to become. What
    is due and not yet planned asks nothing of a router. Of what is elsewhere nothing is read: the number of queries is the
    same for any number of routers. A name that the domain does not have is in no part of the answer.
    """
    domain = domain or the_domain()
    network, scheme = load_network(domain, routers=routers), scheme_of(domain)
    seen_on = Q(reservation__put_on_at__isnull=False, reservation__taken_off_at__isnull=True)
    on = _with_links(domain).filter(seen_on | Q(pk__in=list(puts_on))).exclude(pk__in=list(takes_off))
    requests = tuple(_entering(on, routers).order_by("pk"))
    changing = Modification.objects.filter(pk__in=list(modifies)) if modifies else ()
    becoming = {each.request_id: each for each in changing}
    for request in requests:
        if request.pk in becoming:
            put_terms(request, becoming[request.pk])
    chosen = Router.objects.filter(domain=domain).select_related("domain")
    if routers is not None:
        chosen = chosen.filter(name__in=routers)
    rows = {router.name: router for router in chosen}
    sending: dict[str, list[PremiumRequest]] = {}
    for request in requests:
        sending.setdefault(request.source_link.interface.router.name, []).append(request)
    suffixes = object_numbers(None if routers is None else network)
    exempt = exempt_interfaces(rows.values())
    adopted = adopted_objects(routers)
    profiles: dict[str, Profile] = {}
    built: dict[str, RouterIntent] = {}
    unbuildable: dict[str, str] = {}
    for name, router in rows.items():
        try:
            profiles[name] = profile(router.platform, router.ios)
            built[name] = intent.build(
                network,
                scheme,
                name,
                profiles[name],
                [sls_of(request) for request in sending.get(name, ())],
                suffixes=suffixes,
                exempt=exempt[name],
                adopted=adopted.get(name, ()),
            )
        except InvalidInput as error:
            unbuildable[name] = error.reason
    return Wanted(
        domain=domain,
        network=network,
        scheme=scheme,
        requests=requests,
        passing=() if routers is None else _passing(on, network, scheme, requests),
        routers=rows,
        intents=built,
        profiles=profiles,
        exempt=exempt,
        suffixes=suffixes,
        adopted=adopted,
        unbuildable=unbuildable,
        scheme_digest=scheme.digest(),
        template_digest=template_digest(),
    )


def _entering(
    requests: QuerySet[PremiumRequest], routers: Collection[str] | None
) -> QuerySet[PremiumRequest]:
    return requests if routers is None else requests.filter(source_link__interface__router__name__in=routers)


def _passing(
    on: QuerySet[PremiumRequest], network: Network, scheme: Scheme, entering: Collection[PremiumRequest]
) -> tuple[PremiumRequest, ...]:
    """What is on, enters elsewhere, and is asked about on the way as well: for the static routes that it rests on."""
    resting = _names_of(each for each in scheme.classes if each.static_routes)
    if not resting:
        return ()
    known = {request.pk for request in entering}
    found = _admitted_over(on.filter(service_class__in=resting), network, scheme)
    return tuple({each.pk: each for each in found if each.pk not in known}.values())


def _admitted_over(
    requests: QuerySet[PremiumRequest], network: Network, scheme: Scheme
) -> Iterator[PremiumRequest]:
    """Those of the requests that may have been admitted over the core links of `network`; one may come twice.

    Whoever was admitted over a core link is charged to it, but for the classes that are charged at the edge alone.
    """
    charged = LedgerEntry.objects.filter(link__in=[link.id for link in network.core_links])
    yield from requests.filter(reservation__in=charged.values("reservation"))
    edge_only = _names_of(each for each in scheme.classes if each.admission == "edge")
    if edge_only:
        yield from requests.filter(service_class__in=edge_only)


def depending_on(requests: QuerySet[PremiumRequest], routers: Collection[str]) -> QuerySet[PremiumRequest]:
    """Those of the requests that enter at one of these routers, are charged to a core link of one, or to none at all."""
    ends = Q(a_interface__router__name__in=routers) | Q(z_interface__router__name__in=routers)
    here = LedgerEntry.objects.filter(link__in=CoreLink.objects.filter(ends).values("name"))
    core = LedgerEntry.objects.filter(
        reservation=OuterRef("reservation"), link__in=CoreLink.objects.values("name")
    )
    return requests.filter(
        Q(source_link__interface__router__name__in=routers)
        | Q(reservation__in=here.values("reservation"))
        | ~Exists(core)
    )


def _names_of(classes: Iterable[ServiceClass]) -> list[str]:
    return [name for each in classes for name in (each.name, each.abbreviation)]


def _with_links(domain: Domain) -> QuerySet[PremiumRequest]:
    return PremiumRequest.objects.filter(nren__domain=domain).select_related(
        "reservation", "source_link__interface__router", "destination_link", "nren", "receiving_nren"
    )


def wanted_for(change: Change, *, routers: Collection[str]) -> Wanted:
    """What these routers must hold once the change is through: what is on them, and what it puts on and takes off."""
    off = {int(pk) for pk in change.takes_off}
    members = set(change.requests.values_list("pk", flat=True))
    return wanted(
        routers=routers, puts_on=members - off, takes_off=off, modifies=list(change.modifies.values())
    )


def changed_since(change: Change) -> str:
    """Return why the routers of a change should no longer hold what was planned, or an empty string."""
    rows = change.pushes.values_list("router__name", "router__retired_at").order_by("router__name")
    known = dict(rows)  # by the row, not by the name: that may be another router's by now
    if retired := [name for name, retired_at in known.items() if retired_at is not None]:
        were = "was" if len(retired) == 1 else "were"
        return f"{first_few(retired, NAMED)} {were} retired since {change.reference} was planned"
    names = set(known)
    now = wanted_for(change, routers=names)
    if now.scheme_digest != change.scheme_digest:
        return f"the scheme {now.scheme.name} was changed since {change.reference} was planned"
    if now.template_digest != change.template_digest:
        return f"the templates were changed since {change.reference} was planned"
    if now.digest(names) != change.intent_digest:
        return f"what these routers are to hold was changed since {change.reference} was planned"
    return ""


def keep_names(plan_of: Wanted, names: Iterable[str]) -> None:
    """Store the numbers that edges' own objects carry on these routers: chosen once, never changed.

    To be called inside the transaction that stores the plans which use them.
    """
    fresh = {
        edge: (name, suffix)
        for name in sorted(set(names) & plan_of.intents.keys())
        for edge, suffix in plan_of.intents[name].suffixes.items()
        if edge not in plan_of.suffixes
    }
    links = AccessLink.objects.filter(name__in=fresh).order_by("pk") if fresh else ()
    for link in links:
        router, suffix = fresh[link.name]
        LinkObjectName.objects.get_or_create(
            link=link, defaults={"router": plan_of.routers[router], "suffix": suffix}
        )
    left = fresh.keys() - {link.name for link in links}
    for peering in Peering.objects.filter(name__in=left).order_by("pk") if left else ():
        router, suffix = fresh[peering.name]
        LinkObjectName.objects.get_or_create(
            peering=peering, defaults={"router": plan_of.routers[router], "suffix": suffix}
        )
