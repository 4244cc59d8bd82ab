"""The addresses of the crawl over `large`: every page and API list that shows rows."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.test import Client

from inventory.models import AccessLink, CoreLink, Nren, Peering
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    Change,
    PremiumRequest,
    Role,
    RouterDifference,
    RouterPush,
    Series,
    Subscriber,
    Via,
)
from provisioning.pipeline.states import RequestState
from provisioning.services import people, saved_views, tokens


class Readers:
    """The NOC at the pages and at the API, an NREN's engineer, and an administrator; signed in once."""

    def __init__(self) -> None:
        nora, jane = (User.objects.get(username=name) for name in ("nora", "jane"))
        text = tokens.issue(actor=SYSTEM, user=nora, nren=None, name="reads")[1]
        self.noc, self.engineer, self.administrator = Client(), Client(), Client()
        ada = people.put_person(actor=SYSTEM, username="ada", roles=[Role.ADMINISTRATOR])
        self.administrator.force_login(ada)
        self.api = Client(headers={"Authorization": f"Bearer {text}"})
        self.noc.force_login(nora)
        self.engineer.force_login(jane)

    def of(self, name: str) -> Client:
        """Return who reads the page of this name in `addresses`."""
        if name.startswith("API "):
            return self.api
        if name.startswith("admin-"):
            return self.administrator
        return self.engineer if name.startswith("my-") else self.noc


