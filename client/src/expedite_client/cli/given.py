"""What is typed: numbers of rows, rates, instants; each read once, and refused by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Final

import typer

from expedite_client.asking import read_instant, read_rate
from expedite_client.errors import InvalidInput

FURTHER_NOTICE: Final = "further-notice"


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


def _until(text: str) -> datetime | str:
    return FURTHER_NOTICE if text == FURTHER_NOTICE else _instant(text)


RequestId = Annotated[int, typer.Argument(parser=_number("PIP"), metavar="REQUEST", help="12 or PIP-12.")]
SeriesId = Annotated[int, typer.Argument(parser=_number("SER"), metavar="SERIES", help="3 or SER-3.")]
ChangeId = Annotated[int, typer.Argument(parser=_number("CHG"), metavar="CHANGE", help="7 or CHG-7.")]
ModificationId = Annotated[
    int, typer.Argument(parser=_number("MOD"), metavar="MODIFICATION", help="4 or MOD-4.")
]
PushId = Annotated[int, typer.Argument(metavar="PUSH", min=1, help="The id of the push.")]
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
Moment = Annotated[datetime | None, typer.Option(parser=_instant, metavar="INSTANT", help=_INSTANT_HELP)]
