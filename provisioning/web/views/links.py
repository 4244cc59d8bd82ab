"""Links: what they carry, what is promised on them and when."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from inventory.models import AccessCase, AccessLink, CoreLink, Domain, Interface, Peering
from provisioning.errors import NotVisible
from provisioning.models import FailureEffect, Verb
from provisioning.pipeline.scheme import LinkKind
from provisioning.pipeline.topology import Failure
from provisioning.selectors.drift import drifting_between
from provisioning.selectors.failures import standing_of
from provisioning.selectors.usage import usages_of_link
from provisioning.web.access import actor_of, page
from provisioning.web.chart import Chart, Layer, drawn
from provisioning.web.forms.finding import FindForm, LinkForm
from provisioning.web.listing import Listing, list_page
from provisioning.web.reading.courses import HELD, ON, TO_COME, UNPROTECTED, Course, courses
from provisioning.web.reading.failing import failed
from provisioning.web.reading.links import core_links_named, link_rows, links_named
from provisioning.web.tables.network import FailureTable, LinkTable
from provisioning.web.tables.sheets import LINKS
from provisioning.web.usage_chart import drawn as used
from provisioning.web.using import said_of_class

OFFERED = 20
"""Links offered while one types."""
KINDS = ("access", "core", "peering")
LOOKS = {ON: "on", TO_COME: "to-come", UNPROTECTED: "unprotected", HELD: "held"}


@page(Verb.SEE_BACKBONE)
def listing(request: HttpRequest) -> HttpResponse:
    """All links with their share for Premium and what is committed now."""
    rows = link_rows(timezone.now())
    form = LinkForm(
        request.GET,
        hint="NREN, router, interface",
        kind=KINDS,
        router=sorted({name for row in rows for name in row.routers}),
        nren=sorted({row.owner for row in rows if row.kind == "access"}),
        case=AccessCase.values,
    )
    rows = [row for row in rows if form.lets_through(row)]
    if rows and "format" in request.GET:  # the file has all of them
        rows[0].charged.read_peaks((row.name, row.ways) for row in rows)
    table = LinkTable(rows)
    return list_page(
        request, "web/links.html", table, form, sheet=LINKS, more=("nren", "case"), shown=_charge
    )


def _charge(table: Listing) -> None:
    shown = [row.record for row in table.page.object_list]
    if shown:
        shown[0].charged.read(row.name for row in shown)
        shown[0].charged.read_peaks((row.name, row.ways) for row in shown if row.share_bps is not None)


@page(Verb.SEE_BACKBONE)
def offered(request: HttpRequest) -> HttpResponse:
    """The links that hold what is being typed into a form's box, for htmx; core links alone with ``kind=core``.

    Of several names separated by blanks the last one is being typed: what is offered begins with the others.
    """
    text = request.GET.get("link", "")[:2000].lstrip()
    before, _, typed = text.rpartition(" ")
    if request.GET.get("kind") == "core":
        names = core_links_named(typed, most=OFFERED)
    else:
        names = [row.name for row in links_named(typed, most=OFFERED)[0]]
    offers = [(f"{before} {name}".lstrip(), name) for name in names if name not in before.split()]
    return render(request, "web/parts/links_offered.html", {"links": offers})


def _page(
    request: HttpRequest, link: AccessLink | CoreLink | Peering, kind: str, **more: Any
) -> HttpResponse:
    crumbs = [("Links", reverse("web:links")), (link.name, None)]
    return render(
        request,
        "web/link.html",
        {
            "link": link,
            "kind": kind,
            "slug": kind if kind == "peering" else f"{kind}-link",
            "crumbs": crumbs,
            "noc": actor_of(request).may(Verb.NETWORK) and link.retired_at is None,
            **more,
        },
    )


def _charts(
    name: str, interface: Interface, kind: LinkKind, *, far: Interface | None = None
) -> list[dict[str, Any]]:
    found = courses(name, interface, timezone.now(), kind=kind, far=far)
    return [
        {"course": course, "charts": (("wide", _drawn(course)), ("narrow", _drawn(course, narrow=True)))}
        for course in found
    ]


def _used(name: str) -> list[dict[str, Any]]:
    """What each class with a service counted, and its charts of the last two weeks."""
    return [
        {
            "usage": usage,
            "said": said_of_class(usage),
            "charts": [
                (look, chart)
                for look, chart in (("wide", used(usage)), ("narrow", used(usage, narrow=True)))
                if chart is not None
            ],
        }
        for usage in usages_of_link(name, now=timezone.now())
    ]


def _drawn(course: Course, *, narrow: bool = False) -> Chart:
    return drawn(
        course.steps,
        course.share_bps,
        course.now,
        layers=[Layer(name, LOOKS[name], steps) for name, steps in course.layers],
        shares=course.shares,
        narrow=narrow,
    )


@page(Verb.SEE_BACKBONE)
def access(request: HttpRequest, pk: int) -> HttpResponse:
    """An access link: case, capacities, both directions over time, reservations."""
    link = AccessLink.every.select_related("nren", "interface__router__domain").filter(pk=pk).first()
    if link is None:
        raise NotVisible("There is no such access link.")
    charts = _charts(link.name, link.interface, "access")
    return _page(request, link, "access", ends=[link.interface], charts=charts, used=_used(link.name))


@page(Verb.SEE_BACKBONE)
def core(request: HttpRequest, pk: int) -> HttpResponse:
    """A core link: both ends, both directions over time, reservations."""
    link = (
        CoreLink.every.select_related("a_interface__router__domain", "z_interface__router")
        .filter(pk=pk)
        .first()
    )
    if link is None:
        raise NotVisible("There is no such core link.")
    ends = [link.a_interface, link.z_interface]
    drift = drifting_between(ends[0].router.name, ends[1].router.name)
    charts = _charts(link.name, ends[0], "core", far=ends[1])
    return _page(request, link, "core", ends=ends, charts=charts, drifting=drift, used=_used(link.name))


@page(Verb.SEE_BACKBONE)
def failure(request: HttpRequest, pk: int) -> HttpResponse:
    """If a core link fails: who loses, on which link, when and by how much; and each link whose load changes."""
    link = CoreLink.objects.select_related("domain").filter(pk=pk).first()
    if link is None:
        raise NotVisible("There is no such core link.")
    crumbs = [
        ("Links", reverse("web:links")),
        (link.name, reverse("web:link-core", args=[pk])),
        ("If it fails", None),
    ]
    found = failed(link.domain, Failure("link", link.name))
    return render(request, "web/link_failure.html", {"link": link, "crumbs": crumbs, "found": found})


@page(Verb.SEE_BACKBONE)
def failures(request: HttpRequest) -> HttpResponse:
    """All single failures as they were last worked out, the worst first."""
    domain = Domain.objects.order_by("pk").first()
    standing = None if domain is None else standing_of(domain)
    run = None if standing is None else standing.run
    rows = FailureEffect.objects.none() if run is None else run.effects.all()
    form = FindForm(request.GET, hint="router or interface")
    text = form.chosen("q")
    if text:
        rows = rows.filter(name__icontains=text)
    core = CoreLink.objects.filter(name=OuterRef("name")).values("pk")[:1]
    crumbs = [("Links", reverse("web:links")), ("Single failures", None)]
    table = FailureTable(rows.annotate(link_pk=Subquery(core)))
    return list_page(
        request,
        "web/failures.html",
        table,
        form,
        filtered=bool(text),
        crumbs=crumbs,
        standing=standing,
        run=run,
    )


@page(Verb.SEE_BACKBONE)
def peering(request: HttpRequest, pk: int) -> HttpResponse:
    """A peering: never a participant; charged outwards with what is promised to the outside, where the scheme has that."""
    link = Peering.every.select_related("interface__router").filter(pk=pk).first()
    if link is None:
        raise NotVisible("There is no such peering.")
    return _page(
        request, link, "peering", ends=[link.interface], charts=_charts(link.name, link.interface, "border")
    )
