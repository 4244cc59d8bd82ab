"""What an approval is, whatever it is of: one person's word."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Word(models.Model):
    """Who gave it and when, and who issued the token that it was given with."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    issuer = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        help_text="Who issued the token with which it was given.",
    )
    at = models.DateTimeField(auto_now_add=True)
    reason = models.TextField(max_length=2000, blank=True)

    class Meta:
        abstract = True

    @property
    def word(self) -> frozenset[int]:
        """The people behind it: who gave it, and who issued the token it was given with."""
        return frozenset(each for each in (self.user_id, self.issuer_id) if each is not None)
