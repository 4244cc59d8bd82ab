"""The promise: a request for IP Premium, the reservation it may become, and what that charges to each link."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provisioning.models.series import BEHIND, Series
from provisioning.models.spans import LengthOf
from provisioning.pipeline.states import RequestState

STATES = [(state.value, state.value.replace("_", " ").capitalize()) for state in RequestState]


class Consent(models.TextChoices):
    """Whether the receiving NREN agrees; STANDING records an agreement given once for everything."""

    PENDING = "pending", "Pending"
    STANDING = "standing", "Standing consent"
    GIVEN = "given", "Given"
    DECLINED = "declined", "Declined"
    NOT_NEEDED = "not-needed", "Not needed"


class PremiumRequest(models.Model):
    """One simplex request (D4.4.2v2 section 2.4.1); a bidirectional one is two rows joined by ``twin``.

    Rates are bit/s at layer 3, depths and packet sizes bytes, prefixes text in canonical form.
    """

    nren = models.ForeignKey("inventory.Nren", on_delete=models.PROTECT, related_name="requests")
    receiving_nren = models.ForeignKey(
        "inventory.Nren", on_delete=models.PROTECT, related_name="requests_received", null=True, blank=True
    )
    source_link = models.ForeignKey(
        "inventory.AccessLink", on_delete=models.PROTECT, related_name="requests_from"
    )
    destination_link = models.ForeignKey(
        "inventory.AccessLink", on_delete=models.PROTECT, related_name="requests_to", null=True, blank=True
    )
    series = models.ForeignKey(
        Series, on_delete=models.PROTECT, related_name="requests", null=True, blank=True
    )
    twin = models.OneToOneField("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    service_class = models.CharField(max_length=40, default="ip-premium")
    rate_bps = models.BigIntegerField()
    bucket_bytes = models.PositiveIntegerField()
    max_packet_bytes = models.PositiveIntegerField()
    min_packet_bytes = models.PositiveIntegerField(
        null=True, blank=True, help_text="The smallest packet that is sent; empty where nobody said."
    )
    start = models.DateTimeField()
    end = models.DateTimeField(null=True, blank=True)
    source_prefixes = models.JSONField(default=list)
    destination_prefixes = models.JSONField(default=list)
    flow_label = models.PositiveIntegerField(null=True, blank=True)
    contact = models.CharField(max_length=254)
    reason = models.TextField(max_length=2000, blank=True)
    warnings = models.JSONField(default=list)
    state = models.CharField(max_length=16, choices=STATES, default=RequestState.SUBMITTED)
    held_until = models.DateTimeField(null=True, blank=True)
    times_held = models.PositiveSmallIntegerField(default=0)
    consent = models.CharField(max_length=12, choices=Consent, default=Consent.PENDING)
    consent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    consent_at = models.DateTimeField(null=True, blank=True)
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submitted_requests"
    )
    submitted_at = models.DateTimeField(auto_now_add=True)
    behind = models.JSONField(default=list, help_text=BEHIND)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(max_length=2000, blank=True)
    evidence = models.JSONField(null=True, blank=True, help_text="The evidence as it stood at the decision.")
    state_changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["state", "start"]),
            models.Index(fields=["nren", "state"], name="requests_of_an_nren_by_state"),
            # The orders in which they are read on from a cursor; each is read from either end.
            models.Index(fields=["start", "id"], name="requests_by_start"),
            models.Index(fields=["end", "id"], name="requests_by_end"),
            models.Index(fields=["id"], condition=Q(end__isnull=True), name="requests_without_end"),
            models.Index(fields=["rate_bps", "id"], name="requests_by_rate"),
            models.Index(fields=["submitted_at", "id"], name="requests_by_submission"),
            models.Index(fields=["state_changed_at"], name="requests_by_their_last_step"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(rate_bps__gt=0), name="a_request_asks_for_more_than_nothing"),
            models.CheckConstraint(
                condition=Q(end__isnull=True) | Q(end__gt=F("start")), name="a_request_ends_after_it_starts"
            ),
            models.CheckConstraint(
                condition=Q(min_packet_bytes__isnull=True)
                | Q(min_packet_bytes__gte=1, min_packet_bytes__lte=F("max_packet_bytes")),
                name="a_smallest_packet_is_not_larger_than_the_largest",
            ),
            models.CheckConstraint(
                condition=Q(flow_label__isnull=True) | Q(flow_label__range=(1, 0xFFFFF)),
                name="a_flow_label_has_twenty_bits_and_is_not_zero",
            ),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """The name people use for it on the telephone."""
        return f"PIP-{self.pk}"

    @property
    def never_answered(self) -> bool:
        """Whether it is over without the receiving NREN's answer: nobody waits for one any more."""
        undecided = self.state in (RequestState.SUBMITTED, RequestState.HELD)
        return self.consent == Consent.PENDING and not undecided


