"""Everything a request says, checked before a row exists; all that is wrong is said at once, field by
field.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from ipaddress import IPv6Network
from typing import TypeVar

from inventory.models import AccessCase, AccessLink
from inventory.models import Prefix as NrenPrefix
from provisioning.errors import InvalidFields, InvalidInput, NotPermitted, OffGrid
from provisioning.models import Actor, Verb
from provisioning.pipeline import sls as sls_values
from provisioning.pipeline.admission import Viewer, ends_reason
from provisioning.pipeline.sls import Prefix, Sls
from provisioning.pipeline.units import BitRate, TimeWindow, instant_text, rate_text
from provisioning.selectors.authority import permit_named
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.viewers import viewer_of
from provisioning.services import flow_labels
from provisioning.services.requests.asking import SubmitRequest
from provisioning.services.wording import one_line, reason_text

START_GRACE = timedelta(minutes=5)
"""How far in the past a start may lie: the time a person takes to fill in a form, or a clock that is a
little behind.
"""

MOST_PREFIXES = 64
"""Per side; every pair of a source and a destination is an entry of an access list."""

_ANY = IPv6Network("::/0")

Value = TypeVar("Value")


@dataclass(frozen=True)
class Checked:
    """A request in which nothing is wrong: the way out, and the way back when both are asked for.

    ``destination`` None for a class whose traffic goes anywhere, or outside.
    """

    source: AccessLink
    destination: AccessLink | None
    out: Sls
    back: Sls | None
    contact: str
    reason: str


class _Errors:
    """Collects what is wrong, the first thing of each field, so that a person corrects a form once."""

    def __init__(self) -> None:
        self.found: dict[str | None, InvalidInput] = {}

    def attempt(self, step: Callable[[], Value]) -> Value | None:
        """What ``step`` returns, or None with its error kept."""
        try:
            return step()
        except InvalidFields as several:
            for error in several.errors:
                self.found.setdefault(error.field, error)
        except InvalidInput as error:
            self.found.setdefault(error.field, error)
        return None

    def stop(self) -> None:
        """Raise what was found, if anything."""
        if self.found:
            raise InvalidFields(list(self.found.values()))


def check(data: SubmitRequest, actor: Actor, now: datetime, *, standing_bps: int | None = None) -> Checked:
    """The request as values of the pipeline. A rate of ``standing_bps``, which it has by now, may lie between the steps.

    Raises InvalidFields with the first thing wrong in each field, and NotPermitted when ``actor`` may not ask
    for traffic from the source link at all.
    """
    errors = _Errors()
    source = errors.attempt(lambda: _link(data.source_link, "source_link"))
    if source is not None:
        _permitted(actor, source)
        errors.attempt(partial(_participant, source, "source_link"))
        errors.attempt(partial(_admitted_class, source, data.service_class))
        errors.attempt(partial(_ends, source, data))
    destination = errors.attempt(lambda: _destination(data.destination_link))
    if destination is not None and data.direction == "both":
        errors.attempt(partial(_participant, destination, "destination_link"))
    rate = errors.attempt(lambda: _rate(data, actor, source, standing_bps)) or BitRate(1)
    window = errors.attempt(lambda: _window(data, now)) or TimeWindow(now)
    contact = errors.attempt(lambda: one_line(data.contact, field="contact", longest=254)) or ""
    reason = errors.attempt(lambda: reason_text(data.reason, needed=False)) or ""
    sources = errors.attempt(lambda: _prefixes(data.source_prefixes, source, "source_prefixes")) or ()
    destinations = (
        errors.attempt(lambda: _prefixes(data.destination_prefixes, destination, "destination_prefixes"))
        or ()
    )
    errors.attempt(lambda: _direction(data, destinations))
    if source is not None and "destination_prefixes" not in errors.found:
        errors.attempt(partial(flow_labels.permitted, source, destinations, data.flow_label))
    if source is not None:
        errors.attempt(partial(_outside, source, data.service_class, destinations))
    # What failed above stands in as the least that is valid, so that one answer names every field that is wrong.
    build = partial(_sls, data, rate, window)
    out = errors.attempt(partial(build, source, destination, sources, destinations, data.flow_label))
    errors.stop()
    assert source is not None and out is not None, "errors.stop() raised otherwise"
    back = build(destination, source, destinations, sources, None) if data.direction == "both" else None
    return Checked(source, destination, out, back, contact, reason)


def _rate(data: SubmitRequest, actor: Actor, source: AccessLink | None, standing_bps: int | None) -> BitRate:
    rate = BitRate.parse(data.rate)
    if source is not None and rate.bps != standing_bps:
        on_grid(viewer_of(actor, source.nren.domain), rate.bps)
    return rate


def on_grid(viewer: Viewer | None, rate_bps: int) -> None:
    """Raise OffGrid (field rate) where an NREN asks for a rate between the steps of its scheme."""
    if viewer is not None and rate_bps % viewer.rate_step_bps:
        step = rate_text(viewer.rate_step_bps)
        raise OffGrid(
            f"rates are asked for in whole steps of {step}: {rate_text(rate_bps)} is none", field="rate"
        )


def _permitted(actor: Actor, source: AccessLink) -> None:
    permit_named(actor, Verb.ASK)
    if not actor.may_with(Verb.ASK, source.nren_id):
        raise NotPermitted(
            f"{source.name} belongs to {source.nren.name}, for which you do not act.", field="source_link"
        )


def _link(name: object, field: str) -> AccessLink:
    if not isinstance(name, str) or not name:
        raise InvalidInput("an access link is needed", field=field)
    rows = AccessLink.objects.select_related("nren__domain")
    found = rows.filter(name=name).first() if len(name) <= 200 and "\x00" not in name else None
    if found is None:
        raise InvalidInput(f"there is no access link {name[:60]!r}", field=field)
    return found


def _destination(name: object) -> AccessLink | None:
    return None if name is None else _link(name, "destination_link")


def _ends(source: AccessLink, data: SubmitRequest) -> None:
    """The ends the class asks for, and the label by which its flows are told apart."""
    scheme = scheme_of(source.nren.domain)
    service = scheme.service_class(data.service_class)
    named = data.destination_link if isinstance(data.destination_link, str) else None
    reason = ends_reason(scheme, service, named)
    if reason is not None:
        raise InvalidInput(reason.text, field="destination_link", cause=reason.code)
    if service.ends != "both" and data.direction == "both":
        raise InvalidInput(
            f"{service.title} has one known end: there is no way back to ask for", field="direction"
        )
    if service.needs_flow_label and data.flow_label is None:
        raise InvalidInput(
            f"{service.title} tells flows apart by flow label and source: give a label", field="flow_label"
        )


def _outside(source: AccessLink, service_class: str, destinations: tuple[Prefix, ...]) -> None:
    """Traffic that is downgraded at the border has to cross it."""
    service = scheme_of(source.nren.domain).service_class(service_class)
    if service.ends != "outside":
        return
    if not destinations:
        raise InvalidInput(
            f"{service.title} needs the prefixes outside that it is for", field="destination_prefixes"
        )
    domain = source.nren.domain
    inside = [domain.prefix, *(prefix.network for prefix in NrenPrefix.objects.filter(nren__domain=domain))]
    wrong = [prefix for prefix in destinations if any(_overlap(prefix, own) for own in inside)]
    if wrong:
        raise InvalidInput(
            f"{wrong[0]} is inside the domain: {service.title} is for traffic that leaves it",
            field="destination_prefixes",
            cause="ends-inside",
        )


def _overlap(asked: Prefix, own: Prefix) -> bool:
    return asked.version == own.version and asked.overlaps(own)


def _window(data: SubmitRequest, now: datetime) -> TimeWindow:
    try:
        window = TimeWindow(now if data.start is None else data.start, data.end)
    except InvalidInput as error:
        raise InvalidInput(error.reason, field=(error.field or "").removeprefix("window_")) from error
    if window.end is not None and window.end <= now:
        raise InvalidInput(f"the end {instant_text(window.end)} lies in the past", field="end")
    if window.start < now - START_GRACE:
        minutes = int(START_GRACE.total_seconds() // 60)
        raise InvalidInput(
            f"the start {instant_text(window.start)} lies more than {minutes} minutes in the past",
            field="start",
        )
    return window


def _prefixes(values: Collection[str], link: AccessLink | None, field: str) -> tuple[Prefix, ...]:
    """The prefixes, every one within the NREN's own; "any" as a destination is no claim about anybody's
    addresses.
    """
    if isinstance(values, str) or len(values) > MOST_PREFIXES:
        raise InvalidInput(f"a list of at most {MOST_PREFIXES} prefixes is needed", field=field)
    found = sls_values.prefixes(values, field=field)
    if link is not None:
        claimed = [prefix for prefix in found if prefix.prefixlen or field == "source_prefixes"]
        own = [prefix.network for prefix in link.nren.prefixes.all()]
        foreign = sls_values.outside(claimed, own)
        if foreign:
            listed = ", ".join(str(prefix) for prefix in foreign[:5])
            raise InvalidInput(f"{listed}: not within the prefixes of {link.nren.name}", field=field)
    return found


def _direction(data: SubmitRequest, destinations: tuple[Prefix, ...]) -> None:
    if data.direction not in ("one-way", "both"):
        raise InvalidInput("a direction is one-way or both", field="direction")
    if data.direction == "both" and not all(prefix.prefixlen for prefix in destinations or (_ANY,)):
        raise InvalidInput(
            "both ways need the prefixes at the far end: they are the sources of the way back",
            field="destination_prefixes",
        )


def _participant(link: AccessLink, field: str) -> None:
    if link.case == AccessCase.NON_PARTICIPANT:
        raise InvalidInput(
            f"{link.name} is a non-participant link: whatever it sends is marked DSCP 0 until the NOC onboards it",
            field=field,
            cause="non-participant",
        )


def _admitted_class(source: AccessLink, service_class: str) -> None:
    scheme = scheme_of(source.nren.domain)
    if scheme.pool_of(service_class) is None:
        title = scheme.service_class(service_class).title
        raise InvalidInput(f"{title} needs no request: nothing is admitted for it", field="service_class")


def _sls(
    data: SubmitRequest,
    rate: BitRate,
    window: TimeWindow,
    source: AccessLink | None,
    destination: AccessLink | None,
    sources: tuple[Prefix, ...],
    destinations: tuple[Prefix, ...],
    flow_label: int | None,
) -> Sls:
    name = data.service_class
    if source is not None:
        name = scheme_of(source.nren.domain).service_class(name).name
    return Sls(
        id="new",
        source_link="" if source is None else source.name,
        destination_link=None if destination is None else destination.name,
        service_class=name,
        rate=rate,
        window=window,
        bucket_bytes=data.bucket_bytes,
        max_packet_bytes=data.max_packet_bytes,
        min_packet_bytes=data.min_packet_bytes,
        source_prefixes=sources,
        destination_prefixes=destinations,
        flow_label=flow_label,
    )
