"""The form in which an NREN asks; shape only, the service decides what is allowed (the same as for the API)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet

from inventory.models import AccessCase, AccessLink
from provisioning.errors import InvalidInput
from provisioning.models import Actor, Verb
from provisioning.pipeline.units import BitRate
from provisioning.selectors.schemes import scheme_of
from provisioning.services.requests import SubmitRequest
from provisioning.web.forms.linking import link_field
from provisioning.web.forms.moments import BAD_MOMENT, MomentInput
from provisioning.web.forms.reasons import LONGEST_REASON
from provisioning.web.forms.recurring import RecurringFields

_BAD_MOMENT = {"invalid": BAD_MOMENT}
_ENDS = {
    "both": "between two access links",
    "source": "from one access link to anywhere; choose no link to leave on",
    "outside": "out of the domain; choose no link to leave on",
}
_HARMLESS = {
    "source_link": "",
    "destination_link": None,
    "direction": "one-way",
    "rate": "1 bit/s",
    "bucket_bytes": 6000,
    "max_packet_bytes": 1500,
    "min_packet_bytes": None,
    "start": None,
    "end": None,
    "source_prefixes": "",
    "destination_prefixes": "",
    "flow_label": None,
    "contact": "",
    "reason": "",
}
"""In the place of a field that could not be read; what the service says of that field itself is not shown."""
_BAD_RATE = "Say how many bit/s, for instance 2M."


def _number(example: str) -> dict[str, str]:
    wanted = f"Write a whole number, for instance {example}."
    return {"required": wanted, "invalid": wanted}


class AskForm(RecurringFields):
    """One request, or two when both ways are asked for."""

    service_class = forms.ChoiceField(
        label="Class",
        error_messages={
            "required": "Choose a class.",
            "invalid_choice": "Choose one of the classes offered.",
        },
    )
    source_link = forms.ChoiceField(
        label="From",
        help_text="The access link on which the traffic enters the backbone; it must be one that participates.",
        error_messages={
            "required": "Choose the link on which the traffic enters.",
            "invalid_choice": "Choose a link of your own that participates.",
        },
    )
    destination_link = forms.ChoiceField(
        label="To",
        help_text="The access link on which it leaves.",
        error_messages={
            "required": "Choose the link on which the traffic leaves.",
            "invalid_choice": "Choose one of the links offered.",
        },
    )
    direction = forms.ChoiceField(
        label="Direction",
        choices=[("one-way", "One way"), ("both", "Both ways: two linked requests, decided together")],
        widget=forms.RadioSelect,
        initial="one-way",
        error_messages={"required": "Choose one way or both ways."},
    )
    rate = forms.CharField(
        max_length=60,
        help_text="At layer 3, such as 2 Mbit/s, 64 kbit/s or 2000000. What is above it is dropped at the edge.",
        error_messages={"required": _BAD_RATE, "max_length": _BAD_RATE},
    )
    bucket_bytes = forms.IntegerField(
        label="Bucket depth in bytes",
        help_text="How much may arrive at once: at least one largest packet in its frame; a few of them for voice and video.",
        error_messages=_number("6000"),
    )
    max_packet_bytes = forms.IntegerField(
        label="Largest packet in bytes", initial=1500, error_messages=_number("1500")
    )
    min_packet_bytes = forms.IntegerField(
        label="Smallest packet in bytes",
        required=False,
        help_text="At layer 3; 60 where acknowledgements of TCP over IPv6 are among them. Empty means that all are as large as "
        "the largest: the rate is then kept for that size alone.",
        error_messages=_number("200"),
    )
    start = forms.DateTimeField(
        label="Begins (UTC)",
        required=False,
        widget=MomentInput(),
        help_text="Empty means now.",
        error_messages=_BAD_MOMENT,
    )
    end = forms.DateTimeField(
        label="Ends (UTC)",
        required=False,
        widget=MomentInput(),
        help_text="Empty means until further notice.",
        error_messages=_BAD_MOMENT,
    )
    source_prefixes = forms.CharField(
        label="Source prefixes",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "field mono"}),
        help_text="Your own, one per line, as narrow as you can.",
        error_messages={"required": "Name the addresses that send, for instance 2001:db8:1::/64."},
    )
    destination_prefixes = forms.CharField(
        label="Destination prefixes",
        max_length=4000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "field mono"}),
        help_text="The receiver's, one per line. Empty means any, which is only sensible where you mark yourself.",
    )
    flow_label = forms.IntegerField(
        label="IPv6 flow label", required=False, help_text="1 to 1048575.", error_messages=_number("4711")
    )
    contact = forms.CharField(
        max_length=254,
        help_text="Whom the NOC and the receiving NREN can reach: name, e-mail or telephone.",
        error_messages={"required": "Say whom the NOC can reach, for instance an e-mail address."},
    )
    reason = forms.CharField(
        label="What is it for?",
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The receiving NREN and the NOC read it.",
    )

    def __init__(self, *args: Any, actor: Actor, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._choose_class(AccessLink.objects.select_related("nren__domain").first())
        ends = {
            "source_link": (sources(actor), said_of_sender, ""),
            "destination_link": (destinations(), said_of_receiver, "Choose a link"),
        }
        for name, (links, say, empty) in ends.items():
            self.fields[name] = link_field(self.fields[name], links, say, empty=empty)
        unable = AccessLink.objects.filter(nren_id__in=actor.nren_ids, case=AccessCase.NON_PARTICIPANT)
        self.cannot_send = (
            []
            if actor.may_with(Verb.ASK, None)
            else list(unable.order_by("name").values_list("name", flat=True))
        )

    def _choose_class(self, link: AccessLink | None) -> None:
        """Offer the classes of the domain's scheme that can be asked for; a single one is no question."""
        scheme = None if link is None else scheme_of(link.nren.domain)
        offered = [] if scheme is None else [each for each in scheme.classes if each.pool is not None]
        self._only_class = offered[0].name if len(offered) == 1 else "ip-premium"
        if len(offered) < 2:
            del self.fields["service_class"]
        else:
            said = [(each.name, f"{each.title}: {_ENDS[each.ends]}") for each in offered]
            self.fields["service_class"].choices = said  # type: ignore[attr-defined]
        if any(each.ends != "both" for each in offered):
            self.fields["destination_link"].required = False
            self.fields[
                "destination_link"
            ].help_text = (
                "The access link on which it leaves; leave it open for a class without a known far end."
            )

    def clean_rate(self) -> str:
        """The rate as written; only its spelling is looked at here."""
        written: str = self.cleaned_data["rate"]
        try:
            BitRate.parse(written)
        except InvalidInput as error:
            raise forms.ValidationError(_BAD_RATE) from error
        return written

    def so_far(self) -> SubmitRequest:
        """Return what the service takes of a form of which a part is wrong: there stands what nothing else is wrong with."""
        wrong = self.errors  # reads the form, where nobody has yet
        written = {name: value for name, value in self.cleaned_data.items() if name not in wrong}
        return self._request(_HARMLESS | written)

    def to_request(self) -> SubmitRequest:
        """Return what the service takes; call it on a valid form only."""
        return self._request(self.cleaned_data)

    def _request(self, data: Mapping[str, Any]) -> SubmitRequest:
        return SubmitRequest(
            source_link=data["source_link"],
            destination_link=data["destination_link"] or None,
            service_class=data.get("service_class", self._only_class),
            direction=data["direction"],
            rate=data["rate"],
            bucket_bytes=data["bucket_bytes"],
            max_packet_bytes=data["max_packet_bytes"],
            min_packet_bytes=data["min_packet_bytes"],
            start=data["start"],
            end=data["end"],
            source_prefixes=_lines(data["source_prefixes"]),
            destination_prefixes=_lines(data["destination_prefixes"]),
            flow_label=data["flow_label"],
            contact=data["contact"],
            reason=data["reason"],
        )


def sources(actor: Actor) -> QuerySet[AccessLink]:
    """Return the links from which this person may ask to send: their own NRENs' (the NOC: all) that participate."""
    able = AccessLink.objects.exclude(case=AccessCase.NON_PARTICIPANT)
    return able if actor.may_with(Verb.ASK, None) else able.filter(nren_id__in=actor.nren_ids)


def destinations() -> QuerySet[AccessLink]:
    """Return the links on which traffic may leave: all of them."""
    return AccessLink.objects.all()


def said_of_sender(link: AccessLink) -> str:
    """Return a link as one says it where the traffic enters."""
    return f"{link.nren.name}: {link.name} ({link.case}{'' if link.standing else ' while reserved'})"


def said_of_receiver(link: AccessLink) -> str:
    """Return a link as one says it where the traffic leaves."""
    # The same rule as the service's: whoever sends must participate, whoever only receives need not.
    if link.case == AccessCase.NON_PARTICIPANT:
        return f"{link.nren.name}: {link.name} (non-participant: one way only, it cannot send back)"
    return said_of_sender(link)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.replace(",", " ").split() if part)
