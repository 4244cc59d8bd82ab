"""An access link is quarantined: whatever it sends is marked DSCP 0; and let back. What would come of it is shown first."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from inventory.models import AccessCase, AccessLink
from provisioning.errors import Conflict, InvalidInput, NotVisible
from provisioning.models import Verb
from provisioning.selectors.quarantine import case_before
from provisioning.services import clock, inventory
from provisioning.services.inventory import Rewritten, RowChanged, spelled
from provisioning.web.access import actor_of, page
from provisioning.web.forms.seen import SeenForm, sealed
from provisioning.web.forms.translating import put_errors
from provisioning.web.reading.effects import effect_of_rewriting, tell_done
from provisioning.web.reading.inventory import router_way, sending_from
from provisioning.web.spelling import sentence


@page(Verb.NETWORK, ("GET", "POST"))
def quarantine(request: HttpRequest, pk: int) -> HttpResponse:
    """Make an access link NON-PARTICIPANT, or end that; the page shows what would come of it before anything is pressed."""
    row = AccessLink.objects.filter(pk=pk).first()
    if row is None:
        raise NotVisible("There is no such access link.")
    ends = row.case == AccessCase.NON_PARTICIPANT
    case = case_before(row) if ends else AccessCase.NON_PARTICIPANT.value
    back = reverse("web:link-access", args=[pk])
    form = SeenForm(request.POST or None, initial={"seen": sealed(spelled(inventory.values_of(row)))})
    done = f"{row.name} is {'as it was' if ends else 'quarantined'}."
    found, effect, shown, refused, changed, status = None, None, "", "", "", 200

    def act(*, dry_run: bool) -> Rewritten:
        said = form.cleaned_data if form.is_bound and form.is_valid() else {}
        return inventory.edit(
            actor=actor_of(request),
            row=row,
            values={"case": case},
            reason=said.get("reason", "What would come of it"),
            seen=said.get("seen"),
            dry_run=dry_run,
        )

    if not case:
        refused = "It never took part: say who marks on its page of edits."
    else:
        try:
            found = act(dry_run=True)
            effect = effect_of_rewriting(found, done)
            shown = effect.digest([case, found.routers], clock.now())
            if request.method == "POST" and form.is_valid():
                if shown == request.POST.get("shown"):
                    effect = effect_of_rewriting(act(dry_run=False), done)
                    tell_done(request, effect)
                    return redirect(back)
                form.add_error(None, "What would come of it is not what this page showed: read it again.")
        except RowChanged as error:
            form.read_again(error.details["standing"])
            found, effect, changed, status = None, None, error.reason, 409
        except (InvalidInput, Conflict) as error:
            found, effect, status = None, None, 409 if request.method == "POST" else 200
            refused = sentence(error.reason)
            if isinstance(error, InvalidInput) and form.is_bound:
                put_errors(form, error)
    title = f"{'End the quarantine of' if ends else 'Quarantine'} {row.name}"
    context = {
        "row": row,
        "ends": ends,
        "case": case,
        "form": form,
        "found": found,
        "effect": effect,
        "shown": shown,
        "refused": refused,
        "changed": changed,
        "sending": sending_from(row) if refused and not ends else [],
        "planned": [] if found is None else [router_way(name) for name in found.routers],
        "planned_more": 0,
        "title": title,
        "back": back,
        "crumbs": [("Links", reverse("web:links")), (row.name, back), ("Quarantine", None)],
    }
    return render(request, "web/link_quarantine.html", context, status=status)
