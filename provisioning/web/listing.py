"""A list page: filter, sort, paginate, and say what to do when nothing is there."""

from __future__ import annotations

import django_tables2
from django.http import HttpRequest

PER_PAGE = 50


class Listing(django_tables2.Table):
    """Base of all tables: the words for when it is empty, and what names it for screen readers.

    ``filtered`` says that the page has a filter: then an empty table may mean that nothing matches.
    """

    empty_title = "Nothing here yet."
    empty_next = ""
    empty_icon = "inbox"
    caption = ""
    filtered = False

    class Meta:
        template_name = "web/table.html"
        default = "-"


def listed(request: HttpRequest, table: Listing, *, filtered: bool = False) -> Listing:
    """Return the table sorted and cut to one page as the address asks; an impossible page shows the nearest."""
    table.filtered = filtered
    if table.prefixed_per_page_field in request.GET:  # nobody gets the whole log on one page
        kept = request.GET.copy()
        del kept[table.prefixed_per_page_field]
        request.GET = kept  # type: ignore[assignment]
    django_tables2.RequestConfig(request, paginate={"per_page": PER_PAGE, "silent": True}).configure(table)
    return table
