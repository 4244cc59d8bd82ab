"""`series`: windows that come again, as their NREN and the receiver deal with them. Asked for by `submit --rrule`."""

from __future__ import annotations

from typing import Annotated

import typer

from expedite_client.cli import shown
from expedite_client.cli.given import Decline, EndOrNone, SeriesId, Why, WhyOrNone
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.values.series import SeriesDetail


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "list")
    def list_(here: Here, nren: Annotated[str | None, typer.Option(metavar="NAME")] = None) -> Answer:
        """List series."""
        rows = list(here.client.series.list(nren=nren))
        return Answer(rows, shown.many_series(rows))

    @verb(app, "show")
    def show(here: Here, series: SeriesId) -> Answer:
        """Show a series with its occurrences."""
        return told(here.client.series.show(series))

    @deed(app, "consent")
    def consent(here: Here, series: SeriesId, decline: Decline = False, reason: WhyOrNone = "") -> Answer:
        """Agree to receive every occurrence, or decline; the receiver's."""
        return told(here.client.series.consent(series, agree=not decline, reason=reason, key=here.key))

    @deed(app, "take-offer")
    def take_offer(here: Here, series: SeriesId) -> Answer:
        """Have what is undecided or was refused ask for the rate that fits all."""
        # Under a key it is said the same each time: what fits is otherwise once it was taken.
        rate = None if here.key is not None else here.client.series.show(series)["rate_that_fits"]
        return told(here.client.series.take_offer(series, rate_bps=rate, key=here.key))

    @deed(app, "end-early")
    def end_early(here: Here, series: SeriesId, reason: Why, end: EndOrNone = None) -> Answer:
        """Have a series end sooner; now, without --end."""
        return told(here.client.series.end_early(series, end=end, reason=reason, key=here.key))

    @deed(app, "withdraw")
    def withdraw(here: Here, series: SeriesId, reason: Why) -> Answer:
        """Take back what is left of a series."""
        return told(here.client.series.withdraw(series, reason=reason, key=here.key))


def told(row: SeriesDetail) -> Answer:
    """Return a series as a command says it."""
    return Answer(row, shown.series(row))
