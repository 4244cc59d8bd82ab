"""A list page: filter, sort, paginate, and say what to do when nothing is there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Any

import django_tables2
from django.db.models import Count, QuerySet, Window
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django_tables2.data import TableQuerysetData

from provisioning.web.several import Offered
from provisioning.web.sheets import FORMATS, Sheet, answer
from provisioning.web.showing import columns_of, opening, views_of

PER_PAGE = 50
SIZES = (25, 50, 100, 250)
"""How many rows a page may have."""
OURS = frozenset({"page", "sort", "per_page", "format", "columns", "view", "row"})
"""What an address may ask of every list."""
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

    ``filtered`` says that the page has a filter: then an empty table may mean that nothing matches. ``files`` are the formats in
    which the whole list can be had. ``spare`` are columns that are shown where somebody asks for them; ``everything`` is what to
    ask for to see all rows; ``deeds`` can be done to several rows at once;
    ``chosen`` are the columns that the address asks for.
    """

    empty_title = "Nothing here yet."
    empty_next = ""
    empty_icon = "inbox"
    caption = ""
    filtered = False
    files: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    everything = ""
    deeds: tuple[Offered, ...] = ()
    chosen: tuple[str, ...] = ()

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
    # Nobody gets the whole log on one page.
    if request.GET.get(table.prefixed_per_page_field, str(PER_PAGE)) not in map(str, SIZES):
        kept = request.GET.copy()
        del kept[table.prefixed_per_page_field]
        request.GET = kept  # type: ignore[assignment]
    django_tables2.RequestConfig(request, paginate={"per_page": PER_PAGE, "silent": True}).configure(table)
    for name in table.spare:
        if name in table.columns:
            table.columns.hide(name)
    return table


def list_page(
    request: HttpRequest,
    template: str,
    table: Listing,
    form: Form,
    *,
    sheet: Sheet | None = None,
    every: Listing | None = None,
    more: Collection[str] = (),
    shown: Callable[[Listing], None] = lambda _table: None,
    filtered: bool = True,
    **context: Any,
) -> HttpResponse:
    """Return a list as the address asks for it: filtered, sorted, of a size; or as a file (``sheet``); or what the address asks
    for that there is not, and no row at all.

    ``every`` is the table of all rows where this one shows several as one; ``more`` are the fields of the form that are folded
    away while they are empty. ``shown`` is told of the page that is shown, before it is drawn; ``filtered`` is as in `Listing`.
    """
    views = views_of(request)
    if address := opening(request, views):
        return redirect(address)
    offered = [(column.name, str(column.header)) for column in table.columns]
    columns = columns_of(offered, table.spare, request.GET)
    wrong = refusals(request.GET, form, table, sheet)
    if views.lost:
        wrong.append(f"There is no saved view “{views.lost}” of this list; somebody may have deleted it.")
    asked = {
        **context,
        "form": form,
        "more": more,
        "more_open": any(request.GET.get(name) for name in more),
        "sizes": SIZES,
        "per_page": request.GET.get("per_page") or str(PER_PAGE),
        "sort": request.GET.get("sort", ""),
        "views": views,
        "columns": columns,
        "columns_asked": request.GET.getlist("columns"),
    }
    if wrong:
        # htmx shows no page that is a failure, and the reader would see the list of before.
        status = HTTPStatus.OK if getattr(request, "htmx", False) else HTTPStatus.BAD_REQUEST
        return render(request, template, {**asked, "refused": wrong, "table": None}, status=status)
    if sheet is not None and (wanted := request.GET.get("format")):
        every = every or table
        django_tables2.RequestConfig(request, paginate=False).configure(every)
        chosen = [each.name for each in columns if each.shown] if request.GET.get("columns") else None
        rows = every.data.data
        if picked := request.GET.getlist("row"):
            rows = rows.filter(pk__in=picked)
        return answer(sheet.only(chosen), wanted, rows)
    table = listed(request, table, filtered=filtered)
    table.files = () if sheet is None else tuple(FORMATS)
    table.everything = views.everything
    table.chosen = tuple(request.GET.getlist("columns"))
    for each in columns:
        (table.columns.show if each.shown else table.columns.hide)(each.name)
    shown(table)
    return render(request, template, {**asked, "table": table})


def refusals(asked: QueryDict, form: Form, table: Listing, sheet: Sheet | None) -> list[str]:
    """Return in sentences what an address asks of a list that it does not have: filters, values, orders, sizes, files."""
    known = ", ".join(form.fields)
    by, size, wanted = (asked.get(name, "")[:60] for name in ("sort", "per_page", "format"))
    wrong = [
        f"There is no filter “{name[:60]}” here; there are: {known}."
        for name in asked
        if name not in {*form.fields, *OURS}
    ]
    wrong += [
        f"“{name[:60]}” is given twice."
        for name in asked
        if name not in ("columns", "row") and len(asked.getlist(name)) > 1
    ]
    wrong += [
        f"{form[name].label if name in form.fields else 'The filter'}: {error}"
        for name, errors in form.errors.items()
        for error in errors
    ]
    picked = asked.getlist("row")
    if picked and (not wanted or not isinstance(table.data, KeysFirst)):
        wrong.append("Single rows are chosen for a file of a list, and this is none.")
    if len(picked) > max(SIZES) or not all(
        text.isascii() and text.isdecimal() and len(text) < 18 for text in picked
    ):
        wrong.append(f"Rows are chosen by their numbers, at most {max(SIZES)} of them.")
    there = [column.name for column in table.columns]
    wrong += [
        f"“{name[:60]}” is no column of this list; there are: {', '.join(there)}."
        for name in asked.getlist("columns")
        if name not in there
    ]
    sorts = [column.name for column in table.columns if column.orderable]
    if by and by.removeprefix("-") not in sorts:
        wrong.append(
            f"“{by}” is nothing to sort by; there are: {', '.join(sorts)}, downwards with a - before it."
        )
    if size and size not in map(str, SIZES):
        wrong.append(f"“{size}” is no number of rows; there are: {', '.join(map(str, SIZES))}.")
    formats = () if sheet is None else FORMATS
    if wanted and wanted not in formats:
        wrong.append(f"“{wanted}” is no file of this list; there are: {', '.join(formats) or 'none'}.")
    return wrong
