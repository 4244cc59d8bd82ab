"""Every role, every tenant, every URL and method: who gets what. A new URL without a row here fails."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.urls import get_resolver

from inventory.models import AccessLink, CoreLink, Nren, Router
from provisioning.models import SYSTEM, AuditEvent, Change, PremiumRequest, RouterPush
from provisioning.services import people, tokens
from provisioning.services.plans import keep_plan
from tests.api.conftest import ROLES, Speaker, asked, issue_tokens, speaking
from tests.kept import kept
from tests.web.plans import swap_plan

V1 = "/api/v1/"
UNKNOWN, NO_ROLE = 401, 403

# Answers in the order of ROLES: anonymous, roleless, read-only (JANET's), JANET, GRNET, DFN, noc, auditor.
EVERYBODY = (UNKNOWN, NO_ROLE, 200, 200, 200, 200, 200, 200)
BACKBONE = (UNKNOWN, NO_ROLE, 403, 403, 403, 403, 200, 200)
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
    ("GET", "premium-requests/"): EVERYBODY,
    ("GET", "premium-requests/{request}/"): PARTIES,
    ("GET", "premium-requests/{request}/pack/?for=linux"): PARTIES,
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
    ("POST", "premium-requests/{request}/consent/"): (UNKNOWN, NO_ROLE, 403, 403, 200, 404, 403, 403),
    ("POST", "premium-requests/{request}/flow-label/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
    ("POST", "premium-requests/{request}/withdraw/"): (UNKNOWN, NO_ROLE, 403, 200, 403, 404, 200, 403),
}
BODIES: dict[str, Any] = {
    "premium-requests/": asked(),
    "premium-requests/{request}/consent/": {"agree": True, "reason": ""},
    "premium-requests/{request}/flow-label/": {},
    "premium-requests/{request}/withdraw/": {"reason": "no longer needed"},
}
WRITES = {path for method, path in MATRIX if method == "POST"}
CELLS = [
    (method, path, role, status) for (method, path), row in MATRIX.items() for role, status in zip(ROLES, row, strict=True)
]  # fmt: skip


Made = tuple[dict[str, str | None], dict[str, int]]


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
    return texts, {
        "nren": Nren.objects.get(name="DFN").pk,
        "router": uk6.pk,
        "access_link": AccessLink.objects.get(nren__name="DFN").pk,
        "core_link": CoreLink.objects.earliest("pk").pk,
        "request": request.pk,
        "change": change.pk,
        "push": push.pk,
        "about_network": AuditEvent.objects.get(action="inventory.import").sequence,
        "about_request": AuditEvent.objects.get(action="request.submit").sequence,
    }


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
    assert actions == {"", "consent", "flow-label", "pack", "proof", "withdraw"}


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
