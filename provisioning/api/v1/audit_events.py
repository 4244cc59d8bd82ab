"""What the API shows of an event of the audit trail."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from provisioning.models import AuditEvent


class AuditEventView(serializers.ModelSerializer[AuditEvent]):
    """An event of the audit trail; before, after and the digests over them only for those who see everything."""

    before = serializers.SerializerMethodField()
    after = serializers.SerializerMethodField()
    # They have no key: whoever knows all of an event but a sum of others finds that sum by trying.
    previous_digest = serializers.SerializerMethodField(
        help_text="The digest of the event before it about the same object; null for an NREN."
    )
    digest = serializers.SerializerMethodField(
        help_text="SHA-256 over all that the event says and the digest before; null for an NREN."
    )

    account = serializers.SerializerMethodField(
        help_text="The account of the operating system that typed it, where it was a command; null for an NREN."
    )

    class Meta:
        model = AuditEvent
        fields = [
            "sequence", "at", "actor", "via", "account", "action", "object_type", "object_id", "object_label", "reason",
            "before", "after", "previous_digest", "digest",
        ]  # fmt: skip

    def get_account(self, event: AuditEvent) -> str | None:
        """Return the account, None for an NREN: it is of the NOC's machine."""
        return event.account if self.context["actor"].sees_everything else None

    def get_before(self, event: AuditEvent) -> dict[str, Any] | None:
        """Return what it was before."""
        return event.before if self.context["actor"].sees_everything else None

    def get_after(self, event: AuditEvent) -> dict[str, Any] | None:
        """Return what it was after."""
        return event.after if self.context["actor"].sees_everything else None

    def get_previous_digest(self, event: AuditEvent) -> str | None:
        """Return the digest of the event before it."""
        return event.previous_digest if self.context["actor"].sees_everything else None

    def get_digest(self, event: AuditEvent) -> str | None:
        """Return its digest."""
        return event.digest if self.context["actor"].sees_everything else None
