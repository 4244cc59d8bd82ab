"""What was and is no more: its row stays for what refers to it, and nobody meets it who does not ask for it."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.db import models


class Living(models.Manager[Any]):
    """What is in use: what a query of rows means unless it says otherwise."""

    def get_queryset(self) -> models.QuerySet[Any]:
        """Return the rows that nobody retired."""
        return super().get_queryset().filter(retired_at=None)


class Retirable(models.Model):
    """A row that ends: `objects`, and the rows of another one's relation, are those in use, `every` all that ever were.

    A row that refers to one sees it still: a request names its link, a push its router. A name is free again once what had it
    is retired.
    """

    retired_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects: ClassVar[models.Manager[Self]] = Living()  # type: ignore[assignment]
    every: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True


def named_once(*fields: str, name: str, message: str) -> models.UniqueConstraint:
    """Return that of what is in use no two have the same there."""
    return models.UniqueConstraint(
        fields=fields,
        condition=models.Q(retired_at=None),
        name=name,
        violation_error_message=message,
    )