class Reservation(models.Model):
    """What was granted: exists from the admission on; charged until ``released_at``."""

    request = models.OneToOneField(PremiumRequest, on_delete=models.PROTECT, related_name="reservation")
    granted_bps = models.BigIntegerField()
    path = models.JSONField(help_text="Link directions in order, as admitted, or as moved to since.")
    moving_to = models.JSONField(
        null=True, blank=True, help_text="The path that the network has now, until the move there is over."
    )
    topology = models.PositiveIntegerField(
        null=True, blank=True, help_text="The version of the topology from which its charges follow."
    )
    drift = models.TextField(
        blank=True, help_text="How its path by the routers' own database differs from what it is charged on."
    )
    drift_at = models.DateTimeField(
        null=True, blank=True, help_text="When routers were so; where nobody said that, when it was compared."
    )
    drift_by = models.CharField(max_length=120, blank=True, default="", help_text="What that is known by.")
    drift_hops = models.JSONField(
        default=list, blank=True, help_text="The hops that differ, as pairs of routers."
    )
    seen_on_at = models.DateTimeField(null=True, blank=True, help_text="Last seen on every router concerned.")
    released_at = models.DateTimeField(null=True, blank=True)
    put_on_at = models.DateTimeField(
        null=True, blank=True, help_text="When its ingress was first seen with it; empty: it never was."
    )
    taken_off_at = models.DateTimeField(
        null=True, blank=True, help_text="When its ingress was seen without it again."
    )
    waits_for = models.TextField(
        blank=True, help_text="Why it is not planned, in one sentence; empty when it is, or nothing is due."
    )
    held_cause = models.CharField(
        max_length=64,
        blank=True,
        help_text="Digest of what the reason rests on: it is tried again when that has changed. Empty: by a person only.",
    )
    alone = models.BooleanField(
        default=False, help_text="A plan of several requests failed with it: it is tried by itself."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["request"], condition=Q(moving_to__isnull=False), name="reservations_that_move"
            )
        ]

    def __str__(self) -> str:
        return f"{self.request} at {self.granted_bps} bit/s"


class LedgerEntry(models.Model):
    """One charge: a rate on one (link, direction, pool) over a half-open window.

    ``link`` is the link's id as in ``pipeline.topology``; rows count while ``released_at`` is empty. An open
    ``end`` means until further notice; a withdrawn or expired reservation stays charged until it is seen gone.
    ``request`` is whose it is, held or granted; ``span`` the length of its window, which the database works out.
    """

    reservation = models.ForeignKey(Reservation, on_delete=models.CASCADE, related_name="charges", null=True)
    hold = models.ForeignKey(
        PremiumRequest, on_delete=models.CASCADE, related_name="hold_charges", null=True, db_index=False
    )
    request = models.ForeignKey(PremiumRequest, on_delete=models.CASCADE, related_name="all_charges")
    link = models.CharField(max_length=200)
    direction = models.CharField(max_length=4)
    pool = models.CharField(max_length=40)
    rate_bps = models.BigIntegerField()
    start = models.DateTimeField()
    end = models.DateTimeField(null=True, blank=True)
    released_at = models.DateTimeField(null=True, blank=True)
    lapses_at = models.DateTimeField(
        null=True, blank=True, help_text="Of a hold: when it counts no more, released or not."
    )
    exempt = models.CharField(
        max_length=40,
        blank=True,
        default="",
        help_text="Why it may exceed a share: an import moved it here. Empty: the database refuses what does.",
    )
    moving_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when its path is another one: it is charged on both until the move is over.",
    )
    modification = models.ForeignKey(
        "provisioning.Modification",
        on_delete=models.PROTECT,
        related_name="charges",
        null=True,
        blank=True,
        db_index=False,
        help_text="What it adds to the reservation's own until the routers were seen with it; empty: the own.",
    )
    span = models.GeneratedField(
        expression=LengthOf("start", "end"),
        output_field=models.SmallIntegerField(),
        db_persist=True,
    )

    class Meta:
        indexes = [
            # What counts, with all that a sum needs: no row has to be read for it.
            models.Index(
                fields=["link", "direction", "pool", "start"],
                include=["rate_bps", "hold"],
                condition=Q(released_at__isnull=True),
                name="charges_that_count",
            ),
            # What overlaps a window, whatever else is in the book (models/spans.py).
            models.Index(
                fields=["link", "span", "start", "end"],
                condition=Q(released_at__isnull=True),
                name="charges_by_length_and_start",
            ),
            # What is over and was not seen gone: a few rows, which count in every window.
            models.Index(
                fields=["link", "end"],
                condition=Q(released_at__isnull=True),
                name="charges_by_end",
            ),
            # Nearly all have neither, and need no place in an index of it. Nor is there one of what moves (`leaving`): a row
            # that no index changes for is marked in a fraction of the time.
            models.Index(fields=["hold"], condition=Q(hold__isnull=False), name="charges_of_holds"),
            models.Index(
                fields=["modification"],
                condition=Q(modification__isnull=False),
                name="charges_of_modifications",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(reservation__isnull=False, hold__isnull=True)
                | Q(reservation__isnull=True, hold__isnull=False),
                name="a_charge_belongs_to_a_reservation_or_a_hold",
            ),
            models.CheckConstraint(condition=Q(rate_bps__gt=0), name="a_charge_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.link} {self.direction} {self.rate_bps} bit/s"


class LinkShare(models.Model):
    """What a pool may take of a link in each direction, bit/s at layer 3, and when that was known.

    Rows without ``valid_to`` count; the database holds every charge against them (migrations 0015 and 0023): the one without
    ``start`` always, but from a ``start`` to an ``end`` (None: from then on) the one that has these.
    """

    link = models.CharField(max_length=200)
    pool = models.CharField(max_length=40)
    share_bps = models.BigIntegerField()
    start = models.DateTimeField(null=True, blank=True)
    end = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["link", "pool"],
                condition=Q(valid_to=None, start=None),
                name="a_pool_has_one_share_of_a_link",
            ),
            models.UniqueConstraint(
                fields=["link", "pool", "start"],
                condition=Q(valid_to=None, start__isnull=False),
                name="a_pool_has_one_share_of_a_link_from_an_instant",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.link} {self.pool} {self.share_bps} bit/s"
