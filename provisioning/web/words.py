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

FAILURES: dict[str, tuple[str, str]] = {
    "unreachable": (
        "The router could not be reached over SSH. Nothing was sent to it.",
        "Check the router and the management network, then verify the router and plan again.",
    ),
    "authentication-refused": (
        "The router refused the user name or the password. Nothing was sent to it.",
        "Have the stored credential corrected, then verify the router and plan again.",
    ),
    "host-key-changed": (
        "The router showed a host key that is not the pinned one. Nothing was sent, and no password was offered.",
        "Find out from the router's console whether its key was replaced. Only then pin the new key.",
    ),
    "wrong-router": (
        "What answered is not the router of the inventory, or runs what lines are made otherwise for. Nothing was sent to it.",
        "If its chassis was replaced, take the new serial on its page; if the inventory is wrong, correct it. Then plan again.",
    ),
    "line-refused": (
        "The router refused a configuration line. The push stopped at that line.",
        "Read the router's reply below: usually the platform or the release cannot do this. Mend the cause, then plan again.",
    ),
    "configuration-locked": (
        "Somebody else holds configuration mode on the router, so no line could be sent.",
        "The reply names user and terminal: agree with them, or wait until they are through. Then plan again.",
    ),
    "session-lost": (
        "The SSH session broke while lines were being sent. Which of the last lines took effect is not known.",
        "The router is read again by itself; until then it counts as unknown. Verify it to ask now.",
    ),
    "save-refused": (
        "The lines are on and verified, but the router did not save its configuration.",
        "It would forget them on a reload. Check the router's NVRAM, then save on the router.",
    ),
    "stale": (
        "The router is no longer what the plan was made for, so nothing of it was sent.",
        "Look at what changed on the router page, then make a new plan.",
    ),
    "push-disabled": (
        "Pushing is switched off (PUSH_ENABLED), or somebody stopped every push. Nothing was sent.",
        "Who stopped them says so on the queue page, and lets them go on there; the switch is a matter of the installation.",
    ),
    "lease-lost": (
        "Another worker took over this router. Nothing more was sent from here.",
        "Wait for the other worker; the router is read before anything else is sent.",
    ),
    "vty-refused": (
        "The router closed the connection before a session: it is starting up, or has no free line. Nothing was sent to it.",
        "See whether it restarts, or who is signed in on it. When it answers, verify the router and plan again.",
    ),
    "moved": (
        "Somebody changed the router after the plan was made, so nothing of it was sent.",
        "Look at what changed on the router page and talk to whoever did it, then make a new plan.",
    ),
    "intent": (
        "What the routers should hold has changed since this was planned, so nothing of it was sent.",
        "Make a new plan; it takes the newer requests and decisions into account.",
    ),
    "open-edge": (
        "An edge is open or was not read, so the core queues are not switched on. Edges that were done stay done.",
        "Close the edge named below, or have it exempted with a reason in the inventory. Then make a new plan.",
    ),
    "unrecognised": (
        "The router holds something that was never approved. Nothing more was sent and nothing was saved.",
        "Plan the router again: what our own lines left is put right. Where the plan names a hand edit, plan a repair.",
    ),
    "interface-bare": (
        "A swap was refused, and the interface named below takes no policy, old or new: whatever enters there keeps its marking.",
        "It is tried again by itself. Do not wait for that: bind a policy on the router, or shut the interface, then verify it.",
    ),
    "interrupted": (
        "The push was interrupted and taken back.",
        "The router is as it was before. Make a new plan when the reason is gone.",
    ),
    "not-as-approved": (
        "Every line was answered, but what was read back is not what was approved, so it was taken back.",
        "Read the transcript: somebody may have worked on the router meanwhile. Then plan it again.",
    ),
    "silently-refused": (
        "The router answered without complaint but does not show what the lines say, so it was taken back.",
        "Plan the router again. If it ends so twice, its platform or release may not do this: tell whoever keeps the profiles.",
    ),
    "not-working": (
        "The configuration is there, but the router's counters do not show the policy at work, so it was taken back.",
        "Look at show policy-map interface on the router; the line card may not support it there.",
    ),
    "unhealthy": (
        "With the lines in the router fared worse than before them: a neighbour or an interface was lost, or its processor was "
        "past the limit. So it was taken back.",
        "Look at what is named, and whether it is back now. If the push had nothing to do with it, plan it again.",
    ),
    "parse-failure": (
        "What the router showed could not be understood, so nothing is believed of it.",
        "Read the transcript; if the router shows something unusual, tell whoever looks after this installation.",
    ),
    "held": (
        "Another worker holds this router at the moment.",
        "Nothing to do: it is tried again when the other one is through.",
    ),
    "device-error": (
        "The router did not behave as expected.",
        "Read the transcript, then verify the router before anything else.",
    ),
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
    "change.asked": "Plan asked for",
    "request.hold-lapsed": "Hold lapsed",
    "push.transcript": "Transcript kept",
    "push.undo": "Undo sent",
    "push.pushing": "Push begun",
    "push.try-now": "Looked at again",
    "push.dealt-with": "Dealt with",
    "change.cleared": "Cleared for pushing",
    "change.paused": "Paused",
    "change.resumed": "Let go on",
    "installation.stop": "Every push stopped",
    "installation.go-on": "Pushes let go on",
    "router.save": "Saving begun",
    "router.save-refused": "Saving refused, or broken off",
    "router.saved": "Saved to startup-config",
    "router.transcript": "Transcript kept",
}
