"""Role x tenant x address: who gets what everywhere. An address without a row here fails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.test import Client
from django.urls import URLPattern, reverse

from inventory.models import AccessLink, CoreLink, Domain, Nren, Peering, Router
from provisioning.models import (
    ApiToken,
    AuditEvent,
    BreakGlass,
    CapacityChange,
    Message,
    Modification,
    RouterDifference,
    SavedView,
    Series,
)
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.services import modifications, saved_views, tokens, topology
from provisioning.services.modifications import Modify
from provisioning.services.telling import subscribing
from provisioning.web import urls
from tests.web.text import page_text
from tests.web.world import World, weekly

PEOPLE = ("", "nora", "audrey", "jane", "giorgos", "dieter", "nemo")
STAFF = {"nora": 200, "audrey": 200, "jane": 403, "giorgos": 403, "dieter": 403, "nemo": 403, "": 302}
NOC = STAFF | {"audrey": 403}
MEMBERS = {"nora": 403, "audrey": 403, "jane": 200, "giorgos": 200, "dieter": 200, "nemo": 403, "": 302}
# The request goes from JANET to GRNET: DFN gets the same answer as for one that does not exist.
PARTIES = {"nora": 200, "audrey": 200, "jane": 200, "giorgos": 200, "dieter": 404, "nemo": 403, "": 302}
POST_ONLY_STAFF = {
    "nora": 405,
    "audrey": 405,
    "jane": 403,
    "giorgos": 403,
    "dieter": 403,
    "nemo": 403,
    "": 302,
}
OPEN = dict.fromkeys(PEOPLE, 200)
NOT_READY = dict.fromkeys(PEOPLE, 503)  # open to everybody, and nobody works here
NOBODY_HERE = dict.fromkeys(PEOPLE, 403) | {
    "": 302
}  # an administrator's: see test_people.py, test_authority.py
# It is jane's token: nobody else's, unless an administrator's.
OF_JANE = dict.fromkeys(PEOPLE, 404) | {"jane": 200, "nemo": 403, "": 302}
SIGNED_IN = dict.fromkeys(PEOPLE, 200) | {"": 302}
ANYBODY = dict.fromkeys(PEOPLE, 200) | {"nemo": 403, "": 302}

# name: (what a GET answers to each person, arguments)
GET: dict[str, tuple[dict[str, int], str]] = {
    "livez": (OPEN, ""),
    "readyz": (NOT_READY, ""),
    "metrics": (dict.fromkeys(PEOPLE, 404), ""),  # nobody's network is allowed
    "healthz": (NOT_READY, ""),
    "sign-in": (dict.fromkeys(PEOPLE, 302) | {"": 200}, ""),
    "sign-out": (dict.fromkeys(PEOPLE, 405), ""),
    "sign-in-oidc": (dict.fromkeys(PEOPLE, 404), ""),  # no provider is set
    "sign-in-oidc-callback": (dict.fromkeys(PEOPLE, 404), ""),
    "me": (SIGNED_IN, ""),
    "me-sessions-end": (dict.fromkeys(PEOPLE, 405) | {"": 302}, ""),
    "me-session-end": (dict.fromkeys(PEOPLE, 405) | {"": 302}, "session"),
    "view-keep": (dict.fromkeys(PEOPLE, 400) | {"": 302}, ""),  # no list is named
    "view-choose": (dict.fromkeys(PEOPLE, 405) | {"": 302}, ""),
    "view-edit": (dict.fromkeys(PEOPLE, 404) | {"nora": 200, "": 302}, "view"),
    "home": (dict.fromkeys(PEOPLE, 302) | {"nemo": 403}, ""),
    "queue": (STAFF, ""),
    "break-glass-acknowledge": (NOC, "glass"),
    "search": (STAFF, ""),
    "requests": (STAFF, ""),
    "requests-several": (NOC | {"nora": 400}, ""),
    "request": (PARTIES, "request"),
    "request-history": (PARTIES, "request"),
    "request-recheck": (STAFF, "request"),
    "request-admit": (NOC, "request"),
    "request-admit-lines": (NOC, "request"),
    "request-lines": (STAFF, "request"),
    "request-lines-revoke": (NOC, "request"),
    "request-refuse": (NOC, "request"),
    "request-hold": (NOC, "request"),
    "request-unhold": (NOC, "request"),
    "request-withdraw": (PARTIES | {"audrey": 403}, "request"),
    "request-retry": (NOC, "request"),
    "request-consent": (PARTIES | {"nora": 403, "audrey": 403}, "request"),
    "request-flow-label": (dict.fromkeys(PEOPLE, 405) | {"audrey": 403, "nemo": 403, "": 302}, "request"),
    "request-take-offer": (dict.fromkeys(PEOPLE, 405) | {"audrey": 403, "nemo": 403, "": 302}, "request"),
    "request-modify": (PARTIES | {"audrey": 403, "giorgos": 403}, "request"),
    "request-extend": (PARTIES | {"audrey": 403, "giorgos": 403}, "request"),
    "request-end-early": (PARTIES | {"audrey": 403, "giorgos": 403}, "request"),
    "modification-admit": (NOC, "modification"),
    "modification-refuse": (NOC, "modification"),
    "modification-withdraw": (PARTIES | {"audrey": 403}, "modification"),
    "modification-consent": (PARTIES | {"nora": 403, "audrey": 403}, "modification"),
    # What is sent is told who sends it, not who receives.
    "request-questions": (PARTIES | {"giorgos": 404}, "request"),
    "request-usage": (PARTIES | {"giorgos": 404}, "request"),
    "request-usage-file": (PARTIES | {"giorgos": 404}, "request"),
    "request-advice": (PARTIES, "request"),
    "request-pack": (PARTIES, "request"),
    # Without a question there is no file: who may see the request is told so.
    "request-pack-file": ({who: 400 if said == 200 else said for who, said in PARTIES.items()}, "request"),
    "series": (PARTIES, "series"),
    "series-admit": (NOC, "series"),
    "series-refuse": (NOC, "series"),
    "series-hold": (NOC, "series"),
    "series-unhold": (NOC, "series"),
    "series-withdraw": (PARTIES | {"audrey": 403}, "series"),
    "series-end-early": (PARTIES | {"audrey": 403}, "series"),
    "series-take-offer": (dict.fromkeys(PEOPLE, 405) | {"audrey": 403, "nemo": 403, "": 302}, "series"),
    "series-consent": (PARTIES | {"nora": 403, "audrey": 403}, "series"),
    "advice": (ANYBODY, ""),
    "advice-beside": (ANYBODY, ""),
    "changes": (STAFF, ""),
    "change-new": (NOC, ""),
    "change": (STAFF, "change"),
    "change-planning-live": (STAFF, "change"),
    "change-compare": (STAFF, "change"),
    "change-raw": (STAFF, "change"),
    "change-history": (STAFF, "change"),
    "change-approve": (NOC, "change"),
    "change-cancel": (NOC, "change"),
    "change-push": (NOC, "change"),
    "change-rollout": (NOC, "change"),
    "change-undo": (NOC, "change"),
    "change-pause": (NOC, "change"),
    "change-go-on": (NOC, "change"),
    "change-rehearse": (POST_ONLY_STAFF | {"audrey": 403}, "change"),
    "change-rehearsal": (STAFF, "change"),
    "change-rehearsal-live": (STAFF, "change"),
    "change-progress": (STAFF, "change"),
    "change-progress-live": (STAFF, "change"),
    "pushes-stop": (NOC, ""),
    "pushes-go-on": (NOC, ""),
    "push": (STAFF, "push"),
    "push-next-step": (NOC, "push"),
    "push-try-now": (POST_ONLY_STAFF | {"audrey": 403}, "push"),
    "routers": (STAFF, ""),
    "router": (STAFF, "router"),
    "router-objects": (STAFF, "router"),
    "router-config": (STAFF, "router"),
    "router-changes": (STAFF, "router"),
    "router-failure": (STAFF, "router"),
    "router-chassis": (NOC, "router"),
    "router-save": (NOC, "router"),
    "router-probe": (POST_ONLY_STAFF | {"audrey": 403}, "router"),
    "router-verify": (POST_ONLY_STAFF | {"audrey": 403}, "router"),
    "router-adopt": (STAFF, "router"),
    "differences": (STAFF, ""),
    "differences-several": (NOC | {"nora": 400}, ""),  # no row is named
    "difference": (STAFF, "difference"),
    "difference-ignore": (POST_ONLY_STAFF | {"audrey": 403}, "difference"),
    "difference-heed": (POST_ONLY_STAFF | {"audrey": 403}, "difference"),
    "links": (STAFF, ""),
    "link-access": (STAFF, "access"),
    "link-quarantine": (NOC, "access"),
    "link-core": (STAFF, "core"),
    "link-failure": (STAFF, "core"),
    "failures": (STAFF, ""),
    "links-offered": (STAFF, ""),
    "link-peering": (STAFF, "peering"),
    "network": (STAFF, ""),
    "network-link": (NOC, ""),
    "network-work": (STAFF, ""),
    "network-capacity": (NOC, ""),
    "network-take-back": (NOC, "capacity"),
    "network-drift": (NOC, ""),
    "network-moved": (NOC, ""),
    "nrens": (STAFF, ""),
    "nren": (STAFF, "nren"),
    "nren-quota": (NOC, "nren"),
    "nrens-quota": (NOC, ""),
    "network-import": (NOC, ""),
    "retired": (STAFF, ""),
    "inventory-edit": (NOC, "row"),
    "inventory-retire": (NOC, "row"),
    "inventory-log": (STAFF, "row"),
    "nren-new": (NOC, ""),
    "nren-onboard": (STAFF, "nren"),
    "nren-off-board": (STAFF, "nren"),
    "people": (NOBODY_HERE, ""),
    "person-new": (NOBODY_HERE, ""),
    "person": (NOBODY_HERE, "person"),
    "person-edit": (NOBODY_HERE, "person"),
    "person-close": (NOBODY_HERE, "person"),
    "person-password": (NOBODY_HERE, "person"),
    "notifications": (STAFF, ""),
    "notifications-mail": (NOC, ""),
    "notifications-webhook": (NOC, ""),
    "notifications-sent": (STAFF, "subscriber"),
    "notifications-replay": (NOC, "subscriber"),
    "notifications-test": (POST_ONLY_STAFF | {"audrey": 403}, "subscriber"),
    "notifications-end": (POST_ONLY_STAFF | {"audrey": 403}, "subscriber"),
    "notifications-again": (POST_ONLY_STAFF | {"audrey": 403}, "message"),
    "notifications-let-go": (POST_ONLY_STAFF | {"audrey": 403}, "message"),
    "tokens": (ANYBODY, ""),
    "token-new": (ANYBODY, ""),
    "token-rotate": (OF_JANE, "token"),
    "token-revoke": (OF_JANE, "token"),
    "audit": (STAFF, ""),
    "audit-check": (POST_ONLY_STAFF, ""),
    "audit-event": (STAFF, "event"),
    "my-requests": (MEMBERS, ""),
    "my-new": (MEMBERS | {"nora": 200}, ""),
    "my-links": (MEMBERS | {"nora": 200}, ""),
    "my-headroom": (MEMBERS | {"nora": 200}, ""),
    "my-inbox": (MEMBERS, ""),
    # Space and time
    "map": (STAFF, ""),
    "nrens-matrix": (STAFF, ""),
    "handover": (STAFF, ""),
    "calendar": (ANYBODY, ""),
    "report": (ANYBODY, ""),
    "calendar-feed": (dict.fromkeys(PEOPLE, 401), ""),  # a session is no token
    "request-path": (STAFF, "request"),
}

# Every address that changes something: who may not even try. A POST without a word in it changes nothing.
POST_REFUSED: dict[str, set[str]] = {
    "break-glass-acknowledge": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-admit": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-admit-lines": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-lines": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-lines-revoke": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-refuse": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-hold": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-unhold": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-withdraw": {"audrey", "dieter", "nemo"},
    "request-retry": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "request-consent": {"nora", "audrey", "dieter", "nemo"},
    "request-flow-label": {"audrey", "giorgos", "dieter", "nemo"},
    "request-questions": {"audrey", "giorgos", "dieter", "nemo"},
    "request-take-offer": {"audrey", "giorgos", "dieter", "nemo"},
    "series-admit": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "series-refuse": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "series-hold": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "series-unhold": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "series-withdraw": {"audrey", "dieter", "nemo"},
    "series-end-early": {"audrey", "dieter", "nemo"},
    "series-take-offer": {"audrey", "dieter", "nemo"},
    "series-consent": {"nora", "audrey", "dieter", "nemo"},
    "request-modify": {"audrey", "giorgos", "dieter", "nemo"},
    "request-extend": {"audrey", "giorgos", "dieter", "nemo"},
    "request-end-early": {"audrey", "giorgos", "dieter", "nemo"},
    "modification-admit": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "modification-refuse": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "modification-withdraw": {"audrey", "dieter", "nemo"},
    "modification-consent": {"nora", "audrey", "dieter", "nemo"},
    "change-new": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "change-approve": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "change-cancel": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "change-push": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "change-rollout": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "change-undo": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "change-rehearse": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "change-pause": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "change-go-on": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "pushes-stop": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "pushes-go-on": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "link-quarantine": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "network-link": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "network-capacity": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "network-take-back": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "network-drift": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "network-moved": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "nren-quota": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "nrens-quota": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "push-next-step": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "push-try-now": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "router-chassis": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "router-save": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "router-probe": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "router-verify": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "router-adopt": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "difference-ignore": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "difference-heed": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "network-import": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "inventory-edit": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "inventory-retire": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "nren-new": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "person-new": {"audrey", "jane", "giorgos", "dieter", "nemo", "nora"},
    "person-edit": {"audrey", "jane", "giorgos", "dieter", "nemo", "nora"},
    "person-close": {"audrey", "jane", "giorgos", "dieter", "nemo", "nora"},
    "person-password": {"audrey", "jane", "giorgos", "dieter", "nemo", "nora"},
    "notifications-mail": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "notifications-webhook": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "notifications-replay": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "notifications-test": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "notifications-end": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "notifications-again": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "notifications-let-go": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "me-sessions-end": set(),
    "view-keep": set(),
    "view-choose": set(),
    "view-edit": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "requests-several": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "differences-several": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "me-session-end": {"audrey", "jane", "giorgos", "dieter", "nemo"},
    "token-new": {"nemo"},
    "token-rotate": {"audrey", "nora", "giorgos", "dieter", "nemo"},
    "token-revoke": {"audrey", "nora", "giorgos", "dieter", "nemo"},
    "audit-check": {"jane", "giorgos", "dieter", "nemo"},
    "my-new": {"audrey", "nemo"},
}


def proposed(world: World) -> Modification:
    """What JANET's running request is to become; proposed when it is first asked for."""
    wanted = Modify(rate="1 Mbit/s")
    standing = Modification.objects.first()
    return standing or modifications.modify(
        actor=world.actor("jane"), request=world.requests["active"], wanted=wanted, reason="Less is enough"
    )


