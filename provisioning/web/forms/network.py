"""Forms about the network as it changes: links, capacities, planned work, paths as routers see them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms

from provisioning.pipeline.topology import LARGEST_TEXT, LinkCapacity, Planned, PoolShare
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.services import clock
from provisioning.web.forms.moments import MomentInput
from provisioning.web.forms.reasons import ReasonForm

_MOMENT = {"invalid": "Write a day and a time, such as 2026-12-24 02:00."}


class LinkForm(ReasonForm):
    """A core link that goes out of use, or comes back."""

    link = forms.CharField(
        label="Core link",
        max_length=200,
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
        help_text="One name, or several separated by blanks.",
        error_messages={"required": "Name a core link."},
    )
    field_order = ("link", "start", "until")

    def links(self) -> list[str]:
        """Return the names, each once."""
        return sorted(set(self.cleaned_data["link"].split()))


class CapacityForm(WindowForm, ReasonForm):
    """What a link carries, or a pool takes, for a time."""

    link = forms.CharField(
        label="Link",
        max_length=200,
        required=False,
        help_text="Of one link: its name, and what it carries then.",
    )
    usable = forms.CharField(
        label="It carries",
        max_length=60,
        required=False,
        help_text="Such as 100M or 2 Mbit/s; 0 for nothing.",
    )
    pool = forms.CharField(
        label="Or pool", max_length=40, required=False, help_text="Of a pool, in place of a link: ip-premium."
    )
    kind = forms.ChoiceField(
        label="takes of",
        choices=[("", "-"), ("access", "access links"), ("core", "core links"), ("border", "border links")],
        required=False,
    )
    percent = forms.DecimalField(
        label="per cent", required=False, min_value=0, max_value=100, max_digits=6, decimal_places=3
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


class DatabaseForm(forms.Form):
    """What a router printed."""

    text = forms.CharField(
        label="IS-IS database",
        max_length=LARGEST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "class": "mono"}),
        help_text="What `show isis database detail` prints on any one router.",
        error_messages={"required": "Paste what the router printed."},
    )
    end_moves = forms.BooleanField(
        label="End the moves of those that take their new path alone", required=False
    )
