"""Every address x method x role x own or somebody else's, made from the URL table; what is expected is read from the table of
pipeline/authority (docs/reference/authority.md). A view without a verb fails.
"""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern

from inventory.models import Nren
from provisioning.models import SYSTEM, Role
from provisioning.pipeline.authority import ROLES, Verb, Whose
from provisioning.services import people
from provisioning.web import urls
from tests.web.test_matrix import GET, address
from tests.web.world import World, weekly

OPEN = {
    *(
        "livez",
        "readyz",
        "healthz",
        "metrics",
        "sign-in",
        "sign-in-oidc",
        "sign-in-oidc-callback",
        "sign-out",
    ),
    *("me", "me-sessions-end", "me-session-end"),
    *("view-keep", "view-choose", "view-edit"),
    "calendar-feed",
}
"""What is no page of the NOC's or an NREN's: open, a person's own account, sessions and views of lists, or read with a token."""
GUARDED = [
    pattern
    for pattern in urls.urlpatterns
    if isinstance(pattern, URLPattern) and pattern.name and pattern.name not in OPEN
]
# The request of the world goes from JANET to GRNET.
TENANTS = {"sends": "JANET", "receives": "GRNET", "other": "DFN"}
PERSONS = [
    (role, tenant) for role in ROLES for tenant in (TENANTS if role in (Role.NREN, Role.READER) else ("",))
]
TENANTED = {"request", "series", "modification"}
"""Kinds of addresses that are of one request: another NREN's are not there for somebody of an NREN."""


def person(role: Role, tenant: str) -> str:
    """The user name of somebody of just this role, for the NREN that is meant."""
    name = f"only-{role.value}-{tenant}"
    nrens = list(Nren.objects.filter(name=TENANTS[tenant])) if tenant else []
    people.put_person(actor=SYSTEM, username=name, roles=() if role is Role.NREN else [role], nrens=nrens)
    return name


def allowed(verb: Verb, role: Role, tenant: str, kind: str, *, deed: bool) -> bool:
    """What the table says. Whether it is theirs counts where the address is of one request; the page that asks before a deed is
    shown to whoever sees the request.
    """
    whose = verb.row.of(role)
    if whose is Whose.NONE or (kind == "token" and whose is not Whose.ALL):
        return False  # the token of the world is jane's
    if kind not in TENANTED or not tenant:
        return True
    if not deed:
        return tenant != "other"
    return whose.covers(sent=tenant == "sends", received=tenant == "receives")


def test_every_guarded_view_says_its_verb() -> None:
    lacking = [
        pattern.name for pattern in GUARDED if not isinstance(getattr(pattern.callback, "verb", 0), Verb)
    ]
    assert not lacking
    verbs = {pattern.callback.verb for pattern in GUARDED} | {pattern.callback.post for pattern in GUARDED}
    of_no_page = {Verb.CREDENTIALS}
    assert verbs == set(Verb) - of_no_page, "a verb that no page is for, or the other way round"


@pytest.mark.parametrize(("role", "tenant"), PERSONS)
def test_the_pages_are_as_the_table_says(world: World, role: Role, tenant: str, client: Client) -> None:
    weekly(world)
    client.force_login(User.objects.get(username=person(role, tenant)))
    wrong = []
    for pattern in GUARDED:
        view, kind = pattern.callback, GET[pattern.name][1]
        for method in ("GET", "POST"):
            if method not in view.methods:
                continue
            verb = view.post if method == "POST" else view.verb
            where = address(pattern.name, world, kind)
            # A POST without a word in it changes nothing; the few that need none come in a test of their own.
            if (
                method == "POST"
                and pattern.name in NEEDS_NO_WORD
                and allowed(verb, role, tenant, kind, deed=True)
            ):
                continue
            status = client.generic(method, where).status_code
            deed = pattern.name in AT_ONCE or (method == "POST" and pattern.name not in ASKS_FIRST)
            wanted = allowed(verb, role, tenant, kind, deed=deed)
            if (status not in (403, 404)) is not wanted:
                wrong.append((method, pattern.name, status, "allowed" if wanted else "refused"))
    assert not wrong


NEEDS_NO_WORD = {
    pattern.name
    for pattern in GUARDED
    if "POST" in pattern.callback.methods and "GET" not in pattern.callback.methods
} | {"break-glass-acknowledge"}
"""What is done by the POST alone: whoever may is left out here, who may not is tried."""
AT_ONCE = {
    *("request-modify", "request-extend", "request-end-early", "request-usage", "request-usage-file"),
    "request-questions",
}
"""Pages that show what could be asked, or what is sent: to whoever may ask it, or sends it, only."""
ASKS_FIRST = {pattern.name for pattern in GUARDED if "GET" in pattern.callback.methods}
"""Pages that ask for a reason: a POST without one only shows the page again, to whoever sees the request."""
