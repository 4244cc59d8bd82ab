"""The evidence of a decision as one reader may see it: `pipeline.admission.viewing` has the rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from provisioning.api.v1.base import ApiView
from provisioning.pipeline.admission import Viewer, kept_as_seen
from provisioning.selectors.viewers import own_links_of

_BESIDE = ("topology",)
_OF_THE_NOC = ("record",)
"""The digest of what a decision rested on: whoever knows all of it but what others hold could try sums until one fits."""


class KnowsOwnLinks(ApiView):
    """A resource whose rows say more of the actor's own links than of others; mixed into it."""

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context with the names of the actor's own links."""
        context = super().get_serializer_context()
        if not getattr(self, "swagger_fake_view", False):
            context["own_links"] = own_links_of(self.actor)
        return context


def kept_shown(kept: Mapping[str, Any] | None, viewer: Viewer | None, *, asker: int) -> dict[str, Any] | None:
    """Return what was kept with a decision about a request of that NREN as the viewer may read it; None stays None."""
    if kept is None:
        return None
    more = _BESIDE if viewer is not None else (*_BESIDE, *_OF_THE_NOC)
    return {
        **kept_as_seen(kept, viewer, asker=asker).to_json(),
        **{name: kept[name] for name in more if name in kept},
    }
