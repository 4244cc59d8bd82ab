"""Four people of the NOC, each a thread that decides, approves, cancels and plans again at moments of its own."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from django.db import DatabaseError, InterfaceError, close_old_connections, connections
from django.db.models import Q

from provisioning.errors import Busy, ExpediteError
from provisioning.models import (
    Actor,
    Change,
    ChangeKind,
    PremiumRequest,
    Reservation,
    RouterSync,
    SyncState,
    Via,
)
from provisioning.pipeline.admission import Refused
from provisioning.pipeline.states import PushState, RequestState
from provisioning.services import ahead, changes, decisions, people, planning, queues, retrying

NAMES = ("nora", "niels", "nadia", "nils")


class Person:
    """One of them; `rest` ends what makes new work (cancelling), not what finishes it."""

    def __init__(
        self, name: str, seed: int, pace: float, over: threading.Event, rest: threading.Event
    ) -> None:
        self.name, self.over, self.rest, self.pace = name, over, rest, pace
        self.dice = random.Random(f"{name} {seed}")
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self.cancelled: set[int] = set()
        self.actor: Actor | None = None

    def run(self) -> None:
        while not self.over.wait(self.dice.uniform(0.2, 1.8) * self.pace):
            close_old_connections()
            for deed in (self._decide, self._approve, self._mind):
                if self.over.is_set():
                    break
                self._try(deed)
        connections.close_all()

    def _try(self, deed: Callable[[], None]) -> None:
        try:
            deed()
        except ExpediteError as error:
            self.done[f"declined: {error.code}"] += 1
        except (DatabaseError, InterfaceError) as error:
            if retrying.unavailable(error) is None:
                self.faults.append(f"{self.name} {deed.__name__}: {error!r:.300}")
            self.done["the database was away"] += 1
            connections.close_all()
            time.sleep(0.5)
        except Exception as error:  # noqa: BLE001 - said at the end
            self.faults.append(f"{self.name} {deed.__name__}: {error!r:.300}")

    def _act(self, what: str, act: Callable[[], object]) -> bool:
        """One deed, counted; what the service declines is counted, too, and keeps nothing else from being done."""
        try:
            retrying.whole(act)
        except Busy:
            self.done[f"{what}: busy"] += 1
            return False
        except ExpediteError as error:
            self.done[f"{what}: {error.code}"] += 1
            return False
        self.done[what] += 1
        return True

    @property
    def me(self) -> Actor:
        if self.actor is None:
            self.actor = people.actor_named(self.name, via=Via.WEB)
        return self.actor

    def _decide(self) -> None:
        open_ = PremiumRequest.objects.filter(
            state__in=(RequestState.SUBMITTED, RequestState.HELD),
            consent__in=("given", "standing", "not-needed"),
        )
        for row in list(open_.order_by("start", "pk")[:8]):
            if self.over.is_set():
                return
            if self.dice.random() < 0.4:
                continue  # somebody else will, or it is done later
            self._act("admit", partial(self._admit, row))

    def _admit(self, row: PremiumRequest) -> None:
        if self.dice.random() < 0.3:
            verdict, _moved = ahead.admit_with_lines(
                actor=self.me, request=row, reason="it fits", confirm_gaps=True, override="a soak"
            )
            self.done["admit, with its lines"] += 1
        else:
            verdict = decisions.admit(actor=self.me, request=row, reason="it fits")
        if isinstance(verdict, Refused):
            decisions.refuse(actor=self.me, request=row, reason="it does not fit")
            self.done["refuse"] += 1

    def _approve(self) -> None:
        waiting = Change.objects.filter(
            finished_at__isnull=True, approved_at__isnull=True, planned_at__isnull=False
        ).exclude(approvals__user=self.me.user_id)
        for change in list(waiting.order_by("due_at", "pk").distinct()[:12]):
            if self.over.is_set():
                return
            if change.submitted_by_id == self.me.user_id or self.dice.random() < 0.3:
                continue
            if not self.rest.is_set() and self.dice.random() < 0.02 and self._cancel(change):
                continue
            changes.look(actor=self.me, change=change)
            self._act("approve", partial(self._give, change))
        asked = Change.objects.filter(
            kind__in=(ChangeKind.BASELINE, ChangeKind.REPAIR),
            approved_at__isnull=False, released_at__isnull=True, finished_at__isnull=True,
        )  # fmt: skip
        for change in list(asked):
            self._act("release", partial(changes.release, actor=self.me, change=change))

    def _give(self, change: Change) -> None:
        changes.approve(
            actor=self.me, change=change, confirm_gaps=True, override="a soak", reason="as agreed",
            save_others_edits=True,
        )  # fmt: skip

    def _cancel(self, change: Change) -> bool:
        return self._act("cancel", lambda: changes.cancel(actor=self.me, change=change, reason="not tonight"))

    def _mind(self) -> None:
        """What waits for a person: a request that was held out, a router whose objects were edited, a broken push."""
        held = Reservation.objects.exclude(waits_for="").filter(released_at__isnull=True)
        for each in list(held.select_related("request")[:10]):
            if self.dice.random() < 0.2:
                self._act(
                    "plan again",
                    partial(queues.retry, actor=self.me, request=each.request, reason="again"),
                )
        differs = RouterSync.objects.filter(state=SyncState.DIFFERS, router__pushes__isnull=False)
        for sync in list(differs.select_related("router").distinct()[:6]):
            busy = Change.objects.filter(finished_at__isnull=True, pushes__router=sync.router).filter(
                Q(kind=ChangeKind.REPAIR) | Q(pushes__state__in=(PushState.PUSHING, PushState.PUSHED))
            )
            asked = Change.objects.filter(
                kind=ChangeKind.REPAIR, planned_at__isnull=True, finished_at__isnull=True
            )
            if self.dice.random() < 0.3 and not busy.exists() and not asked.exists():
                self._act("repair", partial(self._repair, sync.router.name))

    def _repair(self, name: str) -> None:
        planning.ask_for_plan(
            actor=self.me, kind=ChangeKind.REPAIR, routers=[name], reason="it differs from what is intended"
        )