def planned(world: World) -> CapacityChange:
    """What a link carries from next week on; said when it is first asked for."""
    standing = CapacityChange.objects.first()
    if standing is not None:
        return standing
    change = LinkCapacity(CoreLink.objects.first().name, 1_000_000, TimeWindow(world.now + timedelta(days=7)))
    said = topology.change_capacity(
        actor=world.actor("nora"), domain=Domain.objects.get(), planned=change, reason="Less of it"
    )
    return said.change


def told(world: World) -> Message:
    """A message to somebody of the NOC that was given up; made when it is first asked for."""
    standing = Message.objects.first()
    if standing is not None:
        return standing
    row = subscribing.add_mail(actor=world.actor("nora"), address="noc@example.net")
    return Message.objects.create(
        subscriber=row, state="given-up", next_at=world.now, created_at=world.now, finished_at=world.now
    )


def alone(world: World) -> BreakGlass:
    """What niels did alone about a request that DFN's people see too; made when it is first asked for."""
    standing = BreakGlass.objects.first()
    return standing or BreakGlass.objects.create(
        deed="decide",
        user=world.users["niels"],
        at=world.now,
        reason="nobody else was there",
        objections=["it was submitted by the same person"],
        request=world.requests["own"],
    )


def differing(world: World) -> RouterDifference:
    """A class that somebody typed on a router; seen when it is first asked for."""
    standing = RouterDifference.objects.first()
    return standing or RouterDifference.objects.create(
        router=Router.objects.get(name="nl6"),
        object="class-map OTHERS",
        found="class-map match-all OTHERS",
        digest="d" * 64,
        first_seen_at=world.now,
        last_seen_at=world.now,
    )


