"""Routers: what they are, what is on them, and reading them again."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from provisioning.errors import DeviceError, ExpediteError, InvalidInput, StaleState
from provisioning.models import Verb
from provisioning.pipeline.platforms.capabilities import MEANING
from provisioning.pipeline.states import PushState
from provisioning.pipeline.topology import Failure
from provisioning.selectors.ends import half_way_on, standing
from provisioning.selectors.queues import queue_of
from provisioning.selectors.swaps import bare_interfaces
from provisioning.services import capabilities, chassis, probing, saving, verifying
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.filters import RouterFilter
from provisioning.web.forms.reasons import ChassisForm, SaveForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import list_page, listed
from provisioning.web.reading.failing import counts_routers, failed
from provisioning.web.reading.network import interface_rows, router_of, routers, sync_of
from provisioning.web.sides import compared
from provisioning.web.spelling import sentence
from provisioning.web.tables.changes import RouterChangeTable
from provisioning.web.tables.network import RouterTable
from provisioning.web.tables.sheets import ROUTERS
from provisioning.web.words import word


@page(Verb.SEE_BACKBONE)
def listing(request: HttpRequest) -> HttpResponse:
    """All routers with what is known about them."""
    chosen = RouterFilter(request.GET, queryset=routers())
    return list_page(request, "web/routers.html", RouterTable(chosen.qs), chosen.form, sheet=ROUTERS)


_PAST = ("router", "router-config", "router-changes")
"""Pages that a router has which is there no more."""


def _frame(request: HttpRequest, name: str, tab: str) -> dict[str, Any]:
    router = router_of(name, retired=tab in _PAST)
    sync = sync_of(router)
    half_way = half_way_on(router)
    # What was read before a push began is not what that push left.
    read_at = sync.checked_at if sync else None
    begun_after = half_way and half_way.started_at and read_at and half_way.started_at >= read_at
    left = None if begun_after and half_way.state != PushState.UNKNOWN else half_way
    tabs = [
        ("Overview", "router"),
        ("Objects", "router-objects"),
        ("Last snapshot", "router-config"),
        ("Changes", "router-changes"),
    ]
    if counts_routers(router.domain):
        tabs.append(("If it fails", "router-failure"))
    if router.retired_at is not None:
        tabs = [each for each in tabs if each[1] in _PAST]
    return {
        "router": router,
        "sync": sync,
        "other_serial": chassis.waiting(router),
        "whose": _whose(sync.unsaved) if sync and sync.unsaved and left is None else None,
        "half_way": half_way,
        "bare": list(bare_interfaces().filter(router=router)),
        "ended_badly": [each for each in standing().filter(router=router)[:3] if each.has_plan],
        "left": left,
        "can_verify": actor_of(request).may(Verb.READ_ROUTER) and router.retired_at is None,
        "noc": actor_of(request).may(Verb.NETWORK) and router.retired_at is None,
        "crumbs": [("Routers", reverse("web:routers")), (router.name, None)],
        "tabs": [(title, reverse(f"web:{view}", args=[name]), view == tab) for title, view in tabs],
    }


def _whose(unsaved: dict[str, Any]) -> dict[str, Any]:
    """Unsaved lines for a page: ours, and those of other people each with when it was first seen."""
    since = unsaved["since"]
    return {"ours": unsaved["ours"], "foreign": [(line, since.get(line)) for line in unsaved["foreign"]]}


@page(Verb.SEE_BACKBONE)
def page_of(request: HttpRequest, name: str) -> HttpResponse:
    """Facts, interfaces with roles, what differs and what is open."""
    context = _frame(request, name, "router")
    found = context["sync"].detail.get("items", []) if context["sync"] else []
    context["differences"] = [
        compared(item["object"], item["expected"].splitlines(), item["found"].splitlines()) for item in found
    ]
    context["interfaces"] = interface_rows(context["router"])
    context["abilities"] = [
        (each, MEANING[each.capability]) for each in capabilities.known(context["router"])
    ]
    context["queue"] = queue_of(context["router"], timezone.now())
    return render(request, "web/router.html", context)


@page(Verb.SEE_BACKBONE)
def objects(request: HttpRequest, name: str) -> HttpResponse:
    """The objects on the router that are ours."""
    context = _frame(request, name, "router-objects")
    context["owned"] = context["router"].owned_objects.order_by("kind", "name")
    return render(request, "web/router_objects.html", context)


@page(Verb.SEE_BACKBONE)
def configuration(request: HttpRequest, name: str) -> HttpResponse:
    """The running-config as last read, its secrets removed before it was stored."""
    context = _frame(request, name, "router-config")
    context["snapshot"] = context["router"].snapshots.order_by("-pk").first()
    return render(request, "web/router_config.html", context)


@page(Verb.SEE_BACKBONE)
def changes(request: HttpRequest, name: str) -> HttpResponse:
    """The changes that touched this router."""
    context = _frame(request, name, "router-changes")
    found = reading.changes().filter(pushes__router=context["router"]).distinct()
    context["table"] = listed(request, RouterChangeTable(found))
    return render(request, "web/router_changes.html", context)


@page(Verb.SEE_BACKBONE)
def failure(request: HttpRequest, name: str) -> HttpResponse:
    """If it fails: who loses, on which link, when and by how much; and each link whose load changes."""
    context = _frame(request, name, "router-failure")
    context["found"] = failed(context["router"].domain, Failure("router", name))
    return render(request, "web/router_failure.html", context)


@page(Verb.READ_ROUTER, ("POST",))
def verify(request: HttpRequest, name: str) -> HttpResponse:
    """Read the router now and compare; a router that cannot be read becomes unknown and the page says why."""
    router = router_of(name)
    sync = verifying.verify_router(router=router)
    said = word(sync.state)
    tell = {"good": messages.success, "bad": messages.error}.get(said.kind, messages.warning)
    why = sync.detail.get("reason", "") if sync.detail else ""
    tell(request, f"{router.name}: {said.text.lower()}. {why or said.meaning}")
    return redirect("web:router", name=router.name)


@page(Verb.READ_ROUTER, ("POST",))
def probe(request: HttpRequest, name: str) -> HttpResponse:
    """Ask the router what it can do, by questions that change nothing."""
    router = router_of(name)
    try:
        answers = probing.probe(actor=actor_of(request), router=router)
    except ExpediteError as error:
        messages.error(request, sentence(f"{name} was not asked. {error.reason}"))
    else:
        lacking = ", ".join(each.capability for each in answers if each.can is False)
        messages.success(
            request, f"{name} was asked what it can do. {f'It does not know: {lacking}.' if lacking else ''}"
        )
    return redirect("web:router", name=router.name)


@page(Verb.MEND, ("GET", "POST"))
def replaced(request: HttpRequest, name: str) -> HttpResponse:
    """Another chassis answers: a person takes its serial with a reason, and the router is read again."""
    router = router_of(name)
    form = ChassisForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            chassis.accept(actor=actor_of(request), router=router, **form.cleaned_data)
        except ExpediteError as error:
            put_errors(form, error)
        else:
            return verify(request, name)
    return render(
        request,
        "web/router_chassis.html",
        {
            "router": router,
            "other_serial": chassis.waiting(router),
            "sync": sync_of(router),
            "form": form,
            "crumbs": [
                ("Routers", reverse("web:routers")),
                (name, reverse("web:router", args=[name])),
                ("Chassis replaced", None),
            ],
        },
    )


@page(Verb.MEND, ("GET", "POST"))
def save(request: HttpRequest, name: str) -> HttpResponse:
    """What startup-config lacks, by whose lines they are; with a reason, save exactly that."""
    router = router_of(name)
    form = SaveForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            done = saving.save_router(
                actor=actor_of(request), router=router, seen=said["seen"], reason=said["reason"]
            )
        except InvalidInput as error:
            put_errors(form, error)
        except StaleState as error:
            form.add_error(None, sentence(error.reason))
        except DeviceError as error:
            form.add_error(None, sentence(f"It is not saved. {error.reason}"))
        else:
            _tell(request, done)
            return redirect("web:router", name=router.name)
    context = _frame(request, name, "router-save")
    found = context["sync"].unsaved if context["sync"] else {}
    shown = saving.digest_of(found.get("ours", []), found.get("foreign", []))
    if not form.is_bound:
        form = SaveForm(initial={"seen": shown})
    elif form.errors:
        form.data = form.data.copy()  # type: ignore[assignment]
        form.data["seen"] = shown  # type: ignore[index]
    context["form"] = form
    return render(request, "web/router_save.html", context)


def _tell(request: HttpRequest, done: saving.Done) -> None:
    name = done.seen.router
    if not done.saved:
        messages.success(request, f"{name}: startup-config holds everything already, nothing was saved.")
    elif done.meanwhile:
        messages.warning(
            request,
            f"{name}: saved. Typed between the look and the saving, and saved too: {'; '.join(done.meanwhile)}",
        )
    else:
        messages.success(request, f"{name}: saved, and read again.")
