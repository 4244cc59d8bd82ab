"""What somebody was typing when their session ended."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class KeptForm(models.Model):
    """The fields of one form, sent by a browser whose session had ended: the last of each person.

    ``fields`` is a list of [name, [values]]: nothing that is a secret, and no file.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    address = models.CharField(max_length=500, help_text="The page of the form, with its query.")
    fields = models.JSONField()
    kept_at = models.DateTimeField()
    shown_at = models.DateTimeField(null=True, blank=True, help_text="When it was first given back.")

    def __str__(self) -> str:
        return f"{self.user}: {self.address}"
