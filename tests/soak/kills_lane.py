"""One router of the soak: deeds that change it one after another, and a worker killed in the middle of each push."""

from __future__ import annotations

import contextlib
import random
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from lab.control import Control
from tests.soak.kills_moments import choose
from tests.soak.kills_oracle import Approved, Witness
from tests.soak.kills_stack import Workers
from tests.soak.kills_watch import Kill, Watch
from tests.soak.service_network import Link

OURS = (
    ("policy-map my_policy", "class class-default", "no random-detect"),
    ("interface POS2/0", "no service-policy output my_policy"),
)


@dataclass
class Lane:
    """`people` are who plans and the two who approve; `wanted` says whether another kill is."""

    router: str
    links: list[Link]
    others: list[Link]
    workers: Workers
    witness: Witness
    control: Path
    people: tuple[Any, Any, Any]
    wanted: Callable[[], bool]
    say: Callable[[str], None]
    seed: int
    kills: list[Kill] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    missed: int = 0
    moments: list[str] = field(default_factory=list)
    """Of these moments each is tried first, then they come by chance."""

    def __post_init__(self) -> None:
        self.dice = random.Random(f"lane {self.router} {self.seed}")
        self.asked = 0
        self.active: dict[str, Any] = {}

    # -- the work ---------------------------------------------------------------------------------------------------

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        from django.db import connections

        self.lab = Control(self.control)
        try:
            while self.wanted():
                self._cycle()
        except Exception:  # noqa: BLE001 - said at the end
            self.faults.append(f"{self.router}: {traceback.format_exc()[-1200:]}")
        finally:
            self.lab.close()
            connections.close_all()

    def _cycle(self) -> None:
        link = self.dice.choice(self.links)
        held = self.active.get(link.name)
        if self.dice.random() < 0.2:
            edit = self.dice.choice(OURS)
            self.lab.call("configure", router=self.router, lines=list(edit))
            self.lab.call("save", router=self.router)
            self._through("repair", self._repair)
        elif held is None:
            self.active[link.name] = request = self._ask(link)
            self._through("begin", lambda: self._planned_for(request, ("ACTIVE",)))
        else:
            self._withdraw(held)
            self._through("end", lambda: self._planned_for(held, ("COMPLETED", "NEVER_PROVIDED")))
            del self.active[link.name]

    def _through(self, deed: str, plan: Callable[[], Any]) -> None:
        """The deed until it is verified; each push of it but the last few may lose its worker."""
        for number in range(8):
            change = plan()
            if change is None or change.finished_at is not None:
                return  # there was nothing to send: not every router has what a hand took away
            ends = self._push(deed, change, kill=number < 3 and self.wanted())
            if all(end == "VERIFIED" for end in ends):
                return
        self.faults.append(f"{self.router}: {deed} was not verified in eight plans")

    # -- deeds ------------------------------------------------------------------------------------------------------

    def _ask(self, link: Link) -> Any:
        from inventory.models import AccessLink
        from provisioning.models import Via
        from provisioning.services import clock, decisions, people
        from provisioning.services import requests as asking

        self.asked += 1
        other = self.dice.choice(self.others)
        rows = {row.name: row for row in AccessLink.objects.select_related("nren")}
        row = asking.submit(
            actor=people.actor_named(link.nren.lower(), via=Via.API),
            data=asking.SubmitRequest(
                source_link=link.name,
                destination_link=other.name,
                rate="100k",
                bucket_bytes=3000,
                max_packet_bytes=1500,
                source_prefixes=(link.prefix(self.asked),),
                destination_prefixes=(other.prefix(self.asked),),
                contact="noc@example.org",
                start=clock.now() + timedelta(seconds=1),
            ),
        )[0]
        assert rows[other.name].nren.name == other.nren
        asking.consent(
            actor=people.actor_named(other.nren.lower(), via=Via.API), request=row, agree=True, reason="yes"
        )
        decisions.admit(actor=self.people[1], request=row, reason="it fits")
        return row

    def _withdraw(self, request: Any) -> None:
        from provisioning.services import requests as asking

        asking.withdraw(actor=self.people[0], request=request, reason="no longer needed")

    def _planned_for(self, request: Any, done: tuple[str, ...]) -> Any:
        """The plan that waits for a word about this request, made by a worker; None where it is `done` without one: what was
        approved once and could not be sent goes out by itself when it is planned again with the same lines.
        """
        from provisioning.errors import ExpediteError
        from provisioning.services import queues

        begun = asked = time.monotonic()
        while time.monotonic() - begun < 240:
            planned = request.changes.filter(planned_at__isnull=False, finished_at__isnull=True)
            change = planned.order_by("-pk").first()
            if change is not None and change.approved_at is None:
                return change
            request.refresh_from_db()
            if change is None and request.state in done:
                return None
            if time.monotonic() - asked > 5:
                asked = time.monotonic()
                with contextlib.suppress(ExpediteError):  # it does not wait for a person: a worker is at it
                    queues.retry(actor=self.people[0], request=request, reason="again")
            time.sleep(0.2)
        raise AssertionError(f"{request.reference} ({request.state}) is not planned")

    def _repair(self) -> Any:
        from provisioning.errors import ExpediteError
        from provisioning.models import ChangeKind
        from provisioning.services import planning

        begun = time.monotonic()
        while True:
            try:
                return planning.plan_domain(
                    actor=self.people[0], kind=ChangeKind.REPAIR, routers=[self.router], reason="put right"
                )
            except ExpediteError:
                if time.monotonic() - begun > 120:
                    raise
                time.sleep(1)

    # -- one push, and its worker killed ----------------------------------------------------------------------------

    def _push(self, deed: str, change: Any, *, kill: bool) -> list[str]:
        """Approve, release, kill, wait for the end, hold it against the router; the ends of its pushes."""
        from provisioning.models import RouterPush
        from provisioning.selectors.plans import plan_of

        keys = list(change.pushes.order_by("position", "pk").values_list("pk", flat=True))
        ends: list[str] = []
        for number, pk in enumerate(keys):
            push = RouterPush.objects.select_related("router", "change").get(pk=pk)
            plan = plan_of(push)
            foreign = ""
            if kill and plan.commands and self.dice.random() < 0.15:
                foreign = f"hand-{self.dice.randrange(10**9)}"
                self.lab.call(
                    "configure", router=self.router, lines=["interface POS2/1", f"description {foreign}"]
                )
            before = self.lab.call("state", router=self.router)
            moment = None
            if kill and plan.commands:
                name = self.moments.pop(0) if self.moments else None
                moment = choose(self.dice, [line.text for line in plan.commands], name)
                for fault in moment.faults:
                    self.lab.fault(self.router, fault)
            if moment is not None:
                self.workers.turn()
            if number == 0 and not self._let_go(change):
                self.lab.call("clear", router=self.router)
                return ["not let go"]
            where = f"{self.router} {change.reference} {deed}"
            watch = Watch(push, where, deed, self.lab, self.workers, self.dice, self.say)
            watch.until_over(moment, before)
            kills = watch.kills
            self.missed += moment is not None and not kills
            self.faults += watch.faults
            push.refresh_from_db()
            after = self.lab.call("state", router=self.router)
            end = (push.state, push.saved)
            self.faults += self.witness.judge(
                where, self.router, Approved.of(plan), end, before, after, foreign
            )
            for each in kills:
                each.end = push.state
            self.kills += kills
            ends.append(push.state)
            self.ends.append(push.state)
            if foreign:
                self.lab.call("configure", router=self.router, lines=["interface POS2/1", "no description"])
                self.lab.call("save", router=self.router)
        return ends

    def _let_go(self, change: Any) -> bool:
        """Approve and release; False where that is declined: it was let go already, or something newer is planned."""
        from provisioning.errors import ExpediteError
        from provisioning.models import ChangeKind
        from provisioning.services import changes

        agreed: dict[str, Any] = {"confirm_gaps": True, "override": "a soak", "reason": "as agreed"}
        try:
            # Lines that no request asked for, with which an edit is put right, take two people.
            for person in self.people[1:]:
                changes.look(actor=person, change=change)
                if changes.approve(actor=person, change=change, **agreed).approved_at is not None:
                    break
            if change.kind == ChangeKind.REPAIR:
                changes.release(actor=self.people[1], change=change)
        except ExpediteError as error:
            self.say(f"{self.router} {change.reference} was not let go: {error}")
            return False
        return True
