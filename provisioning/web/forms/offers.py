"""An offer as the page showed it: what is posted is taken, and nothing that changed meanwhile."""

from __future__ import annotations

from django import forms

from provisioning.services.requests import SeenOffer
from provisioning.services.requests.replacing import KINDS


class OfferForm(forms.Form):
    """The terms of one offer; hidden fields beside its button."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])
    rate_bps = forms.IntegerField(min_value=1, max_value=10**15)
    start = forms.DateTimeField()
    end = forms.DateTimeField(required=False)

    def seen(self) -> SeenOffer:
        """Return what the service takes; of a valid form only."""
        data = self.cleaned_data
        return SeenOffer(data["rate_bps"], data["start"], data["end"])
