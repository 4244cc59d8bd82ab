"""The lines that would put a request on its ingress at its start and take it off at its end, foreseen from what is known now.

The router is taken as it was last seen (as it is intended, where it was never read), brought to what is charged to be on
at that instant. Nothing is read over SSH and no row is written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q

from inventory.models import Interface, Router
from provisioning.errors import InvalidInput
from provisioning.models import ConfigSnapshot, PremiumRequest
from provisioning.pipeline import ios
from provisioning.pipeline.ahead import Effect, PlannedLine, digest_of, effect_of, lines_of, text_of
from provisioning.pipeline.change import ChangePlan, Circumstances, build_plans
from provisioning.pipeline.diff import Owned, diff
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.mqc.running import InterfaceState, Pvc
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.queues import entering
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import clock, intents
from provisioning.services.intents import Wanted
from provisioning.services.ownership import owned_on

_NOTHING = Effect({}, frozenset(), frozenset())


@dataclass(frozen=True)
class Side:
    """What puts a request on, or takes it off, on its ingress.

    `at` is when (None: whenever it ends). `beside` are the requests that are on there then besides it, `together` those
    that end, or begin, at that very instant on the same link and are part of these lines. `why_not` says why no lines
    can be foreseen; then there are none.
    """

    request: PremiumRequest
    puts_on: bool
    at: datetime | None
    beside: tuple[int, ...]
    together: tuple[int, ...] = ()
    plans: tuple[ChangePlan, ...] = ()
    lines: tuple[PlannedLine, ...] = ()
    effect: Effect = _NOTHING
    why_not: str = ""
    wanted: Wanted | None = field(default=None, repr=False, compare=False)

    @property
    def gaps(self) -> tuple[str, ...]:
        """The gaps that have to be confirmed, as sentences."""
        return tuple(gap.text for plan in self.plans for gap in plan.gaps)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What a router would probably refuse, as sentences."""
        return tuple(doubt.text for plan in self.plans for doubt in plan.doubts)

    @property
    def lines_digest(self) -> str:
        """sha256 (hex) of the lines."""
        return digest_of(self.lines)

    @property
    def text(self) -> str:
        """The lines there, and the way back after a line that says so."""
        return f"{text_of(self.lines)}! the way back\n{text_of(self.lines, 'back')}"


@dataclass(frozen=True)
class Foreseen:
    """Both sides of one request; `on` None when it is on already, `off` None when it is gone.

    `seen_at` is when the router was last read, None when it never was; `bandwidths` are bit/s by interface.
    """

    request: PremiumRequest
    router: Router
    on: Side | None
    off: Side | None
    seen_at: datetime | None
    bandwidths: dict[str, int]

    @property
    def sides(self) -> tuple[Side, ...]:
        return tuple(side for side in (self.on, self.off) if side is not None)

    @property
    def fingerprint(self) -> str:
        """sha256 (hex) of everything that is approved with it: another one means that it has to be read again."""
        said = [
            [
                side.puts_on,
                side.why_not,
                [line.to_json() for line in side.lines],
                side.effect.to_json(),
                list(side.gaps),
                list(side.doubts),
            ]
            for side in self.sides
        ]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def foresee(request: PremiumRequest) -> Foreseen:
    """Foresee the lines of a request, admitted or still to be decided."""
    router = Router.objects.select_related("domain").get(pk=request.source_link.interface.router_id)
    snapshot = ConfigSnapshot.objects.filter(router=router).order_by("-pk").first()
    held = getattr(request, "reservation", None)
    is_on = held is not None and held.put_on_at is not None
    is_off = held is not None and (held.taken_off_at is not None or held.released_at is not None)
    worker = _Foreseer(router, snapshot, clock.now())
    return Foreseen(
        request=request,
        router=router,
        on=None if is_on or is_off else worker.on(request),
        off=None if is_off else worker.off(request),
        seen_at=None if snapshot is None else snapshot.taken_at,
        bandwidths=worker.bandwidths,
    )


