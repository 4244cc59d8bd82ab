"""What is left to do until an NREN is on board, or off it: derived from what there is, so it can be left and taken up again."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Q
from django.urls import reverse

from inventory.models import AccessLink, Nren, Router
from provisioning.models import Actor, Membership, Subscriber, SyncState, Verb
from provisioning.selectors.quotas import standing_limits
from provisioning.services import inventory
from provisioning.web.reading.inventory import ObstacleShown, Way, router_way, shown_obstacles

NAMED = 20


@dataclass(frozen=True)
class Step:
    """One step: whether it is done, what there is, with a page each, how many more, and what is done about it, where."""

    title: str
    done: bool
    says: str
    ways: tuple[Way, ...] = ()
    more: int = 0
    button: str = ""
    url: str = ""


def steps_off(nren: Nren, actor: Actor) -> list[Step]:
    """Return what is left to do until an NREN can be retired, in its order."""
    if nren.retired_at is not None:
        return [*_routers_left(nren), Step("The NREN", True, "It is retired.")]
    there = {each.what: each for each in shown_obstacles(inventory.obstacles_to_retiring(nren))}
    people_too = actor.may(Verb.PEOPLE)
    network = actor.may(Verb.NETWORK)
    links = list(AccessLink.objects.filter(nren=nren).select_related("interface").order_by("name"))
    charged = shown_obstacles(inventory.obstacles_of_links(links))
    steps = [
        _of("Requests that are not decided", there.get("Not decided"), "None waits for a decision."),
        _of("Requests that were granted", there.get("Granted"), "None is granted."),
        Step(
            "Charges and pushes that have not ended",
            not charged,
            charged[0].step if charged else "Nothing is charged to its links.",
            tuple(way for each in charged for way in each.ways)[:NAMED],
            sum(each.more for each in charged),
        ),
        Step(
            "Access links",
            not links,
            "Close and retire each, and say what becomes of its interface." if links else "It has none.",
            tuple(
                Way(
                    link.name,
                    reverse("web:inventory-retire", args=["access-link", link.pk])
                    if network
                    else reverse("web:link-access", args=[link.pk]),
                )
                for link in links[:NAMED]
            ),
            max(0, len(links) - NAMED),
        ),
        *_routers_left(nren),
        _of(
            "Tokens that speak for it",
            there.get("Tokens that speak for it"),
            "None can be used.",
            by=people_too,
        ),
        _of(
            "People who act for it", there.get("People who act for it"), "Nobody acts for it.", by=people_too
        ),
    ]
    ready = all(step.done for step in steps if step.title != _ROUTERS)
    told = Subscriber.objects.filter(nren=nren, ended_at=None).count()
    also = f" {told} who are told of its requests are told no more." if told else ""
    steps.append(
        Step(
            "The NREN",
            False,
            f"Retire it: its prefixes are free for another, its quota ends.{also}"
            if ready
            else "Retired last, once all of the above is done.",
            button="Retire it" if ready and network else "",
            url=reverse("web:inventory-retire", args=["nren", nren.pk]),
        )
    )
    return steps


_ROUTERS = "Routers that held its policies"


def _of(title: str, obstacle: ObstacleShown | None, nothing: str, *, by: bool = True) -> Step:
    if obstacle is None:
        return Step(title, True, nothing)
    says = obstacle.step if by else f"{obstacle.step} An administrator does that."
    ways = obstacle.ways if by else tuple(Way(way.label, "") for way in obstacle.ways)
    return Step(title, False, says, ways, obstacle.more)


def _routers_left(nren: Nren) -> list[Step]:
    """Routers on which its links were, until they were seen in order."""
    ended = AccessLink.every.filter(nren=nren).exclude(retired_at=None)
    keys = set(ended.values_list("interface__router", flat=True))
    if not keys:
        return []
    routers = Router.objects.filter(pk__in=keys).filter(~Q(sync__state=SyncState.IN_SYNC)).order_by("name")
    left = list(routers.values_list("name", flat=True))
    query = urlencode([("router", name) for name in left[:NAMED]])
    return [
        Step(
            _ROUTERS,
            not left,
            "Plan them, or have them read: each is to be seen as it should be without the link."
            if left
            else "Every one was seen as it should be.",
            tuple(map(router_way, left[:NAMED])),
            max(0, len(left) - NAMED),
            button="Plan them" if left else "",
            url=f"{reverse('web:change-new')}?{query}" if left else "",
        )
    ]


def steps_on(nren: Nren, actor: Actor) -> list[Step]:
    """Return what there is of an NREN that is to ask for something, and what is not there yet, in its order."""
    network, people_too = actor.may(Verb.NETWORK), actor.may(Verb.PEOPLE)
    links = list(
        AccessLink.objects.filter(nren=nren).select_related("interface__router__sync").order_by("name")
    )
    prefixes = nren.prefixes.count()
    routers = {link.interface.router.name: link.interface.router for link in links}
    waiting = [
        name
        for name, router in sorted(routers.items())
        if getattr(getattr(router, "sync", None), "state", SyncState.UNKNOWN) != SyncState.IN_SYNC
    ]
    members = Membership.objects.filter(nren=nren, user__is_active=True).order_by("user__username")
    names = list(members.values_list("user_id", "user__username")[: NAMED + 1])
    quota = standing_limits(nren.domain, nren)
    return [
        Step(
            "Prefixes",
            prefixes > 0,
            f"It has {prefixes}."
            if prefixes
            else "Its requests send from its prefixes: without one it can ask for nothing.",
            button="" if prefixes or not network else "Add them",
            url=reverse("web:inventory-edit", args=["nren", nren.pk]),
        ),
        Step(
            "An access link",
            bool(links),
            "It can send and receive." if links else "Without one it can neither send nor receive.",
            tuple(Way(link.name, reverse("web:link-access", args=[link.pk])) for link in links[:NAMED]),
            max(0, len(links) - NAMED),
            button="" if links or not network else "Add a link",
            url=f"{reverse('web:nren-new')}?{urlencode({'nren': nren.name})}",
        ),
        Step(
            "Its routers hold what they should",
            bool(links) and not waiting,
            "Read and seen in order."
            if links and not waiting
            else "Plan, approve and push the baseline; a link that is not standing changes nothing until it is used.",
            tuple(map(router_way, waiting[:NAMED])),
            max(0, len(waiting) - NAMED),
            button="Plan them" if waiting else "",
            url=f"{reverse('web:change-new')}?{urlencode([('router', name) for name in waiting[:NAMED]])}",
        ),
        Step(
            "People",
            bool(names),
            "They ask, withdraw and consent for it."
            if names
            else f"Nobody can ask for it yet.{'' if people_too else ' An administrator makes the account.'}",
            tuple(
                Way(name, reverse("web:person", args=[pk]) if people_too else "")
                for pk, name in names[:NAMED]
            ),
            max(0, len(names) - NAMED),
            button="Add a person" if people_too else "",
            url=f"{reverse('web:person-new')}?{urlencode({'nren': nren.pk})}",
        ),
        Step(
            "A quota",
            True,
            f"Its own: {quota}." if quota.any else "None of its own: what holds for all holds for it.",
            button="Set it" if actor.may(Verb.QUOTA) else "",
            url=reverse("web:nren-quota", args=[nren.pk]),
        ),
    ]
