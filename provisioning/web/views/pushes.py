"""The push as it happens: every router's state, line by line, in plain words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.errors import Conflict, InvalidInput, NotVisible
from provisioning.models import PremiumRequest, RouterPush
from provisioning.pipeline import authority
from provisioning.pipeline.ends import DEEDS, End, Verb
from provisioning.pipeline.states import PushState
from provisioning.pipeline.units import instant_text
from provisioning.selectors.changes import BARE, answered, is_idle
from provisioning.selectors.ends import end_of_push, verbs_of
from provisioning.selectors.plans import content_of
from provisioning.selectors.steering import waves_in_words
from provisioning.selectors.swaps import bare_interfaces
from provisioning.selectors.waiting import waits_of
from provisioning.services import jobs, next_steps
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.counted import rows_of
from provisioning.web.faring import faring_of
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.plans import view_of
from provisioning.web.views.changes import STOPPED, frame
from provisioning.web.words import PHASES, holds_now

MOVING = {PushState.APPROVED, PushState.PUSHING, PushState.PUSHED}
# Nothing was said yet, or what was said is of no interest here any more.
QUIET = {PushState.PLANNED, PushState.VERIFIED}

PER_PAGE = 50


@dataclass(frozen=True)
class Step:
    """One router of the push in words."""

    push: RouterPush
    phase: str
    answered: int
    share: int
    kind: str
    line: str
    end: End | None
    steps: tuple[tuple[str, str], ...]
    """The steps that its end offers, each with the words of its button; looking again is one of its own."""
    problem: bool
    can_try: bool
    tail: tuple[tuple[str, str], ...]
    holds: str
    unsaved: str
    wave: str


def _steps(pushes: Sequence[RouterPush], waves: Mapping[int, str] | None = None) -> list[Step]:
    """The pushes in words; `waves` says in which wave each of them goes."""
    bare = _bare([push for push in pushes if push.error_code == BARE])
    return [_step(push, bare.get(push.router_id, ""), (waves or {}).get(push.pk, "")) for push in pushes]


def _bare(pushes: Sequence[RouterPush]) -> dict[int, str]:
    """What takes no policy on the routers of these pushes, by router: where and since when. At most one query."""
    found: dict[int, str] = {}
    routers = [push.router_id for push in pushes]
    for row in bare_interfaces().filter(router__in=routers) if routers else ():
        known = "no policy" if row.seen else "perhaps no policy"
        said = f"{row.where}: {known} since {instant_text(row.since)}."
        found[row.router_id] = f"{found.get(row.router_id, '')} {said}".strip()
    return found


def _step(push: RouterPush, bare: str, wave: str) -> Step:
    state = PushState(push.state)
    kinds = {
        PushState.VERIFIED: "good",
        PushState.FAILED: "bad",
        PushState.UNKNOWN: "bad" if push.error_code == BARE else "warn",
        PushState.ROLLED_BACK: "warn",
    }
    if push.undo_from is not None and state in {PushState.PUSHING, PushState.PUSHED}:
        line = f"taking back the first {push.undo_from} lines"
    else:
        sending = state == PushState.PUSHING and push.line < push.lines
        line = content_of(push)["commands"][push.line]["text"] if sending else ""
    transcripts = [] if state in QUIET else list(push.transcripts.all())
    said = transcripts[-1].lines[-12:] if transcripts else []
    return Step(
        push=push,
        phase=PHASES.get(push.phase, (push.phase, ""))[0],
        answered=answered(push),
        share=round(1000 * answered(push) / push.lines)
        if push.lines
        else (1000 if state == PushState.VERIFIED else 0),
        kind=kinds.get(state, ""),
        line=line,
        end=(end := end_of_push(push)),
        steps=tuple((verb.value, DEEDS[verb].title) for verb in end.verbs if verb is not Verb.LOOK)
        if end
        else (),
        problem=state in STOPPED,
        can_try=jobs.waits_to_be_read(push) and state is PushState.UNKNOWN,
        tail=tuple((str(entry[1]), str(entry[2])) for entry in said),
        holds=bare or _holds(push, state),
        unsaved=str((push.verification or {}).get("save", "")) if push.saved is False else "",
        wave=wave if state is PushState.APPROVED else "",
    )


def _holds(push: RouterPush, state: PushState) -> str:
    if state is PushState.CANCELLED and push.started_at is not None:
        return "Lines of it were sent; later it was read again and seen as intended through another change."
    return holds_now(state, saved=push.saved, read=push.has_plan)


def _urgency(push: RouterPush) -> int:
    """Where routers are many: first what stopped, then what is being sent, what waits, and what is done."""
    order = (STOPPED, {PushState.PUSHING, PushState.PUSHED}, {PushState.PLANNED, PushState.APPROVED})
    return next((place for place, states in enumerate(order) if push.state in states), len(order))


def _progress(request: HttpRequest, pk: int) -> dict[str, Any]:
    context = frame(request, pk, "change-progress")
    pushes: list[RouterPush] = context["pushes"]
    change = context["change"]
    acting = [push for push in pushes if not is_idle(push)]
    if len(acting) > PER_PAGE:
        acting.sort(key=_urgency)
    shown = Paginator(acting, PER_PAGE).get_page(request.GET.get("page"))
    prefetch_related_objects([push for push in shown if push.state not in QUIET], "transcripts")
    states = [push.state for push in pushes]
    released = change.released_at is not None
    # A change that is due goes out without a second button: the page must follow it before it is released, too.
    due = bool(
        not released
        and change.approved_at
        and change.finished_at is None
        and context["push_enabled"]
        and context["questions"].due_now
        and PushState.APPROVED in states
    )
    context |= {
        "steps": _steps(list(shown), waves_in_words(change, pushes) if released else None),
        "shown": shown,
        "count": len(acting),
        "by_state": Counter(push.state for push in acting).most_common(),
        "done": sum(push.state == PushState.VERIFIED for push in acting),
        "answered": sum(answered(push) for push in pushes),
        "total": sum(push.lines for push in pushes),
        "moving": due
        or (released and change.finished_at is None and any(state in MOVING for state in states)),
        "due": due,
        "released": released,
        "cancelled": next(
            (push.error for push in acting if push.state == PushState.CANCELLED and push.error), ""
        ),
        "not_saved": [push for push in pushes if push.saved is False],
        "asked": list(change.requests.select_related("nren", "receiving_nren")),
    }
    return context


@page(authority.Verb.SEE_BACKBONE)
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The push page; its middle is fetched again while something moves."""
    context = _progress(request, pk)
    if context["planning"]:
        return redirect("web:change", pk=pk)
    return render(request, "web/change_progress.html", context)


