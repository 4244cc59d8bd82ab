"""Django's admin: accounts, and everything else to look at.

Rows of the domain are shown and never written here: they are written by services, under their rules, with an audit
event. Credentials and tokens are not shown at all. What may be edited is who exists and which group (role) they are in.
"""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.core.checks import CheckMessage, Error
from django.core.checks import register as register_check
from django.db.models import Model
from django.http import HttpRequest

from inventory.models import (
    AccessLink,
    CoreLink,
    Domain,
    Interface,
    LineCard,
    Nren,
    Peering,
    Pop,
    Prefix,
    Router,
)
from provisioning.models import (
    AdoptedName,
    AuditEvent,
    Change,
    Job,
    LedgerEntry,
    Membership,
    Ownership,
    PremiumRequest,
    Reservation,
    RouterPush,
    RouterSync,
)
from provisioning.selectors.identity import unsound_settings

admin.site.site_header = "Expedite administration"
admin.site.site_title = "Expedite"
admin.site.index_title = "Accounts, and the rows as they are"
admin.site.site_url = "/"


class LookOnly(admin.ModelAdmin):
    """Shows rows to staff accounts; adds, changes and deletes nothing."""

    list_per_page = 50
    show_full_result_count = False
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        return False


class AuditEventLook(LookOnly):
    list_display = ("sequence", "at", "actor", "via", "action", "object_label")
    search_fields = ("actor", "action", "object_label")


class PremiumRequestLook(LookOnly):
    list_display = ("reference", "nren", "receiving_nren", "rate_bps", "start", "end", "state", "consent")
    list_filter = ("state", "consent", "nren")


class ChangeLook(LookOnly):
    list_display = ("reference", "title", "kind", "submitted_by", "approved_by", "released_at", "finished_at")
    list_filter = ("kind",)


class RouterPushLook(LookOnly):
    list_display = ("change", "router", "phase", "state", "line", "lines", "error_code")
    list_filter = ("state", "phase")


class JobLook(LookOnly):
    list_display = ("id", "kind", "subject_id", "state", "available_at", "lease_owner", "attempts", "outcome")
    list_filter = ("kind", "state")


admin.site.register(AuditEvent, AuditEventLook)
admin.site.register(PremiumRequest, PremiumRequestLook)
admin.site.register(Change, ChangeLook)
admin.site.register(RouterPush, RouterPushLook)
admin.site.register(Job, JobLook)
admin.site.register([Reservation, LedgerEntry, RouterSync, Ownership, AdoptedName, Membership], LookOnly)
admin.site.register(
    [Domain, Nren, Prefix, Pop, Router, LineCard, Interface, AccessLink, CoreLink, Peering], LookOnly
)

# They would let whoever edits accounts take or give a second factor, or a link with a provider, beside the audit trail.
admin.site.unregister([Authenticator, EmailAddress, SocialAccount, SocialApp, SocialToken, UserSession])


@register_check()
def sign_in(**_kwargs: Any) -> list[CheckMessage]:
    """One error for each setting of signing in that cannot be meant."""
    hint = "docs/reference/settings.md describes each."
    return [Error(said, hint=hint, id="expedite.E004") for said in unsound_settings()]


@register_check()
def schemes_of_ones_own(**_kwargs: Any) -> list[CheckMessage]:
    """One error for each scheme of SCHEMES_DIR that is not sound. It is here because Django loads the admin at its start,
    and the app itself may not look into the rooms above it.
    """
    # Only where it is asked: what reads schemes takes longer to load than most commands to run.
    from provisioning.selectors.schemes import unsound_schemes

    hint = "docs/reference/schemes.md says what a scheme may hold."
    return [Error(said, hint=hint, id="expedite.E003") for said in unsound_schemes()]
