"""HTTP with the server: one origin, verified TLS, bounded waiting, and every deed done once."""

from __future__ import annotations

import copy
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self, TypeVar, cast
from urllib.parse import SplitResult, parse_qs, urlsplit

import requests
from requests.auth import AuthBase

from expedite_client.answers import JsonObject, check
from expedite_client.errors import (
    BadCertificate,
    ClientError,
    InvalidInput,
    Lost,
    NotUnderstood,
    Problem,
    Redirected,
    Unreachable,
)
from expedite_client.version import VERSION

CONNECT_SECONDS: Final = 10.0
READ_SECONDS: Final = 60.0
TRIES: Final = 4
LONGEST_PAUSE_SECONDS: Final = 30.0
"""Longer than this nobody waits on a server's word (Retry-After): the error is told instead."""
ROUTER_SECONDS: Final = 120.0
"""So much longer an answer may take for which the server reads a router first."""
PAGE_SIZE: Final = 200
API: Final = "/api/v1/"
_LATER: Final = frozenset({429, 502, 503, 504})
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

Query = Mapping[str, Any]
Shape = TypeVar("Shape")


class Bearer(AuthBase):
    """The token. Given as `auth`, because requests would else take what ~/.netrc says of the host."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Return the request with the token."""
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class OneServer(requests.Session):
    """A session that takes no redirect for an address: requests reads it even where it is told not to follow it."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:  # noqa: ARG002 - the name is the base's
        """Return None: there is none."""
        return None


class Transport:
    """Sends to one server and reads what it answers.

    Redirects are not followed: every address here is exact, so one means that the URL is wrong, and following it could carry the
    token elsewhere.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        ca_bundle: str | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        read_seconds: float = READ_SECONDS,
        tries: int = TRIES,
        sleep: Callable[[float], None] = time.sleep,
        lost: Lost | None = None,
    ) -> None:
        """Speak to `url` (https, or http on this machine alone); `lost` is told of each try that is not the last.

        Raises InvalidInput for another URL, a token that cannot be one, or a CA bundle that is not there.
        """
        self.root = root_of(url)
        check_token(token)
        if ca_bundle and not Path(ca_bundle).exists():
            raise InvalidInput(f"there is no file {ca_bundle}", field="ca_bundle")
        self._auth = Bearer(token)
        self._timeout = (connect_seconds, read_seconds)
        self._tries = max(1, tries)
        self._sleep = sleep
        self._lost = lost
        self._session = OneServer()
        # To this machine itself: a proxy that the environment names is another one, and would be told the token in clear.
        self._session.trust_env = self.root.startswith("https:")
        # Said with every request: what a session says is overruled by REQUESTS_CA_BUNDLE.
        self._verify: str | bool = ca_bundle or True
        self._session.headers.update(
            {"Accept": "application/json", "User-Agent": f"expedite-client/{VERSION}"}
        )

    def get(self, shape: type[Shape], path: str, query: Query | None = None, *, wait: float = 0) -> Shape:
        """Return what is at `path`; the server may take `wait` seconds more than usual to answer."""
        return self._read(self._send("GET", path, query=query, wait=wait), shape)

    def post(
        self,
        shape: type[Shape],
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        query: Query | None = None,
        wait: float = 0,
    ) -> Shape:
        """Return the answer to a deed; the server may take `wait` seconds more than usual.

        Repeated under one Idempotency-Key it is done once: `key`, or one of its own.
        """
        headers = {"Idempotency-Key": key or uuid.uuid4().hex}
        answer = self._send("POST", path, query=query, body=dict(body or {}), headers=headers, wait=wait)
        return self._read(answer, shape)

    def tagged(self, shape: type[Shape], path: str) -> tuple[Shape, str]:
        """Return what is at `path`, and its ETag: for `change`."""
        answer = self._send("GET", path)
        return self._read(answer, shape), str(answer.headers.get("ETag", ""))

    def change(
        self,
        method: str,
        shape: type[Shape],
        path: str,
        *,
        tag: str = "",
        body: Mapping[str, Any] | None = None,
        query: Query | None = None,
    ) -> Shape:
        """Return the answer to a PATCH or DELETE that is done only while what is there has this tag.

        Sent again because its answer was lost it is not done twice: then it is refused, as there is another tag by now.
        """
        headers = {"If-Match": tag} if tag else {}
        said = dict(body) if body is not None else None
        return self._read(self._send(method, path, query=query, body=said, headers=headers), shape)

    def pages(self, shape: type[Shape], path: str, query: Query | None = None) -> Iterator[Shape]:
        """Yield the rows of a list, each once, whatever is added or leaves meanwhile.

        Of the address of a next page only the cursor is taken: nothing is sent to an address that the server names.
        """
        asked = {"page_size": PAGE_SIZE, **(query or {}), "cursor": "*"}
        while True:
            found = self.get(dict[str, Any], path, asked)
            rows = found.get("results")
            check(rows, list[shape], path)  # type: ignore[valid-type]
            yield from cast(list[Shape], rows)
            following = parse_qs(urlsplit(str(found.get("next") or "")).query).get("cursor")
            if not following:
                return
            asked["cursor"] = following[0]

    def once(self) -> Self:
        """Return it, over the same connections, as it asks each thing once: for whoever asks again by themselves (`Trying`)."""
        found = copy.copy(self)
        found._tries = 1
        return found

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        wait: float = 0,
    ) -> requests.Response:
        """Ask until there is an answer, `tries` times at most: a deed is repeated under its own key."""
        connect, read = self._timeout
        why = ""
        for tried in range(self._tries):
            last = tried == self._tries - 1
            try:
                answer = self._session.request(
                    method,
                    self.root + path,
                    params=_given(query),
                    json=body,
                    headers=dict(headers or {}),
                    auth=self._auth,
                    timeout=(connect, read + wait),
                    allow_redirects=False,
                    verify=self._verify,
                )
            except requests.exceptions.SSLError as error:
                if "certificate" in str(error).lower():
                    said = "its certificate is not one to trust"
                    raise BadCertificate(f"{self.root}: {said}: {_cause(error)}") from error
                why = f"does not answer: TLS: {_cause(error)}"
            except (
                requests.exceptions.ConnectionError,
                requests.exceptions.Timeout,
                requests.exceptions.ChunkedEncodingError,
                requests.exceptions.ContentDecodingError,
            ) as error:
                why = _silence(error, connect, read + wait)
            except requests.exceptions.RequestException as error:
                raise InvalidInput(f"it cannot be asked: {_cause(error)}", field="url") from error
            else:
                pause = _pause(answer, tried)
                if last or pause is None:
                    return answer
                self._wait(Problem(answer.status_code, {}, retry_after=pause), pause)
                continue
            if not last:
                self._wait(Unreachable(f"{self._server} {why}"), _backoff(tried))
        often = f" ({self._tries} tries)" if self._tries > 1 else ""
        raise Unreachable(f"{self._server} {why}{often}")

    def _wait(self, why: ClientError, seconds: float) -> None:
        """Wait before the same is asked again, and have it said: minutes without a word look like a program that hangs."""
        if self._lost is not None:
            self._lost(why, seconds)
        self._sleep(seconds)

    @property
    def _server(self) -> str:
        return urlsplit(self.root).netloc

    def _read(self, answer: requests.Response, shape: type[Shape]) -> Shape:
        if 300 <= answer.status_code < 400:
            to = answer.headers.get("Location", "elsewhere")
            raise Redirected(f"{self.root} points to {to}: nothing was sent there. Is the URL right?")
        try:
            body = answer.json(object_hook=JsonObject)
        except ValueError as error:
            if answer.status_code >= 400:
                raise Problem(answer.status_code, {}, retry_after=_retry_after(answer)) from error
            raise NotUnderstood(
                f"{self.root} answers {answer.status_code} and no JSON: is it Expedite?"
            ) from error
        if answer.status_code >= 400:
            said = body if isinstance(body, dict) else {}
            raise Problem(answer.status_code, said, retry_after=_retry_after(answer))
        check(body, shape)
        return cast(Shape, body)


