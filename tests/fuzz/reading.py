"""Readers that are not ours: what a browser, a mail program, a spreadsheet and a terminal would make of what comes out."""

from __future__ import annotations

import http.client
import io
import unicodedata
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

from lxml import etree, html

ADDRESSES = frozenset(
    {"href", "src", "action", "formaction", "hx-get", "hx-post", "data", "poster", "xlink:href"}
)
# A token of the session and a moment: no two pages have the same.
_OWN = frozenset({"csrfmiddlewaretoken"})


def nodes(page: bytes) -> Iterator[tuple[str, str, str]]:
    """Each thing in a page, as a browser's rules of parsing find it: (kind, name, value), in order.

    Kinds are `tag`, `attribute`, `text`, `end` and `other` (a comment, an instruction).
    """
    try:
        read = html.document_fromstring(page, parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:  # nothing but blanks
        return
    yield from _of(read)


def _of(element: Any) -> Iterator[tuple[str, str, str]]:
    if not isinstance(element.tag, str):
        yield "other", type(element).__name__, element.text or ""
    else:
        yield "tag", element.tag, ""
        for name, value in element.attrib.items():
            own = name == "value" and element.get("name") in _OWN
            yield "attribute", name, "" if own else value
        yield "text", "", element.text or ""
        for child in element:
            yield from _of(child)
        yield "end", element.tag, ""
    yield "text", "", element.tail or ""


class _Tags(HTMLParser):
    """A second opinion, by other rules: the tags and the names of their attributes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, ...]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, *(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append((f"/{tag}",))

    def handle_comment(self, data: str) -> None:
        self.found.append(("!--",))

    def handle_pi(self, data: str) -> None:
        self.found.append(("?",))

    def unknown_decl(self, data: str) -> None:
        self.found.append(("![",))


def tags(page: bytes) -> list[tuple[str, ...]]:
    """Every tag with the names of its attributes, as Python's own parser finds them."""
    parser = _Tags()
    parser.feed(page.decode())
    parser.close()
    return parser.found


def unlike(page: bytes, plain: bytes) -> str:
    """In what a page has another structure than the one with harmless values, or leads elsewhere; empty where in nothing."""
    if tags(page) != tags(plain):
        pairs = zip(tags(page), tags(plain), strict=False)
        return f"other tags: {next((pair for pair in pairs if pair[0] != pair[1]), 'more or less of them')}"
    mine, theirs = list(nodes(page)), list(nodes(plain))
    for (kind, name, value), (kind_2, name_2, value_2) in zip(mine, theirs, strict=False):
        if (kind, name) != (kind_2, name_2):
            return (
                f"other structure: {kind} {name} {value!r:.80} instead of {kind_2} {name_2} {value_2!r:.80}"
            )
        if kind == "other" and value != value_2:
            return f"a value in a comment: {value!r:.80}"
        if kind == "attribute" and name in ADDRESSES and _where(value) != _where(value_2):
            return f"another place: {name} {value!r:.80} instead of {value_2!r:.80}"
    return "" if len(mine) == len(theirs) else "more or less of it"


def _where(address: str) -> tuple[str, str]:
    """Scheme and host, as a browser reads an address: blanks and line ends left out, backslashes as slashes."""
    read = "".join(each for each in address.strip("".join(map(chr, range(33)))) if each not in "\t\n\r")
    try:
        parts = urlsplit(read.replace("\\", "/"))
    except ValueError:
        return "unreadable", read
    return parts.scheme, parts.netloc


def words(page: bytes) -> str:
    """All text and all values of attributes of a page, one a line."""
    return "\n".join(value for kind, _, value in nodes(page) if kind in ("text", "attribute"))


def header_faults(headers: Mapping[str, str]) -> list[str]:
    """What is wrong with the header of an answer: it is written down as it is sent and read again."""
    wrong = [
        f"{name}: {value!r}" for name, value in headers.items() if {"\r", "\n", "\0"} & set(name + value)
    ]
    try:
        sent = "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode("latin-1")
    except UnicodeEncodeError as error:
        return [*wrong, str(error)]
    read = http.client.parse_headers(io.BytesIO(sent + b"\r\n"))
    if [name.lower() for name in read.keys()] != [name.lower() for name in headers] or read.defects:  # noqa: SIM118
        wrong.append(f"read as {list(read.keys())}")
    if (to := headers.get("Location")) is not None and _where(to) not in (("", ""), ("http", "testserver")):
        wrong.append(f"leads to {to!r}")
    return wrong


def steering(text: str) -> list[str]:
    """The characters of a text that a terminal does not show as themselves: it obeys them, hides them, or turns what follows."""
    unseen = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return sorted(
        {f"U+{ord(each):04X}" for each in text if each not in "\n\t" and unicodedata.category(each) in unseen}
    )
