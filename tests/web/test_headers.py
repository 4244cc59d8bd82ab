"""What every answer says to a browser, whatever it is the answer to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from tests.web.world import World

As = Callable[[str], Client]
EVERYWHERE = (
    *(
        "/queue/",
        "/nowhere/",
        "/requests/999999/",
        "/my/requests/",
        "/sign-in/",
        "/admin/",
        "/livez",
        "/metrics",
    ),
    *("/static/web/page.js", "/static/web/mark.svg", "/static/nothing", "/static/web/"),
    *("/api/v1/nrens/", "/api/nowhere/", "/api/schema/", "/api/docs/", "/api/problems/error/"),
)


@pytest.mark.parametrize("url", EVERYWHERE)
def test_every_answer_keeps_to_the_policy(world: World, as_user: As, url: str) -> None:
    for person in ("nora", ""):
        answer = as_user(person).get(url)
        policy = {part.split()[0]: part.split()[1:] for part in answer["Content-Security-Policy"].split(";")}
        for directive in ("default-src", "object-src", "base-uri", "frame-ancestors"):
            assert policy[directive] == ["'none'"], (url, directive)
        assert policy["script-src"] == ["'self'"], url
        assert answer["X-Content-Type-Options"] == "nosniff", url
        assert answer["Referrer-Policy"] == "same-origin", url
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")], url


@pytest.mark.parametrize(
    "url", ("/queue/", "/requests/999999/", "/my/requests/", "/nowhere/", "/api/v1/nrens/")
)
@pytest.mark.parametrize("person", ("nora", "jane"))
def test_what_a_signed_in_person_is_told_is_kept_by_no_cache(
    world: World, as_user: As, person: str, url: str
) -> None:
    answer = as_user(person).get(url)
    assert "no-store" in answer.headers.get("Cache-Control", ""), (answer.status_code, url)


@pytest.mark.parametrize("url", EVERYWHERE)
def test_no_answer_repeats_what_was_asked_by_trace(world: World, as_user: As, url: str) -> None:
    answer = as_user("nora").trace(url, headers={"X-Secret": "said-by-the-client"})
    assert answer.status_code >= 300 or url == "/livez", url
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert b"said-by-the-client" not in body, url


@pytest.mark.parametrize(
    "url",
    ("/static/", "/static/web/", "/static/web/vendor/", "/static/../settings.py", "/.git/config", "/.env"),
)
def test_no_folder_is_listed_and_nothing_beside_it_is_served(db: None, url: str) -> None:
    assert Client().get(url).status_code == 404
