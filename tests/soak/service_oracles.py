"""What has to hold at the end, each as a function of plain values: it returns what does not hold, a sentence each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.soak.service_clients import Answer
from tests.soak.service_journal import Flow, Span

CLOCK_SECONDS = 0.5
"""Between the instant a row was written and the one a router noted: one machine, but not one clock reading."""

ENDED = ("COMPLETED", "NEVER_PROVIDED")
SENT = "lines for it were sent"
"""So says the reason of what was never seen as approved, and may have been let in for a while."""


@dataclass(frozen=True)
class Charge:
    """A charge of the ledger over `begin` to `end` (seconds since the epoch; None: until further notice)."""

    request: int
    link: str
    direction: str
    pool: str
    rate_bps: int
    begin: float
    end: float | None


@dataclass(frozen=True)
class Claim:
    """What was said of a request from this moment on, and why."""

    at: float
    state: str
    reason: str = ""


@dataclass
class Told:
    """A request as it stands in the rows, with all that was ever said of it."""

    pk: int
    key: str
    state: str
    consent: str
    router: str
    flow: Flow | None
    start: float
    end: float | None
    claims: list[Claim] = field(default_factory=list)
    admitted: float | None = None
    released: float | None = None
    waits_for: str = ""

    @property
    def name(self) -> str:
        return f"PIP-{self.pk} ({self.key})"

    def between(self, began: float, ended: float) -> set[str]:
        """Every state it was in at some instant of this stretch."""
        found = {claim.state for claim in self.claims if began <= claim.at <= ended}
        before = [claim.state for claim in self.claims if claim.at < began]
        return found | ({before[-1]} if before else {"SUBMITTED"})


def over_a_share(charges: Iterable[Charge], share: Callable[[str], int]) -> list[str]:
    """Every (link, direction, pool) with an instant at which the charges are more than its share."""
    steps: defaultdict[tuple[str, str, str], list[tuple[float, int]]] = defaultdict(list)
    for each in charges:
        if each.end is not None and each.end <= each.begin:
            continue
        key = (each.link, each.direction, each.pool)
        steps[key].append((each.begin, each.rate_bps))
        if each.end is not None:
            steps[key].append((each.end, -each.rate_bps))
    found = []
    for (link, direction, pool), rows in sorted(steps.items()):
        level = 0
        for at, change in sorted(rows):  # what ends at an instant goes before what begins at it
            level += change
            if level > share(link):
                found.append(
                    f"{link} {direction} {pool}: {level} bit/s at {at:.1f}, its share is {share(link)}"
                )
                break
    return found


def answered(answers: Sequence[Answer], told: Mapping[int, Told]) -> list[str]:
    """No 500, no page refused; every 201 has its row, every key one deed, every row its key; who was told done finds it done."""
    found, rows_of_key = [], defaultdict(set)
    for stored in told.values():
        rows_of_key[stored.key].add(stored.pk)
    first: dict[str, int | None] = {}
    tried = set()
    for each in answers:
        tried.add(each.key)
        if each.status >= 500 and each.status != 503:
            found.append(f"{each.op} {each.key}: {each.status} {each.detail}")
        if each.status == 503 and not each.retry_after:
            found.append(f"{each.op} {each.key}: 503 without Retry-After")
        if (
            each.status == 401
            or each.status == 429
            or (each.op in ("look", "page") and 400 <= each.status < 500)
        ):
            found.append(f"{each.op} {each.key}: {each.status} {each.detail}")
        if each.op == "submit" and each.status == 201:
            if each.request not in told:
                found.append(f"{each.key}: told 201 for request {each.request}, which is in no row")
            if first.setdefault(each.key, each.request) != each.request:
                found.append(f"{each.key}: told {first[each.key]} first and then {each.request}")
        row = told.get(each.request or 0)
        if each.status == 200 and row is not None:
            found += _done(each, row)
    for key, rows in rows_of_key.items():
        if f"{key}-submit" not in tried:
            found.append(f"{key}: rows {sorted(rows)} that nobody asked for")
        elif len(rows) > 2:
            found.append(f"{key}: {len(rows)} rows of one deed")
    for key in sorted(tried - {""}):
        said = [each.status for each in answers if each.key == key]
        if all(status in (0, 503) for status in said):
            found.append(f"{key}: asked {len(said)} times and never answered")
    return found


def _done(answer: Answer, row: Told) -> list[str]:
    if answer.op == "consent" and row.consent not in ("given", "declined"):
        return [f"{row.name}: told its consent was noted, the row says {row.consent}"]
    if answer.op == "withdraw" and "WITHDRAWN" not in {claim.state for claim in row.claims}:
        return [f"{row.name}: told it was withdrawn, the row says {row.state}"]
    if answer.op == "look" and answer.state not in row.between(
        answer.began - CLOCK_SECONDS, answer.ended + CLOCK_SECONDS
    ):
        return [f"{row.name}: told {answer.state}, it never was that when it was told"]
    return []


def claims_kept(
    told: Iterable[Told], seen: Mapping[str, Mapping[Flow, Sequence[Span]]], now: float
) -> list[str]:
    """ACTIVE was on all the while, COMPLETED gone, NEVER_PROVIDED never on unless it says that it may have been; nothing on
    before its start or unadmitted.
    """
    found = []
    for row in told:
        if row.flow is None:
            continue
        spans = seen.get(row.router, {}).get(row.flow, ())
        shared = (
            row.flow[1] == ""
        )  # one policy for all that enter there: only that it is on can be said of one
        for index, claim in enumerate(row.claims):
            until = row.claims[index + 1].at if index + 1 < len(row.claims) else now
            if claim.state == "ACTIVE":
                found += _off_while_active(row, spans, claim.at, until)
            elif claim.state == "COMPLETED" and not shared:
                late = [span for span in spans if span.end is None or span.end > claim.at + CLOCK_SECONDS]
                if late:
                    found.append(f"{row.name}: COMPLETED at {claim.at:.1f}, on {row.router} {_words(late)}")
            elif claim.state == "NEVER_PROVIDED" and spans and not shared and SENT not in claim.reason:
                found.append(f"{row.name}: NEVER_PROVIDED, and on {row.router} it was on {_words(spans)}")
        if shared:
            continue
        early = [span for span in spans if row.admitted is None or span.begin < row.start - CLOCK_SECONDS]
        if early:
            when = "was never admitted" if row.admitted is None else f"starts at {row.start:.1f}"
            found.append(f"{row.name}: {when}, on {row.router} it was on {_words(early)}")
    return found


def _off_while_active(row: Told, spans: Sequence[Span], begin: float, until: float) -> list[str]:
    """Every stretch without it, but for those that a hand edit began."""
    at = begin
    for span in sorted(spans, key=lambda each: each.begin):
        if span.end is not None and span.end <= at:
            if span.hand:
                at = max(at, _next(spans, span.end, until))
            continue
        if span.begin > at + CLOCK_SECONDS:
            break
        if span.end is None or span.end >= until - CLOCK_SECONDS:
            return []
        at = _next(spans, span.end, until) if span.hand else span.end
    if at >= until - CLOCK_SECONDS:
        return []
    return [
        f"{row.name}: ACTIVE from {begin:.1f} to {until:.1f}, not on {row.router} at {at:.1f}; it was on {_words(spans)}"
    ]


def _next(spans: Sequence[Span], after: float, until: float) -> float:
    return min((span.begin for span in spans if span.begin >= after), default=until)


def _words(spans: Sequence[Span]) -> str:
    said = [f"{span.begin:.1f} to {'now' if span.end is None else f'{span.end:.1f}'}" for span in spans]
    return ", ".join(said) or "never"


def carried(
    told: Iterable[Told], seen: Mapping[str, Mapping[Flow, Sequence[Span]]], charges: Iterable[Charge]
) -> list[Charge]:
    """The charges over the time in which the routers really let each flow in: to be held against the shares, too."""
    by_request = {row.pk: row for row in told if row.flow is not None and row.flow[1]}
    found = []
    for each in charges:
        row = by_request.get(each.request)
        if row is None or row.flow is None:
            continue
        for span in seen.get(row.router, {}).get(row.flow, ()):
            found.append(
                Charge(
                    each.request, each.link, each.direction, each.pool, each.rate_bps, span.begin, span.end
                )
            )
    return found


def accounted_for(told: Iterable[Told]) -> list[str]:
    """Every request is over, or ACTIVE without an end, or waits for a person with a sentence."""
    found = []
    for row in told:
        granted = row.admitted is not None
        over = (
            row.state in ENDED
            or row.state == "REFUSED"
            or (row.state in ("EXPIRED", "WITHDRAWN") and not granted)
        )
        lasting = row.state == "ACTIVE" and row.end is None
        undecided = row.state in ("SUBMITTED", "HELD") and row.end is None
        if not (over or lasting or undecided or row.waits_for):
            found.append(f"{row.name}: {row.state}, and nothing says for what it waits")
        if granted and row.state in ENDED and row.released is None:
            found.append(f"{row.name}: {row.state} and charged still")
    return found


def plans_bounded(plans: Mapping[str, int], events: Mapping[str, int]) -> list[str]:
    """Plans stored per router: at most twice what reached it."""
    return [
        f"{router}: {count} plans stored for {events.get(router, 0)} begins, ends, withdrawals, edits and deeds of people"
        for router, count in sorted(plans.items())
        if count > 2 * events.get(router, 0)
    ]
