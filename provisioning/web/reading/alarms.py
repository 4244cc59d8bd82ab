"""What must not be overlooked, worst first: shown on top of the queue."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from inventory.models import Domain, Router
from provisioning.errors import InvalidInput, WrongRouter
from provisioning.models import Change, RouterPush, RouterSync, SyncState
from provisioning.pipeline.states import UNSURE, PushState
from provisioning.pipeline.units import how_many, instant_text
from provisioning.selectors.differences import all_ignored
from provisioning.selectors.drift import age, drifting
from provisioning.selectors.ledger import leaving
from provisioning.selectors.overcommitment import overcommitted_as_known
from provisioning.selectors.pushing import with_names
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.steering import why_held
from provisioning.selectors.swaps import bare_interfaces
from provisioning.selectors.workers import no_work
from provisioning.web.reading.alarm import NAMED, Alarm, named
from provisioning.web.reading.ended import broken_pushes
from provisioning.web.reading.steering import half_way_routers, held_by_people
from provisioning.web.reading.untold import not_told


def alarms() -> list[Alarm]:
    """Return the alarms of this moment. An unread router counts as open: nobody knows what enters there."""
    routers = list(Router.objects.order_by("name").only("name"))
    by_key = {router.pk: router for router in routers}
    syncs = {}
    for sync in RouterSync.objects.filter(router__retired_at=None):
        if sync.router_id in by_key:  # one router came meanwhile
            sync.router = by_key[sync.router_id]
            syncs[sync.router_id] = sync
    bare = {(row.router_id, row.interface) for row in bare_interfaces()}
    open_edges = [
        f"{router.name} {edge.get('interface', '?')}: {edge.get('reason', 'no reason recorded')}"
        for router in routers
        if router.pk in syncs
        for edge in syncs[router.pk].open_edges
        if (router.pk, edge.get("interface")) not in bare
    ]
    unread = [r.name for r in routers if r.pk not in syncs or syncs[r.pk].state == SyncState.UNKNOWN]
    differing = [r.name for r in routers if r.pk in syncs and syncs[r.pk].state == SyncState.DIFFERS]
    live = [r.name for r in routers if r.pk in syncs and syncs[r.pk].core_live]
    list_url = reverse("web:routers")
    # A router that could not be read already stands among the open edges, with the reason.
    told = {r.name for r in routers if r.pk in syncs and syncs[r.pk].open_edges}
    found = _bare(live)
    found += _no_worker()
    found += _open_edges(open_edges, [name for name in unread if name not in told], live, list_url)
    found += _wrong_routers(syncs)
    found += held_by_people()
    found += broken_pushes()
    found += _shrunken_shares()
    found += _moving()
    found += _drifting()
    found += _routes_at_risk(list(syncs.values()))
    found += _not_saved(syncs)
    waiting = _waiting({key: sync for key, sync in syncs.items() if sync.state == SyncState.DIFFERS})
    at_work = set(half_way_routers())
    ignoring = all_ignored(timezone.now()) if differing else set()
    left_so = {router.name for router in routers if router.pk in ignoring}
    unexplained = [name for name in differing if name not in {*waiting, *at_work, *left_so}]
    if unexplained:
        found.append(
            Alarm(
                "bad",
                f"{named(unexplained)}: what was read is not what is intended.",
                (),
                f"{reverse('web:differences')}?state=heeded",
                "See what differs",
            )
        )
    found += _held_back(waiting)
    found += not_told()
    if unread and routers:
        everything = len(unread) == len(routers)
        title = (
            "No router has been read yet."
            if everything
            else f"{named(unread)}: what is on {'it' if len(unread) == 1 else 'them'} is not known."
        )
        found.append(Alarm("warn", title, (), f"{list_url}?state=unknown", "See, and have read"))
    if not settings.PUSH_ENABLED:
        found.append(
            Alarm(
                "info",
                "Pushing is switched off (PUSH_ENABLED). Requests can be decided and changes planned; "
                "nothing is sent to a router.",
                (),
                "",
                "",
            )
        )
    return found


def _wrong_routers(syncs: dict[int, RouterSync]) -> list[Alarm]:
    """Routers at whose address another one answers: a replaced chassis, or a mistake."""
    rows = [
        sync
        for sync in syncs.values()
        if sync.state == SyncState.UNKNOWN and (sync.detail or {}).get("code") == WrongRouter.code
    ]
    rows.sort(key=lambda sync: sync.router.name)
    if not rows:
        return []
    return [
        Alarm(
            "bad",
            f"{named([sync.router.name for sync in rows])}: another router answers. Nothing is sent there.",
            tuple(str(sync.detail.get("reason", "")) for sync in rows),
            reverse("web:router", args=[rows[0].router.name]),
            f"See {rows[0].router.name}: take the new serial, or correct the inventory",
        )
    ]


MAKE_HASTE = (
    "Next: make haste: bind a policy there, or shut the interface. It is tried again by itself meanwhile."
)


def _bare(live: list[str]) -> list[Alarm]:
    """What a swap left without a policy, until it is seen with one again: by router, interface, and since when."""
    rows = list(bare_interfaces())
    if not rows:
        return []
    feared = (
        "" if any(row.seen for row in rows) else " perhaps (a swap was refused late, or its session lost)"
    )
    count = len(rows)
    title = (
        f"{how_many(count, 'interface')} {'has' if count == 1 else 'have'} no policy{feared}"
        f"{f' while core queues are live on {named(live)}' if live else ''}."
    )
    said = tuple(
        f"{row.router.name} {row.where}: {'no policy' if row.seen else 'perhaps no policy'} since "
        f"{instant_text(row.since)} ({row.push.change.reference})"
        for row in rows
    )
    return [
        Alarm(
            "bad",
            title,
            (*said, MAKE_HASTE),
            reverse("web:change-progress", args=[rows[0].push.change_id]),
            "See what happened",
        )
    ]


def _no_worker() -> list[Alarm]:
    """That nobody does what waits: then everything else on this page stands still, however it looks."""
    found = no_work()
    if found is None:
        return []
    why, what_to_start = found
    return [Alarm("bad", why, (what_to_start,), "", "")]


def _open_edges(open_edges: list[str], not_read: list[str], live: list[str], url: str) -> list[Alarm]:
    """At most one: on a live core whatever is open or not read is bad, elsewhere what is open is a warning."""
    holes = (*open_edges, *(f"{name}: not read, so counted as open" for name in not_read))
    if live and holes:
        title = (
            f"Core queues are live on {named(live)} while {len(holes)} "
            f"{'edge is' if len(holes) == 1 else 'edges are'} open: unauthorised EF can enter the priority queue."
        )
        return [Alarm("bad", title, holes, url, "See the routers")]
    if open_edges:
        title = f"{how_many(len(open_edges), 'open edge')}: EF that nobody granted can enter there."
        return [Alarm("warn", title, tuple(open_edges), url, "See the routers")]
    return []


def _waiting(syncs: dict[int, RouterSync]) -> dict[str, Change]:
    """Routers that differ only because a change waits to be approved or sent: made for exactly what was last read there, or
    for what an earlier part of the same change was seen to leave there.
    """
    pushes = with_names(
        RouterPush.objects.filter(
            router__in=list(syncs),
            state__in=[PushState.PLANNED, PushState.APPROVED],
            lines__gt=0,
            change__finished_at__isnull=True,
        )
    ).order_by("-change_id", "position")
    left_by = set(
        RouterPush.objects.filter(
            router__in=list(syncs), state=PushState.VERIFIED, change__finished_at__isnull=True
        ).values_list("change", "router", "after")
    )
    found: dict[str, Change] = {}
    for push in pushes:
        sync = syncs.get(push.router_id)
        made_for = sync is not None and (
            push.before_id == sync.snapshot_id
            or (push.change_id, push.router_id, sync.snapshot_id) in left_by
        )
        if made_for and not push.conflicts:
            found.setdefault(push.router.name, push.change)
    return found


def _held_back(waiting: dict[str, Change]) -> list[Alarm]:
    """One for each change that routers wait for, whatever the number of routers."""
    behind: dict[Change, list[str]] = {}
    now = timezone.now()
    for name in sorted(waiting):
        behind.setdefault(waiting[name], []).append(name)
    return [
        Alarm(
            "warn",
            f"{named(names)} {'waits' if len(names) == 1 else 'wait'} for lines of {change.reference}.",
            tuple(filter(None, (change.title, why_held(change, now)))),
            reverse("web:change", args=[change.pk]),
            "See the change",
        )
        for change, names in sorted(behind.items(), key=lambda each: each[0].pk)
    ]


def _not_saved(syncs: dict[int, RouterSync]) -> list[Alarm]:
    """What a reload would lose: lines of ours that startup-config lacks, by themselves or kept back by other people's.

    Not what was read in the middle of a push, or after it broke off: that is verified before it is saved.
    """
    lacking = {key: sync for key, sync in syncs.items() if sync.unsaved.get("ours")}
    at_work = RouterPush.objects.filter(
        router__in=list(lacking),
        state__in=UNSURE,
        started_at__lt=F("router__sync__checked_at"),
    )
    busy = set(at_work.values_list("router_id", flat=True)) if lacking else set()
    kept_back, refused = [], []
    for key, sync in sorted(lacking.items(), key=lambda each: each[1].router.name):
        if key not in busy:
            (kept_back if sync.unsaved.get("foreign") else refused).append(sync)
    return [
        *_to_save(kept_back, "verified, NOT saved, because other people's lines are unsaved there too."),
        *_to_save(refused, "verified, but not saved to startup-config."),
    ]


def _to_save(syncs: list[RouterSync], how: str) -> list[Alarm]:
    """One alarm for these routers, with the lines of each counted by whose they are."""
    if not syncs:
        return []
    names = [sync.router.name for sync in syncs]
    return [
        Alarm(
            "warn",
            f"{named(names)}: {how} A reload would lose it.",
            tuple(_whose(sync) for sync in syncs),
            reverse("web:router", args=[names[0]]),
            f"See what is unsaved on {names[0]}",
        )
    ]


def _whose(sync: RouterSync) -> str:
    """How many lines of a router are unsaved, whose, and since when those of other people are."""
    ours, foreign = len(sync.unsaved["ours"]), len(sync.unsaved.get("foreign", []))
    said = f"{sync.router.name}: {how_many(ours, 'line')} of ours"
    since = min(sync.unsaved.get("since", {}).values(), default="")
    if foreign:
        said += f", {how_many(foreign, 'line')} of other people"
    return f"{said}, seen since {since[:16].replace('T', ' ')} UTC" if since else said


def _shrunken_shares() -> list[Alarm]:
    """Reservations that no longer fit, because an import or a router's own BW made a share smaller; or a scheme, without which
    nobody knows.
    """
    found: list[Alarm] = []
    for domain in Domain.objects.order_by("name"):
        try:
            scheme_of(domain)
            over = overcommitted_as_known(domain, now=timezone.now())
        except InvalidInput as error:
            title = f"The scheme of {domain.name} cannot be read: nothing is admitted, planned or verified."
            found.append(Alarm("bad", title, (error.reason,), reverse("web:routers"), "See the routers"))
            continue
        if over:
            names = sorted({name for each in over for name in each.sls_ids})
            found.append(
                Alarm(
                    "bad",
                    f"{named(names)}: more is granted than {'a share holds' if len(over) == 1 else 'shares hold'} now.",
                    tuple(str(each) for each in over),
                    *_links_to({each.link for each in over}),
                )
            )
    return found


def _links_to(names: set[str]) -> tuple[str, str]:
    """Where to look at these links: the address and its words."""
    url = reverse("web:links")
    return (
        (f"{url}?{urlencode({'q': min(names)})}", "See the link")
        if len(names) == 1
        else (url, "See the links")
    )


def _moving() -> list[Alarm]:
    """Reservations that are charged on two paths, because the network moved theirs."""
    requests = leaving().order_by("request").values_list("request", flat=True).distinct()
    keys = list(requests[:MOST_MOVING])
    if not keys:
        return []
    more = requests.count() - MOST_MOVING if len(keys) == MOST_MOVING else 0
    named = ", ".join(f"PIP-{key}" for key in keys)
    rest = f" and {more} more" if more else ""
    return [
        Alarm(
            "info",
            f"{named}{rest}: the path moved, and the old one is charged too until the move is over.",
            (),
            reverse("web:network"),
            "See what moves",
        )
    ]


MOST_MOVING = 20


def _drifting() -> list[Alarm]:
    """Reservations whose traffic routers were last seen to send otherwise than it is charged; how old that is, too."""
    count = drifting().count()
    if not count:
        return []
    rows, now = list(drifting()[:MOST_MOVING]), timezone.now()
    names = [row.request.reference for row in rows]
    more = f" and {count - NAMED} more" if count > NAMED else ""
    return [
        Alarm(
            "warn",
            f"{', '.join(names[:NAMED])}{more}: routers send {'it' if count == 1 else 'them'} otherwise than charged.",
            tuple(
                f"{row.request.reference} {row.drift} ({age(row.drift_at or now, now)}, by {row.drift_by})"
                for row in rows
            ),
            reverse("web:network"),
            "See the paths",
        )
    ]


def _routes_at_risk(syncs: list[RouterSync]) -> list[Alarm]:
    """Promises that hold over static routes only (@IRS section 2.2.2), where the router was seen without the route."""
    said = {sync.router.name: (sync.detail or {}).get("at_risk", []) for sync in syncs}
    names = sorted(name for name, texts in said.items() if texts)
    if not names:
        return []
    return [
        Alarm(
            "warn",
            f"{named(names)}: reservations are at risk when routing changes.",
            tuple(f"{name}: {text}" for name in names for text in said[name]),
            reverse("web:router-config", args=[names[0]]),
            f"See the configuration of {names[0]}",
        )
    ]
