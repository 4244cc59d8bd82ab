"""The turn of a push, taken: asked before its session, and again under the lock of its change before its first line."""

from __future__ import annotations

from provisioning.errors import Conflict
from provisioning.models import Change, RouterPush
from provisioning.pipeline.states import PushState
from provisioning.selectors import turns
from provisioning.services import clock
from provisioning.services.locking import locked


class NotItsTurn(Conflict):
    """Somebody paused or cancelled the change meanwhile, or others go first: nothing was sent, and the push is as it was."""

    code = "not-its-turn"


def take(push: RouterPush) -> None:
    """Make sure that the push may begin until the caller's transaction ends. Raises NotItsTurn.

    Who pauses or cancels holds the change, too, and so does every other push of it: either they find this one begun, or it finds
    what they said or did.
    """
    change = locked(Change.objects.filter(pk=push.change_id).only(*turns.SAID)).get()
    push.refresh_from_db(fields=["state"])
    if PushState(push.state) is not PushState.APPROVED:
        raise NotItsTurn(f"{push.change.reference} is {push.state.lower()} on {push.router.name} by now")
    moment = clock.now()
    if why := turns.why_not(push, change, moment):
        raise NotItsTurn(why)
    # Paused and taken up again since it was claimed, or long ago.
    if not turns.cleared(change, push.phase, moment):
        raise NotItsTurn(f"the routers of {change.reference} are read again before {push.phase}")
