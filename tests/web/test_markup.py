"""Every page: strict CSP kept, nothing inline, nothing from elsewhere, labels, headings, one page per state."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from django.test import Client

from tests.web.test_matrix import GET, address
from tests.web.world import World

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Page(HTMLParser):
    """Collects what the tests ask about."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.open: list[str] = []
        self.headings: list[str] = []
        self.ids: list[str] = []
        self.labels: set[str] = set()
        self.fields: set[str] = set()
        self.posts_without_token = 0
        self._form: dict[str, str | None] = {}
        self._token = False
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.wrong += [f"<{tag} {name}>" for name in known if name.startswith("on") or name == "style"]
        if tag == "style" or (tag == "script" and "src" not in known):
            self.wrong.append(f"inline <{tag}>")
        for name in ("src", "href", "action", "hx-get", "hx-post"):
            value = known.get(name) or ""
            if value.startswith(("http:", "https:", "//", "javascript:")):
                self.wrong.append(f"<{tag} {name}={value}>")
        if tag in {"h1", "h2", "h3"}:
            self.headings.append(tag)
        if known.get("id"):
            self.ids.append(str(known["id"]))
        if tag == "label" and known.get("for"):
            self.labels.add(str(known["for"]))
        if tag in {"input", "select", "textarea"} and known.get("type") not in {"hidden", "submit"}:
            self.fields.add(str(known.get("id")))
        if tag == "form":
            self._form, self._token = known, False
        if tag == "input" and known.get("name") == "csrfmiddlewaretoken":
            self._token = True

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._form.get("method") == "post" and not self._token:
            self.posts_without_token += 1
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> closes {self.open[-3:]} at {self.getpos()}")
        else:
            self.open.pop()


# What is loaded into a page and is none.
FRAGMENTS = {
    "advice-beside",
    "change-planning-live",
    "change-rehearsal-live",
    "links-offered",
    "my-headroom",
    "my-links",
}


def pages(world: World, as_user: Callable[[str], Client], person: str) -> dict[str, str]:
    client = as_user(person)
    found = {}
    for name, (_expected, kind) in GET.items():
        answer = client.get(address(name, world, kind))
        if answer["Content-Type"].startswith("text/html"):
            assert "script-src 'self'" in answer["Content-Security-Policy"], name
            assert "style-src 'self'" in answer["Content-Security-Policy"], name
            assert "unsafe" not in answer["Content-Security-Policy"], name
            assert answer["X-Frame-Options"] == "DENY", name
            found[name] = answer.content.decode()
    return found


@pytest.mark.parametrize("person", ("nora", "audrey", "jane", "giorgos", ""))
def test_pages_keep_to_the_policy_and_are_well_formed(
    world: World, as_user: Callable[[str], Client], person: str
) -> None:
    for name, text in pages(world, as_user, person).items():
        if not text:
            continue
        page = Page(text)
        assert not page.wrong, (name, page.wrong)
        whole = name not in FRAGMENTS or "<!DOCTYPE html>" in text
        assert page.headings.count("h1") == whole, name
        assert page.posts_without_token == 0, name
        assert len(page.ids) == len(set(page.ids)), (
            name,
            sorted(i for i in page.ids if page.ids.count(i) > 1),
        )
        assert page.fields <= page.labels, (name, page.fields - page.labels)


def test_pages_of_many_states_are_well_formed(world: World, as_user: Callable[[str], Client]) -> None:
    client = as_user("niels")
    urls = [f"/requests/{request.pk}/" for request in world.requests.values()]
    urls += [f"/changes/{change.pk}/" for change in world.changes.values()]
    urls += [f"/changes/{change.pk}/progress/" for change in world.changes.values()]
    urls += [
        f"/changes/{world.changes['planned'].pk}/approve/",
        f"/changes/{world.changes['approved'].pk}/push/",
    ]
    urls += [
        f"/changes/{world.changes['planned'].pk}/compare/?as=unified",
        "/routers/de6/",
        "/routers/se6/",
        "/routers/se6/config/",
    ]
    for url in urls:
        answer = client.get(url)
        assert answer.status_code == 200, url
        page = Page(answer.content.decode())
        assert not page.wrong, (url, page.wrong)


def test_a_page_is_never_kept_by_a_shared_cache(world: World, as_user: Callable[[str], Client]) -> None:
    answer = as_user("nora").get("/queue/")
    assert "no-store" in answer["Cache-Control"] and "private" in answer["Cache-Control"]


@pytest.mark.parametrize("sort", ("state", "-rate_bps", "nonsense", "start,-end", "a" * 500))
@pytest.mark.parametrize("page", ("1", "99", "-3", "x"))
def test_lists_survive_any_sort_and_page(
    world: World, as_user: Callable[[str], Client], sort: str, page: str
) -> None:
    sorts = {"/requests/": {"state", "-rate_bps"}, "/queue/": {sort}, "/links/": set()}
    for path in ("/requests/", "/changes/", "/routers/", "/links/", "/nrens/", "/audit/", "/queue/"):
        known = sort in sorts.get(path, set())
        answer = as_user("nora").get(path, {"sort": sort, "page": page})
        assert answer.status_code == (200 if known else 400), path


@pytest.mark.parametrize(
    "query",
    ({"q": "%00"}, {"q": "x" * 3000}, {"state": "nope"}, {"nren": "999999"}, {"nren": "x"}, {"since": "x"}),
)
def test_lists_survive_any_filter(
    world: World, as_user: Callable[[str], Client], query: dict[str, str]
) -> None:
    harmless = "q" in query
    for path in ("/requests/", "/changes/", "/routers/", "/links/", "/audit/"):
        assert as_user("nora").get(path, query).status_code == (200 if harmless else 400), path
