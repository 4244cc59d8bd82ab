"""Pages of a list: ``?page=2&page_size=100``."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request

from provisioning.api.problems import BadQuery

MOST_PAGES = 999_999


class Pages(PageNumberPagination):
    """Fifty rows a page unless asked otherwise, two hundred at most; what is no number of a page or a size is refused."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

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
        return [
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
                "count": {"type": "integer", "description": "Of all pages.", "examples": [123]},
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
