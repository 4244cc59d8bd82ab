"""NRENs and what each has in use."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from inventory.models import AccessLink, Domain, Nren
from provisioning.errors import InvalidInput, NotVisible, QuotaChanged
from provisioning.models import Verb
from provisioning.selectors.quotas import Limits, standing_limits, used_of
from provisioning.services import quotas
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.filters import NrenFilter
from provisioning.web.forms.quotas import QuotaForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import list_page, listed
from provisioning.web.reading.leaving import Step, steps_off, steps_on
from provisioning.web.reading.network import nren_of, nrens
from provisioning.web.reading.pairs import matrix_of
from provisioning.web.tables.network import NrenTable
from provisioning.web.tables.requests import SentTable
from provisioning.web.tables.sheets import NRENS


@page(Verb.SEE_BACKBONE)
def listing(request: HttpRequest) -> HttpResponse:
    """All NRENs."""
    may_set = actor_of(request).may(Verb.QUOTA)
    chosen = NrenFilter(request.GET, queryset=nrens(timezone.now()))
    table = NrenTable(chosen.qs)
    noc = actor_of(request).may(Verb.NETWORK)
    return list_page(request, "web/nrens.html", table, chosen.form, sheet=NRENS, may_set=may_set, noc=noc)


@page(Verb.SEE_BACKBONE)
def matrix(request: HttpRequest) -> HttpResponse:
    """What is reserved between each two of them."""
    crumbs = [("NRENs", reverse("web:nrens")), ("Between NRENs", None)]
    context = {"found": matrix_of(timezone.now()), "crumbs": crumbs}
    return render(request, "web/nrens_matrix.html", context)


@page(Verb.SEE_BACKBONE)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """One NREN: prefixes, access links, people, requests it sends."""
    nren = nren_of(pk, retired=True)
    now = timezone.now()
    table = SentTable(reading.requests(actor_of(request)).filter(nren=nren), now=now)
    table.empty_next = f"{nren.name} has not asked for anything yet."
    return render(
        request,
        "web/nren.html",
        {
            "nren": nren,
            "links": nren.access_links.select_related("interface__router"),
            "retired_links": AccessLink.every.filter(nren=nren).exclude(retired_at=None).count(),
            "people": nren.memberships.select_related("user"),
            "table": listed(request, table),
            "quota": used_of(nren, now=now),
            "may_set": actor_of(request).may(Verb.QUOTA) and nren.retired_at is None,
            "noc": actor_of(request).may(Verb.NETWORK) and nren.retired_at is None,
            "crumbs": [("NRENs", reverse("web:nrens")), (nren.name, None)],
        },
    )


@page(Verb.QUOTA, ("GET", "POST"))
def quota(request: HttpRequest, pk: int) -> HttpResponse:
    """Set what one NREN may have at most."""
    nren = nren_of(pk)
    up = [("NRENs", reverse("web:nrens")), (nren.name, reverse("web:nren", args=[pk])), ("Quota", None)]
    return _quota(request, nren.domain, nren, up)


@page(Verb.QUOTA, ("GET", "POST"))
def quota_of_all(request: HttpRequest) -> HttpResponse:
    """Set what each NREN may have that has no bound of its own."""
    domain = Domain.objects.order_by("pk").first()
    if domain is None:
        raise NotVisible("There is no network yet.")
    return _quota(request, domain, None, [("NRENs", reverse("web:nrens")), ("Quota of all", None)])


def _quota(
    request: HttpRequest, domain: Domain, nren: Nren | None, crumbs: list[tuple[str, str | None]]
) -> HttpResponse:
    standing, changed = standing_limits(domain, nren), ""
    form = QuotaForm(request.POST or None, standing=standing)
    back = reverse("web:nrens") if nren is None else reverse("web:nren", args=[nren.pk])
    if request.method == "POST" and form.is_valid():
        try:
            quotas.set_quota(
                actor=actor_of(request),
                domain=domain,
                nren=nren,
                limits=form.limits(),
                reason=form.cleaned_data["reason"],
                seen=form.cleaned_data["seen"],
            )
        except QuotaChanged as error:
            form.read_again(Limits(**error.details["standing"]))
            changed = error.reason
        except InvalidInput as error:
            put_errors(form, error, {"rate_bps": "rate"})
        else:
            whose = "every NREN without one of its own" if nren is None else nren.name
            messages.success(request, f"The quota of {whose} is set.")
            return redirect(back)
    context = {"nren": nren, "form": form, "back": back, "crumbs": crumbs, "changed": changed}
    context["of_all"] = standing_limits(domain, None)
    return render(request, "web/nren_quota.html", context, status=409 if changed else 200)


@page(Verb.SEE_BACKBONE)
def onboard(request: HttpRequest, pk: int) -> HttpResponse:
    """What there is of a new NREN, and what is not there yet."""
    nren = nren_of(pk)
    steps = steps_on(nren, actor_of(request))
    return _steps(request, nren, steps, "Onboard", "What it needs until it can ask for something.")


@page(Verb.SEE_BACKBONE)
def off_board(request: HttpRequest, pk: int) -> HttpResponse:
    """What is left to do until an NREN is gone, in its order."""
    nren = nren_of(pk, retired=True)
    steps = steps_off(nren, actor_of(request))
    return _steps(request, nren, steps, "Off-board", "What has to be done until it is gone, in this order.")


def _steps(request: HttpRequest, nren: Nren, steps: list[Step], deed: str, says: str) -> HttpResponse:
    context = {
        "nren": nren,
        "steps": steps,
        "left": sum(not step.done for step in steps),
        "title": f"{deed} {nren.name}",
        "says": says,
        "crumbs": [
            ("NRENs", reverse("web:nrens")),
            (nren.name, reverse("web:nren", args=[nren.pk])),
            (deed, None),
        ],
    }
    return render(request, "web/nren_steps.html", context)