def janes(world: World) -> ApiToken:
    """A token of jane's; issued when it is first asked for."""
    standing = ApiToken.objects.filter(user=world.users["jane"]).first()
    return (
        standing
        or tokens.issue(actor=world.actor("jane"), user=world.users["jane"], nren=None, name="script")[0]
    )


def kept_by_nora(world: World) -> SavedView:
    """A view of the requests that nora keeps; kept when it is first asked for."""
    standing = SavedView.objects.first()
    return standing or saved_views.keep(
        actor=world.actor("nora"), page="requests", name="Hers", query="state=ACTIVE"
    )


def noras(world: World) -> UserSession:
    """A session of nora's; begun when it is first asked for."""
    wanted = {"user": world.users["nora"], "ip": "192.0.2.1", "user_agent": "x"}
    return UserSession.objects.get_or_create(session_key="k" * 32, defaults=wanted)[0]


def address(name: str, world: World, kind: str) -> str:
    args = {
        "": list,
        "request": lambda: [world.requests["decision"].pk],
        "series": lambda: [(Series.objects.first() or weekly(world)).pk],
        "modification": lambda: [proposed(world).pk],
        "change": lambda: [world.changes["planned"].pk],
        "push": lambda: [world.pushes["pushing"].pk],
        "router": lambda: ["nl6"],
        "difference": lambda: [differing(world).pk],
        "access": lambda: [AccessLink.objects.first().pk],
        "core": lambda: [CoreLink.objects.first().pk],
        "peering": lambda: [Peering.objects.first().pk],
        "nren": lambda: [Nren.objects.first().pk],
        "row": lambda: ["nren", Nren.objects.first().pk],
        "person": lambda: [world.users["jane"].pk],
        "capacity": lambda: [planned(world).pk],
        "subscriber": lambda: [told(world).subscriber_id],
        "message": lambda: [told(world).pk],
        "glass": lambda: [alone(world).pk],
        "token": lambda: [janes(world).pk],
        "session": lambda: [noras(world).pk],
        "view": lambda: [kept_by_nora(world).pk],
        "event": lambda: [AuditEvent.objects.first().sequence],
    }[kind]()
    return reverse(f"web:{name}", args=args)


