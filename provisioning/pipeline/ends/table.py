"""Every end of a push: what it means, what a person does next, and what is done without one. Pages, commands, API and docs read
this table; a test walks from each of its rows to VERIFIED.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from provisioning.pipeline.ends.verbs import Verb
from provisioning.pipeline.states import PushState

SAVE_REFUSED: Final = "save-refused"
KEPT_BACK: Final = "kept-back"
NOT_READ: Final = "not-read"
NOT_STARTED: Final = "not-started"
LEFT_OUT: Final = "left-out"
INTERRUPTED: Final = "interrupted"
_BROKE_OFF: Final = frozenset(
    {
        "session-lost",
        "unreachable",
        "vty-refused",
        "authentication-refused",
        "host-key-changed",
        "wrong-router",
        "configuration-locked",
        "device-error",
    }
)
"""Codes of a session that ended by itself: of a push that was taken back after it they are one end."""
SAVES: Final = 10
"""How often a refused save is tried again by itself; then a person has to look."""


@dataclass(frozen=True, slots=True)
class End:
    """One way in which a push ends: its state, and the code of why (empty: any that has no row of its own).

    `means` says what happened, `do` what a person can do, `meanwhile` what becomes of it without one. `verb` is the next step,
    None where there is nothing to do; `also` are others that may be right.
    """

    state: PushState
    code: str
    means: str
    do: str
    verb: Verb | None = None
    also: tuple[Verb, ...] = ()
    meanwhile: str = ""

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """Whatever may be done about it, the next step first."""
        return self.also if self.verb is None else (self.verb, *self.also)

    @property
    def planned_again(self) -> bool:
        """Whether what a request asked for is planned again by itself, later each time."""
        return self.meanwhile == AGAIN

    def to_json(self) -> dict[str, Any]:
        """As the API and the commands say it: the step and others that may be right, each with what it does."""
        return {
            "verb": self.verb,
            "also": list(self.also),
            "means": self.means,
            "do": self.do,
            "meanwhile": self.meanwhile,
        }


_P = PushState
AGAIN: Final = (
    "What a request asked for is planned again by itself, each time later; "
    "after five in a row its router waits for a person."
)
HELD: Final = (
    "Nothing is planned again by itself: a request that it carried stays charged, "
    "and waits for a person on the queue page."
)
STANDS: Final = "It stands on the queue page until somebody has dealt with it."
READ: Final = (
    "The router is read by itself, with pauses up to five minutes; the push is then finished or taken back."
)
_NOTHING = "Nothing."


def _failed(code: str, means: str, do: str) -> End:
    """Nothing was sent."""
    return End(_P.FAILED, code, means, do, Verb.RETRY, (Verb.DEALT_WITH,), AGAIN)


def _unknown(code: str, means: str, do: str) -> End:
    """Half way, and read again by itself."""
    return End(_P.UNKNOWN, code, means, do, Verb.LOOK, meanwhile=READ)


def _taken_back(code: str, means: str, do: str) -> End:
    """What the router would not take, and was freed of."""
    return End(_P.ROLLED_BACK, code, means, do, Verb.RETRY, (Verb.DEALT_WITH,), HELD)


ENDS: Final[tuple[End, ...]] = (
    End(
        _P.VERIFIED,
        "",
        "The router was read back and holds what was approved; startup-config holds it too.",
        _NOTHING,
    ),
    End(
        _P.VERIFIED,
        SAVE_REFUSED,
        "The lines are on and verified, but the router refused `write memory`: a reload would lose them.",
        "Wait, or save it now. If it goes on, look who else is saving there, and at the NVRAM of the router.",
        Verb.SAVE,
        meanwhile=(
            f"It is saved again by itself, {SAVES} times with growing pauses, as long as only lines of ours are "
            "unsaved."
        ),
    ),
    End(
        _P.VERIFIED,
        KEPT_BACK,
        "The lines are on and verified, but lines of other people are unsaved beside them, and saving is all or "
        "nothing: a reload would lose ours.",
        "See whose lines they are on the page of the router, agree with whoever typed them, then save with a "
        "reason.",
        Verb.SAVE,
        meanwhile=("As soon as only lines of ours are unsaved, they are saved by themselves."),
    ),
    _failed(
        "unreachable",
        "The router could not be reached over SSH. Nothing was sent to it.",
        "Check the router and the management network, then plan again.",
    ),
    _failed(
        "vty-refused",
        "The router closed the connection before a session: it is starting up, or has no free line. Nothing was "
        "sent to it.",
        "See whether it restarts, or who is signed in on it. When it answers, plan again.",
    ),
    _failed(
        "authentication-refused",
        "The router refused the user name or the password. Nothing was sent to it.",
        "Import the network file with the right `management` entry, then plan again.",
    ),
    _failed(
        "host-key-changed",
        "The router showed a host key that is not the pinned one. Nothing was sent, and no password was offered.",
        "Find out from the console of the router whether its key was replaced. Only then pin the new key and plan"
        " again.",
    ),
    _failed(
        "wrong-router",
        "What answered is not the router of the inventory, or runs what lines are made otherwise for. Nothing was"
        " sent to it.",
        "If its chassis was replaced, take the new serial on its page; if the inventory is wrong, correct it. "
        "Then plan again.",
    ),
    _failed(
        "configuration-locked",
        "Somebody else holds configuration mode on the router. Nothing was sent to it.",
        "The reply names user and terminal: agree with them, or wait until they are through. Then plan again.",
    ),
    _failed(
        "",
        "The router could not be read, or the session ended, before the first line. Nothing was sent to it.",
        "Mend what the reason names, then plan again.",
    ),
    End(
        _P.STALE,
        "moved",
        "Somebody changed the router after the plan was made, so nothing of it was sent.",
        "Look at what changed on the page of the router and talk to whoever did it, then plan again. Where the "
        "new plan names a hand edit, plan a repair.",
        Verb.RETRY,
        (
            Verb.REPAIR,
            Verb.DEALT_WITH,
        ),
        meanwhile=AGAIN,
    ),
    End(
        _P.STALE,
        "intent",
        "What the routers should hold has changed since this was planned, so nothing of it was sent.",
        "Plan again: that takes the newer requests and decisions into account.",
        Verb.RETRY,
        (Verb.DEALT_WITH,),
        meanwhile=AGAIN,
    ),
    End(
        _P.STALE,
        "open-edge",
        "An edge is open or was not read, so the core queues are not switched on. Edges that were done stay done.",
        "Close the edge that is named, or have it exempted with a reason in the inventory. Then plan again.",
        Verb.RETRY,
        (Verb.DEALT_WITH,),
        meanwhile=AGAIN,
    ),
    End(
        _P.STALE,
        LEFT_OUT,
        "Another router of the change was planned anew. A change is approved as a whole, so this one was put aside "
        "with it, and nothing was sent.",
        "Plan the rest: the routers of the change that no newer plan has.",
        Verb.FINISH,
        (Verb.DEALT_WITH,),
        meanwhile=STANDS,
    ),
    End(
        _P.STALE,
        "",
        "A newer plan took the place of this one before it was sent.",
        _NOTHING,
    ),
    End(
        _P.UNKNOWN,
        NOT_READ,
        "The router could not be read for the plan. Nothing was sent to it.",
        "Mend what the reason names, then plan again.",
        Verb.RETRY,
        (Verb.DEALT_WITH,),
        meanwhile=STANDS,
    ),
    _unknown(
        "session-lost",
        "The SSH session broke while lines were being sent. Which of the last lines took effect is not known.",
        "Wait, or have it read now. If it does not answer, look at the router out of band.",
    ),
    _unknown(
        "unreachable",
        "The router cannot be reached any more, and lines of the push may be on it.",
        "Look at the router and the management network out of band; have it read as soon as it answers.",
    ),
    _unknown(
        "vty-refused",
        "The router closes the connection before a session (it restarts, or has no free line), and lines of the "
        "push may be on it.",
        "See whether it restarts, or who is signed in on it; have it read as soon as it answers.",
    ),
    _unknown(
        "authentication-refused",
        "The router refuses the user name or the password by now, and lines of the push may be on it.",
        "Import the network file with the right `management` entry, then have it read now.",
    ),
    _unknown(
        "host-key-changed",
        "The router shows another host key by now, and lines of the push may be on it.",
        "Find out from its console whether the key was replaced. Only then pin the new key and have it read now.",
    ),
    _unknown(
        "wrong-router",
        "Another router answers by now, and lines of the push may be on the one that was meant.",
        "Find out which router has this address; take a new serial on its page if the chassis was replaced. Then "
        "have it read now.",
    ),
    _unknown(
        "configuration-locked",
        "Somebody else took configuration mode when the push was half way. Every line so far is safe.",
        "The reply names user and terminal: agree with them, or wait until they are through. Then have it read "
        "now.",
    ),
    _unknown(
        "revert-not-settled",
        "The timer that takes the lines back may be at work on the router this very moment, so nothing was sent into it.",
        "Wait, or have it read now: it ends as taken back once the router shows what it held before the first line.",
    ),
    _unknown(
        "interface-bare",
        "A swap was refused, and the interface that is named takes no policy, old or new: whatever enters there "
        "keeps its marking.",
        "Make haste: bind a policy on the router, or shut the interface, then have it read now.",
    ),
    End(
        _P.UNKNOWN,
        "unrecognised",
        "The router holds something that was never approved. Nothing more was sent and nothing was saved.",
        "Plan again: what our own lines left is put right. Where the plan names a hand edit, agree with whoever "
        "typed it and plan a repair.",
        Verb.RETRY,
        (Verb.REPAIR,),
        meanwhile=HELD,
    ),
    _unknown(
        "",
        "The session ended in the middle of the push. What the router holds is not known until it is read.",
        "Wait, or have it read now. If it does not answer, look at the router out of band.",
    ),
    _taken_back(
        "line-refused",
        "The router refused a configuration line. The push stopped at that line, and what was sent was taken back.",
        "Read the router's reply: usually the platform or the release cannot do this. Mend the cause, then plan again.",
    ),
    _taken_back(
        "silently-refused",
        "The router answered without complaint but does not show what the lines say, so they were taken back.",
        "Plan again. If it ends so twice, its platform or release may not do this: tell whoever keeps the "
        "profiles.",
    ),
    _taken_back(
        "not-as-approved",
        "Every line was answered, but what was read back is not what was approved, so it was taken back.",
        "Read the transcript: somebody may have worked on the router meanwhile. Then plan again.",
    ),
    _taken_back(
        "not-working",
        "The configuration was there, but the counters of the router did not show the policy at work, so it was "
        "taken back.",
        "Look at `show policy-map interface` on the router; the line card may not support it there. Mend the "
        "cause, then plan again.",
    ),
    _taken_back(
        "unhealthy",
        "With the lines in the router fared worse than before them: a neighbour or an interface was lost, or its "
        "processor was past the limit. So it was taken back.",
        "See whether what is named is back. If it is not, the push was not the cause: plan again. If it is, find out "
        "what the policy does to it first.",
    ),
    End(
        _P.ROLLED_BACK,
        INTERRUPTED,
        "The session with the router broke off again and again, or its worker did, and what was sent was taken back.",
        "Plan again when what the reason names is gone.",
        Verb.RETRY,
        (Verb.DEALT_WITH,),
        AGAIN,
    ),
    _taken_back(
        "reverted",
        "The router went back by itself to what it held before the first line: it was not told in time to keep the "
        "lines, or the session with it was lost before they were all in.",
        "Find out whether the lines cut the session (the interface is the one over which the router is managed). Only "
        "if they did not, plan again.",
    ),
    _taken_back(
        "revert-refused",
        "The timer that takes the lines back by themselves could not be started, so not one of them was sent.",
        "Read why: somebody else's change may wait there to be confirmed, or `archive` has no `path` on the router "
        "itself. Mend that, then plan again.",
    ),
    _taken_back(
        "confirm-refused",
        "Every line was in and read back as approved, but the router would not be told to keep them (`configure "
        "confirm`), so they were taken back.",
        "Read the reply: usually the user may not give that command. Allow it, then plan again.",
    ),
    _taken_back(
        "",
        "What was sent was taken back, for the reason that is named.",
        "Mend what the reason names, then plan again.",
    ),
    End(
        _P.CANCELLED,
        NOT_STARTED,
        "Another router of the change ended badly, so nothing was sent to this one.",
        "See to the other router first, then plan the rest.",
        Verb.FINISH,
        (Verb.DEALT_WITH,),
        meanwhile=("The other router stands on the queue page until somebody has dealt with it."),
    ),
    End(
        _P.CANCELLED,
        "",
        "A person cancelled it, or the router was seen as intended through another change.",
        _NOTHING,
    ),
)
_BY_KEY: Final = {(end.state, end.code): end for end in ENDS}

PARTIAL: Final = End(
    _P.CANCELLED,
    "partial",
    "Some routers hold the change and some do not.",
    "Plan the rest; or undo the whole change.",
    Verb.FINISH,
    (Verb.UNDO,),
)
"""Of a change, not of one push: what was verified is right as it is."""


def end_of(
    state: PushState | str, code: str = "", *, saved: bool | None = None, read: bool = True
) -> End | None:
    """The end that a push stands at by the columns of its row; None while it has not ended.

    `saved` False: verified, and startup-config lacks it. `read` False: there is no plan, as the router was not read.
    """
    state = PushState(state)
    if state is _P.VERIFIED:
        code = "" if saved is not False else code or KEPT_BACK
    elif state is _P.UNKNOWN and not read:
        code = NOT_READ
    elif state is _P.ROLLED_BACK and code in _BROKE_OFF:
        code = INTERRUPTED
    return _BY_KEY.get((state, code)) or _BY_KEY.get((state, ""))
