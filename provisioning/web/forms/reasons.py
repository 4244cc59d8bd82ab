"""Forms in which a person gives a reason for a deed."""

from __future__ import annotations

from typing import Any

from django import forms

from provisioning.web.forms.moments import MomentInput

LONGEST_REASON = 2000


class ReasonForm(forms.Form):
    """Why: kept with the deed in the audit log, shown to whom it concerns."""

    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept in the audit log with your name.",
        error_messages={"required": "Say why: the reason is kept with the deed."},
    )


class UntilForm(ReasonForm):
    """Until when something is so."""

    until = forms.DateTimeField(
        label="Until (UTC)",
        widget=MomentInput(),
        error_messages={
            "required": "Say until when.",
            "invalid": "Write a day and a time, such as 2026-12-24 18:00.",
        },
    )
    field_order = ("until", "reason")
    at_most = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["until"].help_text = self.at_most


class HoldForm(UntilForm):
    """Until when the capacity is kept aside."""

    at_most = "At most 30 days ahead; the hold ends by itself then."


class IgnoreForm(UntilForm):
    """Until when a difference is left as it is."""

    at_most = "At most 90 days ahead; then it is an alarm again."


class OptionalReasonForm(ReasonForm):
    """A deed with a word that may be left out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = False


class ChassisForm(ReasonForm):
    """A chassis that was replaced: its serial typed by who has seen it on the box or in the papers of the delivery."""

    serial = forms.CharField(
        label="Serial of the new chassis",
        max_length=64,
        help_text="As it stands on the chassis or in its papers; only the one that answered is taken.",
        error_messages={"required": "Write the serial of the new chassis."},
    )
    field_order = ("serial", "reason")


class SaveForm(ReasonForm):
    """Saving of exactly the lines shown: ``seen`` carries their digest, so that nothing else is saved by it."""

    seen = forms.CharField(
        max_length=64,
        widget=forms.HiddenInput(),
        error_messages={"required": "Read the lines and save them from their own page."},
    )


class AdoptForm(ReasonForm):
    """Taking over exactly what was shown: ``seen`` carries its digest."""

    seen = forms.CharField(
        max_length=64,
        widget=forms.HiddenInput(),
        error_messages={"required": "Look at what it means, and take it over from its own page."},
    )


class ConsentForm(forms.Form):
    """The receiving NREN's answer."""

    answer = forms.ChoiceField(
        label="Your answer",
        choices=[("agree", "We agree to receive this"), ("decline", "We do not agree")],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one of the two."},
    )
    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Needed when you decline: the asking NREN and the NOC read it.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("answer") == "decline" and not cleaned.get("reason", "").strip():
            self.add_error("reason", "Say why you decline: the asking NREN reads it.")
        return cleaned


def why_alone() -> forms.CharField:
    """The reason of a break-glass."""
    return forms.CharField(
        label="Why you do it alone (break-glass)",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Everybody sees it, the NREN too, until somebody else of the NOC has acknowledged it.",
        error_messages={"required": "Say why you do it alone, or leave it to somebody else of the NOC."},
    )


class ApprovalForm(ReasonForm):
    """Approval of exactly the lines shown. Gaps and other people's unsaved edits are confirmed one by one.

    ``seen`` carries the fingerprint of what the page showed, so that nothing else is approved by it.
    """

    seen = forms.CharField(
        max_length=64,
        widget=forms.HiddenInput(),
        error_messages={"required": "Read the change and approve it from its own page."},
    )

    def __init__(
        self, *args: Any, gaps: int = 0, unsaved: int = 0, doubts: int = 0, alone: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if alone:
            self.fields["break_glass"] = why_alone()
        if gaps:
            plural = "gaps" if gaps > 1 else "gap"
            self.fields["confirm_gaps"] = forms.BooleanField(
                label=f"I have read the {gaps} {plural} named above and accept {'them' if gaps > 1 else 'it'}.",
                error_messages={"required": f"Confirm the {plural}, or do not approve."},
            )
        if unsaved:
            self.fields["save_others_edits"] = forms.BooleanField(
                label="Saving may also write the unsaved edits of others shown above to startup-config.",
                required=False,
                help_text="Without this the change is pushed and verified, but not saved on those routers.",
            )
        if doubts:
            self.fields["override"] = forms.CharField(
                label="Why it goes ahead although a router would probably refuse",
                max_length=LONGEST_REASON,
                widget=forms.Textarea(attrs={"rows": 2}),
                help_text="Kept with the change and in the audit log, beside the evidence shown above.",
                error_messages={"required": "Say why it goes ahead, or do not approve."},
            )
        self.order_fields(["break_glass", "confirm_gaps", "override", "save_others_edits", "reason"])


class PlanForm(forms.Form):
    """A plan for the whole domain, or for some routers."""

    title = forms.CharField(
        max_length=200,
        help_text="What people will call it, such as Baseline after the card swap.",
        error_messages={"required": "Say what people will call it, for instance Baseline."},
    )
    routers = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen means all of them.",
    )
    repair = forms.BooleanField(
        required=False,
        label="Put back what was edited by hand in objects that are ours (repair)",
        help_text="Without this, what was edited by hand is shown as being in the way, and is left alone.",
    )
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept in the audit log with your name.",
        error_messages={"required": "Say why: the reason is kept with the deed."},
    )

    def __init__(self, *args: Any, names: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["routers"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]
