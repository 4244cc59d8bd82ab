"""What is typed: numbers of rows, rates, instants; each read once, and refused by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Final

import typer

from expedite_client.asking import read_instant, read_rate
from expedite_client.errors import InvalidInput

FURTHER_NOTICE: Final = "further-notice"
FREE: Final = "none"
"""No such bound, no such rule."""


def _number(prefix: str) -> Callable[[str], int]:
    wanted = re.compile(rf"(?:{prefix}-)?([0-9]{{1,15}})", re.ASCII | re.IGNORECASE)

    def number(text: str) -> int:
        found = wanted.fullmatch(text.strip())
        if found is None:
            raise typer.BadParameter(f"{text[:40]!r} is no number: write 12 or {prefix}-12")
        return int(found[1])

    return number


def _rate(text: str) -> int:
    try:
        return read_rate(text)
    except InvalidInput as error:
        raise typer.BadParameter(error.reason) from error


def _instant(text: str) -> datetime:
    try:
        return read_instant(text, field="")
    except InvalidInput as error:
        raise typer.BadParameter(error.reason) from error


def _rate_or_none(text: str) -> int | str:
    return FREE if text == FREE else _rate(text)


def _number_or_none(text: str) -> int | str:
    if text == FREE:
        return FREE
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise typer.BadParameter(f"{text[:40]!r} is neither a number nor `{FREE}`")
    return int(text)


def _instant_or_none(text: str) -> str:
    return FREE if text == FREE else _instant(text).isoformat()


def _until(text: str) -> datetime | str:
    return FURTHER_NOTICE if text == FURTHER_NOTICE else _instant(text)


RequestId = Annotated[int, typer.Argument(parser=_number("PIP"), metavar="REQUEST", help="12 or PIP-12.")]
SeriesId = Annotated[int, typer.Argument(parser=_number("SER"), metavar="SERIES", help="3 or SER-3.")]
ChangeId = Annotated[int, typer.Argument(parser=_number("CHG"), metavar="CHANGE", help="7 or CHG-7.")]
ModificationId = Annotated[
    int, typer.Argument(parser=_number("MOD"), metavar="MODIFICATION", help="4 or MOD-4.")
]
PushId = Annotated[int, typer.Argument(metavar="PUSH", min=1, help="The id of the push.")]
RouterName = Annotated[str, typer.Argument(metavar="ROUTER", help="Its name, such as nl6.")]
TokenId = Annotated[int, typer.Argument(metavar="TOKEN", min=1, help="The id of the token.")]

_RATE_HELP = "Bit/s at layer 3: 2M, 2.5M or 2000000."
_INSTANT_HELP = "RFC 3339 with its offset: 2027-03-01T10:00:00Z."
Rate = Annotated[int, typer.Option("--rate", parser=_rate, metavar="RATE", help=_RATE_HELP)]
RateOrNone = Annotated[int | None, typer.Option("--rate", parser=_rate, metavar="RATE", help=_RATE_HELP)]
StartOrNone = Annotated[
    datetime | None, typer.Option("--start", parser=_instant, metavar="INSTANT", help=_INSTANT_HELP)
]
EndOrNone = Annotated[
    datetime | None, typer.Option("--end", parser=_instant, metavar="INSTANT", help=_INSTANT_HELP)
]
UntilNotice = Annotated[
    str | None,
    typer.Option("--end", parser=_until, metavar="INSTANT", help=f"{_INSTANT_HELP} Or `{FURTHER_NOTICE}`."),
]
Until = Annotated[datetime, typer.Option("--until", parser=_instant, metavar="INSTANT", help=_INSTANT_HELP)]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept on record.")]
WhyOrNone = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; needed to decline.")]
Decline = Annotated[bool, typer.Option("--decline", help="Decline instead; needs --reason.")]
BreakGlass = Annotated[
    str,
    typer.Option(
        metavar="TEXT", help="Why you go ahead alone although somebody else should. Everybody sees it."
    ),
]
Since = Annotated[datetime, typer.Option("--since", parser=_instant, metavar="INSTANT", help=_INSTANT_HELP)]
Moment = Annotated[datetime | None, typer.Option(parser=_instant, metavar="INSTANT", help=_INSTANT_HELP)]
WhyOrWhatIf = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; needed without --what-if.")]
WhatIf = Annotated[
    bool, typer.Option("--what-if", help="Say what would come of it; change nothing, and give no reason.")
]
RateArgument = Annotated[int, typer.Argument(parser=_rate, metavar="RATE", help=_RATE_HELP)]
Requests = Annotated[
    list[int], typer.Argument(parser=_number("PIP"), metavar="REQUEST...", help="12 or PIP-12; up to 200.")
]
RateBound = Annotated[
    Any, typer.Option("--rate", parser=_rate_or_none, metavar="RATE", help="Sum at any instant; or `none`.")
]
OpenBound = Annotated[
    Any,
    typer.Option("--open-requests", parser=_number_or_none, metavar="N", help="Not decided yet; or `none`."),
]
HoldsBound = Annotated[
    Any, typer.Option("--holds", parser=_number_or_none, metavar="N", help="Held at once; or `none`.")
]
Canary = Annotated[
    Any,
    typer.Option(
        "--canary", parser=_number_or_none, metavar="N", help="So many first; `none`: by how many there are."
    ),
]
WaveSize = Annotated[
    Any, typer.Option("--wave-size", parser=_number_or_none, metavar="N", help="So many a wave; or `none`.")
]
AtOnce = Annotated[
    Any, typer.Option("--at-once", parser=_number_or_none, metavar="N", help="So many at once; or `none`.")
]
WindowStart = Annotated[
    Any,
    typer.Option(
        "--window-start", parser=_instant_or_none, metavar="INSTANT", help="None is begun before; or `none`."
    ),
]
WindowEnd = Annotated[
    Any,
    typer.Option(
        "--window-end", parser=_instant_or_none, metavar="INSTANT", help="None is begun after; or `none`."
    ),
]
