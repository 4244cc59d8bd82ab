"""Every role, every tenant, every URL and method: who gets what. A new URL without a row here fails."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver
from django.utils import timezone

from inventory.models import AccessLink, CoreLink, Nren, Router
from provisioning.models import (
    SYSTEM,
    Approval,
    AuditEvent,
    CapacityChange,
    Change,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    RouterPush,
)
from provisioning.services import people, tokens
from provisioning.services.plans import keep_plan
from tests.api.conftest import ROLES, START, Speaker, asked, issue_tokens, speaking, weekly
from tests.kept import kept
from tests.pipeline.topology.test_evidence import TRACE
from tests.web.plans import swap_plan

pytestmark = pytest.mark.once

V1 = "/api/v1/"
UNKNOWN, NO_ROLE = 401, 403

# Answers in the order of ROLES: anonymous, roleless, read-only (JANET's), JANET, GRNET, DFN, noc, auditor.
EVERYBODY = (UNKNOWN, NO_ROLE, 200, 200, 200, 200, 200, 200)
BACKBONE = (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 200, 200)
ONLY_NOC = (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 200, 403)
PARTIES = (UNKNOWN, NO_ROLE, 200, 200, 200, 404, 200, 200)
ASKER = (UNKNOWN, NO_ROLE, 200, 200, 404, 404, 200, 200)
PUBLIC = (200,) * 8

MATRIX: dict[tuple[str, str], tuple[int, ...]] = {
    ("GET", "nrens/"): EVERYBODY,
    ("GET", "nrens/{nren}/"): EVERYBODY,
    ("GET", "routers/"): BACKBONE,
    ("GET", "routers/{router}/"): BACKBONE,
    ("GET", "access-links/"): EVERYBODY,
    ("GET", "access-links/{access_link}/"): EVERYBODY,
    ("GET", "core-links/"): BACKBONE,
    ("GET", "core-links/{core_link}/"): BACKBONE,
    ("GET", "core-links/{core_link}/failure/"): BACKBONE,
    ("GET", "core-links/failures/"): BACKBONE,
    ("GET", "core-links/planned-work/?link={core_link_name}"): BACKBONE,
    ("POST", "core-links/{core_link}/declare/"): ONLY_NOC,
    ("POST", "core-links/{core_link}/declare-what-if/"): ONLY_NOC,
    # It is JANET's access link: its own people see that it is to carry less, and do not say so.
    ("GET", "capacity-changes/"): EVERYBODY,
    ("GET", "capacity-changes/{capacity}/"): (UNKNOWN, NO_ROLE, 200, 200, 404, 404, 200, 200),
    ("POST", "capacity-changes/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 201, 403),
    ("POST", "capacity-changes/what-if/"): ONLY_NOC,
    ("POST", "capacity-changes/{capacity}/take-back/"): (UNKNOWN, NO_ROLE, 403, 403, 404, 404, 200, 403),
    ("POST", "capacity-changes/{capacity}/take-back-what-if/"): (
        UNKNOWN,
        NO_ROLE,
        403,
        403,
        404,
        404,
        200,
        403,
    ),
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
    ("GET", "series/"): EVERYBODY,
    ("GET", "series/{series}/"): PARTIES,
    ("GET", "modifications/"): EVERYBODY,
    ("GET", "modifications/{modification}/"): PARTIES,
    ("GET", "nrens/{nren}/quota/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 200, 200, 200),
    ("GET", "nrens/quota/"): BACKBONE,
    ("GET", "changes/"): EVERYBODY,
    ("GET", "changes/{change}/"): ASKER,
    ("GET", "changes/{change}/proof/"): BACKBONE,
    ("GET", "pushes/"): BACKBONE,
    ("GET", "pushes/{push}/"): BACKBONE,
    ("GET", "audit-events/"): EVERYBODY,
    ("GET", "audit-events/{about_network}/"): (UNKNOWN, NO_ROLE, 404, 404, 404, 404, 200, 200),
    ("GET", "audit-events/{about_request}/"): PARTIES,
    ("GET", "advice/bursts/?rate=5M&traffic=elastic"): EVERYBODY,
    # JANET's link: its own people and the NOC may ask from it.
    ("POST", "premium-requests/"): (UNKNOWN, NO_ROLE, 403, 201, 403, 403, 201, 403),
    ("POST", "premium-requests/what-if/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 403, 200, 403),
    # It fits as it is: nothing to choose for who may, and that is all they are told.
    ("POST", "premium-requests/{request}/take-offer/"): (UNKNOWN, NO_ROLE, 403, 409, 403, 404, 409, 403),
    ("GET", "premium-requests/{request}/range/"): (UNKNOWN, NO_ROLE, 200, 200, 403, 404, 200, 403),
    ("POST", "premium-requests/{request}/modify/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
    ("POST", "premium-requests/{request}/modify-what-if/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
    ("POST", "premium-requests/{request}/extend/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
    # It is not granted: nothing to end, and nothing is proposed for it.
    ("POST", "premium-requests/{request}/end-early/"): (UNKNOWN, NO_ROLE, 403, 409, 403, 404, 409, 403),
    ("POST", "premium-requests/{request}/modification-consent/"): (
        UNKNOWN,
        NO_ROLE,
        403,
        409,
        409,
        404,
        409,
        409,
    ),
    ("POST", "premium-requests/{request}/modification-withdraw/"): (
        UNKNOWN,
        NO_ROLE,
        403,
        409,
        409,
        404,
        409,
        409,
    ),
    ("POST", "premium-requests/{request}/consent/"): (UNKNOWN, NO_ROLE, 403, 403, 200, 404, 403, 403),
    ("POST", "premium-requests/{request}/flow-label/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
    ("POST", "premium-requests/{request}/withdraw/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
    # The NOC's own; it fits, and GRNET has not agreed yet.
    ("POST", "premium-requests/{request}/hold/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 200, 403),
    ("POST", "premium-requests/{request}/unhold/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 409, 403),
    ("POST", "premium-requests/{request}/admit/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 409, 403),
    ("POST", "premium-requests/{request}/refuse/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 200, 403),
    ("POST", "modifications/{modification}/admit/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 200, 403),
    ("POST", "modifications/{modification}/refuse/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 200, 403),
    # It asks no more of GRNET: nobody has to agree.
    ("POST", "modifications/{modification}/consent/"): (UNKNOWN, NO_ROLE, 403, 403, 409, 404, 403, 403),
    ("POST", "modifications/{modification}/withdraw/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
    ("POST", "nrens/{nren}/quota/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 200, 403),
    ("POST", "nrens/quota/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 200, 403),
    ("POST", "series/{series}/hold/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 200, 403),
    ("POST", "series/{series}/unhold/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 409, 403),
    ("POST", "series/{series}/admit/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 409, 403),
    ("POST", "series/{series}/refuse/"): (UNKNOWN, NO_ROLE, 403, 403, 403, 404, 200, 403),
    # It fits as it is: there is nothing to choose.
    ("POST", "series/{series}/take-offer/"): (UNKNOWN, NO_ROLE, 403, 409, 403, 404, 409, 403),
    ("POST", "series/{series}/end-early/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
    ("POST", "series/what-if/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 403, 200, 403),
    ("POST", "series/"): (UNKNOWN, NO_ROLE, 403, 201, 403, 403, 201, 403),
    ("POST", "series/{series}/consent/"): (UNKNOWN, NO_ROLE, 403, 403, 200, 404, 403, 403),
    ("POST", "series/{series}/withdraw/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
}
CAPACITY = {"link": "JANET@uk6:POS1/0", "usable_bps": 100_000_000, "reason": "one card less"}
BODIES: dict[str, Any] = {
    "core-links/{core_link}/declare/": {"deed": "down", "reason": "a cut fibre"},
    "core-links/{core_link}/declare-what-if/": {"deed": "removed"},
    "capacity-changes/": CAPACITY,
    "capacity-changes/what-if/": {"pool": "ip-premium", "kind": "core", "percent": "10"},
    "capacity-changes/{capacity}/take-back/": {"reason": "the card came"},
    "capacity-changes/{capacity}/take-back-what-if/": {},
    "path-drift/compare/": {"text": TRACE},
    "moves/{moving}/end/": {"reason": "seen on the routers"},
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
    "nrens/{nren}/quota/": {"rate_bps": 20_000_000, "open_requests": None, "holds": 3, "reason": "agreed"},
    "nrens/quota/": {"rate_bps": 20_000_000, "open_requests": None, "holds": 3, "reason": "agreed"},
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
CELLS = [
    (method, path, role, status) for (method, path), row in MATRIX.items() for role, status in zip(ROLES, row, strict=True)
]  # fmt: skip


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
        "access_link": AccessLink.objects.get(nren__name="DFN").pk,
        "core_link": core_link.pk,
        "request": request.pk,
        "series": janet.post(f"{V1}series/", weekly())["id"],
        "modification": proposed(janet, texts),
        "change": change.pk,
        "push": push.pk,
        "about_network": AuditEvent.objects.get(action="inventory.import").sequence,
        "about_request": AuditEvent.objects.filter(action="request.submit").earliest("pk").sequence,
    }


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
def speakers(made: Made) -> dict[str, Speaker]:
    return speaking(made[0])


@pytest.fixture
def ids(made: Made) -> dict[str, int]:
    return made[1]


@pytest.mark.parametrize(("method", "path", "role", "status"), CELLS)
def test_who_gets_what(
    speakers: dict[str, Speaker], ids: dict[str, int], method: str, path: str, role: str, status: int
) -> None:
    body = BODIES.get(path) if method == "POST" else None
    if path == "moves/end/":
        body = {"requests": [ids["moving"]], "reason": "seen on the routers"}
    response = speakers[role].send(method, V1 + path.format(**ids), body)
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == (
        "application/json" if status < 400 else "application/problem+json"
    )
    assert response.headers["Cache-Control"] == "no-store"
    if status == 401:
        assert response.headers["WWW-Authenticate"] == 'Bearer realm="expedite"'


@pytest.mark.parametrize("path", sorted({path for _, path in MATRIX}))
@pytest.mark.parametrize("role", ROLES)
def test_no_other_method_does_anything(
    speakers: dict[str, Speaker], ids: dict[str, int], path: str, role: str
) -> None:
    events = AuditEvent.objects.count()
    allowed = {method for method, known in MATRIX if known == path}
    for method in {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - allowed:
        response = speakers[role].send(method, V1 + path.format(**ids), {"state": "ADMITTED"})
        assert response.status_code in (401, 403, 405), (method, response.content)
        assert response.headers["Content-Type"] == "application/problem+json"
    assert AuditEvent.objects.count() == events


def test_every_url_of_the_api_has_its_row() -> None:
    (api,) = [entry for entry in get_resolver().url_patterns if str(entry.pattern) == "api/"]
    known = {str(entry.pattern) for entry in api.url_patterns}
    public = {"schema/", "docs/", "problems/<slug:code>/", "^.*$"}
    assert public <= known
    resources = {path.split("/")[0] for _, path in MATRIX}
    assert {pattern.removeprefix("^v1/").split("/")[0] for pattern in known - public} == resources
    actions = {
        pattern.rsplit(")/", 1)[1].removesuffix("/$").strip("$") for pattern in known if ")/" in pattern
    }
    assert actions == {path.rsplit("}/", 1)[1].split("?")[0].strip("/") for _, path in MATRIX if "}/" in path}


def test_no_credential_and_no_management_data_reaches_an_nren(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    Router.objects.update(management_host="192.0.2.77", host_key="ssh-rsa AAAAPINNED")
    for method, path in MATRIX:
        if method == "GET":
            for role in ("JANET", "GRNET", "DFN"):
                text = speakers[role].send("GET", V1 + path.format(**ids)).content.decode()
                assert "192.0.2.77" not in text and "AAAAPINNED" not in text, path
    assert "192.0.2.77" in speakers["noc"].send("GET", f"{V1}routers/").content.decode()


def test_what_an_nren_sees_of_a_change_is_its_own_part(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    seen = speakers["JANET"].get(f"{V1}changes/{ids['change']}/")
    assert (seen["title"], seen["pushes"], seen["requests"]) == (None, None, [ids["request"]])
    Change.objects.filter(pk=ids["change"]).update(rates={"convergence": [], "policers": [{"link": "DFN"}]})
    assert speakers["JANET"].get(f"{V1}changes/{ids['change']}/")["rates"] is None
    assert speakers["noc"].get(f"{V1}changes/{ids['change']}/")["rates"]["policers"] == [{"link": "DFN"}]
    for role, found in (("JANET", 1), ("GRNET", 0), ("DFN", 0), ("noc", 1)):
        assert speakers[role].get(f"{V1}changes/?request={ids['request']}")["count"] == found
    for wrong in ("0", "x", "1.5", "9" * 40):
        speakers["noc"].get(f"{V1}changes/?request={wrong}", status=400)
    whole = speakers["auditor"].get(f"{V1}changes/{ids['change']}/")
    assert (whole["title"], whole["pushes"], whole["state"]) == (
        "For JANET and others",
        [ids["push"]],
        "PLANNED",
    )


def test_a_token_of_two_nrens_speaks_for_the_one_it_names(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    both = [Nren.objects.get(name=name) for name in ("JANET", "DFN")]
    user = people.put_person(actor=SYSTEM, username="between", nrens=both)
    narrow = Speaker(tokens.issue(actor=SYSTEM, user=user, nren=both[1], name="dfn only")[1])
    wide = Speaker(tokens.issue(actor=SYSTEM, user=user, nren=None, name="both")[1])
    narrow.get(f"{V1}premium-requests/{ids['request']}/", status=404)
    wide.get(f"{V1}premium-requests/{ids['request']}/")


def test_a_change_says_whose_word_it_has_and_what_it_takes_off(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    address = f"{V1}changes/{ids['change']}/"
    change = Change.objects.get(pk=ids["change"])
    change.takes_off, change.base_lines, change.planned_at = [ids["request"]], True, timezone.now()
    change.save()
    noc = User.objects.get(username="the-noc")
    Approval.objects.create(change=change, user=noc, fingerprint="f", reason="read", carried_from=change)
    whole = speakers["auditor"].get(address)
    assert (whole["takes_off"], whole["base_lines"], whole["planning"]) == ([ids["request"]], True, None)
    (given,) = whole["approvals"]
    assert (given["user"], given["reason"], given["carried_from"]) == (noc.username, "read", change.pk)
    assert whole["still_needed"] == [
        "a second member of the NOC has to approve it: it carries lines that no request asked for"
    ]
    seen = speakers["JANET"].get(address)
    assert seen["takes_off"] == [ids["request"]]
    assert {seen[name] for name in ("base_lines", "planning", "approvals", "still_needed")} == {None}


def test_a_change_says_how_far_its_plan_is(speakers: dict[str, Speaker], ids: dict[str, int]) -> None:
    asked_for = {"routers": ["uk6", "gr6", "nl6"], "read": 2}
    Change.objects.filter(pk=ids["change"]).update(asked=asked_for, planned_at=None)
    whole = speakers["noc"].get(f"{V1}changes/{ids['change']}/")
    assert (whole["state"], whole["planning"]) == ("PLANNING", {"read": 2, "routers": 3, "error": ""})
    assert speakers["JANET"].get(f"{V1}changes/{ids['change']}/")["planning"] is None


def test_a_request_says_why_it_waits_and_why_it_was_never_provided(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    address = f"{V1}premium-requests/{ids['request']}/"
    assert speakers["JANET"].get(address)["waits_for"] == "GRNET has not answered yet"
    request = PremiumRequest.objects.get(pk=ids["request"])
    held = Reservation.objects.create(
        request=request, granted_bps=1, path=[], waits_for="uk6: DFN's policy-map is in the way"
    )
    Change.objects.all().delete()
    PremiumRequest.objects.filter(pk=request.pk).update(state="ADMITTED")
    assert speakers["noc"].get(address)["waits_for"] == held.waits_for
    for role in ("JANET", "GRNET"):
        told = speakers[role].get(address)["waits_for"]
        assert "the NOC looks into it" in told and "DFN" not in told
    PremiumRequest.objects.filter(pk=request.pk).update(state="NEVER_PROVIDED")
    Reservation.objects.filter(pk=held.pk).update(waits_for="its window is over: DFN was in the way")
    assert speakers["noc"].get(address)["never_provided"] == "its window is over: DFN was in the way"
    assert speakers["JANET"].get(address)["never_provided"] == "its window is over"
    listed = speakers["JANET"].get(f"{V1}premium-requests/?state=NEVER_PROVIDED")
    assert listed["count"] == 1 and listed["results"][0]["waits_for"] is None


def test_a_list_of_requests_says_why_each_waits_in_as_many_questions_for_many(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    request = PremiumRequest.objects.get(pk=ids["request"])
    Change.objects.all().delete()
    PremiumRequest.objects.filter(state="ADMITTED").update(state="COMPLETED")
    address = f"{V1}premium-requests/?state=ADMITTED"

    def more(count: int) -> None:
        for _number in range(count):
            other = PremiumRequest.objects.get(pk=request.pk)
            other.pk, other.twin, other.state = None, None, "ADMITTED"
            other.save()
            Reservation.objects.create(
                request=other, granted_bps=1, path=[], waits_for=f"uk6: DFN is in the way of {other.pk}"
            )

    def asked() -> int:
        with CaptureQueriesContext(connection) as captured:
            speakers["noc"].get(address)
        return len(captured)

    more(2)
    asked()
    few = asked()
    more(10)
    assert asked() == few
    told = {row["id"]: row["waits_for"] for row in speakers["noc"].get(address)["results"]}
    assert len(told) == 12
    assert all(f"DFN is in the way of {pk}" in said for pk, said in told.items())
    told = [row["waits_for"] for row in speakers["JANET"].get(address)["results"]]
    assert len(told) == 12 and all("the NOC looks into it" in said and "DFN" not in said for said in told)
