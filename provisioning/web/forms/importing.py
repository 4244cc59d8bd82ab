"""Forms by which something comes into the network: a whole network file, or one NREN with its link."""

from __future__ import annotations

from typing import Any

from django import forms

from inventory.models import AccessCase, Router
from inventory.readers.tables import COLUMNS
from inventory.readers.yaml_text import LARGEST_SENT
from provisioning.services.inventory import NewLink
from provisioning.web.forms.choosing import Choice
from provisioning.web.forms.inventory import LinesField, MapField, RateField


class ImportForm(forms.Form):
    """A network file, or a table of one section: pasted, or sent."""

    kind = forms.ChoiceField(
        label="What it is",
        choices=[
            ("", "a network file (YAML)"),
            *((name, f"a table of {name.replace('_', ' ')} (CSV)") for name in COLUMNS),
        ],
        required=False,
    )

    text = forms.CharField(
        label="Network file or table",
        max_length=LARGEST_SENT,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "class": "mono", "spellcheck": "false"}),
        help_text="A part of the network will do: what it does not mention stays as it is.",
    )
    file = forms.FileField(label="Or a file", required=False, allow_empty_file=True)

    def clean(self) -> dict[str, Any]:
        """One of text and file; a file's bytes become the text."""
        cleaned = super().clean() or {}
        sent = cleaned.get("file")
        if sent is not None and sent.size > LARGEST_SENT:
            self.add_error("file", f"It is longer than {LARGEST_SENT} bytes: import it with the command.")
        elif sent is not None:
            try:
                cleaned["text"] = sent.read().decode()
            except UnicodeDecodeError as error:
                self.add_error("file", f"It is not UTF-8 text (byte {error.start}): save it as UTF-8.")
                return cleaned
            self.data = self.data.copy()
            self.data["text"] = cleaned["text"]
        elif not cleaned.get("text", "").strip():
            self.add_error("text", "Paste a network file, or send one.")
        return cleaned


class NewLinkForm(forms.Form):
    """An NREN and its access link."""

    nren = forms.CharField(
        label="NREN", max_length=64, help_text="Its name; one that is there already gets another link."
    )
    country = forms.CharField(
        label="Country", max_length=2, required=False, help_text="Two small letters, of a new one."
    )
    prefixes = LinesField(
        label="Prefixes",
        required=False,
        help_text="A network a line; its requests send from these. They are added to what it has.",
    )
    router = forms.ModelChoiceField(
        queryset=Router.objects.none(), to_field_name="name", label="On the router", widget=Choice
    )
    interface = forms.CharField(
        label="Interface", max_length=64, help_text="As IOS prints it, such as POS1/0."
    )
    capacity_bps = RateField(label="Capacity", help_text="What the line carries, such as 155.52 Mbit/s.")
    prefix = forms.CharField(label="Addresses of the link", max_length=60, required=False)
    case = forms.ChoiceField(label="Who marks", choices=AccessCase.choices)
    standing = forms.BooleanField(
        label="Its policy stands always, not only while a reservation sends from it",
        required=False,
        initial=True,
    )
    standing_consent = forms.BooleanField(
        label="The NREN has agreed beforehand to receive what is asked towards it", required=False
    )
    agreement = forms.CharField(
        label="Agreement",
        max_length=200,
        required=False,
        help_text="With a neighbouring domain; empty for an NREN.",
    )
    dscp_map = MapField(
        label="DSCPs of the neighbour", required=False, help_text="Ours and theirs a line: 46 47."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["router"].queryset = Router.objects.order_by("name")  # type: ignore[attr-defined]

    def new_link(self) -> NewLink:
        """Return what was said as a value."""
        said = self.cleaned_data
        return NewLink(
            nren=said["nren"].strip(),
            country=said["country"].strip(),
            prefixes=said["prefixes"],
            router=said["router"].name,
            interface=said["interface"].strip(),
            capacity_bps=said["capacity_bps"],
            case=said["case"],
            standing=said["standing"],
            standing_consent=said["standing_consent"],
            prefix=said["prefix"].strip(),
            agreement=said["agreement"].strip(),
            dscp_map=sorted((int(ours), theirs) for ours, theirs in said["dscp_map"].items()),
        )
