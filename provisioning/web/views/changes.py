"""Changes: the list, one change as lines, as before and after and raw; approval, cancelling, pushing."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from inventory.models import Router
from provisioning.errors import InvalidInput, StaleState
from provisioning.models import Change, ChangeKind, RouterPush, Verb
from provisioning.pipeline.states import PushState
from provisioning.selectors.approvals import given_to, missing_of
from provisioning.selectors.broken_glass import may_acknowledge, standing
from provisioning.selectors.changes import (
    Planning,
    changed_by,
    is_idle,
    planning_of,
    put_on_by,
    said_of_idle,
    taken_off_by,
)
from provisioning.selectors.ends import end_of_change, end_of_push
from provisioning.selectors.pushing import is_stopped_by_somebody, why_no_push
from provisioning.selectors.questions import open_questions
from provisioning.selectors.steering import course_in_words, why_held
from provisioning.selectors.swaps import bare_interfaces
from provisioning.selectors.way_back import way_back
from provisioning.selectors.workers import PLANNING, SENDING, why_no_work
from provisioning.services import changes as service
from provisioning.services import planning, undoing
from provisioning.services.approval import fingerprint
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.filters import ChangeFilter
from provisioning.web.forms.reasons import ApprovalForm, PlanForm, ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import list_page
from provisioning.web.plans import many, rows_of, views_of
from provisioning.web.reading.comparing import comparisons_of
from provisioning.web.reading.rehearsals import may_be_rehearsed, rehearsal_of
from provisioning.web.tables.changes import ChangeTable
from provisioning.web.tables.sheets import CHANGES
from provisioning.web.words import PHASES

STOPPED = {PushState.FAILED, PushState.UNKNOWN, PushState.STALE, PushState.ROLLED_BACK}


@page(Verb.SEE_BACKBONE)
def listing(request: HttpRequest) -> HttpResponse:
    """All changes, newest first."""
    chosen = ChangeFilter(request.GET, queryset=reading.changes())
    return list_page(
        request,
        "web/changes.html",
        ChangeTable(chosen.qs),
        chosen.form,
        sheet=CHANGES,
        more=chosen.MORE,
        may_plan=actor_of(request).may(Verb.PLAN),
        stages=_stages(request),
    )


def _stages(request: HttpRequest) -> list[tuple[str, str, bool]]:
    """Return (title, address, chosen) of the buttons that say how far a change is; other filters stay."""
    chosen = request.GET.get("stage", "")
    found = []
    for key, title in [("", "All"), *((key, title) for key, (title, _) in ChangeFilter.STAGES.items())]:
        kept = request.GET.copy()
        kept.pop("stage", None)
        kept.pop("page", None)
        if key:
            kept["stage"] = key
        found.append((title, f"?{kept.urlencode()}", chosen == key))
    return found


@page(Verb.PLAN, ("GET", "POST"))
def new(request: HttpRequest) -> HttpResponse:
    """Read the routers and plan the baseline of the domain; nothing is sent."""
    names = list(Router.objects.order_by("name").values_list("name", flat=True))
    form = PlanForm(request.POST or None, names=names, initial=_prefilled(request, names))
    if request.method == "POST" and form.is_valid():
        try:
            change = planning.ask_for_plan(
                actor=actor_of(request),
                kind=ChangeKind.REPAIR if form.cleaned_data["repair"] else ChangeKind.BASELINE,
                routers=form.cleaned_data["routers"] or None,
                title=form.cleaned_data["title"],
                reason=form.cleaned_data["reason"],
            )
        except InvalidInput as error:
            put_errors(form, error)
        else:
            messages.success(
                request, f"{change.reference} is being planned: its routers are read now. Nothing is sent."
            )
            return redirect("web:change", pk=change.pk)
    crumbs = [("Changes", reverse("web:changes")), ("New plan", None)]
    return render(request, "web/change_new.html", {"form": form, "crumbs": crumbs})


def _prefilled(request: HttpRequest, names: list[str]) -> dict[str, Any]:
    """Return what the plan form starts with when it is reached from a router."""
    name = request.GET.get("router", "")
    if name not in names:
        return {}
    repair = request.GET.get("repair") == "1"
    return {"routers": [name], "repair": repair, "title": f"{'Repair' if repair else 'Plan'} of {name}"}


def frame(request: HttpRequest, pk: int, tab: str) -> dict[str, Any]:
    """Return what every page of a change shows: its state, its tabs and what this person may do with it."""
    change = reading.change_of(pk)
    pushes = reading.pushes_of(change)
    actor = actor_of(request)
    tabs = [
        ("Lines", "change"),
        ("Before and after", "change-compare"),
        ("Raw", "change-raw"),
        ("Progress", "change-progress"),
        ("History", "change-history"),
    ]
    planned = planning_of(change)
    if planned is not None:
        tabs = [each for each in tabs if each[1] in ("change", "change-history")]
    questions = open_questions(change, pushes, actor)
    chosen = request.GET.get("router", "")
    empty = not any(push.lines or push.conflicts or not push.has_plan for push in pushes)
    return {
        "change": change,
        "pushes": pushes,
        "routers": (rows := rows_of(pushes)),
        "many": many(rows),
        "chosen": chosen if chosen in {row.push.router.name for row in rows} else "",
        "shown": [push for push in pushes if not many(rows) or push.router.name == chosen],
        "idle": [push for push in pushes if is_idle(push)],
        "said_of_idle": said_of_idle(pushes),
        "state": reading.change_states([change])[change.pk],
        "planning": planned,
        "puts_on": put_on_by(change),
        "changes_what_is_on": changed_by(change),
        "takes_off": taken_off_by(change),
        "approvals": given_to(change),
        "empty": empty and planned is None,
        "actor": actor,
        "questions": questions,
        "fingerprint": fingerprint(change) if pushes else "",
        "push_enabled": not (no_push := why_no_push()),
        "no_push": no_push,
        "held": why_held(change, timezone.now()) if change.finished_at is None else "",
        "every_push_stopped": bool(
            no_push and change.approved_at and change.finished_at is None and is_stopped_by_somebody()
        ),
        "no_worker": _no_worker(change, planned),
        "partial": end_of_change(change) if change.released_at else None,
        "left": next((push for push in pushes if push.state != PushState.VERIFIED), None),
        "stopped": any(push.state in STOPPED for push in pushes),
        "next_step_waits": any(
            push.state in STOPPED and (end := end_of_push(push)) is not None and end.verb is not None
            for push in pushes
        ),
        "bare": list(bare_interfaces().filter(push__change=change)),
        "crumbs": [("Changes", reverse("web:changes")), (change.reference, None)],
        "tabs": [(title, reverse(f"web:{view}", args=[pk]), view == tab) for title, view in tabs],
    }


def _no_worker(change: Change, planned: Planning | None) -> str:
    """Why nobody plans or sends a change that people wait for; empty where somebody does, or nobody has to."""
    if planned is not None:
        return "" if planned.error else why_no_work(PLANNING)
    return why_no_work(SENDING) if change.approved_at and change.finished_at is None else ""


def rehearsal_for(context: dict[str, Any]) -> dict[str, Any]:
    """Return what the page of a change says of its rehearsal; `context` is that of `frame`."""
    if context["planning"] or context["empty"]:
        return {"rehearsal": None, "may_rehearse": False}
    found = rehearsal_of(context["change"], context["fingerprint"])
    may = context["actor"].may(Verb.REHEARSE) and may_be_rehearsed(context["change"], found)
    return {"rehearsal": found, "may_rehearse": may}


@page(Verb.SEE_BACKBONE)
def planning_live(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a plan is that is being made, for htmx; once it is made, or cannot be, the whole page is loaded again."""
    change = reading.change_of(pk)
    planned = planning_of(change)
    context = {"change": change, "planning": planned, "no_worker": _no_worker(change, planned)}
    answer = render(request, "web/parts/planning.html", context)
    if planned is None or planned.error:
        answer["HX-Refresh"] = "true"
    return answer


