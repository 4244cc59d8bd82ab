"""Forms about the network as it changes: links, capacities, planned work, paths as routers see them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms

from inventory.models import CoreLink
from provisioning.pipeline.topology import LARGEST_TEXT, LinkCapacity, Planned, PoolShare
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.services import clock
from provisioning.web.forms.linking import LinkInput
from provisioning.web.forms.moments import MomentInput
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.reading.links import core_links_named

_MOMENT = {"invalid": "Write a day and a time, such as 2026-12-24 02:00."}


_HINT = "part of a name, such as de6"


def _core_links() -> LinkInput:
    return LinkInput("web:links-offered", "?kind=core", _HINT)


def _check_known(names: list[str]) -> None:
    """Say which core links hold what was typed, where it is a part of a name; a name that nothing holds is the service's."""
    for name in names:
        found = core_links_named(name, most=FEW)
        if found and name not in found and not CoreLink.objects.filter(name=name).exists():
            raise forms.ValidationError(f"No core link is called {name}. These hold it: {', '.join(found)}.")


FEW = 5
"""Links that are named where a part of a name was typed."""


class LinkForm(ReasonForm):
    """A core link that goes out of use, or comes back."""

    link = forms.CharField(
        label="Core link",
        max_length=200,
        widget=_core_links(),
        help_text="Its name, such as de6:POS2/0--gr6:POS2/0.",
        error_messages={"required": "Name the core link."},
    )
    deed = forms.ChoiceField(
        label="What becomes of it",
        choices=[
            ("down", "It is down: no path goes over it"),
            ("up", "It is in use again"),
            ("removed", "It is there no more"),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one."},
    )
    field_order = ("link", "deed", "reason")

    def clean_link(self) -> str:
        """Return the name; raises ValidationError for a part of one."""
        name: str = self.cleaned_data["link"].strip()
        _check_known([name])
        return name


class WindowForm(forms.Form):
    """A stretch of time; from now, and until further notice, where nothing is said."""

    start = forms.DateTimeField(
        label="From (UTC)",
        widget=MomentInput(),
        required=False,
        error_messages=_MOMENT,
        help_text="Empty: now.",
    )
    until = forms.DateTimeField(
        label="Until (UTC)",
        widget=MomentInput(),
        required=False,
        error_messages=_MOMENT,
        help_text="Empty: until further notice.",
    )

    def window(self) -> TimeWindow:
        """Return it; raises InvalidInput when it ends before it begins."""
        start: datetime = self.cleaned_data["start"] or clock.now()
        return TimeWindow(start, self.cleaned_data["until"])


class WorkForm(WindowForm):
    """Planned work on core links."""

    link = forms.CharField(
        label="Core links",
        max_length=2000,
        widget=_core_links(),
        help_text="One name, or several separated by blanks.",
        error_messages={"required": "Name a core link."},
    )
    field_order = ("link", "start", "until")

    def clean_link(self) -> str:
        """Return the names as they were typed; raises ValidationError for a part of one."""
        _check_known(self.cleaned_data["link"].split())
        return str(self.cleaned_data["link"])

    def links(self) -> list[str]:
        """Return the names, each once."""
        return sorted(set(self.cleaned_data["link"].split()))


class CapacityForm(WindowForm, ReasonForm):
    """What a link carries, or a pool takes, for a time."""

    link = forms.CharField(
        label="Link",
        max_length=200,
        required=False,
        widget=LinkInput("web:links-offered", "", _HINT),
        help_text="Of one link: its name, and what it carries then.",
    )
    usable = forms.CharField(
        label="It carries",
        max_length=60,
        required=False,
        help_text="Such as 100M or 2 Mbit/s; 0 for nothing.",
    )
    pool = forms.CharField(
        label="Or a pool",
        max_length=40,
        required=False,
        help_text="Of a pool, in place of a link: ip-premium.",
    )
    kind = forms.ChoiceField(
        label="Takes of",
        choices=[("", "-"), ("access", "access links"), ("core", "core links"), ("border", "border links")],
        required=False,
    )
    percent = forms.DecimalField(
        label="Per cent of their base",
        required=False,
        min_value=0,
        max_value=100,
        max_digits=6,
        decimal_places=3,
    )
    field_order = ("link", "usable", "pool", "kind", "percent", "start", "until", "reason")

    def clean(self) -> dict[str, Any]:
        """Either a link with what it carries, or a pool with its kind of links and a percentage."""
        cleaned = super().clean() or {}
        of_link, of_pool = bool(cleaned.get("link")), bool(cleaned.get("pool"))
        if of_link == of_pool:
            self.add_error("link", "Name a link or a pool, one of the two.")
        elif of_link and not cleaned.get("usable"):
            self.add_error("usable", "Say what the link carries then.")
        elif of_pool and (not cleaned.get("kind") or cleaned.get("percent") is None):
            self.add_error("kind", "Say of which links, and how many per cent.")
        return cleaned

    def planned(self) -> Planned:
        """Return it as a value; raises InvalidInput naming the field."""
        given = self.cleaned_data
        if given["link"]:
            usable = given["usable"].strip()
            bps = 0 if usable == "0" else BitRate.parse(usable, field="usable").bps
            return LinkCapacity(given["link"].strip(), bps, self.window())
        return PoolShare(given["pool"].strip(), given["kind"], given["percent"], self.window())


class MovedForm(ReasonForm):
    """That moves are over: those that were moving when the page was shown."""

    shown_at = forms.DateTimeField(widget=forms.HiddenInput())


class DatabaseForm(forms.Form):
    """What a router printed: pasted, or a file where it is long."""

    text = forms.CharField(
        label="What the router printed",
        max_length=LARGEST_TEXT,
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 12, "class": "mono"}),
        help_text="`show isis database detail` of any one router; `show ipv6 route`, `show ip route`, `show ipv6 cef`, "
        "`show ip cef` of a router; or a traceroute.",
    )
    file = forms.FileField(
        label="Or a file with it",
        required=False,
        allow_empty_file=True,
        help_text="A pasted text ends at 250 kB.",
    )
    router = forms.CharField(
        label="Of which router", max_length=63, required=False, help_text="Of a table without a prompt in it."
    )
    taken_at = forms.DateTimeField(
        label="Printed at (UTC)",
        widget=MomentInput(),
        required=False,
        error_messages=_MOMENT,
        help_text="A move ends only by what was printed after it began.",
    )
    end_moves = forms.BooleanField(
        label="End the moves of those that take their new path alone", required=False
    )

    def clean(self) -> dict[str, Any]:
        """One of text and file; a file's bytes become text here."""
        cleaned = super().clean() or {}
        sent = cleaned.get("file")
        if sent is not None and cleaned.get("text"):
            self.add_error("file", "Paste it or send a file, one of the two.")
        elif sent is not None and sent.size > LARGEST_TEXT:
            self.add_error("file", f"It is longer than {LARGEST_TEXT} bytes.")
        elif sent is not None:
            cleaned["text"] = sent.read().decode("utf-8", "replace")
        elif not cleaned.get("text", "").strip():
            self.add_error("text", "Paste what the router printed, or send a file.")
        return cleaned
