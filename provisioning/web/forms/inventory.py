"""Forms in which the NOC edits a row of the network, or takes it out of use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django import forms

from inventory.models import AccessCase, Router
from provisioning.errors import InvalidInput
from provisioning.pipeline.units import BitRate, rate_text
from provisioning.services.inventory import Kind, Leaves, spelled
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.seen import SeenForm, sealed


class RateField(forms.CharField):
    """A rate in words, in bit/s as a value."""

    def __init__(self, **more: Any) -> None:
        super().__init__(max_length=60, **more)

    def prepare_value(self, value: Any) -> Any:
        return rate_text(value) if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        """Return the rate in bit/s; raises ValidationError for what is none."""
        text = super().clean(value)
        try:
            return BitRate.parse(text).bps
        except InvalidInput as error:
            raise forms.ValidationError("Say how many bit/s, such as 155.52 Mbit/s.") from error


class LinesField(forms.CharField):
    """One entry a line, in whatever order."""

    widget = forms.Textarea(attrs={"rows": 4, "class": "mono"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        """Return the entries."""
        return super().clean(value).replace(",", " ").split()


class MapField(forms.CharField):
    """Our DSCP and theirs, a pair a line."""

    widget = forms.Textarea(attrs={"rows": 3, "class": "mono"})

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return "\n".join(
                f"{ours} {theirs}" for ours, theirs in sorted(value.items(), key=lambda pair: int(pair[0]))
            )
        return value

    def clean(self, value: Any) -> Any:
        """Return the map as the row keeps it; raises ValidationError for a line that is no pair of numbers."""
        found: dict[str, int] = {}
        for line in super().clean(value).splitlines():
            pair = line.split()
            if not pair:
                continue
            if len(pair) != 2 or not all(one.isascii() and one.isdecimal() and len(one) < 3 for one in pair):
                raise forms.ValidationError("A line has our DSCP and theirs, such as 46 47.")
            found[pair[0]] = int(pair[1])
        return found


def _text(label: str, longest: int, help_text: str = "", *, required: bool = False) -> forms.CharField:
    return forms.CharField(label=label, max_length=longest, required=required, help_text=help_text)


def _network() -> forms.CharField:
    return _text("Addresses of the link", 60, "A network such as 2001:db8:1::/64; empty: not known.")


_MADE: Final[Mapping[str, Callable[[], forms.Field]]] = {
    "name": lambda: _text("Name", 64, "It stays while links carry it.", required=True),
    "country": lambda: _text("Country", 2, "Two small letters.", required=True),
    "prefixes": lambda: LinesField(
        label="Prefixes", required=False, help_text="A network a line; its requests send from these."
    ),
    "platform": lambda: _text("Platform", 32, "Such as cisco-12400.", required=True),
    "ios": lambda: _text("IOS release", 32, "Such as 12.0(28)S.", required=True),
    "roles": lambda: forms.MultipleChoiceField(
        label="Roles",
        choices=[("core", "core: it has core links"), ("access", "access: it has access links")],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose one, or both."},
    ),
    "driver": lambda: forms.ChoiceField(label="Driver", choices=Router.Driver.choices),
    "management_host": lambda: _text(
        "Management address", 255, "Host name or address; empty: it is not reached."
    ),
    "management_port": lambda: forms.IntegerField(label="Port of SSH", min_value=1, max_value=65535),
    "ssh_profile": lambda: forms.ChoiceField(label="Cryptography", choices=Router.SshProfile.choices),
    "host_key": lambda: forms.CharField(
        label="Pinned host key",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono"}),
        help_text="Type and base64. Make sure that it is the router's; without one it is not connected to.",
    ),
    "engine": lambda: _text("Engine", 8, "The forwarding engine, such as 3 or 4+.", required=True),
    "description": lambda: _text("Description", 200),
    "pvc": lambda: _text("PVC", 16, "VPI/VCI, such as 0/32; empty: none."),
    "line_rate_bps": lambda: RateField(label="Line rate", help_text="What the medium clocks."),
    "bw_bps": lambda: RateField(label="BW", help_text="What the router shows as BW, in whole kbit/s."),
    "usable_bps": lambda: RateField(label="Usable", help_text="What the card really forwards."),
    "exempt_reason": lambda: _text(
        "Exempt because",
        200,
        "Why an interface without a link needs no policy, such as: shut. Empty: it is not exempt.",
    ),
    "case": lambda: forms.ChoiceField(label="Who marks", choices=AccessCase.choices),
    "standing": lambda: forms.BooleanField(
        label="Its policy stands always, not only while a reservation sends from it", required=False
    ),
    "standing_consent": lambda: forms.BooleanField(
        label="The NREN has agreed beforehand to receive what is asked towards it", required=False
    ),
    "source_filter": lambda: _text(
        "Source filter",
        200,
        "How it is known that it takes none but the NREN's own addresses; empty: it is not.",
    ),
    "agreement": lambda: _text("Agreement", 200, "With a neighbouring domain; empty for an NREN."),
    "dscp_map": lambda: MapField(
        label="DSCPs of the neighbour", required=False, help_text="Ours and theirs a line: 46 47."
    ),
    "prefix": _network,
    "metric": lambda: forms.IntegerField(
        label="Metric",
        min_value=1,
        max_value=2**24 - 1,
        help_text="What the routing protocol adds for crossing it.",
    ),
    "down": lambda: forms.BooleanField(label="Declared down: no path goes over it", required=False),
    "peer": lambda: _text("Peer", 64, required=True),
}


class EditForm(SeenForm):
    """The fields of a row."""

    def __init__(self, *args: Any, kind: Kind, standing: Mapping[str, Any], **kwargs: Any) -> None:
        initial = {**standing, "seen": sealed(spelled(standing))}
        super().__init__(*args, initial=initial, **kwargs)
        for name in kind.fields:
            self.fields[name] = _MADE[name]()
        self.order_fields([*kind.fields, "reason"])
        self._kind = kind

    def clean_prefix(self) -> Any:
        """The network of the link, None where it is not known."""
        return self.cleaned_data["prefix"].strip() or None

    def values(self) -> dict[str, Any]:
        """Return what the service takes."""
        return {name: self.cleaned_data[name] for name in self._kind.fields}


class RetireForm(ReasonForm):
    """A row that goes out of use."""


class RetireLinkForm(RetireForm):
    """A link that goes, and what becomes of its interfaces."""

    interfaces = forms.ChoiceField(
        label="Its interfaces",
        choices=[
            ("gone", "They go with it: they are on the router no more"),
            ("stay", "They stay, and need no policy"),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one of the two."},
    )
    exempt_reason = forms.CharField(
        label="Why they need no policy",
        max_length=200,
        required=False,
        help_text="Of interfaces that stay, such as: shut. Until another link is on them.",
    )
    field_order = ("interfaces", "exempt_reason", "reason")

    def clean(self) -> dict[str, Any]:
        """Interfaces that stay have a reason."""
        cleaned = super().clean() or {}
        if cleaned.get("interfaces") == "stay" and not cleaned.get("exempt_reason", "").strip():
            self.add_error("exempt_reason", "Say why they need no policy.")
        return cleaned

    def leaves(self) -> Leaves:
        """Return what becomes of the interfaces."""
        stay = self.cleaned_data["interfaces"] == "stay"
        return Leaves(self.cleaned_data["exempt_reason"].strip() if stay else "")


class RetireRouterForm(RetireForm):
    """A router that goes; perhaps nobody can reach it any more."""

    gone = forms.BooleanField(
        label="The box is gone: what of ours is on it, or on its way there, does not matter any more",
        required=False,
    )
    field_order = ("gone", "reason")
