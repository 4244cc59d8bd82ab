"""Links in quarantine: non-participants since somebody with a reason took them out, and what they were before."""

from __future__ import annotations

from inventory.models import AccessCase, AccessLink
from provisioning.models import AuditEvent


def case_before(link: AccessLink) -> str:
    """Return what a link was when the last edit of its case made it a non-participant; "" where it is none, or no edit did."""
    if link.case != AccessCase.NON_PARTICIPANT:
        return ""
    edits = AuditEvent.objects.filter(
        object_type="AccessLink", object_id=str(link.pk), action="access-link.edit"
    ).order_by("-chain_index")
    for before, after in edits.values_list("before", "after").iterator():
        made = (after or {}).get("case")
        if made is not None:
            return str((before or {}).get("case", "")) if made == AccessCase.NON_PARTICIPANT else ""
    return ""


def quarantined(names: list[str]) -> set[str]:
    """Return which of the links of these names are in quarantine."""
    rows = AccessLink.objects.filter(name__in=names, case=AccessCase.NON_PARTICIPANT)
    return {row.name for row in rows if case_before(row)}
