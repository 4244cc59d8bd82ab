"""The words and the weight of every state on the pages: (word, kind, icon). Colour only repeats the word."""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """How a state is shown: its word, its weight (good, warn, bad, info, plain) and its icon."""

    text: str
    kind: str
    icon: str
    meaning: str = ""


STATES: dict[str, Word] = {
    # The promise
    "submitted": Word("Submitted", "info", "inbox", "Asked for; nobody has decided."),
    "held": Word("Held", "info", "hand-stop", "Capacity is kept aside until the hold ends."),
    "admitted": Word("Admitted", "info", "check", "Granted and charged; not yet seen on the routers."),
    "refused": Word("Refused", "bad", "ban", "Not granted."),
    "active": Word("Active", "good", "circle-check", "Seen on every router concerned."),
    "withdrawn": Word("Withdrawn", "warn", "arrow-back-up", "Taken back; charged until it is seen gone."),
    "expired": Word("Expired", "warn", "hourglass", "Its window ended; charged until it is seen gone."),
    "never_provided": Word(
        "Never provided",
        "warn",
        "circle-x",
        "Granted, and never seen on the router it enters at; its capacity is free.",
    ),
    "completed": Word("Completed", "plain", "check", "Seen gone from the routers; its capacity is free."),
    # What was promised becomes something else
    "proposed": Word("Proposed", "info", "inbox", "Nobody has decided; what was granted stays."),
    "in_force": Word("In force", "good", "circle-check", "The routers hold it, and it is charged."),
    "lapsed": Word("Lapsed", "plain", "hourglass", "The request ended first."),
    # The deployment
    "planning": Word(
        "Being planned", "info", "refresh", "Its routers are being read; there is nothing to approve yet."
    ),
    "planned": Word("Planned", "info", "file-text", "Waits for approval."),
    "approved": Word("Approved", "info", "check", "These exact lines may be pushed."),
    "paused": Word("Paused", "warn", "hand-stop", "No further router is begun until a person lets it go on."),
    "pushing": Word("Pushing", "info", "player-play", "Lines are being sent now."),
    "pushed": Word("Pushed", "info", "send", "Every line was answered; not yet verified."),
    "verified": Word(
        "Verified", "good", "shield-check", "Read back from the router and equal to what was intended."
    ),
    "failed": Word("Failed", "bad", "circle-x", "Stopped; see the reason."),
    "unknown": Word(
        "Unknown", "warn", "help-circle", "What the router holds is not known until it is read again."
    ),
    "rolled_back": Word("Rolled back", "warn", "arrow-back-up", "Put back to what it was."),
    "stale": Word("Stale", "warn", "alert-triangle", "The router is no longer what the plan was made for."),
    "cancelled": Word("Cancelled", "plain", "x", "Will not be pushed."),
    "partial": Word("Partial", "warn", "alert-triangle", "Some routers are done and some are not."),
    "empty": Word("Nothing to send", "plain", "check", "The routers already hold what is intended."),
    # What is known about a router
    "in-sync": Word("In sync", "good", "circle-check", "Read, and equal to what is intended."),
    "differs": Word("Differs", "bad", "git-compare", "Read, and not what is intended."),
    # A change played on practice routers
    "rehearsed": Word(
        "Rehearsed", "good", "circle-check", "A practice router took every line and ended as planned."
    ),
    "line-refused": Word("Refused", "bad", "ban", "A practice router did not take a line."),
    "not-rehearsed": Word("Not rehearsed", "warn", "help-circle", "No practice router could play it."),
    # Consent of the receiving NREN
    "pending": Word("Consent pending", "warn", "clock", "The receiving NREN has not answered."),
    "standing": Word("Standing consent", "good", "check", "The receiving NREN agreed once for everything."),
    "given": Word("Consent given", "good", "check", "The receiving NREN agreed."),
    "declined": Word("Consent declined", "bad", "ban", "The receiving NREN said no."),
    "not-needed": Word("No consent needed", "plain", "check", "There is no receiving NREN."),
    "overdue": Word("Overdue", "bad", "clock", "Its window has begun and it is not active."),
    # Who marks on an access link
    "trusted": Word("Trusted", "info", "shield-check", "The NREN marks; EF is policed (TRUSTED-IN)."),
    "filtered": Word(
        "Filtered", "info", "filter", "The backbone marks what an access list names (FILTERED-IN)."
    ),
    "non-participant": Word(
        "Non-participant", "plain", "ban", "Everything becomes DSCP 0 (NON-PARTICIPANT)."
    ),
}


