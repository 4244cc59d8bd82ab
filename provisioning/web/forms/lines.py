"""Forms in which lines are approved before they are due: apart, or with the admission."""

from __future__ import annotations

from typing import Any

from django import forms

from provisioning.web.forms.reasons import LONGEST_REASON, ApprovalForm, ReasonForm, why_alone


class LinesForm(ApprovalForm):
    """Approval of the lines shown, before they are due; nothing of other people's is ever saved by it."""


class AdmitForm(ReasonForm):
    """The admission, and whether the lines shown with it are approved too. ``seen`` says which lines were shown."""

    seen = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput())
    approve_lines = forms.BooleanField(
        required=False,
        label="Approve the lines below too: when they are due they go out by themselves if they are still the same.",
    )

    def __init__(
        self,
        *args: Any,
        gaps: int = 0,
        doubts: int = 0,
        lines: bool = True,
        alone: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if alone:
            self.fields["break_glass"] = why_alone()
        if not lines:
            del self.fields["approve_lines"]
            return
        if gaps:
            plural = "gaps" if gaps > 1 else "gap"
            self.fields["confirm_gaps"] = forms.BooleanField(
                required=False,
                label=f"I have read the {gaps} {plural} named below and accept {'them' if gaps > 1 else 'it'}.",
            )
        if doubts:
            self.fields["override"] = forms.CharField(
                required=False,
                label="Why it goes ahead although a router would probably refuse",
                max_length=LONGEST_REASON,
                widget=forms.Textarea(attrs={"rows": 2}),
                help_text="Needed only to approve the lines. Kept with them and in the audit log.",
            )
        self.order_fields(["reason", "approve_lines", "confirm_gaps", "override"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("approve_lines"):
            if "confirm_gaps" in self.fields and not cleaned.get("confirm_gaps"):
                self.add_error("confirm_gaps", "Confirm what is named, or admit it without its lines.")
            if "override" in self.fields and not cleaned.get("override", "").strip():
                self.add_error("override", "Say why it goes ahead, or admit it without its lines.")
        return cleaned
