"""People of an NREN and the tokens that speak for them."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q


class Membership(models.Model):
    """A user acts for an NREN."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    nren = models.ForeignKey("inventory.Nren", on_delete=models.CASCADE, related_name="memberships")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "nren"], name="a_user_joins_an_nren_once")]

    def __str__(self) -> str:
        return f"{self.user} of {self.nren}"


class DrawnPassword(models.Model):
    """A password that an administrator had drawn for somebody: whoever signs in with it replaces it before anything else."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drawn_password"
    )
    drawn_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"drawn for {self.user}"


class ApiToken(models.Model):
    """A bearer token: shown once when made, stored only as an HMAC under the server's pepper.

    ``prefix`` is the public part by which the row is found; ``digest`` is HMAC-SHA256 in hex of the whole token.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    nren = models.ForeignKey(
        "inventory.Nren", on_delete=models.CASCADE, related_name="api_tokens", null=True, blank=True
    )
    issued_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        help_text="Who issued it: what is asked with it counts as theirs too. Empty: nobody who gave a name.",
    )
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16, unique=True)
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    allowed_networks = models.JSONField(
        default=list, help_text="Client networks in CIDR form; empty means any."
    )
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    replaces = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        related_name="successors",
        null=True,
        blank=True,
        help_text="The one that was rotated when this one was made.",
    )
    issued_with = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        related_name="issued",
        null=True,
        blank=True,
        help_text="The token by which it was issued: it ends with that one.",
    )

    class Meta:
        indexes = [
            # Those that may still be used, however many were: of everybody, of a person, of an NREN.
            models.Index(fields=["id"], condition=Q(revoked_at=None), name="tokens_not_revoked"),
            models.Index(
                fields=["user", "id"], condition=Q(revoked_at=None), name="tokens_of_a_user_not_revoked"
            ),
            models.Index(
                fields=["nren", "id"], condition=Q(revoked_at=None), name="tokens_of_an_nren_not_revoked"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["replaces"],
                condition=Q(revoked_at=None),
                name="a_token_has_one_successor_that_is_not_revoked",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}...)"

    def is_live(self, now: datetime) -> bool:
        """Return whether it is neither revoked nor expired at this moment."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


class IdempotencyKey(models.Model):
    """The answer already given to a POST, so that a client's retry cannot ask twice."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="idempotency_keys")
    key = models.CharField(max_length=200)
    body_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    response = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token", "key"], name="an_idempotency_key_is_used_once")
        ]

    def __str__(self) -> str:
        return self.key
