"""Questions and answers about a request, between the NOC and the NREN that asks."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from provisioning.errors import Conflict, InvalidInput, NotVisible
from provisioning.models import Verb
from provisioning.selectors.remarks import may_read, open_question, said_about
from provisioning.services import remarks
from provisioning.web.access import page
from provisioning.web.decision import may_with
from provisioning.web.forms.questions import RemarkForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.spelling import sentence
from provisioning.web.views.requests import frame


@page(Verb.SEE_USAGE, ("GET", "POST"), post=Verb.SAY)
def of_request(request: HttpRequest, pk: int) -> HttpResponse:
    """Everything that was said about a request, and a box for the next word; who receives sees none of it."""
    context = frame(request, pk, "request-questions")
    actor, asked = context["actor"], context["asked"]
    if not may_read(actor, asked):
        raise NotVisible("There is nothing here, or nothing that you may see.")
    form = RemarkForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = remarks.say(actor=actor, request=asked, **form.cleaned_data)
        except InvalidInput as error:
            put_errors(form, error)
        except Conflict as error:
            form.add_error(None, sentence(error.reason))
        else:
            other = asked.nren.name if made.of_noc else "The NOC"
            messages.success(request, f"Sent. {other} is told{' and asked to answer' if made.asks else ''}.")
            return redirect("web:request-questions", pk=pk)
    context |= {
        "form": form,
        "said": said_about(asked),
        "open": open_question(actor, asked),
        "may_say": may_with(actor, Verb.SAY, asked),
    }
    return render(request, "web/request_questions.html", context)
