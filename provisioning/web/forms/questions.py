"""The form for a word about a request."""

from __future__ import annotations

from django import forms

from provisioning.web.forms.reasons import LONGEST_REASON


class RemarkForm(forms.Form):
    """A question, an answer, or a remark."""

    text = forms.CharField(
        label="What you say",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="The NOC and the NREN that asks read it, and it is kept; the receiving NREN does not see it.",
        error_messages={"required": "Write what you ask or answer."},
    )
    asks = forms.BooleanField(label="I wait for an answer", required=False)
