"""Pages of a list: by number, ``?page=2&page_size=100``, or each behind the last, ``?cursor=*``."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from provisioning.api.cursors import BEGINNING, LONGEST_CURSOR, read_on
from provisioning.api.problems import BadQuery

MOST_PAGES = 999_999


class Pages(PageNumberPagination):
    """Fifty rows a page unless asked otherwise, two hundred at most; what is no number of a page or a size is refused.

    With a cursor nothing is counted, so that a page costs the same wherever it is.
    """

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    following: str | None = None
    """The cursor behind the page, where it was read with one and there is more."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """Return the rows of the page that was asked for, by number or by cursor."""
        self.request, self.cursor = request, request.query_params.get("cursor")
        if self.cursor is None:
            return super().paginate_queryset(queryset, request, view)
        if "page" in request.query_params:
            raise BadQuery({"page": ["a page is found by its number or by a cursor, not by both"]})
        found, self.following = read_on(queryset, self.cursor, self.get_page_size(request))
        return found

    def get_paginated_response(self, data: Any) -> Response:
        """Return the page with the address of the one behind it."""
        if self.cursor is None:
            return super().get_paginated_response(data)
        here = self.request.build_absolute_uri()
        following = replace_query_param(here, "cursor", self.following) if self.following else None
        return Response({"count": None, "next": following, "previous": None, "results": data})

    def get_page_size(self, request: Request) -> int:
        """Return the page size asked for; 400 when it cannot be meant."""
        return _number(request, "page_size", self.max_page_size) or self.page_size

    def get_page_number(self, request: Request, _paginator: Paginator[Any]) -> int:
        """Return the page asked for, 400 when it cannot be meant; one behind the last is a 404."""
        return _number(request, "page", MOST_PAGES) or 1

    def get_schema_operation_parameters(self, _view: Any) -> list[dict[str, Any]]:
        """Return the two parameters with their bounds."""
        asked = (
            ("page", 1, MOST_PAGES, "Which page, from 1 on."),
            ("page_size", self.page_size, self.max_page_size, "How many rows a page."),
        )
        cursor = {
            "name": "cursor",
            "required": False,
            "in": "query",
            "description": f"`{BEGINNING}` begins: rows that come or leave meanwhile move no page. Then follow `next`.",
            "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_CURSOR},
        }
        return [cursor] + [
            {
                "name": name,
                "required": False,
                "in": "query",
                "description": said,
                "schema": {"type": "integer", "minimum": 1, "maximum": most, "default": default},
            }
            for name, default, most, said in asked
        ]

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the shape of a page: there is always a next and a previous, which may be null."""

        def link(page: int) -> dict[str, Any]:
            example = f"https://expedite.example/api/v1/premium-requests/?page={page}"
            return {"type": ["string", "null"], "format": "uri", "examples": [example]}

        return {
            "type": "object",
            "required": ["count", "next", "previous", "results"],
            "properties": {
                "count": {
                    "type": ["integer", "null"],
                    "description": "Of all pages; null where they are read with a cursor.",
                    "examples": [123],
                },
                "next": link(4),
                "previous": link(2),
                "results": schema,
            },
        }


def _number(request: Request, name: str, most: int) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most)) and 1 <= int(text) <= most):
        raise BadQuery({name: [f"must be a number from 1 to {most}"]})
    return int(text)
