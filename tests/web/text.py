"""What a browser makes of the white space of a page, so that a test asks for a sentence and not for its line breaks."""

from __future__ import annotations

import re
from typing import Any

BLOCKS = (
    "html|head|title|body|main|nav|aside|section|header|footer|div|p|h1|h2|h3|ul|ol|li|dl|dt|dd|table|colgroup|col|"
    "thead|tbody|tr|td|th|form|fieldset|legend|select|option|button|details|summary|rect|svg|br"
)
PRE = re.compile(r"(<pre\b.*?</pre>)", re.DOTALL)
TAG = re.compile(r"<[a-zA-Z/][^>]*>")
AROUND = re.compile(rf"\s*(</?(?:{BLOCKS})(?=[\s>/])[^>]*>)\s*")


def page_text(answer: Any) -> str:
    """Return the page of a response: runs of white space are one blank, none stands beside a block's tag."""
    return "".join(
        part if part.startswith("<pre") else _collapsed(part) for part in PRE.split(answer.content.decode())
    )


def _collapsed(text: str) -> str:
    tags = TAG.sub(lambda tag: re.sub(r"\s+", " ", tag[0]).replace(" >", ">"), text)
    return re.sub(r"\s+", " ", AROUND.sub(r"\1", tags))
