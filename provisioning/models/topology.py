"""What a decision was made against: each state of the network from which paths and shares follow."""

from __future__ import annotations

from django.db import models


class RecordedText(models.Model):
    """A text that decisions were made by: a network as JSON, a scheme as its file says it. Its key is the SHA-256 (hex) of the
    text, so that the same is kept once; ``content`` is the text compressed (zlib), empty when it was pruned.
    """

    digest = models.CharField(max_length=64, primary_key=True)
    kind = models.CharField(max_length=10, choices=[("network", "Network"), ("scheme", "Scheme")])
    content = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.digest[:12]}"


class TopologyVersion(models.Model):
    """One state of a domain's network; the one with the highest number is current. Rows are only added.

    ``digest`` is the SHA-256 (hex) of the network and of the choice of scheme, ``changed`` what differs from the version before,
    a sentence each. ``text`` is the network in full; versions from before it was kept have none.
    """

    domain = models.ForeignKey("inventory.Domain", on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    cause = models.CharField(max_length=200)
    text = models.ForeignKey(RecordedText, on_delete=models.PROTECT, related_name="versions", null=True)
    changed = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["domain", "number"], name="a_version_has_one_number_in_its_domain"
            )
        ]

    def __str__(self) -> str:
        return f"{self.domain.name} version {self.number}"


class StagedVersion(models.Model):
    """Somebody brings charges to the paths of the next version, in parts, before that version is made: nobody else makes one
    meanwhile. The row goes with the version; where ``renewed_at`` is a minute old, who wrote it is dead.
    """

    domain = models.OneToOneField("inventory.Domain", on_delete=models.CASCADE, related_name="staged_version")
    renewed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.domain.name}, next version"
