"""The deployment: what will be sent to which router, who agreed to it, and what became of it."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from provisioning.models.ahead import CarryRule
from provisioning.models.steering import Steered
from provisioning.models.words import Word
from provisioning.pipeline.states import PushState

STATES = [(state.value, state.value.replace("_", " ").capitalize()) for state in PushState]


class ChangeKind(models.TextChoices):
    """Why a change exists."""

    BASELINE = "baseline", "Baseline"
    RESERVATION = "reservation", "Reservation"
    REMOVAL = "removal", "Removal"
    REPAIR = "repair", "Repair"


class Change(Steered):
    """One change over one or more routers; its state is derived from its pushes (``selectors.changes``)."""

    kind = models.CharField(max_length=12, choices=ChangeKind)
    title = models.CharField(max_length=200)
    reason = models.TextField(max_length=2000, blank=True)
    requests = models.ManyToManyField("provisioning.PremiumRequest", related_name="changes", blank=True)
    takes_off = models.JSONField(
        default=list, help_text="Keys of those of its requests that it takes off; it puts the others on."
    )
    modifies = models.JSONField(
        default=dict,
        help_text="Of those of its requests that are on already and become something else: the key of the modification.",
    )
    base_lines = models.BooleanField(
        default=False,
        help_text="It carries lines that no request asked for: two people of the NOC are needed.",
    )
    due_at = models.DateTimeField(
        null=True, blank=True, help_text="When it may be sent: the last of its windows to begin or end."
    )
    opened_at = models.DateTimeField(
        null=True, blank=True, help_text="When somebody of the NOC first opened it before it was approved."
    )
    looked_at = models.DateTimeField(null=True, blank=True, help_text="... and last.")
    asked = models.JSONField(
        default=dict,
        help_text="Of a plan that a person asked for: its routers, how many of them are read, what went wrong.",
    )
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="submitted_changes",
        null=True,
        blank=True,
    )
    issuer = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        help_text="Who issued the token with which it was planned.",
    )
    scheme = models.CharField(max_length=40)
    scheme_digest = models.CharField(max_length=64)
    template_digest = models.CharField(max_length=64)
    intent_digest = models.CharField(max_length=64)
    open_edges = models.JSONField(default=list, help_text="Open or unread edges known when it was planned.")
    rates = models.JSONField(
        default=dict,
        help_text="What could converge on core links, and what policers mean at layer 2 and 3, as reckoned then.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    planned_at = models.DateTimeField(null=True, blank=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="approved_changes",
        null=True,
        blank=True,
    )
    approved_at = models.DateTimeField(null=True, blank=True)
    approval_reason = models.TextField(max_length=2000, blank=True)
    approved_fingerprint = models.CharField(max_length=64, blank=True)
    gaps_confirmed = models.BooleanField(default=False)
    override_reason = models.TextField(
        max_length=2000,
        blank=True,
        help_text="Why it goes ahead although a platform would probably refuse something of it.",
    )
    save_others_edits = models.BooleanField(default=False)
    released_at = models.DateTimeField(
        null=True, blank=True, help_text="When somebody pressed push (or a due reservation did)."
    )
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    cleared_phase = models.CharField(
        max_length=12,
        blank=True,
        help_text="The phase whose routers were all read again and found as approved.",
    )
    cleared_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When they were found so; it counts for a while (`selectors/turns.py`).",
    )
    steered = models.PositiveIntegerField(
        default=0,
        help_text="How often it was taken up after a pause or given another window: what was read before clears nothing.",
    )
    ahead_covered = models.BooleanField(
        null=True, help_text="Whether what was approved ahead is this plan; empty: nothing of it was."
    )
    ahead_why = models.TextField(blank=True, help_text="In what it differs from what was approved ahead.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["id"], name="changes_not_over", condition=models.Q(finished_at__isnull=True))
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """The name people use for it on the telephone."""
        return f"CHG-{self.pk}"


class Approval(Word):
    """One person's word on a change as it is stored; a change may need several (``services.changes``)."""

    change = models.ForeignKey(Change, on_delete=models.CASCADE, related_name="approvals")
    fingerprint = models.CharField(max_length=64)
    gaps_confirmed = models.BooleanField(default=False)
    override_reason = models.TextField(max_length=2000, blank=True)
    save_others_edits = models.BooleanField(default=False)
    carried_from = models.ForeignKey(
        Change,
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        help_text="The change with the same lines that this person approved.",
    )
    rule = models.CharField(
        max_length=8,
        choices=CarryRule,
        blank=True,
        help_text="By what an approval given ahead goes with this plan; empty: it was given for this plan.",
    )
    ahead = models.JSONField(default=list, help_text="Keys of the lines this person approved ahead.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["change", "user"], name="a_person_approves_a_change_once")
        ]

    def __str__(self) -> str:
        return f"{self.change} by {self.user}"