def test_every_address_has_a_row() -> None:
    names = [pattern.name for pattern in urls.urlpatterns if isinstance(pattern, URLPattern)]
    assert len(names) == len(urls.urlpatterns), "an include hides addresses from this test"
    assert sorted(GET) == sorted(names)


def test_every_view_that_takes_a_post_has_a_row() -> None:
    taking = {p.name for p in urls.urlpatterns if "POST" in getattr(p.callback, "methods", ())}
    assert taking == set(POST_REFUSED)


@pytest.mark.parametrize("person", PEOPLE)
def test_who_sees_what(world: World, as_user: Callable[[str], Client], person: str) -> None:
    wrong = []
    for name, (expected, kind) in GET.items():
        client = as_user(person)
        answer = client.get(address(name, world, kind))
        if answer.status_code != expected[person]:
            wrong.append((name, answer.status_code, expected[person]))
        if person == "" and answer.status_code == 302:
            assert answer["Location"].startswith("/sign-in/?next="), name
    assert not wrong


@pytest.mark.parametrize("person", ("", "audrey", "jane", "giorgos", "dieter", "nemo", "nora"))
def test_who_may_not_even_try(world: World, as_user: Callable[[str], Client], person: str) -> None:
    for name, refused in POST_REFUSED.items():
        url = address(name, world, GET[name][1])
        if person == "":
            answer = as_user("").post(url)
            assert answer.status_code == 302 and answer["Location"].startswith("/sign-in/"), name
        elif person in refused:
            assert as_user(person).post(url).status_code in {403, 404}, (name, person)


def test_no_post_is_taken_without_its_csrf_token(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.users["nora"])
    for name in (*POST_REFUSED, "sign-out", "sign-in"):
        answer = client.post(address(name, world, GET[name][1]))
        assert answer.status_code == 403, name
        assert b"still valid" in answer.content, name


@pytest.mark.parametrize("person", ("jane", "giorgos", "dieter"))
def test_an_nren_never_finds_out_about_others(
    world: World, as_user: Callable[[str], Client], person: str
) -> None:
    own = {"jane": "JANET", "giorgos": "GRNET", "dieter": "DFN"}[person]
    client = as_user(person)
    for request in world.requests.values():
        party = own in {request.nren.name, request.receiving_nren.name}
        assert client.get(reverse("web:request", args=[request.pk])).status_code == (200 if party else 404)
    listed = page_text(client.get(reverse("web:my-requests")))
    for request in world.requests.values():
        assert (f">{request.reference}<" in listed) == (request.nren.name == own)
