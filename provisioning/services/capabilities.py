"""What routers can do: asked when one is read for the first time or runs another release, remembered with the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.db import transaction

from inventory.models import Router
from provisioning.drivers.base import Target
from provisioning.models import RouterCapabilities
from provisioning.pipeline.platforms.capabilities import Answer
from provisioning.services import living
from provisioning.services.locking import locked
from provisioning.services.reading import Reading, Unread


def to_be_asked(targets: Sequence[Target]) -> list[Target]:
    """The targets, each with the release under which its router was asked last. One query."""
    names = [target.name for target in targets]
    known = dict(RouterCapabilities.objects.filter(router__name__in=names).values_list("router__name", "ios"))
    return [replace(target, asked_of=known.get(target.name, "")) for target in targets]


def remember(readings: Iterable[Reading | Unread]) -> None:
    """Keep what routers answered, if they were asked. No query where none was."""
    told = {each.router: each for each in readings if isinstance(each, Reading) and each.answers}
    for router in Router.objects.filter(name__in=told).order_by("pk") if told else ():
        keep(router, told[router.name].answers)


def keep(router: Router, answers: Sequence[Answer]) -> None:
    """Keep answers of one release and moment, in place of older ones; what was said under another release is forgotten."""
    ios, at = answers[0].ios, answers[0].at
    said = {answer.capability: answer.to_json() for answer in answers}
    with transaction.atomic():
        if not living.hold([router.pk]):
            return  # retired while it was asked
        RouterCapabilities.objects.get_or_create(router=router, defaults={"ios": ios, "asked_at": at})
        row = locked(RouterCapabilities.objects.filter(router=router)).get()
        if row.asked_at > at:
            return  # somebody asked later, and was told sooner
        row.answers = said if row.ios != ios else {**row.answers, **said}
        row.ios, row.asked_at = ios, at
        row.save(update_fields=["answers", "ios", "asked_at"])


def known(router: Router) -> tuple[Answer, ...]:
    """What a router said it can do and cannot, by name; nothing where it was never asked. One query."""
    row = RouterCapabilities.objects.filter(router=router).first()
    return () if row is None else in_order(row.answers)


def in_order(answers: Mapping[str, dict[str, object]]) -> tuple[Answer, ...]:
    """Stored answers as values, by name."""
    return tuple(Answer.from_json(name, answers[name]) for name in sorted(answers))


def under(router: Router, ios: str) -> tuple[Answer, ...]:
    """What a router that says it runs `ios` has said under it: what it said under another release counts for nothing."""
    return tuple(answer for answer in known(router) if answer.ios == ios)
