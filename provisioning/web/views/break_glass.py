"""What somebody of the NOC did alone by break-glass, acknowledged by somebody else."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.errors import InvalidInput
from provisioning.models import BreakGlass, Verb
from provisioning.selectors.broken_glass import may_acknowledge, visible
from provisioning.services import break_glass
from provisioning.web.access import actor_of, page
from provisioning.web.forms.reasons import OptionalReasonForm
from provisioning.web.forms.translating import put_errors


@page(Verb.ACKNOWLEDGE, ("GET", "POST"))
def acknowledge(request: HttpRequest, pk: int) -> HttpResponse:
    """Say that one has seen it: it stands no longer."""
    actor = actor_of(request)
    row = visible(actor, pk)
    form = OptionalReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            break_glass.acknowledge(actor=actor, row=row, reason=form.cleaned_data["reason"])
        except InvalidInput as error:
            put_errors(form, error)
        else:
            messages.success(request, f"{row.reference} is acknowledged.")
            return redirect(where(row))
    context = {
        "row": row,
        "form": form,
        "back": where(row),
        "may": may_acknowledge(actor, row),
        "crumbs": [("Queue", reverse("web:queue")), (row.reference, None)],
    }
    return render(request, "web/break_glass.html", context)


def where(row: BreakGlass) -> str:
    """Return the address of what it is about."""
    if row.request_id is not None:
        return reverse("web:request", args=[row.request_id])
    if row.series_id is not None:
        return reverse("web:series", args=[row.series_id])
    return reverse("web:change", args=[row.change_id])
