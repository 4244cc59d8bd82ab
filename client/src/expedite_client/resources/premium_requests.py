"""Requests for IP Premium: asked for, changed and taken back by an NREN, answered by the receiver, decided by the NOC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from expedite_client.asking import Ask, Instant, Terms, instant_text
from expedite_client.transport import Transport
from expedite_client.values.proofs import Recheck
from expedite_client.values.requests import Evidence, Lines, Pack, Range, RequestDetail, RequestSummary

AT: Final = "premium-requests/"


class PremiumRequests:
    """`premium-requests`. Every deed raises Problem where the server refuses, Unreachable where it does not answer."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def submit(self, ask: Ask, *, key: str | None = None) -> RequestDetail:
        """Ask. One that does not fit is asked for all the same: its `evidence` says so. Of both ways the way out is returned."""
        return self._http.post(RequestDetail, AT, ask.to_json(), key=key)

    def what_if(self, ask: Ask) -> Evidence:
        """Return whether this would fit at this moment; nothing is asked for."""
        return self._http.post(Evidence, f"{AT}what-if/", ask.to_json())

    def show(self, request: int) -> RequestDetail:
        """Return a request with its evidence."""
        return self._http.get(RequestDetail, f"{AT}{request}/")

    def list(self, **filters: Any) -> Iterator[RequestSummary]:
        """Yield those one may see, the newest first unless `ordering` says otherwise.

        Filters: `state` and `stage` (one or a list), `consent`, `nren`, `receiving_nren`, `source_link`, `destination_link`,
        `link`, `series`, `address`, and instants: `active_at`, `start_after`, `start_before`, `end_after`, `end_before`,
        `submitted_after`, `submitted_before`.
        """
        return self._http.pages(RequestSummary, AT, filters)

    def consent(
        self, request: int, *, agree: bool, reason: str = "", key: str | None = None
    ) -> RequestDetail:
        """Agree to receive it, or decline with a reason."""
        return self._deed(request, "consent", {"agree": agree, "reason": reason}, key)

    def withdraw(self, request: int, *, reason: str, key: str | None = None) -> RequestDetail:
        """Take it back; what was granted stays charged until it is seen gone."""
        return self._deed(request, "withdraw", {"reason": reason}, key)

    def take_offer(
        self,
        request: int,
        kind: str,
        *,
        rate_bps: int | None = None,
        start: Instant = None,
        end: Instant = None,
        key: str | None = None,
    ) -> RequestDetail:
        """Have it ask for a counter-offer from now on: by kind, or whole as it was read (`end` None: further notice)."""
        body: dict[str, Any] = {"kind": kind}
        if rate_bps is not None or start is not None:
            seen = {"start": instant_text(start, field="start"), "end": instant_text(end, field="end")}
            body |= {"rate_bps": rate_bps, **seen}
        return self._deed(request, "take-offer", body, key)

    def modify(self, request: int, terms: Terms, *, reason: str, key: str | None = None) -> RequestDetail:
        """Change rate, window or prefixes: undecided it is replaced, granted it is a proposal (`modifications`)."""
        return self._deed(request, "modify", {**terms.to_json(), "reason": reason}, key)

    def modify_what_if(self, request: int, terms: Terms) -> Evidence:
        """Return whether it could become this at this moment; nothing is proposed."""
        return self._http.post(Evidence, f"{AT}{request}/modify-what-if/", terms.to_json())

    def extend(self, request: int, *, end: Instant, reason: str, key: str | None = None) -> RequestDetail:
        """Have it last until `end`; None: until further notice."""
        return self._deed(request, "extend", {"end": instant_text(end, field="end"), "reason": reason}, key)

    def end_early(
        self, request: int, *, reason: str, end: Instant = None, key: str | None = None
    ) -> RequestDetail:
        """Have a granted request end sooner; None: now."""
        return self._deed(
            request, "end-early", {"end": instant_text(end, field="end"), "reason": reason}, key
        )

    def range(self, request: int) -> Range:
        """Return how far rate, end and start could change at this moment, each alone."""
        return self._http.get(Range, f"{AT}{request}/range/")

    def recheck(self, request: int) -> Recheck:
        """Return whether its last decision follows from what was kept of it."""
        return self._http.get(Recheck, f"{AT}{request}/recheck/")

    def consent_to_modification(
        self, request: int, *, agree: bool, reason: str = "", key: str | None = None
    ) -> RequestDetail:
        """Agree to what it is to become, or decline with a reason."""
        return self._deed(request, "modification-consent", {"agree": agree, "reason": reason}, key)

    def withdraw_modification(self, request: int, *, reason: str, key: str | None = None) -> RequestDetail:
        """Take back what it is to become; what was granted stays."""
        return self._deed(request, "modification-withdraw", {"reason": reason}, key)

    def draw_flow_label(self, request: int, *, key: str | None = None) -> RequestDetail:
        """Draw a flow label for an undecided request."""
        return self._deed(request, "flow-label", {}, key)

    def pack(
        self,
        request: int,
        kind: str,
        *,
        traffic: str = "",
        platform: str = "",
        ios: str = "",
        uplink: str = "",
    ) -> Pack:
        """Return what the sender configures on its own side: `kind` is `linux` or `ios`."""
        asked = {"for": kind, "traffic": traffic, "platform": platform, "ios": ios, "uplink": uplink}
        return self._http.get(Pack, f"{AT}{request}/pack/", asked)

    def admit(
        self, request: int, *, reason: str, break_glass: str = "", key: str | None = None
    ) -> RequestDetail:
        """Grant it. What does not fit is a Problem `does-not-fit` with the `evidence` in its body. The NOC's."""
        return self._deed(request, "admit", {"reason": reason, "break_glass": break_glass}, key)

    def refuse(self, request: int, *, reason: str, key: str | None = None) -> RequestDetail:
        """Refuse it; the NREN reads the reason. The NOC's."""
        return self._deed(request, "refuse", {"reason": reason}, key)

    def hold(self, request: int, *, until: Instant, reason: str, key: str | None = None) -> RequestDetail:
        """Keep its capacity aside until an instant, at most 30 days ahead. The NOC's."""
        return self._deed(
            request, "hold", {"until": instant_text(until, field="until"), "reason": reason}, key
        )

    def unhold(self, request: int, *, reason: str, key: str | None = None) -> RequestDetail:
        """Let go of a hold before its time. The NOC's."""
        return self._deed(request, "unhold", {"reason": reason}, key)

    def plan_again(self, request: int, *, reason: str, key: str | None = None) -> RequestDetail:
        """Have it planned again where it waits for somebody who has mended why. The NOC's."""
        return self._deed(request, "plan-again", {"reason": reason}, key)

    def lines(self, request: int) -> Lines:
        """Return the lines that put it on and take it off, as foreseen now. The NOC's and auditors'."""
        return self._http.get(Lines, f"{AT}{request}/lines/")

    def approve_lines(
        self,
        request: int,
        *,
        seen: str,
        on: bool = True,
        off: bool = True,
        confirm_gaps: bool = False,
        override: str = "",
        reason: str = "",
        key: str | None = None,
    ) -> Lines:
        """Approve, before they are due, the lines with the fingerprint `seen`: those that put it `on`, take it `off`."""
        body = {"seen": seen, "on": on, "off": off, "confirm_gaps": confirm_gaps, "override": override}
        return self._http.post(Lines, f"{AT}{request}/approve-lines/", {**body, "reason": reason}, key=key)

    def revoke_lines(self, request: int, *, reason: str, key: str | None = None) -> Lines:
        """Revoke every approval of its lines that was given ahead."""
        return self._http.post(Lines, f"{AT}{request}/revoke-lines/", {"reason": reason}, key=key)

    def _deed(self, request: int, verb: str, body: dict[str, Any], key: str | None) -> RequestDetail:
        return self._http.post(RequestDetail, f"{AT}{request}/{verb}/", body, key=key)
