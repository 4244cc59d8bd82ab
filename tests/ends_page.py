"""The tables of docs/howto/at-3-a-m.md as the table of ends has them: `python -m tests.ends_page` writes them into the page."""

from __future__ import annotations

import re
from pathlib import Path

from provisioning.pipeline.ends import DEEDS, ENDS, PARTIAL, End, Verb
from provisioning.pipeline.states import PushState

PAGE = Path(__file__).resolve().parent.parent / "docs" / "howto" / "at-3-a-m.md"
ORDER = (
    PushState.UNKNOWN,
    PushState.ROLLED_BACK,
    PushState.FAILED,
    PushState.STALE,
    PushState.CANCELLED,
    PushState.VERIFIED,
)
_PART = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def rendered(page: str) -> str:
    """The page with every part between its marks as the table has it now."""
    return _PART.sub(lambda found: f"{found[1]}{_part(found[2])}\n{found[3]}", page)


def _part(name: str) -> str:
    if name == "verbs":
        return "\n".join(["| press | it does |", "|---|---|", *map(_verb, Verb)])
    if name == "partial":
        return f"{PARTIAL.means} {PARTIAL.do}"
    ends = [end for end in ENDS if end.state == PushState(name)]
    head = [
        "| code | the screen says | what becomes of it without you | do | press |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *map(_row, ends)])


def _verb(verb: Verb) -> str:
    deed = DEEDS[verb]
    return f"| *{deed.title}* (`{verb}`) | {deed.does} |"


def _row(end: End) -> str:
    code = f"`{end.code}`" if end.code else "any other"
    press = ", or ".join(f"*{DEEDS[verb].title}*" for verb in end.verbs) or "nothing"
    return f"| {code} | {end.means} | {end.meanwhile} | {end.do} | {press} |"


if __name__ == "__main__":
    PAGE.write_text(rendered(PAGE.read_text()))