@page(Verb.SEE_BACKBONE)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """Per phase and router, in push order: every line with the state after it."""
    context = frame(request, pk, "change")
    service.look(actor=context["actor"], change=context["change"])
    views = views_of(context["shown"])
    phases = [
        {
            "key": key,
            "title": title,
            "means": means,
            "views": [view for view in views if view.push.phase == key],
        }
        for key, (title, means) in PHASES.items()
    ]
    context |= {
        "phases": [phase for phase in phases if phase["views"]],
        "views": views,
        "way_back": way_back(context["change"]),
        "broken_glass": [
            (row, may_acknowledge(context["actor"], row))
            for row in standing().filter(change=context["change"])
        ],
        "can_undo": context["actor"].may(Verb.UNDO)
        and context["change"].finished_at is not None
        and bool(undoing.foreseen(context["change"])[0]),
        "course": course_in_words(context["change"], context["pushes"]),
        **rehearsal_for(context),
        "way_back_routers": sorted({row.push.router.name for row in context["routers"]}),
    }
    return render(request, "web/change.html", context)


@page(Verb.SEE_BACKBONE)
def compare(request: HttpRequest, pk: int) -> HttpResponse:
    """Our objects before and after, side by side or as one unified text."""
    context = frame(request, pk, "change-compare")
    if context["planning"]:
        return redirect("web:change", pk=pk)
    context |= {
        "compared": comparisons_of([push for push in context["shown"] if not is_idle(push)]),
        "unified": request.GET.get("as") == "unified",
    }
    return render(request, "web/change_compare.html", context)