class ConfigSnapshot(models.Model):
    """A running-config as read, its secrets removed; ``digest`` covers the text *as stored*."""

    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="snapshots")
    taken_at = models.DateTimeField(auto_now_add=True)
    text = models.TextField()
    digest = models.CharField(max_length=64)
    bandwidths = models.JSONField(
        default=dict, help_text="Interface name to BW in bit/s, as the router shows it."
    )
    serial = models.CharField(max_length=64, blank=True)
    host_key = models.TextField(
        blank=True, help_text="The pinned SSH key the router proved when it was read."
    )
    ios = models.CharField(max_length=64, blank=True)
    unsaved = models.JSONField(
        default=list, help_text="Lines that running-config and startup-config differ in."
    )

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.router} at {self.taken_at:%Y-%m-%d %H:%M:%S}"


class RouterPush(models.Model):
    """What one router receives in one phase of a change, and how far it got; the lines themselves are its ``StoredPlan``.

    ``plan_digest`` is the digest of that row's text, empty when the router was not read and there is no plan. ``lines``
    counts its commands, ``line`` those answered so far.
    """

    change = models.ForeignKey(Change, on_delete=models.CASCADE, related_name="pushes")
    router = models.ForeignKey("inventory.Router", on_delete=models.PROTECT, related_name="pushes")
    phase = models.CharField(max_length=12)
    position = models.PositiveIntegerField(help_text="Order within the change; lower first.")
    state = models.CharField(max_length=12, choices=STATES, default=PushState.PLANNED)
    plan_digest = models.CharField(
        max_length=64, blank=True, help_text="sha256 (hex) of the plan as stored; empty: not read, no plan."
    )
    fingerprint = models.CharField(max_length=64, blank=True)
    conflicts = models.JSONField(default=list)
    before = models.ForeignKey(
        ConfigSnapshot, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    after = models.ForeignKey(
        ConfigSnapshot, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    unsaved = models.JSONField(default=list, help_text="Other people's unsaved lines, as shown for approval.")
    undo_from = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Set when the undo of this many commands began; then nothing else is sent.",
    )
    line = models.PositiveIntegerField(default=0)
    lines = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    verification = models.JSONField(null=True, blank=True)
    counters = models.JSONField(null=True, blank=True)
    health = models.JSONField(
        null=True,
        blank=True,
        help_text="How the router fared before the first line and after the last, and what became worse.",
    )
    saved = models.BooleanField(null=True, help_text="Whether startup-config was written after verification.")
    revert_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Until when the router may take it back by itself; empty: no timer of this push runs there.",
    )
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    state_changed_at = models.DateTimeField(auto_now_add=True)
    dealt_with_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When a person said, with a reason, that nothing is left to be done about its end.",
    )
    follow_up_due = models.BooleanField(
        default=False,
        help_text="It has ended, and what follows for its change, its requests and its queue is not done yet.",
    )

    class Meta:
        ordering = ["change", "position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["change", "router", "phase"], name="a_router_is_pushed_once_per_phase_of_a_change"
            )
        ]
        indexes = [
            models.Index(fields=["id"], name="follow_ups_due", condition=models.Q(follow_up_due=True)),
            # What each tick asks for, among all pushes ever made.
            models.Index(
                fields=["id"],
                name="pushes_half_way",
                condition=models.Q(state__in=["PUSHING", "PUSHED", "UNKNOWN"]),
            ),
            models.Index(
                fields=["router"],
                name="pushes_not_saved",
                condition=models.Q(state="VERIFIED", saved=False),
            ),
            models.Index(fields=["state_changed_at"], name="pushes_by_their_last_step"),
        ]

    def __str__(self) -> str:
        return f"{self.change} {self.router} {self.phase}"

    @property
    def has_plan(self) -> bool:
        """Whether the router was read when this was planned, so that there is a plan (perhaps an empty one)."""
        return bool(self.plan_digest)

    @property
    def plan_removed(self) -> bool:
        """Whether there was a plan and its lines are gone by now, older than they are kept (services/retention)."""
        return self.has_plan and self.stored_plan.size == 0


class StoredPlan(models.Model):
    """The plan of one push, byte for byte as approved; loaded by primary key, where it is shown or sent.

    ``content`` is ``pipeline.change.ChangePlan`` as JSON text; it is never rendered again. What somebody is asked about
    it before approving stands beside it, so that a page need not load the lines: texts of ``gaps``, ``violations`` and
    ``warnings``, ``doubts`` as in the content.
    """

    push = models.OneToOneField(
        RouterPush, on_delete=models.CASCADE, primary_key=True, related_name="stored_plan"
    )
    content = models.TextField()
    size = models.PositiveIntegerField(help_text="Bytes of the content.")
    gaps = models.JSONField(default=list)
    violations = models.JSONField(default=list)
    warnings = models.JSONField(default=list)
    doubts = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"plan of {self.push}"


class Transcript(models.Model):
    """What was said on one SSH session, secrets removed: a list of ``[offset_s, direction, text]``."""

    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="transcripts")
    push = models.ForeignKey(
        RouterPush, on_delete=models.CASCADE, related_name="transcripts", null=True, blank=True
    )
    purpose = models.CharField(max_length=40)
    started_at = models.DateTimeField(auto_now_add=True)
    lines = models.JSONField(default=list)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.router} {self.purpose} {self.started_at:%Y-%m-%d %H:%M:%S}"
