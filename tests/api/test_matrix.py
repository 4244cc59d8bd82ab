"""Every role, every tenant, every URL and method: who gets what. A new URL without a row here fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction
from django.urls import get_resolver

from inventory.models import Nren, Router
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    Change,
)
from provisioning.selectors import topology
from provisioning.services import people, tokens
from tests.api.conftest import ROLES, Speaker
from tests.api.matrix import BODIES, MATRIX, V1
from tests.api.matrix import ids as ids
from tests.api.matrix import made as made
from tests.api.matrix import speakers as speakers

pytestmark = pytest.mark.once


@contextmanager
def undone() -> Iterator[None]:
    """What is done in it is as if it had not been: who asks next finds the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    topology.forget()


@pytest.mark.parametrize(("method", "path"), MATRIX)
def test_who_gets_what(speakers: dict[str, Speaker], ids: dict[str, int], method: str, path: str) -> None:
    body = BODIES.get(path) if method in ("POST", "PATCH") else None
    if path == "moves/end/":
        body = {"requests": [ids["moving"]], "reason": "seen on the routers"}
    for role, status in zip(ROLES, MATRIX[method, path], strict=True):
        with undone():
            response = speakers[role].send(method, V1 + path.format(**ids), body)
        assert response.status_code == status, (role, response.content)
        assert response.headers["Content-Type"] == (
            "application/json" if status < 400 else "application/problem+json"
        )
        assert response.headers["Cache-Control"] == "no-store"
        if status == 401:
            assert response.headers["WWW-Authenticate"] == 'Bearer realm="expedite"'


@pytest.mark.parametrize("path", sorted({path for _, path in MATRIX}))
def test_no_other_method_does_anything(speakers: dict[str, Speaker], ids: dict[str, int], path: str) -> None:
    events = AuditEvent.objects.count()
    allowed = {method for method, known in MATRIX if known == path}
    for role in ROLES:
        for method in {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - allowed:
            response = speakers[role].send(method, V1 + path.format(**ids), {"state": "ADMITTED"})
            assert response.status_code in (401, 403, 405), (role, method, response.content)
            assert response.headers["Content-Type"] == "application/problem+json"
    assert AuditEvent.objects.count() == events


def test_every_url_of_the_api_has_its_row() -> None:
    (api,) = [entry for entry in get_resolver().url_patterns if str(entry.pattern) == "api/"]
    known = {str(entry.pattern) for entry in api.url_patterns}
    public = {"schema/", "docs/", "problems/<slug:code>/", r"^[\s\S]*$"}
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
