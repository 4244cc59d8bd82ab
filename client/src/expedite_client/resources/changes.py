"""Changes of routers: planned, read, approved, released and steered. The NOC's; an NREN sees how far its own are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from expedite_client.transport import Transport
from expedite_client.values.changes import Approval, Change, Undone
from expedite_client.values.proofs import Proof, Rehearsal

AT: Final = "changes/"


Proofs = list[Proof]


class Changes:
    """`changes`."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def plan(
        self,
        *,
        kind: str = "baseline",
        routers: Sequence[str] | None = None,
        title: str = "",
        reason: str = "",
        key: str | None = None,
    ) -> Change:
        """Have routers (all of them when none is named) read and planned; nothing is sent. `planning` says how far it is."""
        named = list(routers) if routers else None
        body = {"kind": kind, "routers": named, "title": title, "reason": reason}
        return self._http.post(Change, AT, body, key=key)

    def show(self, change: int) -> Change:
        """Return a change."""
        return self._http.get(Change, f"{AT}{change}/")

    def list(self, **filters: Any) -> Iterator[Change]:
        """Yield those one may see, the newest first. Filters: `request`, `kind`."""
        return self._http.pages(Change, AT, filters)

    def approval(self, change: int) -> Approval:
        """Return what has to be read before it is approved, with the `fingerprint` of its lines."""
        return self._http.get(Approval, f"{AT}{change}/approval/")

    def approve(
        self,
        change: int,
        *,
        seen: str,
        confirm_gaps: bool = False,
        override: str = "",
        save_others_edits: bool = False,
        break_glass: str = "",
        reason: str = "",
        key: str | None = None,
    ) -> Change:
        """Approve exactly the lines with the fingerprint `seen`; 409 `stale` where they are others by now."""
        body = {"seen": seen, "confirm_gaps": confirm_gaps, "override": override, "reason": reason}
        more = {"save_others_edits": save_others_edits, "break_glass": break_glass}
        return self._http.post(Change, f"{AT}{change}/approve/", {**body, **more}, key=key)

    def push(self, change: int, *, key: str | None = None) -> Change:
        """Release an approved change: workers read every router again and send it."""
        return self._http.post(Change, f"{AT}{change}/push/", {}, key=key)

    def pause(self, change: int, *, reason: str, key: str | None = None) -> Change:
        """Begin no further router of it."""
        return self._http.post(Change, f"{AT}{change}/pause/", {"reason": reason}, key=key)

    def resume(self, change: int, *, reason: str, key: str | None = None) -> Change:
        """Let a paused change go on."""
        return self._http.post(Change, f"{AT}{change}/resume/", {"reason": reason}, key=key)

    def abort(self, change: int, *, reason: str, key: str | None = None) -> Change:
        """Cancel what has not begun; what is done stays."""
        return self._http.post(Change, f"{AT}{change}/abort/", {"reason": reason}, key=key)

    def undo(self, change: int, *, reason: str, key: str | None = None) -> Undone:
        """Withdraw what a change put on; `left` names what that does not undo."""
        return self._http.post(Undone, f"{AT}{change}/undo/", {"reason": reason}, key=key)

    def proof(self, change: int) -> Proofs:
        """Return, router by router, what each line changes on which interface, and the way back likewise."""
        return self._http.get(Proofs, f"{AT}{change}/proof/")

    def rehearse(self, change: int, *, key: str | None = None) -> Rehearsal:
        """Have it played on practice routers that hold what its routers showed; a worker does it."""
        return self._http.post(Rehearsal, f"{AT}{change}/rehearse/", {}, key=key)

    def rehearsal(self, change: int) -> Rehearsal:
        """Return how its last rehearsal went, push by push."""
        return self._http.get(Rehearsal, f"{AT}{change}/rehearsal/")

    def rollout(self, change: int, *, reason: str, key: str | None = None, **course: Any) -> Change:
        """Say when its routers may be begun, how many first and at once.

        Of `canary`, `wave_size`, `at_once`, `window_start`, `window_end` (instants as text) and `ticket` what is not given
        stays; None is no such rule.
        """
        return self._http.post(Change, f"{AT}{change}/rollout/", {**course, "reason": reason}, key=key)
