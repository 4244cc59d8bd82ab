"""GET from a NetBox: one host, which whoever runs the machine has named; a page at a time; patience with what passes by.

No redirect is followed and no address that an answer names is asked: pages go on by the id of the last object, which also
skips and doubles nothing when objects come or go meanwhile. Certificates are always checked.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import requests

from inventory.readers.errors import NetworkFileError
from inventory.readers.netbox.bundle import Object, checked
from provisioning.errors import ExpediteError, InvalidInput

PAGE: Final = 500
AT_ONCE: Final = 100
"""Ids that one question names: an address of some kilobytes, which every server takes."""
PAUSES: Final = (1.0, 2.0, 4.0, 8.0)
"""Seconds before each further try, where NetBox names none."""
TRIES: Final = len(PAUSES) + 1
LONGEST_WAIT: Final = 60.0
MOST_OBJECTS: Final = 1_000_000
LARGEST_ANSWER_BYTES: Final = 64 * 1024 * 1024
LONGEST_ANSWER_S: Final = 300.0
_PASSING: Final = frozenset({429, 502, 503, 504})
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class NetBoxFailed(ExpediteError):
    """A NetBox did not answer, or not what its API answers; nothing was made of it."""

    code = "netbox-failed"
    status = 502


class NetBox:
    """A NetBox at an address, asked with a token.

    A token that begins with ``nbt_`` is of the second version and sent as Bearer, another one as Token (NetBox 4.7, docs,
    integrations/rest-api). `timeout` is in seconds, for the connection and between two pieces of an answer.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        ca_file: str = "",
        timeout: float = 30.0,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self.url = checked_url(url)
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise InvalidInput("is not given, or is no token", field="NETBOX_TOKEN")
        self._timeout, self._wait = timeout, wait
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy, no .netrc: the token goes to this host and nowhere else
        self._session.verify = ca_file or True
        scheme = "Bearer" if token.startswith("nbt_") else "Token"
        self._session.headers.update(
            {"Authorization": f"{scheme} {token}", "Accept": "application/json", "User-Agent": "Expedite"}
        )

    def version(self) -> str:
        """Return the version that it says it is of. Raises NetBoxFailed."""
        return str(self._get("status/", {}).get("netbox-version", ""))

    def all_of(self, path: str, **wanted: object) -> tuple[Object, ...]:
        """Return all objects of a list that these parameters let through, by their ids. Raises NetBoxFailed."""
        found: list[Object] = []
        last = 0
        while True:
            page = self._get(
                path, {**wanted, "limit": PAGE, "ordering": "id", **({"id__gt": last} if last else {})}
            )
            try:
                rows = checked(path, "results", page.get("results"))
            except NetworkFileError as error:
                raise NetBoxFailed(f"{self.url}{path}: {error.path} {error.reason}") from error
            if rows and rows[0]["id"] <= last:
                raise NetBoxFailed(
                    f"{self.url}{path} does not go on by id: it is no NetBox, or a very old one"
                )
            found += rows
            if len(found) > MOST_OBJECTS:
                raise NetBoxFailed(f"{self.url}{path} has more than {MOST_OBJECTS} objects: narrow the rules")
            if not page.get("next") or not rows:
                return tuple(found)
            last = rows[-1]["id"]

    def by_key(self, path: str, key: str, values: Sequence[int], **wanted: object) -> tuple[Object, ...]:
        """Return all objects whose `key` is one of these values, some hundred values a question."""
        found: dict[int, Object] = {}
        for some in _batches(sorted(set(values))):
            found |= {each["id"]: each for each in self.all_of(path, **{key: some}, **wanted)}
        return tuple(found[one] for one in sorted(found))

    def _get(self, path: str, wanted: Mapping[str, object]) -> dict[str, Any]:
        reason = ""
        for attempt in range(TRIES):
            try:
                status, answer, after = self._answer(path, wanted)
            except requests.exceptions.SSLError as error:
                raise NetBoxFailed(f"{self.url}: its certificate does not hold: {_short(error)}") from error
            except requests.RequestException as error:
                reason, after = f"{type(error).__name__}: {_short(error)}", 0.0
            else:
                if status == 200 and answer is not None:
                    return answer
                reason = f"it answered {status}" if status != 200 else "it answered no JSON object"
                if status not in _PASSING:
                    break
            if attempt + 1 < TRIES:
                self._wait(min(LONGEST_WAIT, max(after, PAUSES[attempt])))
        raise NetBoxFailed(f"{self.url}{path}: {reason}{_HINTS.get(reason, '')}")

    def _answer(self, path: str, wanted: Mapping[str, object]) -> tuple[int, dict[str, Any] | None, float]:
        """Status, the object that was answered, and for how many seconds it wants to be left alone."""
        with self._session.get(
            self.url + path,
            params=_said(wanted),
            timeout=self._timeout,
            allow_redirects=False,
            stream=True,
        ) as said:
            after = 0.0
            with contextlib.suppress(ValueError):
                after = max(0.0, float(said.headers.get("Retry-After", "0")))
            if said.status_code != 200:
                return said.status_code, None, after
            raw, until = bytearray(), time.monotonic() + LONGEST_ANSWER_S
            for piece in said.iter_content(65536):
                raw += piece
                if time.monotonic() > until:  # the timeout is of each piece
                    raise NetBoxFailed(f"{self.url}{path} took more than {LONGEST_ANSWER_S:g} s to answer")
                if len(raw) > LARGEST_ANSWER_BYTES:
                    raise NetBoxFailed(f"{self.url}{path} answered more than {LARGEST_ANSWER_BYTES} bytes")
            return 200, _object(bytes(raw)), after


_HINTS: Final = {
    "it answered 401": ": the token is none of it",
    "it answered 403": ": the token does not hold, or its user may not look at this",
    "it answered 404": ": is it the address of a NetBox?",
    **{
        f"it answered {status}": ": redirects are not followed, name the address itself"
        for status in (301, 302, 307, 308)
    },
}


def checked_url(url: str) -> str:
    """Return the address of the API, with a / at its end. Raises InvalidInput for one that may not be asked."""
    try:
        parts = urlsplit(url.strip())
        host, _port = parts.hostname or "", parts.port
    except ValueError as error:
        raise InvalidInput("is not an address", field="NETBOX_URL") from error
    if not url.isascii() or not url.strip().isprintable() or not host:
        raise InvalidInput("is not an address such as https://netbox.example.net", field="NETBOX_URL")
    if parts.username is not None or parts.query or parts.fragment:
        raise InvalidInput("holds no user name, password, question or fragment", field="NETBOX_URL")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOCAL):
        raise InvalidInput(
            "begins with https:// (http:// on this machine alone): it carries a token", field="NETBOX_URL"
        )
    base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    return f"{base.removesuffix('/api')}/api/"


def _said(wanted: Mapping[str, object]) -> list[tuple[str, str]]:
    """Parameters as an address has them; a list is one for each of its values."""
    return [
        (name, str(one))
        for name, value in wanted.items()
        for one in (value if isinstance(value, list | tuple) else [value])
    ]


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _batches(values: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(values), AT_ONCE):
        yield values[start : start + AT_ONCE]


def _short(error: Exception) -> str:
    return str(error)[:200]