def check_token(token: str) -> None:
    """Raise InvalidInput for what cannot be a token."""
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidInput("a token is one word, exp_...", field="token")


def root_of(url: str) -> str:
    """Return the address of the API of a server: `https://expedite.example/api/v1/`.

    Raises InvalidInput for what is no https URL of a server; http is taken on this machine alone.
    """
    parts = _split(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InvalidInput(
            f"{url[:100]!r} is no URL of a server, such as https://expedite.example", field="url"
        )
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise InvalidInput("http shows the token to everybody on the way: use https", field="url")
    if parts.username is not None or parts.query or parts.fragment:
        raise InvalidInput("no user, question or fragment belongs there", field="url")
    path = parts.path.rstrip("/").removesuffix(API.rstrip("/"))
    return f"{parts.scheme}://{parts.netloc}{path}{API}"


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError as error:
        raise InvalidInput(f"it cannot be read: {error}", field="url") from error
    return parts


def _given(query: Query | None) -> dict[str, Any]:
    """The parameters that were given: the server refuses empty ones."""
    found = {}
    for name, value in (query or {}).items():
        if value is None or value == "" or value == []:
            continue
        found[name] = str(value).lower() if isinstance(value, bool) else value
    return found


def _pause(answer: requests.Response, tried: int) -> float | None:
    """How long to wait before the same is asked again, seconds; None: this is the answer."""
    if answer.status_code not in _LATER:
        return None
    if answer.status_code == 502 and "problem+json" in answer.headers.get("Content-Type", ""):
        return None  # the service's own word about a router, and no broken proxy
    said = _retry_after(answer)
    if said is None:
        return _backoff(tried)
    return said if said <= LONGEST_PAUSE_SECONDS else None


def _retry_after(answer: requests.Response) -> float | None:
    """What the server says of when to ask again, seconds; None where it says nothing, or a date."""
    said = answer.headers.get("Retry-After", "")
    return float(said[:9]) if said.isascii() and said.isdecimal() else None


def _backoff(tried: int) -> float:
    return min(LONGEST_PAUSE_SECONDS, 0.5 * 2.0**tried) * random.uniform(0.75, 1.25)  # noqa: S311 - spreads load


def _silence(error: BaseException, connect: float, read: float) -> str:
    """How it did not answer, in a few words: what requests says of it is two lines of names of classes."""
    said = _cause(error)
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return f"cannot be reached within {connect:g} s"
    if isinstance(error, requests.exceptions.ReadTimeout) or "Read timed out" in said:
        return f"does not answer within {read:g} s"
    if "Connection refused" in said:
        return "refuses the connection"
    if "[Errno -" in said:  # those of getaddrinfo are negative
        return "has a name that cannot be found"
    return f"does not answer: {said}"


def _cause(error: BaseException) -> str:
    """The innermost reason: requests wraps what happened three times."""
    inner = getattr(error, "reason", None) or (error.args[0] if error.args else None)
    if isinstance(inner, BaseException) and inner is not error:
        return _cause(inner)
    said = str(error.args[-1]) if error.args else str(error)
    return said[:300] or type(error).__name__
