"""What a change of the network, or planned work, does to who is granted: as rows that pages show."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from hashlib import sha256

from django.contrib import messages
from django.http import HttpRequest

from provisioning.models import PremiumRequest
from provisioning.pipeline.admission import Overcommitment
from provisioning.pipeline.units import TimeWindow, how_many
from provisioning.services.inventory import Rewritten
from provisioning.services.topology import Affected, Renewal, Said

MOST = 100
"""Rows of one kind on a page."""
NAMED = 8
"""Requests, or links, that one row names."""

TOLD = 5
"""Lines of what came of it that the next page says."""

Load = tuple[str, str]


@dataclass(frozen=True)
class Named:
    """The first of what one row is about, and how many more there are."""

    first: tuple[PremiumRequest | Load, ...]
    more: int


@dataclass(frozen=True)
class Move:
    """A request that takes other links: those it takes, those it leaves, and from when until when (None: as long as it lasts)."""

    request: PremiumRequest
    takes: Named
    leaves: Named
    window: TimeWindow | None = None


@dataclass(frozen=True)
class Lack:
    """Requests that do not fit on a link direction for a time, and by how much; without ``over`` a request that has no path."""

    requests: Named
    over: Overcommitment | None = None


@dataclass(frozen=True)
class Effect:
    """What a change does: who moves; ``bad``, where it does not fit any more, and ``cut``, who has no path; ``good``, where it
    fits again; ``done``, a sentence; ``leaves``, what becomes of links that a request leaves; ``before``, how many stretches do
    not fit already.
    """

    done: str
    moves: tuple[tuple[PremiumRequest, frozenset[Load], frozenset[Load], TimeWindow | None], ...] = ()
    bad: tuple[Overcommitment, ...] = ()
    cut: tuple[str, ...] = ()
    good: tuple[Overcommitment, ...] = ()
    leaves: str = "In place of"
    before: int = 0
    lasts: TimeWindow | None = None

    @property
    def losing(self) -> int:
        """How many requests would not fit somewhere, or have no path."""
        return len({*self.cut, *(name for each in self.bad for name in each.sls_ids)})

    @property
    def left_out(self) -> int:
        """Rows that the page has no room for."""
        return sum(max(0, len(each) - MOST) for each in (self.moves, (*self.cut, *self.bad), self.good))

    @property
    def lines(self) -> tuple[str, ...]:
        """The same of who does not fit, as sentences."""
        return (*(f"{each} has no path" for each in self.cut), *map(str, self.bad))

    def digest(self, deed: object, now: datetime) -> str:
        """SHA-256 (hex) of a deed and of what this says comes of it; what begins at once does so at every look, so that the
        instant is left out.
        """
        moves = [(row.pk, sorted(taken), sorted(left), window) for row, taken, left, window in self.moves]
        over = [
            [{**asdict(each), "start": each.start if each.start > now else None} for each in some]
            for some in (self.bad, self.good)
        ]
        told = [deed, *(sorted(each, key=str) for each in (moves, self.cut, *over))]
        return sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()

    @property
    def moving(self) -> list[Move]:
        """Who moves, the first of them."""
        return [
            Move(request, _loads(taken), _loads(left), None if window == self.lasts else window)
            for request, taken, left, window in self.moves[:MOST]
        ]

    @property
    def lacking(self) -> list[Lack]:
        """Who has no path, then where it does not fit, the worst first."""
        shown = [Lack(self._named([each])) for each in self.cut[:MOST]]
        return [*shown, *(self._lack(each) for each in self._worst[: MOST - len(shown)])]

    @property
    def mending(self) -> list[Lack]:
        """Where it fits again, the first of them."""
        return [self._lack(each) for each in self.good[:MOST]]

    def _lack(self, over: Overcommitment) -> Lack:
        return Lack(self._named(over.sls_ids), over)

    def _named(self, references: Iterable[str]) -> Named:
        keys = [int(each.removeprefix("PIP-")) for each in references]
        return Named(
            tuple(self._rows.get(key) or PremiumRequest(pk=key) for key in keys[:NAMED]),
            max(0, len(keys) - NAMED),
        )

    @cached_property
    def _worst(self) -> list[Overcommitment]:
        return sorted(self.bad, key=lambda each: (-each.excess_bps, each.start, each.link))[:MOST]

    @cached_property
    def _rows(self) -> dict[int, PremiumRequest]:
        named = {*self.cut[:MOST]}
        for each in (*self._worst, *self.good[:MOST]):
            named.update(each.sls_ids[:NAMED])
        keys = [int(each.removeprefix("PIP-")) for each in named]
        return PremiumRequest.objects.select_related("nren", "receiving_nren").in_bulk(keys)


def effect_of_link(renewal: Renewal, name: str) -> Effect:
    """Return what became, or would become, of a core link that changes."""
    return Effect(
        f"{name}: version {renewal.version.number} of the topology, {how_many(len(renewal.moved), 'request')} moved.",
        moves=tuple((each.request, each.after - each.before, each.leaving, None) for each in renewal.moved),
        bad=renewal.over_by_this,
        cut=tuple(renewal.lost),
        leaves="Stays charged until the move is over",
        before=len(renewal.over_already),
    )


def effect_of_rewriting(done: Rewritten, what: str) -> Effect:
    """Return what became, or would become, of everything live when a row of the network is edited or retired."""
    if done.renewal is None:
        return Effect(what)
    found = effect_of_link(done.renewal, what)
    return replace(found, done=f"{what} {found.done.partition(': ')[2].capitalize()}")


def effect_of_capacity(said: Said, *, back: bool = False) -> Effect:
    """Return what became, or would become, of a change of capacity, or of one taken back."""
    return Effect(
        f"{'Taken back: ' if back else ''}{said}. Version {said.renewal.version.number} of the topology.",
        bad=said.breaks,
        good=said.mends,
    )


def effect_of_work(found: Affected) -> Effect:
    """Return what planned work would do."""
    return Effect(
        f"{how_many(len(found.references), 'request')} affected.",
        moves=tuple((each.request, each.taken, each.left, each.window) for each in found.detours),
        bad=found.over,
        cut=tuple(each.reference for each in found.cut),
        lasts=found.window,
    )


def _loads(loads: Iterable[Load]) -> Named:
    listed = sorted(loads)
    return Named(tuple(listed[:NAMED]), max(0, len(listed) - NAMED))


def tell_done(request: HttpRequest, effect: Effect) -> None:
    """Have the next page say what was done, and the first of what came of it."""
    messages.success(request, effect.done)
    for line in effect.lines[:TOLD]:
        messages.warning(request, line)
