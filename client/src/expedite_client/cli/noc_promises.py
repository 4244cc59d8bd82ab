"""`noc`: what the NOC decides about requests, modifications and series."""

from __future__ import annotations

import typer

from expedite_client.cli import shown
from expedite_client.cli.given import BreakGlass, ModificationId, RequestId, SeriesId, Until, Why
from expedite_client.cli.requests import told
from expedite_client.cli.series import told as series_told
from expedite_client.cli.verbs import Answer, Here, deed, verb


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @deed(app, "admit")
    def admit(here: Here, request: RequestId, reason: Why, break_glass: BreakGlass = "") -> Answer:
        """Grant a request. Exit 1 when it does not fit: nothing was granted."""
        return told(here.client.requests.admit(request, reason=reason, break_glass=break_glass, key=here.key))

    @deed(app, "refuse")
    def refuse(here: Here, request: RequestId, reason: Why) -> Answer:
        """Refuse a request; the NREN reads the reason."""
        return told(here.client.requests.refuse(request, reason=reason, key=here.key))

    @deed(app, "hold")
    def hold(here: Here, request: RequestId, until: Until, reason: Why) -> Answer:
        """Keep the capacity of a request aside for a while, at most 30 days."""
        return told(here.client.requests.hold(request, until=until, reason=reason, key=here.key))

    @deed(app, "unhold")
    def unhold(here: Here, request: RequestId, reason: Why) -> Answer:
        """Let go of a hold before its time."""
        return told(here.client.requests.unhold(request, reason=reason, key=here.key))

    @deed(app, "plan-again")
    def plan_again(here: Here, request: RequestId, reason: Why) -> Answer:
        """Have a request planned again that waits for somebody who has mended why."""
        return told(here.client.requests.plan_again(request, reason=reason, key=here.key))

    @verb(app, "modification")
    def modification(here: Here, modification: ModificationId) -> Answer:
        """Show what a request is to become."""
        row = here.client.modifications.show(modification)
        return Answer(row, shown.modification(row))

    @deed(app, "modification-admit")
    def modification_admit(
        here: Here, modification: ModificationId, reason: Why, break_glass: BreakGlass = ""
    ) -> Answer:
        """Grant a modification. Exit 1 when the difference does not fit."""
        row = here.client.modifications.admit(
            modification, reason=reason, break_glass=break_glass, key=here.key
        )
        return Answer(row, shown.modification(row))

    @deed(app, "modification-refuse")
    def modification_refuse(here: Here, modification: ModificationId, reason: Why) -> Answer:
        """Refuse a modification; what was granted stays."""
        row = here.client.modifications.refuse(modification, reason=reason, key=here.key)
        return Answer(row, shown.modification(row))

    @deed(app, "series-admit")
    def series_admit(here: Here, series: SeriesId, reason: Why, break_glass: BreakGlass = "") -> Answer:
        """Grant a series. Exit 1 when nothing was granted."""
        return series_told(
            here.client.series.admit(series, reason=reason, break_glass=break_glass, key=here.key)
        )

    @deed(app, "series-refuse")
    def series_refuse(here: Here, series: SeriesId, reason: Why) -> Answer:
        """Refuse every open occurrence of a series."""
        return series_told(here.client.series.refuse(series, reason=reason, key=here.key))

    @deed(app, "series-hold")
    def series_hold(here: Here, series: SeriesId, until: Until, reason: Why) -> Answer:
        """Keep the capacity of every open occurrence aside for a while."""
        return series_told(here.client.series.hold(series, until=until, reason=reason, key=here.key))

    @deed(app, "series-unhold")
    def series_unhold(here: Here, series: SeriesId, reason: Why) -> Answer:
        """Let go of the hold of a series before its time."""
        return series_told(here.client.series.unhold(series, reason=reason, key=here.key))
