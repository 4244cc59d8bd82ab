"""The table of tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import django_tables2
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.models import ApiToken
from provisioning.selectors.tokens import LIVING, TokenState, state_of
from provisioning.web.listing import Listing
from provisioning.web.tables.cells import WhenColumn
from provisioning.web.templatetags.expedite import at

_WORDS = {
    TokenState.LIVE: ("good", "Live"),
    TokenState.EXPIRES_SOON: ("warn", "Expires soon"),
    TokenState.EXPIRED: ("", "Expired"),
    TokenState.REVOKED: ("", "Revoked"),
    TokenState.ROTATED: ("", "Rotated"),
}


class TokenTable(Listing):
    """Tokens, the newest first; ``now`` is the moment for which it says how they stand."""

    empty_title = "No token yet."
    empty_next = "Issue one for a script that speaks to the API."
    empty_icon = "key"

    name = django_tables2.Column(verbose_name="Token")
    user = django_tables2.Column(verbose_name="Whose", accessor="user__username")
    state = django_tables2.Column(verbose_name="State", empty_values=(), order_by="expires_at")
    scopes = django_tables2.Column(verbose_name="May", orderable=False)
    allowed_networks = django_tables2.Column(verbose_name="Used from", orderable=False, empty_values=())
    last_used_at = WhenColumn(verbose_name="Last used", empty_values=())
    deeds = django_tables2.Column(verbose_name="What now", empty_values=(), orderable=False)

    class Meta(Listing.Meta):
        model = ApiToken
        fields = ("name", "user", "state", "scopes", "allowed_networks", "last_used_at", "deeds")
        order_by = ()

    def __init__(self, data: Any, *, now: datetime, **more: Any) -> None:
        super().__init__(data, **more)
        self.now = now

    def render_name(self, value: str, record: ApiToken) -> SafeString:
        return format_html('{}<br><span class="quiet mono">exp_{}_...</span>', value, record.prefix)

    def render_user(self, value: str, record: ApiToken) -> str:
        return f"{value}, for {record.nren.name} only" if record.nren else value

    def render_state(self, record: ApiToken) -> SafeString:
        state = state_of(record, self.now)
        kind, text = _WORDS[state]
        tag = format_html('<span class="tag {}">{}</span>', kind, text)
        if state in (TokenState.REVOKED, TokenState.ROTATED):
            return format_html("{}<br>{}", tag, at(record.revoked_at))
        if record.expires_at is None:
            return format_html('{}<br><span class="quiet">never expires</span>', tag)
        return format_html("{}<br>{} {}", tag, "until" if state in LIVING else "on", at(record.expires_at))

    def render_scopes(self, value: list[str]) -> str:
        return " and ".join(value)

    def render_allowed_networks(self, value: list[str]) -> str:
        return ", ".join(value) or "anywhere"

    def render_deeds(self, record: ApiToken) -> SafeString | str:
        if state_of(record, self.now) not in LIVING:
            return "-"
        buttons = [
            format_html(
                '<a class="btn" href="{}" aria-label="{} {}">{}</a>',
                reverse(f"web:token-{deed}", args=[record.pk]), word, record.name, word,
            )
            for deed, word in (("rotate", "Rotate"), ("revoke", "Revoke"))
        ]  # fmt: skip
        return format_html('<div class="row-actions">{}{}</div>', *buttons)