@page(authority.Verb.SEE_BACKBONE)
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The middle of the push page and its head (state, buttons), for htmx."""
    return render(request, "web/parts/progress_live.html", _progress(request, pk))


@page(authority.Verb.SEE_BACKBONE)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """One router of a change: outcome, verification, counters and the whole of each SSH session."""
    push = (
        RouterPush.objects.select_related("router", "change", "before", "after")
        .defer("before__text", "after__text")
        .prefetch_related("transcripts")
        .filter(pk=pk)
        .first()
    )
    if push is None:
        raise NotVisible("There is no such push.")
    (step,) = _steps([push])
    crumbs = [
        ("Changes", reverse("web:changes")),
        (push.change.reference, reverse("web:change-progress", args=[push.change_id])),
        (f"{push.router.name}, {step.phase.lower()}", None),
    ]
    events = reading.events_about(actor_of(request), (RouterPush, pk))
    context = {
        "push": push,
        "step": step,
        "view": view_of(push),
        "bare": list(bare_interfaces().filter(push=push)),
        "faring": faring_of(push.health),
        "counted": rows_of(push.counters),
        "counters": json.dumps(push.counters, indent=1) if push.counters else "",
        "actor": actor_of(request),
        "crumbs": crumbs,
        "events": events,
        "stands": _standing(push),
    }
    return render(request, "web/push.html", context)


def _standing(push: RouterPush) -> list[tuple[PremiumRequest, str, str]]:
    """The requests of this router that the push was for, each with what is charged for it now and why it waits."""
    entering = push.change.requests.filter(source_link__interface__router=push.router)
    found = list(entering.select_related("nren", "reservation", "receiving_nren").order_by("pk")[:PER_PAGE])
    waits = waits_of(found)
    return [(each, _charged(each), waits[each.pk].text if each.pk in waits else "") for each in found]


def _charged(request: PremiumRequest) -> str:
    held = getattr(request, "reservation", None)
    if held is None:
        return "nothing is charged for it"
    if held.released_at is not None:
        return f"its capacity is free since {instant_text(held.released_at)}"
    return "its capacity is charged"


@page(authority.Verb.MEND, ("GET", "POST"))
def next_step(request: HttpRequest, pk: int) -> HttpResponse:
    """A step that the end of a push offers, with a reason: the next one unless `do` names another."""
    push = RouterPush.objects.select_related("router", "change").filter(pk=pk).first()
    if push is None:
        raise NotVisible("There is no such push.")
    end = end_of_push(push)
    verbs = verbs_of(push)
    asked = request.GET.get("do", "")
    verb = next((each for each in verbs if each == asked), verbs[0] if verbs and not asked else None)
    if verb is Verb.SAVE:
        return redirect("web:router-save", name=push.router.name)
    form = ReasonForm(request.POST or None)
    if verb is not None and request.method == "POST" and form.is_valid():
        try:
            done = next_steps.take(
                actor=actor_of(request), push=push, verb=verb, reason=form.cleaned_data["reason"]
            )
        except InvalidInput as error:
            put_errors(form, error)
        except Conflict as error:
            form.add_error(None, f"{error.reason}.")
        else:
            messages.success(request, done.said)
            if done.change is not None:
                return redirect("web:change", pk=done.change.pk)
            return redirect("web:change-progress", pk=push.change_id)
    crumbs = [
        ("Changes", reverse("web:changes")),
        (push.change.reference, reverse("web:change-progress", args=[push.change_id])),
        (push.router.name, reverse("web:push", args=[pk])),
        ("Next step", None),
    ]
    context = {
        "push": push,
        "end": end,
        "holds": _steps([push])[0].holds,
        "deed": None if verb is None else DEEDS[verb],
        "others": [(each, DEEDS[each].title) for each in verbs if each != verb],
        "form": form,
        "crumbs": crumbs,
    }
    return render(request, "web/push_next_step.html", context)


@page(authority.Verb.MEND, ("POST",))
def try_now(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the router of a broken push read now, not when its pause is over."""
    push = RouterPush.objects.select_related("router", "change").filter(pk=pk).first()
    if push is None:
        raise NotVisible("There is no such push.")
    try:
        jobs.try_now(actor=actor_of(request), push=push)
    except Conflict as error:
        messages.warning(request, f"{error.reason}.")
    else:
        messages.success(request, f"{push.router.name} is read as soon as a worker is free.")
    return redirect("web:change-progress", pk=push.change_id)
