"""Why something is done, where that is all that has to be said."""

from __future__ import annotations

from provisioning.api.fields import Flag, Strict, Text

UNSAID = "what if"
"""The reason of a question that gives none: nothing is done, so it stands nowhere."""


class Why(Strict):
    """Why it is done; kept in the audit trail."""

    reason = Text(max_length=2000)


class Nothing(Strict):
    """No words are needed: `{}`."""


class AsRead(Strict):
    """One person's approval of exactly the lines that have the fingerprint which was read."""

    seen = Text(max_length=64, help_text="The `fingerprint` of what was read: other lines are not approved.")
    confirm_gaps = Flag(default=False, help_text="Needed where `gaps` names some.")
    override = Text(
        max_length=2000,
        allow_blank=True,
        default="",
        help_text="Needed where `doubts` names some: why go ahead.",
    )
    reason = Text(max_length=2000, allow_blank=True, default="")


class NoWhy(Strict):
    """Nothing is done, so nothing has to be said."""

    reason = Text(max_length=2000, allow_blank=True, default="")