def word(state: object) -> Word:
    """Return the word for a state value; an unlisted one is shown as it is, plainly."""
    text = str(getattr(state, "value", state))
    return STATES.get(
        text.lower(), Word(text.replace("_", " ").replace("-", " ").capitalize(), "plain", "info-circle")
    )


PHASES: dict[str, tuple[str, str]] = {
    "core-off": ("Core queues off", "Priority queues come off first, before any edge loosens."),
    "edges": ("Edges", "Marking and policing on access and peering interfaces."),
    "core-on": ("Core queues on", "Priority queues go on last, when no unauthorised EF can enter."),
}

HOLDS: dict[str, str] = {
    "planned": "It holds what was read before the plan: nothing has been sent.",
    "approved": "It holds what was read before the plan: nothing has been sent.",
    "pushing": "It holds the lines answered so far, in running-config only.",
    "pushed": "It holds every line in running-config; it is being read back.",
    "stale": "It holds what somebody else made of it: nothing of this plan was sent.",
    "cancelled": "Nothing of this plan was sent.",
    "rolled_back": "It was taken back, read, and holds what it held before the first line. Nothing was saved.",
    "failed": "Nothing was sent to it: it holds what it held before.",
    "unknown": "Nobody knows until it is read again: it may hold any of the lines that were sent.",
}


def holds_now(state: object, *, saved: bool | None = None, read: bool = True) -> str:
    """Return what a router holds now, in one sentence; ``saved`` False when startup-config lacks it.

    ``read`` False: it could not be read for the plan, so nothing was sent to it.
    """
    text = str(getattr(state, "value", state)).lower()
    if not read:
        return "Nothing was sent to it. What it holds was not read; whatever ran before still runs."
    if text == "verified":
        if saved is None:
            return "It holds what is intended, as it was read."
        return (
            "It holds what was approved, read back, and saved to startup-config."
            if saved
            else "It runs what was approved, but startup-config does not hold it: a reload would lose it."
        )
    return HOLDS.get(text, "")


DEEDS: dict[str, str] = {
    "request.submit": "Asked for",
    "request.consent": "Consent answered",
    "request.offer-taken": "Offer taken",
    "request.replaced": "Asked for otherwise",
    "request.end-early": "Ends sooner",
    "request.modification.proposed": "Change proposed",
    "request.modification.consent": "Change agreed to",
    "request.modification.decline": "Change declined",
    "request.modification.does-not-fit": "Change does not fit",
    "request.modification.admitted": "Change admitted",
    "request.modification.in-force": "Change in force",
    "request.modification.refused": "Change refused",
    "request.modification.withdrawn": "Change withdrawn",
    "request.modification.lapsed": "Change lapsed",
    "request.flow-label": "Flow label drawn",
    "series.submit": "Asked for",
    "series.offer-taken": "Offer taken",
    "series.end-early": "Ends sooner",
    "series.does-not-fit": "Did not fit at the decision",
    "series.unheld": "Hold ended",
    "reservation.recharge": "Charged anew",
    "request.does-not-fit": "Did not fit at the decision",
    "request.unhold": "Hold ended",
    "request.held-out": "Kept out of the plans",
    "request.retry": "Planned again",
    "change.approval": "Approved in part, or whole",
    "change.rehearse": "Rehearsal asked for",
    "change.rehearsed": "Rehearsed",
    "change.asked": "Plan asked for",
    "request.hold-lapsed": "Hold lapsed",
    "push.transcript": "Transcript kept",
    "push.undo": "Undo sent",
    "push.pushing": "Push begun",
    "push.try-now": "Looked at again",
    "push.dealt-with": "Dealt with",
    "change.cleared": "Cleared for pushing",
    "break-glass": "Went ahead alone, by break-glass",
    "break-glass.acknowledged": "Acknowledged",
    "change.paused": "Paused",
    "change.resumed": "Let go on",
    "change.course": "Course set",
    "installation.stop": "Every push stopped",
    "installation.go-on": "Pushes let go on",
    "router.save": "Saving begun",
    "router.save-refused": "Saving refused, or broken off",
    "router.saved": "Saved to startup-config",
    "router.transcript": "Transcript kept",
}
