"""What people keep of the lists they read: what was filtered, shown and sorted, under a name."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class SavedView(models.Model):
    """An address of a list under a name: of whoever made it, or, where it is ``shared``, of everybody who may open that list.

    ``page`` is the name of the list's address, ``query`` what stands behind the question mark. ``edition`` counts its edits:
    who edits says which one they read.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    page = models.CharField(max_length=40)
    name = models.CharField(max_length=60)
    query = models.TextField(blank=True)
    shared = models.BooleanField(default=False)
    edition = models.PositiveIntegerField(default=1)
    edited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, related_name="+", null=True
    )
    edited_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "page", "name"],
                condition=Q(shared=False),
                name="a_person_calls_one_view_so",
            ),
            models.UniqueConstraint(
                fields=["page", "name"], condition=Q(shared=True), name="one_shared_view_is_called_so"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ChosenView(models.Model):
    """The view with which a list opens for a person."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="chosen_views")
    page = models.CharField(max_length=40)
    view = models.ForeignKey(SavedView, on_delete=models.CASCADE, related_name="chosen_by")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "page"], name="a_list_opens_with_one_view")]

    def __str__(self) -> str:
        return f"{self.page} opens with {self.view}"
