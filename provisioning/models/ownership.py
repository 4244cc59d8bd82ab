"""Which objects on which router are ours. A row says so, never a name."""

from __future__ import annotations

from django.db import models


class Ownership(models.Model):
    """An object on a router that Expedite put there or took over, and its content when last seen in order.

    ``kind`` and ``name`` as in ``pipeline.mqc`` ("policy-map", "TRUSTED-IN-2"); ``digest`` of the canonical object.
    """

    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="owned_objects")
    kind = models.CharField(max_length=20)
    name = models.CharField(max_length=120)
    digest = models.CharField(max_length=64)
    since = models.DateTimeField(auto_now_add=True)
    verified_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["router", "kind", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["router", "kind", "name"], name="an_object_is_owned_once_per_router"
            )
        ]

    def __str__(self) -> str:
        return f"{self.router} {self.kind} {self.name}"


class LinkObjectName(models.Model):
    """The names that the own objects of an access link, or of a peering, carry on their router: chosen once, never renamed.

    ``suffix`` 1 is Appendix A's own name (nren-auth-ef, EF-FILTERED, FILTERED-IN); the next edges get 2, 3, ...
    """

    link = models.OneToOneField(
        "inventory.AccessLink", on_delete=models.CASCADE, related_name="object_names", null=True, blank=True
    )
    peering = models.OneToOneField(
        "inventory.Peering", on_delete=models.CASCADE, related_name="object_names", null=True, blank=True
    )
    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="+")
    suffix = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["router", "suffix"], name="two_links_of_a_router_never_share_a_suffix"
            ),
            models.CheckConstraint(
                condition=models.Q(link__isnull=False, peering__isnull=True)
                | models.Q(link__isnull=True, peering__isnull=False),
                name="a_suffix_is_of_a_link_or_of_a_peering",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.link or self.peering} #{self.suffix}"


class AdoptedName(models.Model):
    """What the scheme calls ``base`` goes by ``name`` on a router that was configured by hand (ADR 12).

    ``link`` is the name of the access or core link or peering whose object it is, empty for every link of the router.
    ``form`` is the object as the router printed it where that says the same in other words; it stands for exactly the
    object of digest ``stands_for``.
    """

    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="adopted_names")
    link = models.CharField(max_length=200, blank=True, default="")
    kind = models.CharField(max_length=20)
    base = models.CharField(max_length=120)
    name = models.CharField(max_length=120)
    stands_for = models.CharField(max_length=64, blank=True, default="")
    form = models.TextField(blank=True, default="")
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["router", "link", "kind", "base"]
        constraints = [
            models.UniqueConstraint(
                fields=["router", "link", "kind", "base"], name="an_object_has_one_adopted_name_per_link"
            )
        ]

    def __str__(self) -> str:
        return f"{self.router} {self.kind} {self.base}: {self.name}"


class SyncState(models.TextChoices):
    """What is known about a router: never a guess."""

    IN_SYNC = "in-sync", "In sync"
    DIFFERS = "differs", "Differs"
    UNKNOWN = "unknown", "Unknown"


class RouterSync(models.Model):
    """The outcome of the last reading of a router against the intent."""

    router = models.OneToOneField("inventory.Router", on_delete=models.CASCADE, related_name="sync")
    state = models.CharField(max_length=8, choices=SyncState, default=SyncState.UNKNOWN)
    detail = models.JSONField(default=dict)
    open_edges = models.JSONField(default=list)
    edges_seen = models.JSONField(
        default=list,
        help_text="Those of the last reading that came about: what was open then is not closed by a router that does not answer.",
    )
    core_live = models.BooleanField(
        default=False, help_text="A priority queue is attached on a core interface."
    )
    snapshot = models.ForeignKey(
        "provisioning.ConfigSnapshot", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    intent_digest = models.CharField(max_length=64, blank=True)
    content_digest = models.CharField(
        max_length=64,
        blank=True,
        help_text="Of all class-maps, policies, lists and service-policies it showed.",
    )
    unsaved = models.JSONField(
        default=dict,
        help_text="What startup-config lacks, as last read: ours, foreign, since when each of those; empty: nothing.",
    )
    checked_at = models.DateTimeField(null=True, blank=True)
    same_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when each reading has shown the same, as far as it is watched.",
    )

    def __str__(self) -> str:
        return f"{self.router} {self.state}"
