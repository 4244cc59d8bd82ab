"""Pages of a list: ``?page=2&page_size=100``."""

from __future__ import annotations

from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request

from provisioning.api.problems import BadQuery


class Pages(PageNumberPagination):
    """Fifty rows a page unless asked otherwise, two hundred at most; a size that is no number is refused."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def get_page_size(self, request: Request) -> int:
        """Return the page size asked for; 400 when it cannot be meant."""
        text = request.query_params.get("page_size")
        if text is None:
            return self.page_size
        if not (
            text.isascii() and text.isdecimal() and len(text) <= 6 and 1 <= int(text) <= self.max_page_size
        ):
            raise BadQuery({"page_size": [f"must be a number from 1 to {self.max_page_size}"]})
        return int(text)