@page(Verb.SEE_BACKBONE)
def raw(request: HttpRequest, pk: int) -> HttpResponse:
    """The exact text that is sent, and the exact way back, per router."""
    context = frame(request, pk, "change-raw")
    if context["planning"]:
        return redirect("web:change", pk=pk)
    context["views"] = views_of(context["shown"])
    return render(request, "web/change_raw.html", context)


@page(Verb.SEE_BACKBONE)
def history(request: HttpRequest, pk: int) -> HttpResponse:
    """Everything that happened to the change and its pushes."""
    context = frame(request, pk, "change-history")
    subjects = [(Change, pk), *((RouterPush, push.pk) for push in context["pushes"])]
    context["events"] = reading.page_of_events(context["actor"], request.GET.get("page", ""), *subjects)
    return render(request, "web/change_history.html", context)


@page(Verb.APPROVE, ("GET", "POST"))
def approve(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve exactly the lines shown; gaps and other people's unsaved edits are confirmed one by one."""
    context = frame(request, pk, "change")
    service.look(actor=context["actor"], change=context["change"])
    questions = context["questions"]
    shown = context["fingerprint"]
    if request.method == "GET" and request.GET.get("seen", shown) != shown:
        raise StaleState(f"{context['change'].reference} is not what you read any more: read it again")
    form = ApprovalForm(
        request.POST or None,
        gaps=len(questions.gaps),
        unsaved=len(questions.unsaved),
        doubts=len(questions.doubts),
        alone=bool(questions.alone) and not questions.approve,
        initial={"seen": shown},
    )
    if request.method == "POST" and form.is_valid():
        try:
            service.approve(
                actor=context["actor"],
                change=context["change"],
                confirm_gaps=form.cleaned_data.get("confirm_gaps", False),
                override=form.cleaned_data.get("override", ""),
                save_others_edits=form.cleaned_data.get("save_others_edits", False),
                reason=form.cleaned_data["reason"],
                seen=form.cleaned_data["seen"],
                break_glass=form.cleaned_data.get("break_glass", ""),
            )
        except InvalidInput as error:
            put_errors(form, error)
        else:
            change = context["change"]
            change.refresh_from_db()
            if change.approved_at is not None:
                said = f"{change.reference} is approved: exactly these lines may be pushed."
            else:
                said = f"Your approval of {change.reference} is stored. {'; '.join(missing_of(change)).capitalize()}."
            messages.success(request, said)
            return redirect("web:change", pk=pk)
    context |= {
        "form": form,
        "rehearsal": rehearsal_of(context["change"], shown),
        "views": views_of(context["shown"]),
        "after_you": missing_of(context["change"], besides=context["actor"]),
        "crumbs": _crumbs(context, "Approve"),
    }
    return render(request, "web/change_approve.html", context)


@page(Verb.CANCEL, ("GET", "POST"))
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and cancel what has not been sent."""
    context = frame(request, pk, "change")
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            service.cancel(
                actor=context["actor"], change=context["change"], reason=form.cleaned_data["reason"]
            )
        except InvalidInput as error:
            put_errors(form, error)
        else:
            messages.success(
                request,
                f"{context['change'].reference}: what had not begun is cancelled; it will not be sent.",
            )
            return redirect("web:change", pk=pk)
    deed = "Abort" if context["change"].released_at else "Cancel"
    context |= {
        "form": form,
        "button": f"{deed} the change",
        "crumbs": _crumbs(context, deed),
        "verified": sum(push.state == PushState.VERIFIED for push in context["pushes"]),
    }
    return render(request, "web/change_cancel.html", context)


@page(Verb.RELEASE, ("GET", "POST"))
def push(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and release an approved change: workers pick it up, edges first."""
    context = frame(request, pk, "change")
    if request.method == "POST":
        service.release(actor=context["actor"], change=context["change"])
        messages.success(
            request,
            f"{context['change'].reference} is released. Workers re-read every router before the first line.",
        )
        return redirect("web:change-progress", pk=pk)
    context["crumbs"] = _crumbs(context, "Push")
    return render(request, "web/change_push.html", context)


def _crumbs(context: dict[str, Any], last: str) -> list[tuple[str, str | None]]:
    change: Change = context["change"]
    return [
        ("Changes", reverse("web:changes")),
        (change.reference, reverse("web:change", args=[change.pk])),
        (last, None),
    ]
