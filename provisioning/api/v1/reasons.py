"""Why something is done, where that is all that has to be said."""

from __future__ import annotations

from provisioning.api.fields import Strict, Text

UNSAID = "what if"
"""The reason of a question that gives none: nothing is done, so it stands nowhere."""


class Why(Strict):
    """Why it is done; kept in the audit trail."""

    reason = Text(max_length=2000)


class NoWhy(Strict):
    """Nothing is done, so nothing has to be said."""

    reason = Text(max_length=2000, allow_blank=True, default="")
