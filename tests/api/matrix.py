"""What each role of each tenant gets from every URL and method, and the rows that the URLs are about."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from inventory.models import AccessLink, CoreLink, Interface, LineCard, Nren, Peering, Router
from provisioning.models import (
    SYSTEM,
    ApiToken,
    AuditEvent,
    BreakGlass,
    CapacityChange,
    Change,
    LedgerEntry,
    Message,
    PremiumRequest,
    Role,
    RouterDifference,
    RouterPush,
    RouterSync,
)
from provisioning.services import people
from provisioning.services.plans import keep_plan
from tests.api.conftest import NO_QUOTA, START, Speaker, asked, issue_tokens, speaking, weekly
from tests.kept import kept
from tests.pipeline.topology.test_evidence import TRACE
from tests.services.requests.sixnet import SIX_NET
from tests.web.plans import swap_plan

V1 = "/api/v1/"
UNKNOWN, NO_ROLE = 401, 403

# Answers in the order of ROLES: anonymous, roleless, read-only (JANET's), JANET, GRNET, DFN, noc, auditor.
EVERYBODY = (UNKNOWN, NO_ROLE, 200, 200, 200, 200, 200, 200)
BACKBONE = (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 200, 200)
ONLY_NOC = (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 200, 403)
PARTIES = (UNKNOWN, NO_ROLE, 200, 200, 200, 404, 200, 200)
ASKER = (UNKNOWN, NO_ROLE, 200, 200, 404, 404, 200, 200)
PUBLIC = (200,) * 8
# Of a request of JANET to GRNET: what its sender does, its receiver, the NOC alone; and the same where it cannot be done now.
OF_SENDER = (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403)
OF_RECEIVER = (UNKNOWN, NO_ROLE, 403, 403, 200, 404, 403, 403)
OF_NOC = (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 200, 403)
NOT_NOW_OF_SENDER = (UNKNOWN, NO_ROLE, 403, 409, 403, 404, 409, 403)
NOT_NOW_OF_NOC = (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 409, 403)
# Whoever sees it and may write is told first that there is nothing of the kind.
NOT_NOW = (UNKNOWN, NO_ROLE, 403, 409, 409, 404, 409, 409)
# It is JANET's access link: its own people and the NOC ask from it, or try; who may change it is the NOC.
ASKING = (UNKNOWN, NO_ROLE, 403, 201, 403, 403, 201, 403)
TRYING = (UNKNOWN, NO_ROLE, 403, 200, 403, 403, 200, 403)
OF_NOC_AT_JANETS = (UNKNOWN, NO_ROLE, 403, 403, 404, 404, 200, 403)
STEERING = (UNKNOWN, NO_ROLE, 403, 403, 404, 404, 409, 403)

EDITED = {
    "nrens/{nren}/": {"country": "fr", "reason": "moved"},
    "routers/{router}/": {"ios": "12.0(33)S", "reason": "upgraded"},
    "access-links/{access_link}/": {"source_filter": "strict uRPF", "reason": "seen"},
    "core-links/{core_link}/": {"metric": 20, "reason": "slower"},
    "interfaces/{interface}/": {"description": "to a lab", "reason": "clearer"},
    "line-cards/{line_card}/": {"engine": "4+", "reason": "replaced"},
    "peerings/{peering}/": {"peer": "GEANT2", "reason": "its name"},
}
MATRIX: dict[tuple[str, str], tuple[int, ...]] = {
    ("GET", "nrens/"): EVERYBODY,
    ("GET", "nrens/{nren}/"): EVERYBODY,
    ("GET", "routers/"): BACKBONE,
    ("GET", "routers/{router}/"): BACKBONE,
    ("POST", "routers/{router}/chassis/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 409, 403),
    ("GET", "routers/{router}/unsaved/"): BACKBONE,
    # It is not reached from here: the NOC's word is taken, and nothing is saved.
    ("POST", "routers/{router}/save/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 409, 403),
    ("GET", "access-links/"): EVERYBODY,
    ("GET", "access-links/{access_link}/"): EVERYBODY,
    ("GET", "routers/{router}/capabilities/"): BACKBONE,
    ("POST", "routers/{router}/probe/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 409, 403),
    # It was never read. It has no address: reading it now says so.
    ("GET", "routers/{router}/standing/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 404, 404),
    ("POST", "routers/{router}/verify/"): ONLY_NOC,
    ("GET", "core-links/"): BACKBONE,
    ("GET", "core-links/{core_link}/"): BACKBONE,
    ("GET", "core-links/{core_link}/failure/"): BACKBONE,
    ("GET", "core-links/failures/"): BACKBONE,
    ("GET", "core-links/planned-work/?link={core_link_name}"): BACKBONE,
    ("POST", "core-links/{core_link}/declare/"): ONLY_NOC,
    ("POST", "core-links/{core_link}/declare-what-if/"): ONLY_NOC,
    ("GET", "interfaces/"): BACKBONE,
    ("GET", "interfaces/{interface}/"): BACKBONE,
    ("GET", "line-cards/"): BACKBONE,
    ("GET", "line-cards/{line_card}/"): BACKBONE,
    ("GET", "peerings/"): BACKBONE,
    ("GET", "peerings/{peering}/"): BACKBONE,
    # What is written over is read first: without an ETag nobody gets further than the NOC, and that not far.
    **{("PATCH", path): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 428, 403) for path in EDITED},
    **{("DELETE", path): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 400, 403) for path in EDITED},
    ("POST", "network-files/"): ONLY_NOC,
    # It is JANET's access link: its own people see that it is to carry less, and do not say so.
    ("GET", "capacity-changes/"): EVERYBODY,
    ("GET", "capacity-changes/{capacity}/"): (UNKNOWN, NO_ROLE, 200, 200, 404, 404, 200, 200),
    ("POST", "capacity-changes/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 201, 403),
    ("POST", "capacity-changes/what-if/"): ONLY_NOC,
    ("POST", "capacity-changes/{capacity}/take-back/"): OF_NOC_AT_JANETS,
    ("POST", "capacity-changes/{capacity}/take-back-what-if/"): OF_NOC_AT_JANETS,
    ("GET", "differences/"): BACKBONE,
    ("GET", "differences/{difference}/"): BACKBONE,
    ("POST", "differences/{difference}/ignore/"): ONLY_NOC,
    ("POST", "differences/{difference}/heed/"): ONLY_NOC,
    ("GET", "path-drift/"): BACKBONE,
    ("POST", "path-drift/compare/"): ONLY_NOC,
    ("GET", "moves/"): BACKBONE,
    ("GET", "moves/{moving}/"): BACKBONE,
    ("POST", "moves/{moving}/end/"): ONLY_NOC,
    ("POST", "moves/end/"): ONLY_NOC,
    ("GET", "premium-requests/"): EVERYBODY,
    ("GET", "premium-requests/{request}/"): PARTIES,
    ("GET", "premium-requests/{request}/pack/?for=linux"): PARTIES,
    ("GET", "premium-requests/{request}/recheck/"): PARTIES,
    ("GET", "premium-requests/{request}/lines/"): BACKBONE,
    ("GET", "premium-requests/{request}/usage/"): ASKER,
    ("GET", "series/"): EVERYBODY,
    ("GET", "series/{series}/"): PARTIES,
    ("GET", "modifications/"): EVERYBODY,
    ("GET", "modifications/{modification}/"): PARTIES,
    ("GET", "nrens/{nren}/quota/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 200, 200, 200),
    ("GET", "nrens/quota/"): BACKBONE,
    ("GET", "changes/"): EVERYBODY,
    ("GET", "changes/{change}/"): ASKER,
    ("GET", "changes/{change}/proof/"): BACKBONE,
    ("POST", "changes/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 201, 403),
    ("GET", "changes/{change}/approval/"): BACKBONE,
    # It has other lines than those that are said to have been read, and nothing of it is approved.
    ("POST", "changes/{change}/approve/"): STEERING,
    ("POST", "changes/{change}/push/"): STEERING,
    # It carries out a request of JANET's; nothing of it is approved, so there is nothing to hold.
    ("POST", "changes/{change}/pause/"): STEERING,
    ("POST", "changes/{change}/resume/"): STEERING,
    ("POST", "changes/{change}/rollout/"): (UNKNOWN, NO_ROLE, 403, 403, 404, 404, 200, 403),
    # It is not over.
    ("POST", "changes/{change}/undo/"): STEERING,
    ("POST", "changes/{change}/abort/"): (UNKNOWN, NO_ROLE, 403, 403, 404, 404, 200, 403),
    # It is not planned yet, so it was not rehearsed either.
    ("GET", "changes/{change}/rehearsal/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 404, 404),
    ("GET", "pushes/{push}/rehearsal/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 404, 404),
    ("POST", "changes/{change}/rehearse/"): STEERING,
    ("GET", "pushes/"): BACKBONE,
    ("GET", "pushes/stopped/"): BACKBONE,
    ("POST", "pushes/stop/"): ONLY_NOC,
    # Nobody stopped them.
    ("POST", "pushes/go-on/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 409, 403),
    ("GET", "pushes/{push}/"): BACKBONE,
    # It has not ended: the NOC's word is taken, and there is no next step.
    ("POST", "pushes/{push}/try-now/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 409, 403),
    ("POST", "pushes/{push}/next-step/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 409, 403),
    ("GET", "break-glass/"): EVERYBODY,
    # It was done alone about JANET's request to GRNET, by somebody else than who speaks here.
    ("GET", "break-glass/{alone}/"): PARTIES,
    ("POST", "break-glass/{alone}/acknowledge/"): OF_NOC,
    ("GET", "subscribers/"): BACKBONE,
    ("GET", "subscribers/{subscriber}/"): BACKBONE,
    ("POST", "subscribers/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 201, 403),
    ("POST", "subscribers/{subscriber}/change/"): ONLY_NOC,
    ("POST", "subscribers/{subscriber}/test/"): ONLY_NOC,
    ("GET", "subscribers/{subscriber}/messages/"): BACKBONE,
    ("POST", "subscribers/{subscriber}/replay/"): ONLY_NOC,
    ("POST", "subscribers/{subscriber}/end/"): ONLY_NOC,
    ("GET", "events/?limit=5"): EVERYBODY,
    # JANET's own, and of the same user as the one that only reads; it rotates itself.
    ("GET", "me/"): EVERYBODY,
    ("GET", "tokens/"): EVERYBODY,
    ("GET", "tokens/{token}/"): (UNKNOWN, NO_ROLE, 200, 200, 404, 404, 404, 404),
    ("POST", "tokens/"): (UNKNOWN, NO_ROLE, 403, 201, 201, 201, 201, 201),
    ("POST", "tokens/{token}/rotate/"): (UNKNOWN, NO_ROLE, 403, 201, 404, 404, 404, 404),
    ("POST", "tokens/{token}/revoke/"): (UNKNOWN, NO_ROLE, 403, 200, 404, 404, 404, 404),
    ("GET", "audit-events/"): EVERYBODY,
    ("GET", "audit-events/{about_network}/"): (UNKNOWN, NO_ROLE, 404, 404, 404, 404, 200, 200),
    ("GET", "audit-events/{about_request}/"): PARTIES,
    ("GET", "advice/bursts/?rate=5M&traffic=elastic"): EVERYBODY,
    # JANET's link: its own people and the NOC may ask from it.
    ("POST", "premium-requests/"): ASKING,
    ("POST", "premium-requests/what-if/"): TRYING,
    # It fits as it is: nothing to choose for who may, and that is all they are told.
    ("POST", "premium-requests/{request}/take-offer/"): NOT_NOW_OF_SENDER,
    ("GET", "premium-requests/{request}/range/"): (UNKNOWN, NO_ROLE, 200, 200, 403, 404, 200, 403),
    ("POST", "premium-requests/{request}/modify/"): OF_SENDER,
    ("POST", "premium-requests/{request}/modify-what-if/"): OF_SENDER,
    ("POST", "premium-requests/{request}/extend/"): OF_SENDER,
    # It is not granted: nothing to end, and nothing is proposed for it.
    ("POST", "premium-requests/{request}/end-early/"): NOT_NOW_OF_SENDER,
    ("POST", "premium-requests/{request}/modification-consent/"): NOT_NOW,
    ("POST", "premium-requests/{request}/modification-withdraw/"): NOT_NOW,
    ("POST", "premium-requests/{request}/consent/"): OF_RECEIVER,
    ("POST", "premium-requests/{request}/flow-label/"): OF_SENDER,
    ("POST", "premium-requests/{request}/withdraw/"): OF_SENDER,
    # The NOC's own; it fits, and GRNET has not agreed yet.
    ("POST", "premium-requests/{request}/hold/"): OF_NOC,
    ("POST", "premium-requests/{request}/unhold/"): NOT_NOW_OF_NOC,
    ("POST", "premium-requests/{request}/admit/"): NOT_NOW_OF_NOC,
    ("POST", "premium-requests/{request}/refuse/"): OF_NOC,
    # It is not granted: no lines of it can be approved, and nothing of it waits to be planned.
    ("POST", "premium-requests/{request}/approve-lines/"): NOT_NOW_OF_NOC,
    ("POST", "premium-requests/{request}/revoke-lines/"): NOT_NOW_OF_NOC,
    ("POST", "premium-requests/{request}/plan-again/"): NOT_NOW_OF_NOC,
    ("POST", "modifications/{modification}/admit/"): OF_NOC,
    ("POST", "modifications/{modification}/refuse/"): OF_NOC,
    # It asks no more of GRNET: nobody has to agree.
    ("POST", "modifications/{modification}/consent/"): (UNKNOWN, NO_ROLE, 403, 403, 409, 404, 403, 403),
    ("POST", "modifications/{modification}/withdraw/"): OF_SENDER,
    ("POST", "nrens/{nren}/quota/"): ONLY_NOC,
    ("POST", "nrens/quota/"): ONLY_NOC,
    ("POST", "series/{series}/hold/"): OF_NOC,
    ("POST", "series/{series}/unhold/"): NOT_NOW_OF_NOC,
    ("POST", "series/{series}/admit/"): NOT_NOW_OF_NOC,
    ("POST", "series/{series}/refuse/"): OF_NOC,
    # It fits as it is: there is nothing to choose.
    ("POST", "series/{series}/take-offer/"): NOT_NOW_OF_SENDER,
    ("POST", "series/{series}/end-early/"): OF_SENDER,
    ("POST", "series/what-if/"): TRYING,
    ("POST", "series/"): ASKING,
    ("POST", "series/{series}/consent/"): OF_RECEIVER,
    ("POST", "series/{series}/withdraw/"): OF_SENDER,
}
IN_A_WEEK = (dt.datetime.now(dt.UTC) + dt.timedelta(days=7)).isoformat()
CAPACITY = {"link": "JANET@uk6:POS1/0", "usable_bps": 100_000_000, "reason": "one card less"}
QUOTA = {"rate_bps": 20_000_000, "open_requests": None, "holds": 3, "seen": NO_QUOTA, "reason": "agreed"}
BODIES: dict[str, Any] = {
    **EDITED,
    "network-files/": {"text": SIX_NET.read_text()},
    "core-links/{core_link}/declare/": {"deed": "down", "reason": "a cut fibre"},
    "core-links/{core_link}/declare-what-if/": {"deed": "removed"},
    "pushes/{push}/next-step/": {"verb": "look"},
    "routers/{router}/verify/": {},
    "changes/": {"routers": ["uk6"], "reason": "a new card"},
    "changes/{change}/approve/": {"seen": "0" * 64},
    "changes/{change}/push/": {},
    "pushes/{push}/try-now/": {},
    "premium-requests/{request}/approve-lines/": {"seen": "0" * 64},
    "premium-requests/{request}/revoke-lines/": {"reason": "others"},
    "premium-requests/{request}/plan-again/": {"reason": "mended"},
    "routers/{router}/chassis/": {"serial": "TBM0999", "reason": "replaced"},
    "capacity-changes/": CAPACITY,
    "capacity-changes/what-if/": {"pool": "ip-premium", "kind": "core", "percent": "10"},
    "capacity-changes/{capacity}/take-back/": {"reason": "the card came"},
    "capacity-changes/{capacity}/take-back-what-if/": {},
    "differences/{difference}/ignore/": {"until": IN_A_WEEK, "reason": "until the card is changed"},
    "differences/{difference}/heed/": {"reason": "it was changed"},
    "path-drift/compare/": {"text": TRACE},
    "changes/{change}/pause/": {"reason": "wait"},
    "changes/{change}/resume/": {"reason": "go on"},
    "changes/{change}/rollout/": {"at_once": 2, "ticket": "TT-4711", "reason": "two engineers"},
    "changes/{change}/undo/": {"reason": "the wrong NREN"},
    "changes/{change}/abort/": {"reason": "not tonight"},
    "pushes/stop/": {"reason": "smoke"},
    "pushes/go-on/": {"reason": "it was the toaster"},
    "routers/{router}/save/": {"seen": "0" * 64, "reason": "NVRAM is free"},
    "moves/{moving}/end/": {"reason": "seen on the routers"},
    "break-glass/{alone}/acknowledge/": {"reason": "read"},
    "tokens/": {"name": "script"},
    "tokens/{token}/rotate/": {"reason": "weekly"},
    "tokens/{token}/revoke/": {"reason": "leaked"},
    "subscribers/": {"channel": "mail", "address": "night@example.net"},
    "subscribers/{subscriber}/change/": {"topics": ["bare-interface"]},
    "subscribers/{subscriber}/test/": {},
    "subscribers/{subscriber}/replay/": {"since": "2026-01-01T00:00:00Z"},
    "subscribers/{subscriber}/end/": {},
    "premium-requests/": asked(),
    "premium-requests/what-if/": asked(),
    "premium-requests/{request}/take-offer/": {"kind": "lower-rate"},
    "premium-requests/{request}/modify/": {"rate_bps": 1_000_000, "reason": "less"},
    "premium-requests/{request}/modify-what-if/": {"rate_bps": 1_000_000},
    "premium-requests/{request}/extend/": {"end": None, "reason": "longer"},
    "premium-requests/{request}/end-early/": {"reason": "shorter"},
    "premium-requests/{request}/modification-consent/": {"agree": True},
    "premium-requests/{request}/modification-withdraw/": {"reason": "no"},
    "premium-requests/{request}/consent/": {"agree": True, "reason": ""},
    "premium-requests/{request}/flow-label/": {},
    "premium-requests/{request}/withdraw/": {"reason": "no longer needed"},
    "premium-requests/{request}/hold/": {
        "until": (START - dt.timedelta(hours=1)).isoformat(),
        "reason": "talks",
    },
    "premium-requests/{request}/unhold/": {"reason": "over"},
    "premium-requests/{request}/admit/": {"reason": "it fits"},
    "premium-requests/{request}/refuse/": {"reason": "no"},
    "modifications/{modification}/admit/": {"reason": "it fits"},
    "modifications/{modification}/refuse/": {"reason": "no"},
    "modifications/{modification}/consent/": {"agree": True},
    "modifications/{modification}/withdraw/": {"reason": "no"},
    "nrens/{nren}/quota/": QUOTA,
    "nrens/quota/": QUOTA,
    "series/{series}/hold/": {"until": (START - dt.timedelta(hours=1)).isoformat(), "reason": "talks"},
    "series/{series}/unhold/": {"reason": "over"},
    "series/{series}/admit/": {"reason": "it fits"},
    "series/{series}/refuse/": {"reason": "no"},
    "series/{series}/take-offer/": {},
    "series/{series}/end-early/": {"reason": "the course is short"},
    "series/what-if/": weekly(),
    "series/": weekly(),
    "series/{series}/consent/": {"agree": True, "reason": ""},
    "series/{series}/withdraw/": {"reason": "no longer needed"},
}
WRITES = {path for method, path in MATRIX if method == "POST"}


Made = tuple[dict[str, str | None], dict[str, Any]]


def make() -> Made:
    """A request of JANET to GRNET, a change that carries it out with a push; the tokens and the ids of everything."""
    texts = issue_tokens()
    janet = speaking(texts)["JANET"]
    request = PremiumRequest.objects.get(pk=janet.post(f"{V1}premium-requests/", asked())["id"])
    change = Change.objects.create(
        kind="reservation", title="For JANET and others", scheme="6net", scheme_digest="", template_digest="",
        intent_digest="",
    )  # fmt: skip
    change.requests.add(request)
    uk6 = Router.objects.get(name="uk6")
    push = RouterPush.objects.create(change=change, router=uk6, phase="edges", position=1)
    keep_plan(push, swap_plan("uk6"))
    speaking(texts)["noc"].post(f"{V1}capacity-changes/", CAPACITY)
    moving = PremiumRequest.objects.get(pk=janet.post(f"{V1}premium-requests/", asked())["id"])
    LedgerEntry.objects.create(
        request=moving, hold=moving, link="uk6:POS2/0--nl6:POS2/0", direction="a-z", pool="ip-premium", rate_bps=1,
        start=moving.start, end=moving.end, moving_since=timezone.now(),
    )  # fmt: skip
    core_link = CoreLink.objects.earliest("pk")
    return texts, {
        "capacity": CapacityChange.objects.get().pk,
        "moving": moving.pk,
        "core_link_name": core_link.name,
        "nren": Nren.objects.get(name="DFN").pk,
        "router": uk6.pk,
        "difference": differing(Router.objects.get(name="nl6")),
        "access_link": AccessLink.objects.get(nren__name="DFN").pk,
        "core_link": core_link.pk,
        "interface": Interface.objects.earliest("pk").pk,
        "line_card": LineCard.objects.earliest("pk").pk,
        "peering": Peering.objects.earliest("pk").pk,
        "request": request.pk,
        "series": janet.post(f"{V1}series/", weekly())["id"],
        "modification": proposed(janet, texts),
        "subscriber": told(speaking(texts)["noc"]),
        "token": ApiToken.objects.get(user__username="janet", name="t").pk,
        "change": change.pk,
        "alone": alone(request),
        "push": push.pk,
        "about_network": AuditEvent.objects.get(action="inventory.import").sequence,
        "about_request": AuditEvent.objects.filter(action="request.submit").earliest("pk").sequence,
    }


def differing(router: Router) -> int:
    """A class that somebody typed on a router, seen by its last reading."""
    RouterSync.objects.update_or_create(
        router=router, defaults={"state": "differs", "checked_at": timezone.now()}
    )
    seen = {"first_seen_at": timezone.now(), "last_seen_at": timezone.now()}
    row = RouterDifference.objects.create(
        router=router, object="class-map OTHERS", found="class-map match-all OTHERS", digest="d" * 64, **seen
    )
    return int(row.pk)


def told(noc: Speaker) -> int:
    """A mail address that took a message."""
    pk = noc.post(f"{V1}subscribers/", {"channel": "mail", "address": "noc@example.net"})["id"]
    made = noc.post(f"{V1}subscribers/{pk}/test/", {}, 200)["message"]
    Message.objects.filter(pk=made).update(state="sent", attempts=1, finished_at=timezone.now())
    return int(pk)


def alone(request: PremiumRequest) -> int:
    """What somebody of the NOC who is not in this world any more did alone about a request."""
    user = people.put_person(actor=SYSTEM, username="alone", roles=[Role.NOC])
    row = BreakGlass.objects.create(
        deed="decide",
        user=user,
        at=timezone.now(),
        reason="nobody else was there",
        objections=["it was submitted by the same person"],
        request=request,
    )
    return row.pk


def proposed(janet: Speaker, texts: dict[str, str | None]) -> int:
    """Another request, granted to JANET, that is to become less."""
    url = f"{V1}premium-requests/{janet.post(f'{V1}premium-requests/', asked(rate_bps=1_000_000))['id']}/"
    speaking(texts)["GRNET"].post(f"{url}consent/", {"agree": True}, 200)
    speaking(texts)["noc"].post(f"{url}admit/", {"reason": "it fits"}, 200)
    (made,) = janet.post(f"{url}modify/", {"rate_bps": 500_000, "reason": "less"}, 200)["modifications"]
    return int(made["id"])


@pytest.fixture
def made(db: None) -> Made:
    cache.clear()
    return kept("matrix", make)


@pytest.fixture
def ids(made: Made) -> dict[str, int]:
    return made[1]


@pytest.fixture
def speakers(made: Made) -> dict[str, Speaker]:
    return speaking(made[0])