class _Foreseer:
    """One router as last seen, and what is charged there."""

    def __init__(self, router: Router, snapshot: ConfigSnapshot | None, now: datetime) -> None:
        self.router, self.snapshot, self.now = router, snapshot, now
        self.entering = entering(router)
        self.on_now = set(
            self.entering.filter(reservation__put_on_at__isnull=False).values_list("pk", flat=True)
        )
        self._known: dict[frozenset[int], Wanted] = {}
        inventory = Interface.objects.filter(router=router).values_list("name", "bw_bps")
        self.bandwidths: dict[str, int] = (
            {name: bps for name, bps in inventory if bps} if snapshot is None else dict(snapshot.bandwidths)
        )

    def on(self, request: PremiumRequest) -> Side:
        """It alone, beside what is on when it begins. What begins with it has lines of its own."""
        before = self._on_at(request.start) - {request.pk}
        return self._side(request, True, request.start, before, {request.pk}, set())

    def off(self, request: PremiumRequest) -> Side:
        """It, and what ends or begins at that instant on its link: the last one to go takes the link's objects along."""
        over = request.state in intents.OVER
        at = None if over else request.end
        if at is None:
            start = self.now if over else request.start
            before = self._on_at(start) | self._beginning(start) | {request.pk}
            return self._side(request, False, None, before, set(), {request.pk})
        before = self._on_at(at) | {request.pk}
        same = self.entering.filter(source_link=request.source_link_id, state__in=intents.ON)
        ends = set(same.filter(end=at).values_list("pk", flat=True))
        begins = set(same.filter(start=at).values_list("pk", flat=True))
        return self._side(request, False, at, before, begins, (ends & before) | {request.pk})

    def _on_at(self, moment: datetime) -> set[int]:
        """The requests that are on just before that moment; from now on, as far as they are charged."""
        if moment <= self.now:
            return set(self.on_now)
        charged = self.entering.filter(Q(end__isnull=True) | Q(end__gte=moment), state__in=intents.ON)
        return set(charged.filter(start__lt=moment).values_list("pk", flat=True))

    def _beginning(self, moment: datetime) -> set[int]:
        return set(self.entering.filter(start=moment, state__in=intents.ON).values_list("pk", flat=True))

    def _side(
        self,
        request: PremiumRequest,
        puts_on: bool,
        at: datetime | None,
        before: set[int],
        comes: set[int],
        goes: set[int],
    ) -> Side:
        beside = tuple(sorted(before - {request.pk}))
        together = tuple(sorted((comes | goes) - {request.pk}))
        try:
            wanted = self._wanted((before - goes) | comes)
            base = self._wanted(before)
            plans, start = self._plans(base, wanted)
        except InvalidInput as error:
            return Side(request, puts_on, at, beside, together, why_not=error.reason)
        obstacles = [
            *(conflict.text for plan in plans for conflict in plan.conflicts),
            *(text for plan in plans for text in plan.violations),
        ]
        if obstacles:
            return Side(request, puts_on, at, beside, together, why_not="; ".join(obstacles))
        sending = tuple(plan for plan in plans if plan.commands)
        return Side(
            request,
            puts_on,
            at,
            beside,
            together,
            plans=sending,
            lines=lines_of(sending, start, wanted.profiles[self.router.name]),
            effect=effect_of(sending),
            wanted=wanted,
        )

    def _wanted(self, on: Collection[int]) -> Wanted:
        """What the router is to hold with these requests on; worked out once, for the one side's end is often the other's
        beginning.
        """
        key = frozenset(on)
        if key not in self._known:
            self._known[key] = intents.wanted(
                domain=self.router.domain,
                routers=[self.router.name],
                puts_on=key - self.on_now,
                takes_off=self.on_now - key,
            )
        found = self._known[key]
        if self.router.name in found.unbuildable:
            raise InvalidInput(
                f"what {self.router.name} is to hold then cannot be worked out: "
                f"{found.unbuildable[self.router.name]}",
                field="router",
            )
        return found

    def _plans(self, base: Wanted, wanted: Wanted) -> tuple[Sequence[ChangePlan], RunningConfig]:
        name = self.router.name
        known, renderer = wanted.profiles[name], Renderer(shared_ios_environment())
        running, owned = self._seen(base.intents[name], known)
        found = diff(running, base.intents[name], owned, renderer, known, bandwidths=self.bandwidths)
        if found.conflicts:
            raise InvalidInput("; ".join(conflict.text for conflict in found.conflicts), field="router")
        plans = build_plans(
            name,
            found.result,
            wanted.intents[name],
            Owned(found.owned_after),
            renderer,
            known,
            self._circumstances(wanted),
            engines=wanted.engines(name),
        )
        return plans, found.result

    def _seen(self, base: RouterIntent, known: Profile) -> tuple[RunningConfig, Owned]:
        if self.snapshot is not None:
            return ios.parse(self.snapshot.text, known), owned_on(self.router)
        pvcs: dict[str, list[Pvc]] = {}
        for managed in base.interfaces:
            held = pvcs.setdefault(managed.interface, [])
            if managed.pvc is not None:
                held.append(Pvc(managed.pvc))
        interfaces = {
            name: InterfaceState(name, tuple(found), is_subinterface="." in name)
            for name, found in pvcs.items()
        }
        return RunningConfig(interfaces=interfaces), Owned()

    def _circumstances(self, wanted: Wanted) -> Circumstances:
        intent = wanted.intents[self.router.name]
        return Circumstances(
            serial="" if self.snapshot is None else self.snapshot.serial,
            host_key="" if self.snapshot is None else self.snapshot.host_key,
            intent_revision=intent.revision,
            scheme_digest=wanted.scheme_digest,
            template_digest=wanted.template_digest,
            bandwidths={name: bps for name, bps in self.bandwidths.items() if name in intent.managed},
        )
