"""Ten times as much of everything costs a page no query more, and no page loads what it does not show."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from provisioning.web import urls
from tests.web import large, large_pages

SMALL = large.Sizes(routers=6, links=12, nrens=6, requests=120, pushes=30, events=30, wide=6)
BIG = large.Sizes(routers=60, links=120, nrens=30, requests=1200, pushes=300, events=300, wide=60)

# What is large, by its column. A page that loads it stands below with the reason.
LARGE = {
    "plan": '"provisioning_storedplan"."content"',
    "transcript": '"provisioning_transcript"."lines"',
    "configuration": '"provisioning_configsnapshot"."text"',
    "rehearsed": '"provisioning_rehearsedpush"."transcript"',
}
SHOWS = {
    "admit, with lines": {"configuration"},  # its lines are foreseen from what the router last showed
    "lines": {"configuration"},
    "change of one": {"plan"},
    "change of one, compare": {"plan", "configuration"},
    "change of one, raw": {"plan"},
    "change of many, one router": {"plan"},
    "change of many, compare one": {"plan", "configuration"},
    "push": {"plan", "transcript"},
    "change of many, rehearsal of one": {"rehearsed"},
    "router, configuration": {"configuration"},
}
# Two queries more are no growth: a page asks for what only some rows have. A page may ask so many times and no
# more; where a page has a bound of its own, its reason stands beside it.
MOST = 26
MORE = {
    # Five groups are counted, one in two parts, fourteen kinds of alarm looked for, three lists of what waits, and four questions
    # whether anything can enter, one whether what differs is ignored.
    "queue": 55,
    "queue, active": 55,
    "handover": 46,  # the same alarms and questions, and five lists
    "router": 28,  # three kinds of pushes, its bare interfaces and what was probed of it are each looked for
    "my-request": 32,  # whether it fits, what it is to become, by what it changes, and who did what about it alone
    "request, active": 28,  # who did what about it alone
    "request, undecided": 29,  # who did what about it alone, and who stands behind it
    "admit, with lines": 60,  # works out the lines that would put the request on and take it off: two intents
    "lines": 60,
    "link, quarantine": 55,  # writes the edit, sees what comes of it for paths, reservations and routers, and takes it back
    "search, an NREN": 36,  # seven kinds of things, each counted and listed
    "search, nothing": 36,
}


def asked_of(client: Client, address: str) -> list[str]:
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return [query["sql"] for query in captured]


def crawl(sizes: large.Sizes) -> dict[str, list[str]]:
    """Every page over a world of this size, with the queries it took; nothing of the world is left."""
    found: dict[str, list[str]] = {}
    with transaction.atomic():
        large.build(sizes)
        cache.clear()
        readers = large_pages.Readers()
        for name, address in large_pages.addresses().items():
            found[name] = asked_of(readers.of(name), address)
        transaction.set_rollback(True)
    return found


def large_ones(asked: list[str]) -> set[str]:
    """What of the large columns these queries select."""
    return {
        what for what, column in LARGE.items() if any(column in sql.partition(" FROM ")[0] for sql in asked)
    }


@pytest.mark.django_db
def test_ten_times_as_much_takes_no_query_more() -> None:
    small, big = crawl(SMALL), crawl(BIG)
    grown = {
        name: (len(small[name]), len(big[name])) for name in big if len(big[name]) > len(small[name]) + 2
    }
    assert not grown
    bounds = {name: len(asked) for name, asked in big.items() if len(asked) > MORE.get(name, MOST)}
    assert not bounds, str(bounds)  # pytest leaves out what is behind the fourth
    loaded = {
        name: wrong for name, asked in big.items() if (wrong := large_ones(asked) - SHOWS.get(name, set()))
    }
    assert not loaded


# Read by nobody as a page, or with a state that the large world has no request in; the pages of single requests are
# read where those states are (test_matrix).
ELSEWHERE = {
    "livez",
    "readyz",
    "healthz",
    "metrics",
    "sign-in",
    "sign-in-oidc",
    "sign-in-oidc-callback",
    "sign-out",
    "me",
    "me-session-end",
    "me-sessions-end",
    "home",
    "calendar-feed",  # read with a token: test_calendar_feed
    "push-next-step",
    "request-pack-file",
    "request-usage-file",
    "request-lines-revoke",
    "request-unhold",
    "request-retry",
    "request-flow-label",
    "request-take-offer",
    "request-modify",
    "request-extend",
    "request-end-early",
    "modification-admit",
    "modification-refuse",
    "modification-withdraw",
    "modification-consent",
    "series-end-early",
    "series-take-offer",
    "nren-quota",
    "network-import",
    "view-choose",
    "inventory-edit",
    "inventory-retire",
    "nren-new",
    "person-new",
    "person-edit",
    "person-close",
    "person-password",
    "nrens-quota",
    "network-take-back",
    "change-push",
    "change-rehearse",
    "router-probe",
    "router-verify",
    "router-chassis",
    "router-adopt",
    "difference",
    "difference-ignore",
    "difference-heed",
    "push-try-now",
    "audit-check",
    "break-glass-acknowledge",
    "notifications-test",
    "notifications-end",
    "notifications-again",
    "notifications-let-go",
}


@pytest.mark.django_db
def test_every_page_that_can_be_read_is_in_the_crawl() -> None:
    large.build(SMALL)
    crawled = {resolve(urlsplit(at).path).url_name for at in large_pages.addresses().values()}
    names = {str(pattern.name) for pattern in urls.urlpatterns}
    assert names - crawled == ELSEWHERE
