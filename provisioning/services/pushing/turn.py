"""Whether it is the turn of a push: asked before its session, and again under the lock of its change before its first line."""

from __future__ import annotations

from provisioning.errors import Conflict
from provisioning.models import Change, RouterPush
from provisioning.pipeline.change import PushState
from provisioning.selectors.steering import why_held
from provisioning.services.locking import locked


class NotItsTurn(Conflict):
    """Somebody paused or cancelled the change meanwhile: nothing was sent, and the push is as it was."""

    code = "not-its-turn"


def why_not(push: RouterPush) -> str:
    """Why this push is not to begin now, as a sentence; empty: it may."""
    return why_held(Change.objects.select_related("paused_by").get(pk=push.change_id))


def take(push: RouterPush) -> None:
    """Make sure that the push may begin until the caller's transaction ends. Raises NotItsTurn.

    Who pauses or cancels holds the change, too: either they find the push begun, or it finds what they said.
    """
    list(locked(Change.objects.filter(pk=push.change_id)).values_list("pk"))
    push.refresh_from_db(fields=["state"])
    if PushState(push.state) is not PushState.APPROVED:
        raise NotItsTurn(f"{push.change.reference} is {push.state.lower()} on {push.router.name} by now")
    if why := why_not(push):
        raise NotItsTurn(why)
