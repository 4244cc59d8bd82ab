"""A list page: filter, sort, paginate, and say what to do when nothing is there."""

from __future__ import annotations

from typing import Any

import django_tables2
from django.db.models import Count, QuerySet, Window
from django.http import HttpRequest
from django_tables2.data import TableQuerysetData

PER_PAGE = 50
FIRST_KEYS = 500


class KeysFirst(TableQuerysetData):
    """The rows of a page by the keys of that page.

    Else the database joins what a row shows of other tables to every row that stands before the page, too. A search for
    a text looks at every row: there the first pages and the number of all come of one look.
    """

    searched = False

    def __init__(self, data: QuerySet[Any]) -> None:
        super().__init__(data)
        self._keys: list[Any] = []
        self._length: int | None = None

    def known_to_be(self, length: int | None) -> None:
        self._length = length

    def __len__(self) -> int:
        if self.searched and self._length is None and not self.data.query.distinct:
            counted = self.data.annotate(of_all=Window(Count("*"))).values_list("pk", "of_all")
            found = list(counted[:FIRST_KEYS])
            self._keys, self._length = [key for key, _ in found], found[0][1] if found else 0
        return int(super().__len__())

    def __getitem__(self, key: int | slice) -> Any:
        if isinstance(key, int):
            return self.data[key]
        known = key.stop <= len(self._keys) or (self.searched and len(self._keys) == self._length)
        keys = self._keys[key] if known else list(self.data.values_list("pk", flat=True)[key])
        rows = self.data.all()
        rows.query.clear_where()  # who matches is known by now
        return rows.filter(pk__in=keys)


class Listing(django_tables2.Table):
    """Base of all tables: the words for when it is empty, and what names it for screen readers.

    ``filtered`` says that the page has a filter: then an empty table may mean that nothing matches.
    """

    empty_title = "Nothing here yet."
    empty_next = ""
    empty_icon = "inbox"
    caption = ""
    filtered = False

    def __init__(self, data: Any, **more: Any) -> None:
        super().__init__(KeysFirst(data) if isinstance(data, QuerySet) else data, **more)

    class Meta:
        template_name = "web/table.html"
        default = "-"


def listed(
    request: HttpRequest, table: Listing, *, filtered: bool = False, counted: int | None = None
) -> Listing:
    """Return the table sorted and cut to one page as the address asks; an impossible page shows the nearest.

    ``counted`` is the number of its rows where the caller knows it already.
    """
    table.filtered = filtered
    if isinstance(table.data, KeysFirst):
        table.data.searched = bool(request.GET.get("q"))
        table.data.known_to_be(counted)
    if table.prefixed_per_page_field in request.GET:  # nobody gets the whole log on one page
        kept = request.GET.copy()
        del kept[table.prefixed_per_page_field]
        request.GET = kept  # type: ignore[assignment]
    django_tables2.RequestConfig(request, paginate={"per_page": PER_PAGE, "silent": True}).configure(table)
    return table
