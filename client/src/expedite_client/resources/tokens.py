"""Tokens: a text is answered once and never again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from expedite_client.asking import UNSAID, instant_text
from expedite_client.errors import NoSuch
from expedite_client.transport import Transport
from expedite_client.values.trail import Token, TokenIssued

AT: Final = "tokens/"
_LOST_AT_MOST: Final = 3
"""So many answers in a row may be lost."""


class Tokens:
    """`tokens`: one's own, of everybody for an administrator."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[Token]:
        """Yield tokens without their text, the newest first. Filters: `user`, `nren`, `live`."""
        return self._http.pages(Token, AT, filters)

    def named(self, prefix: str) -> Token:
        """Return the token with that public part, `exp_47c38b4e04fb`; raises NoSuch where there is none."""
        for found in self.list():
            if f"exp_{found['prefix']}" == prefix:
                return found
        raise NoSuch(f"there is no token {prefix!r}: see `expedite token list`", field="token")

    def issue(
        self,
        name: str,
        *,
        scopes: Sequence[str] | None = None,
        expires_at: Any = UNSAID,
        allowed_networks: Sequence[str] | None = None,
        user: str | None = None,
        key: str | None = None,
    ) -> TokenIssued:
        """Issue one that is no wider than the one that asks; what is left out is as it is of that.

        `text` is None where the first answer was lost: nobody has it, and it is to be revoked.
        """
        body: dict[str, Any] = {"name": name}
        if scopes is not None:
            body["scopes"] = list(scopes)
        if expires_at is not UNSAID:
            body["expires_at"] = instant_text(expires_at, field="expires_at")
        if allowed_networks is not None:
            body["allowed_networks"] = list(allowed_networks)
        if user is not None:
            body["user"] = user
        return self._http.post(TokenIssued, AT, body, key=key)

    def rotate(
        self,
        token: int,
        *,
        reason: str,
        overlap_hours: int = 1,
        lost: int | None = None,
        key: str | None = None,
    ) -> TokenIssued:
        """Put another in the place of the token that asks; the old one works for so many hours more: an answer can be lost.

        `lost` is what it was rotated into before, where nobody has that text: it is revoked. Without a `key` this is done by
        itself when the answer to this very call is lost. With one, or without an overlap, `text` is None then.
        """
        body: dict[str, Any] = {"reason": reason, "overlap_hours": overlap_hours}
        made = self._rotate(token, body | ({} if lost is None else {"lost": lost}), key)
        for _again in range(_LOST_AT_MOST):
            if made["text"] is not None or key is not None or not overlap_hours:
                break
            made = self._rotate(token, {**body, "lost": made["id"]}, None)
        return made

    def revoke(self, token: int, *, reason: str, key: str | None = None) -> Token:
        """End a token now, with all that it issued."""
        return self._http.post(Token, f"{AT}{token}/revoke/", {"reason": reason}, key=key)

    def _rotate(self, token: int, body: dict[str, Any], key: str | None) -> TokenIssued:
        return self._http.post(TokenIssued, f"{AT}{token}/rotate/", body, key=key)
