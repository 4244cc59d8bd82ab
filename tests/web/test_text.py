"""What the tests read of a page: sentences, however the template breaks its lines."""

from __future__ import annotations

import pytest
from django.http import HttpResponse

from tests.web.text import page_text


@pytest.mark.parametrize(
    ("written", "read"),
    (
        ("<p>\n  Two words\n  here.\n</p>", "<p>Two words here.</p>"),
        ("a <strong\n>b</strong> c", "a <strong>b</strong> c"),
        ('<td\n  class="x"\n>\n  1 of 2\n</td>\n<td></td>', '<td class="x">1 of 2</td><td></td>'),
        ("<pre>\n a\n\n  b</pre>", "<pre>\n a\n\n  b</pre>"),
    ),
)
def test_white_space_that_no_browser_shows_is_gone(written: str, read: str) -> None:
    assert page_text(HttpResponse(written)) == read
