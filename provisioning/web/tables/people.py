"""The table of people."""

from __future__ import annotations

import django_tables2
from django.contrib.auth.models import User
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.models import Role
from provisioning.web.listing import Listing
from provisioning.web.tables.cells import WhenColumn, link


class PeopleTable(Listing):
    """People with what they may do."""

    empty_title = "Nobody yet."
    empty_next = "Add a person, and give them a role or an NREN."
    empty_icon = "user"

    username = django_tables2.Column(verbose_name="Person")
    first_name = django_tables2.Column(verbose_name="Name")
    email = django_tables2.Column(verbose_name="Mail")
    roles = django_tables2.Column(empty_values=(), orderable=False)
    nrens = django_tables2.Column(verbose_name="Acts for", empty_values=(), orderable=False)
    is_active = django_tables2.Column(verbose_name="Account")
    last_login = WhenColumn(verbose_name="Signed in", default="never")

    class Meta(Listing.Meta):
        model = User
        fields = ("username", "first_name", "email", "roles", "nrens", "is_active", "last_login")
        order_by = ("username",)

    def render_username(self, record: User) -> SafeString:
        return link("person", record.get_username(), record.pk)

    def render_roles(self, record: User) -> str:
        return (
            ", ".join(sorted(group.name for group in record.groups.all() if group.name in set(Role))) or "-"
        )

    def render_nrens(self, record: User) -> str:
        return ", ".join(sorted(each.nren.name for each in record.memberships.all())) or "-"

    def render_is_active(self, value: bool) -> SafeString | str:
        return "open" if value else format_html('<span class="tag warn">{}</span>', "closed")
