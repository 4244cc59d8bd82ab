"""API tokens: issued, rotated, revoked, and whom one speaks for. What a token may do about tokens is in `limits`."""

from provisioning.services.tokens.ending import revoke
from provisioning.services.tokens.issuing import issue
from provisioning.services.tokens.limits import SCOPES, end_like
from provisioning.services.tokens.rotating import LONGEST_OVERLAP, rotate
from provisioning.services.tokens.speaking import actor_of, authenticate

__all__ = ["LONGEST_OVERLAP", "SCOPES", "actor_of", "authenticate", "end_like", "issue", "revoke", "rotate"]
