"""Core links, what fails with them, and what becomes of requests when the network changes."""

from __future__ import annotations

from typing import TypedDict

from expedite_client.values.network import Committed


class CoreLink(TypedDict):
    """A core link, for those who see everything."""

    id: int
    name: str
    a: str
    z: str
    metric: int
    down: bool
    line_rate_bps: int
    bw_bps: int
    usable_bps: int
    committed: list[Committed] | None


class LoadName(TypedDict):
    """One direction of one link."""

    link: str
    direction: str


class TooMuch(TypedDict):
    """A stretch in which more is granted on a link than its share, and everybody who is on it then; rates in bit/s."""

    link: str
    direction: str
    pool: str
    granted_bps: int
    share_bps: int
    shortfall_bps: int
    start: str
    to: str | None
    requests: list[str]


class TooMuchOrMore(TooMuch):
    """The same, and whether the change of the network is what made it so."""

    already: bool


class Moved(TypedDict):
    """A request that is charged elsewhere: `leaving` stays charged beside `after` until its move is over."""

    request: str
    before: list[LoadName]
    after: list[LoadName]
    leaving: list[LoadName]


class Renewal(TypedDict):
    """What became of a core link that was declared something, or would become of it. At most 500 rows of each kind are
    listed.
    """

    version: int
    changed: list[str]
    moved_in_all: int
    moved: list[Moved]
    without_path_in_all: int
    without_path: list[str]
    too_much_in_all: int
    too_much_by_this_in_all: int
    too_much: list[TooMuchOrMore]


class Detour(TypedDict):
    """A request whose traffic would take other links."""

    request: str
    start: str
    to: str | None
    left: list[LoadName]
    taken: list[LoadName]


class Work(TypedDict):
    """What planned work would do while it lasts. At most 500 rows of each kind are listed."""

    links: list[str]
    start: str
    to: str | None
    affected_in_all: int
    affected: list[str]
    moves_in_all: int
    moves: list[Detour]
    without_path_in_all: int
    without_path: list[str]
    too_much_in_all: int
    too_much: list[TooMuch]


class Capacity(TypedDict):
    """A change of capacity; why and who is the NOC's and auditors' matter."""

    id: int
    link: str
    usable_bps: int | None
    pool: str
    kind: str
    percent: str | None
    start: str
    end: str | None
    text: str
    reason: str | None
    said_by: str | None
    created_at: str
    taken_back_at: str | None


class EffectOfCapacity(TypedDict):
    """Who does not fit any more by a change of capacity, and who fits again. At most 500 rows of each kind are listed."""

    version: int
    breaks_in_all: int
    breaks: list[TooMuch]
    mends_in_all: int
    mends: list[TooMuch]


class CapacityDone(Capacity):
    """A change of capacity with what came of it; the NOC's matter."""

    effect: EffectOfCapacity


class FailureName(TypedDict):
    """What fails."""

    kind: str
    name: str


class CutOff(TypedDict):
    """A request that is left without a path."""

    request: str
    start: str
    to: str | None


class Overload(TypedDict):
    """A stretch in which a link carries more than its share, and everybody who is on it then; rates in bit/s."""

    link: str
    direction: str
    pool: str
    share_bps: int
    load_bps: int
    excess_bps: int
    start: str
    to: str | None
    requests: list[str]


class Load(TypedDict):
    """The most on a link direction before and after the failure, and the least that its share is, bit/s."""

    link: str
    direction: str
    pool: str
    share_bps: int
    before_bps: int
    after_bps: int


class Failure(TypedDict):
    """What one failure does; `ended` begin or end on the router that failed."""

    failure: FailureName
    rerouted: list[str]
    ended: list[str]
    unprotected: list[str]
    cut_off: list[CutOff]
    overloads: list[Overload]
    loads: list[Load]


class Move(TypedDict):
    """A request whose path moves: charged on `leaving` beside the path of today until the move is over."""

    id: int
    reference: str
    since: str
    leaving: list[LoadName]
    by_the_routers: str
    compared_at: str | None


class MovesEnded(TypedDict):
    """Whose moves were ended now; `not_moving` were not moving (any more)."""

    ended: list[int]
    not_moving: list[int]


class Drift(TypedDict):
    """A reservation that was seen to go otherwise than it is charged."""

    request: int
    reference: str
    text: str
    hops: list[list[str]]
    at: str
    by: str


class DriftRow(TypedDict):
    """A request whose traffic goes otherwise; hops are pairs of routers."""

    request: str
    text: str
    uncharged: list[list[str]]
    unused: list[list[str]]
    no_path: bool


class Compared(TypedDict):
    """What came of a comparison. At most 500 rows of each kind are listed; `older` are requests whose path changed since."""

    by: str
    at: str | None
    compared: int
    differ: int
    drifts: list[DriftRow]
    links: list[str]
    settled: list[str]
    ended: list[str]
    older: list[str]


class Effect(TypedDict):
    """How many requests one failure reroutes, leaves without a path, and leaves unprotected."""

    kind: str
    name: str
    rerouted: int
    cut_off: int
    unprotected: int
    overloaded: int
    excess_bps: int


class AllFailures(TypedDict):
    """All single failures as they were last worked out, and of what; `stale` says why that is not of today."""

    version: int | None
    at: str
    current: bool
    stale: str
    counted: int
    requests: int
    unprotected: int
    failures: list[Effect]