def addresses() -> dict[str, str]:
    """Name and address of each page; those whose name begins with my- are read by an NREN's engineer, those with admin- by an
    administrator.
    """
    wide = Change.objects.order_by("-pk").values_list("pk", flat=True)[0]
    single = Change.objects.order_by("pk").values_list("pk", flat=True)[1]
    played = RouterPush.objects.filter(change=wide).order_by("pk").values_list("pk", flat=True)[0]
    waiting = (
        PremiumRequest.objects.filter(state=RequestState.SUBMITTED, consent="given").order_by("pk")[0].pk
    )
    active = PremiumRequest.objects.filter(state=RequestState.ACTIVE).order_by("pk")[0].pk
    link = AccessLink.objects.order_by("pk")[0]
    own = PremiumRequest.objects.filter(nren=link.nren).order_by("pk")[0].pk
    to_answer = PremiumRequest.objects.filter(receiving_nren=link.nren).order_by("pk")[0].pk
    series = Series.objects.order_by("pk")[0].pk
    nora = User.objects.get(username="nora")
    told = Subscriber.objects.order_by("pk")[0].pk
    token = tokens.issue(actor=SYSTEM, user=nora, nren=None, name="shown")[0].pk
    view = saved_views.keep(
        actor=people.actor_named("nora", via=Via.WEB), page="requests", name="Active", query="state=ACTIVE"
    )
    many = [each.pk for each in RouterDifference.objects.order_by("pk")[:100]]
    undecided = PremiumRequest.objects.filter(state=RequestState.SUBMITTED, series=None).order_by("pk")[:1]
    address = link.nren.prefixes.all()[0].network[1]
    space = {
        "handover": "/handover/",
        "between NRENs": "/nrens/matrix/",
        "calendar": "/calendar/",
        "calendar, month of a link": f"/calendar/?from=this+month&to=this+month&link={link.name}",
        "calendar, this month": "/calendar/?from=this+month&to=this+month",
        "calendar, of a router": "/calendar/?router=r0000",
        "my-calendar": "/calendar/?from=this+month&to=this+month",
        "report": "/report/",
        "my-report": "/report/",
        "map": "/map/",
        "map, peak": "/map/?show=peak&router=r0000",
        "map, after a failure": "/map/?show=after&fails=r0000",
        "map, use": "/map/?show=use",
        "request, path": f"/requests/{active}/path/",
    }
    pages = {
        **space,
        "queue": "/queue/",
        "my-request-usage": f"/requests/{own}/usage/",
        "queue, active": "/queue/?group=active",
        "search, an NREN": f"/search/?q={link.nren.name}",
        "search, nothing": "/search/?q=no-such-thing",
        "search, an address": f"/search/?q={address}",
        "search, a prefix around everything": "/search/?q=2001::/16",
        "search, an address at a time": f"/search/?q={address}&when=next+tuesday",
        "search, a time": "/search/?when=next+tuesday",
        "differences": "/differences/",
        "differences, everything": "/differences/?state=&sort=-last",
        "differences, by text": "/differences/?q=HAND-7",
        "API differences": "/api/v1/differences/",
        "differences, several": f"/differences/several/?deed=ignore&{urlencode({'row': many}, doseq=True)}",
        "requests, refuse several": f"/requests/several/?deed=refuse&row={undecided[0].pk}",
        "requests": "/requests/",
        "requests, a view": f"/requests/?{view.query}&view={view.pk}",
        "view, keep": "/views/keep/?page=requests&query=state%3DACTIVE",
        "view, edit": f"/views/{view.pk}/",
        "requests, page 1000": "/requests/?page=1000",
        "requests, by text": f"/requests/?q={link.nren.name}",
        "request, active": f"/requests/{active}/",
        "my-request-questions": f"/requests/{own}/questions/",
        "request, undecided": f"/requests/{waiting}/",
        "request, history": f"/requests/{waiting}/history/",
        "admit": f"/requests/{waiting}/admit/",
        "lines": f"/requests/{waiting}/lines/",
        "withdraw": f"/requests/{waiting}/withdraw/",
        "link, quarantine": f"/links/access/{link.pk}/quarantine/",
        "advice": "/advice/?rate=2M",
        "advice beside": "/advice/beside/?rate=2M&max_packet_bytes=1500",
        "advice for a request": f"/requests/{waiting}/advice/",
        "sender's side": f"/requests/{waiting}/pack/",
        "admit, with lines": f"/requests/{waiting}/admit/lines/",
        "refuse": f"/requests/{waiting}/refuse/",
        "hold": f"/requests/{waiting}/hold/",
        "series": f"/series/{series}/",
        "series, admit": f"/series/{series}/admit/",
        "series, refuse": f"/series/{series}/refuse/",
        "series, hold": f"/series/{series}/hold/",
        "series, end the hold": f"/series/{series}/unhold/",
        "series, withdraw": f"/series/{series}/withdraw/",
        "changes": "/changes/",
        "changes, waiting": "/changes/?stage=waiting",
        "change of one": f"/changes/{single}/",
        "change of one, compare": f"/changes/{single}/compare/",
        "change of one, raw": f"/changes/{single}/raw/",
        "change of one, progress": f"/changes/{single}/progress/",
        "change of many": f"/changes/{wide}/",
        "change of many, compare": f"/changes/{wide}/compare/",
        "change of many, one router": f"/changes/{wide}/?router=r0001",
        "change of many, compare one": f"/changes/{wide}/compare/?router=r0001",
        "change of many, raw": f"/changes/{wide}/raw/",
        "change of many, progress": f"/changes/{wide}/progress/",
        "change of many, history": f"/changes/{wide}/history/",
        "change of many, approve": f"/changes/{wide}/approve/",
        "change of many, cancel": f"/changes/{wide}/cancel/",
        "change of many, roll-out": f"/changes/{wide}/rollout/",
        "change of many, undo": f"/changes/{wide}/undo/",
        "change of many, pause": f"/changes/{wide}/pause/",
        "change of many, go on": f"/changes/{wide}/go-on/",
        "change of many, rehearsal": f"/changes/{wide}/rehearsal/",
        "change of many, rehearsal of one": f"/changes/{wide}/rehearsal/?push={played}",
        "change of many, rehearsal live": f"/changes/{wide}/rehearsal/live/",
        "API rehearsal": f"/api/v1/changes/{wide}/rehearsal/",
        "pushes, stop": "/pushes/stop/",
        "pushes, go on": "/pushes/go-on/",
        "change of many, progress live": f"/changes/{wide}/progress/live/",
        "change of many, planning live": f"/changes/{wide}/planning/live/",
        "change, new": "/changes/new/",
        "push": f"/pushes/{RouterPush.objects.order_by('pk')[1].pk}/",
        "routers": "/routers/",
        "router": "/routers/r0000/",
        "router, objects": "/routers/r0000/objects/",
        "router, configuration": "/routers/r0000/config/",
        "router, save": "/routers/r0000/save/",
        "router, changes": "/routers/r0000/changes/",
        "router, if it fails": "/routers/r0000/failure/",
        "network": "/network/",
        "network, link": "/network/link/",
        "network, work": "/network/work/",
        "network, capacity": "/network/capacity/",
        "network, paths": "/network/paths/",
        "network, moved": "/network/moved/",
        "request, derived again": f"/requests/{active}/recheck/",
        "links": "/links/",
        "links, by headroom": "/links/?sort=headroom_bps",
        "access link": f"/links/access/{link.pk}/",
        "core link": f"/links/core/{CoreLink.objects.order_by('pk')[0].pk}/",
        "failures": "/links/failures/",
        "links offered": "/links/offered/?link=r00",
        "failure of a link": f"/links/core/{CoreLink.objects.order_by('pk')[0].pk}/failure/",
        "peering": f"/links/peering/{Peering.objects.order_by('pk')[0].pk}/",
        "NRENs": "/nrens/",
        "NREN": f"/nrens/{Nren.objects.order_by('pk')[0].pk}/",
        "NREN, coming": f"/nrens/{link.nren_id}/onboard/",
        "NREN, leaving": f"/nrens/{link.nren_id}/off-board/",
        "change log of an NREN": f"/inventory/nren/{link.nren_id}/log/",
        "retired": "/network/retired/",
        "admin-people": "/people/",
        "admin-people, by NREN": f"/people/?nren={link.nren_id}",
        "admin-person": f"/people/{nora.pk}/",
        "notifications": "/notifications/",
        "notifications, sent": f"/notifications/{told}/",
        "notifications, send again": f"/notifications/{told}/replay/",
        "notifications, mail": "/notifications/mail/",
        "notifications, webhook": "/notifications/webhook/",
        "tokens": "/tokens/",
        "token, new": "/tokens/new/",
        "token, rotate": f"/tokens/{token}/rotate/",
        "token, revoke": f"/tokens/{token}/revoke/",
        "audit": "/audit/",
        "audit, page 2000": "/audit/?page=2000",
        "audit, by text": "/audit/?q=PIP-4711",
        "audit event": f"/audit/{AuditEvent.objects.order_by('-sequence')[0].sequence}/",
        "my-requests": "/my/requests/",
        "my-new": "/my/ask/",
        "my-headroom": f"/my/ask/headroom/?source_link={link.name}&rate=1M&max_packet_bytes=1500&direction=one-way",
        "my-links": "/my/ask/links/?destination_link=NREN",
        "my-request": f"/requests/{own}/",
        "my-history": f"/requests/{own}/history/",
        "my-withdraw": f"/requests/{own}/withdraw/",
        "my-advice": f"/requests/{own}/advice/",
        "my-pack": f"/requests/{own}/pack/",
        "my-consent": f"/requests/{to_answer}/consent/",
        "my-inbox": "/my/inbox/",
        "my-series": f"/series/{series}/",
        "my-series, consent": f"/series/{series}/consent/",
    }
    for name in (
        "premium-requests",
        "series",
        "changes",
        "pushes",
        "routers",
        "access-links",
        "core-links",
        "nrens",
        "audit-events",
        "tokens",
    ):
        pages[f"API {name}"] = f"/api/v1/{name}/"
    return pages
