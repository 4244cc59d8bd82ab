"""What the failure of a link or a router would do, for its page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.failures import Effect, Overload, Shift
from provisioning.pipeline.topology import Failure
from provisioning.selectors.failures import effect_of
from provisioning.selectors.schemes import scheme_of

MOST = 200
"""Rows of who loses, and of links, that the page shows; the API and the command give all."""


@dataclass(frozen=True)
class Loser:
    """A request that does not keep what was promised, and why: no link, no path. Of several stretches the worst is shown, and
    how many more there are.
    """

    request: PremiumRequest
    link: str
    direction: str
    start: datetime
    end: datetime | None
    excess_bps: int | None
    came: bool
    more: int = 0


@dataclass(frozen=True)
class Load:
    """A link direction before and after, with the parts of a bar of 1000: what stays, what comes and fits, what comes and is
    too much; and where the share ends.
    """

    shift: Shift
    percent: int
    kept: int
    more: int
    over_from: int
    over: int
    limit: int

    @property
    def too_much(self) -> bool:
        return self.shift.after_bps > self.shift.share_bps


@dataclass(frozen=True)
class Failed:
    """What the page shows. ``unreadable`` is why nothing can be said: a scheme that cannot be read."""

    failure: Failure
    effect: Effect | None
    losers: tuple[Loser, ...] = ()
    loads: tuple[Load, ...] = ()
    unreadable: str = ""

    @property
    def summary(self) -> str:
        """How many it concerns, or why nothing can be said."""
        found = self.effect
        if found is None:
            return self.unreadable
        ended = f" {len(found.ended)} begin or end on it." if found.ended else ""
        return (
            f"{len(found.rerouted)} rerouted, {len(found.cuts)} without a path, {len(found.unprotected)} unprotected."
            f"{ended} Reckoned now, over everything held from now on."
        )

    @property
    def words(self) -> str:
        """What the command is given to say the same."""
        return self.failure.name + (" --router" if self.failure.kind == "router" else "")

    @property
    def left_out(self) -> int:
        """How many rows of who loses are not shown."""
        return max(0, len(self.losers) - MOST)

    @property
    def fullest(self) -> tuple[Load, ...]:
        return self.loads[:MOST]

    @property
    def loads_left_out(self) -> int:
        """How many links are not shown."""
        return max(0, len(self.loads) - MOST)

    @property
    def shown(self) -> tuple[Loser, ...]:
        return self.losers[:MOST]


def counts_routers(domain: Domain) -> bool:
    """Whether the scheme counts routers that fail; not where it cannot be read."""
    try:
        return scheme_of(domain).failures.count == "links-and-routers"
    except InvalidInput:
        return False


def failed(domain: Domain, failure: Failure) -> Failed:
    """What a failure would do to everything held from now on."""
    try:
        effect = effect_of(domain, failure, now=timezone.now())
    except InvalidInput as error:
        return Failed(failure, None, unreadable=error.reason)
    losers = _losers(effect)
    loads = sorted(map(_load, effect.shifts), key=lambda load: (-load.percent, load.shift.load))
    return Failed(failure, effect, losers, tuple(loads))


def _losers(effect: Effect) -> tuple[Loser, ...]:
    """Who has no path, then who is on a link that is too full, where it is worst first. The rows are read of those shown."""
    worst: dict[str, Overload] = {}
    stretches: Counter[str] = Counter()
    for over in effect.overloads:
        stretches.update(over.ids)
        for name in over.ids:
            known = worst.get(name)
            if known is None or over.excess_bps > known.excess_bps:
                worst[name] = over
    cut = {each.id: each for each in effect.cuts}
    full = sorted(worst.keys() - cut.keys(), key=lambda name: (-worst[name].excess_bps, len(name), name))
    names = [*cut, *full]
    rows = PremiumRequest.objects.select_related("nren", "receiving_nren").in_bulk(map(_key, names[:MOST]))

    def loser(name: str) -> Loser:
        request = rows.get(_key(name)) or PremiumRequest(pk=_key(name))
        if name in cut:
            return Loser(request, "", "", cut[name].start, cut[name].end, None, False)
        over = worst[name]
        where = (over.load.link, over.load.direction.value, over.start, over.end, over.excess_bps)
        return Loser(request, *where, name in over.arrived, stretches[name] - 1)

    return tuple(map(loser, names))


def _key(name: str) -> int:
    return int(name.removeprefix("PIP-"))


def _load(shift: Shift) -> Load:
    most = max(shift.share_bps, shift.after_bps, 1)
    kept = min(shift.before_bps, shift.after_bps)
    fits = max(kept, min(shift.after_bps, shift.share_bps))
    # Rounded away from the share: what is a little too much is not 100 %, and what just fits is not more.
    over = shift.after_bps > shift.share_bps
    rounded = 100 * shift.after_bps + (shift.share_bps - 1) * over
    percent = rounded // shift.share_bps if shift.share_bps else 100 * over
    stays, full, whole, limit = (1000 * bps // most for bps in (kept, fits, shift.after_bps, shift.share_bps))
    return Load(shift, percent, stays, full - stays, full, whole - full, limit)
