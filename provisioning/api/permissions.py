"""Who comes through the door at all; what they may do to one object is the services' matter."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from provisioning.api.authentication import actor_of
from provisioning.models import ApiToken, Verb


class HasRole(BasePermission):
    """A token of somebody who has a role, whichever it is."""

    message = "This token's user has no role here."

    def has_permission(self, request: Request, _view: Any) -> bool:
        """Return whether the actor has any role."""
        return isinstance(request.auth, ApiToken) and bool(actor_of(request).roles)


class HasScope(BasePermission):
    """The token carries ``read`` for looking and ``write`` for everything else."""

    message = "This token does not carry the scope that is needed."

    def has_permission(self, request: Request, _view: Any) -> bool:
        """Return whether the token's scopes cover the method."""
        needed = "read" if request.method in SAFE_METHODS else "write"
        return isinstance(request.auth, ApiToken) and needed in request.auth.scopes


class SeesEverything(BasePermission):
    """NOC staff and auditors: what concerns the backbone and not one NREN."""

    message = Verb.SEE_BACKBONE.row.refusal

    def has_permission(self, request: Request, _view: Any) -> bool:
        """Return whether the actor sees the backbone's own matters."""
        return isinstance(request.auth, ApiToken) and actor_of(request).sees_everything
