"""What is typed: numbers of rows, rates, instants; each read once, and refused by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

import typer

from expedite_client.asking import read_instant, read_rate
from expedite_client.errors import InvalidInput
from expedite_client.resources.pushes import NEXT_STEPS

FURTHER_NOTICE: Final = "further-notice"
FREE: Final = "none"
"""No such bound, no such rule."""
_VERBS: Final = f"{', '.join(NEXT_STEPS[:-1])} or {NEXT_STEPS[-1]}"
_PUBLIC: Final = re.compile(r"exp_[0-9A-Za-z]{1,16}(?![0-9A-Za-z])", re.ASCII)
_SPAN: Final = re.compile(r"([1-9][0-9]{0,4})([dh])", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _number(prefix: str) -> Callable[[str], int]:
    wanted = re.compile(rf"(?:{prefix}-)?([0-9]{{1,15}})", re.ASCII | re.IGNORECASE)

    def number(text: str) -> int:
        found = wanted.fullmatch(text.strip())
        if found is None:
            raise typer.BadParameter(f"{text[:40]!r} is no number: write 12 or {prefix}-12")
        return int(found[1])

    return number


def _id(text: str) -> int | None:
    """The id that a text is; None for any other."""
    return (int(text) or None) if text.isascii() and text.isdecimal() and len(text) <= 15 else None


def _push(text: str) -> int:
    found = _id(text)
    if found is None:
        raise typer.BadParameter(f"{text[:40]!r} is none: PUSH is a number; see `expedite noc pushes`")
    return found


def _next_verb(text: str) -> str:
    if text not in NEXT_STEPS:
        raise typer.BadParameter(f"{text[:40]!r} is none of {_VERBS}")
    return text


def _token(text: str) -> int | str:
    number = _id(text)
    if number is not None:
        return number
    found = _PUBLIC.match(text)
    if found is None:
        raise typer.BadParameter("it is no token: write its id or public prefix; see `expedite token list`")
    if found[0] != text:
        # The rest is the secret; whoever typed it has shown it to everybody on this machine.
        raise typer.BadParameter(f"write {found[0]}, and no more of it: the rest is secret")
    return text


def expiry(text: str) -> datetime:
    """Return when something ends, as `manage.py token` reads it: an instant, the beginning of a day in UTC, `90d` or `12h` from
    now. Raises typer.BadParameter.
    """
    span = _SPAN.fullmatch(text)
    try:
        if span is not None:
            return datetime.now(UTC) + timedelta(**{"days" if span[2] == "d" else "hours": int(span[1])})
        if _DAY.fullmatch(text):
            return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
        return read_instant(text, field="")
    except (ValueError, OverflowError, InvalidInput) as error:
        why = error.reason if isinstance(error, InvalidInput) else f"{text[:40]!r} is no day"
        raise typer.BadParameter(f"{why}; or a day (2027-03-01), 90d or 12h") from error


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
PushId = Annotated[
    int, typer.Argument(parser=_push, metavar="PUSH", help="A number; see `expedite noc pushes`.")
]
NextVerb = Annotated[str, typer.Argument(parser=_next_verb, metavar="VERB", help=f"{_VERBS}.")]
RouterName = Annotated[str, typer.Argument(metavar="ROUTER", help="Its name, such as nl6.")]
TokenId = Annotated[
    Any,
    typer.Argument(parser=_token, metavar="TOKEN", help="Its id or public prefix: 3 or exp_47c38b4e04fb."),
]
Expiry = Annotated[
    datetime | None,
    typer.Option(
        "--expires",
        parser=expiry,
        metavar="WHEN",
        help="An instant (2027-03-01T10:00:00Z), a day (its beginning in UTC), 90d or 12h.",
    ),
]

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
WhyIfAny = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why, if there is more to say; kept.")
]
WhyUnlessLook = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; kept on record. Needed for all but look.")
]
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
