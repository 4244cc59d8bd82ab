"""What the API shows of each row, and to whom."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from inventory.models import AccessLink, CoreLink, Nren, Router
from provisioning.api.choices import NEXT_STEPS
from provisioning.api.v1.rollout import RolloutRow
from provisioning.models import Change, RouterPush, RouterSync, SyncState
from provisioning.selectors.approvals import given_to, missing_of
from provisioning.selectors.changes import answered, changed_by, planning_of, state_of, taken_off_by
from provisioning.selectors.ends import end_of_change, end_of_push
from provisioning.selectors.plans import content_of
from provisioning.selectors.steering import why_held
from provisioning.selectors.way_back import way_back


class NrenView(serializers.ModelSerializer[Nren]):
    """An NREN and the prefixes that are its own."""

    prefixes = serializers.SerializerMethodField()

    class Meta:
        model = Nren
        fields = ["id", "name", "country", "prefixes"]

    def get_prefixes(self, nren: Nren) -> list[str]:
        """Return the prefixes as text, by address."""
        return [str(prefix.network) for prefix in nren.prefixes.all()]


class Management(serializers.Serializer[Any]):
    """How a router is reached; never its credentials."""

    host = serializers.CharField()
    port = serializers.IntegerField()
    ssh_profile = serializers.CharField()
    host_key = serializers.CharField(help_text="The pinned host key, type and base64.")


class RouterView(serializers.ModelSerializer[Router]):
    """A router, for those who see everything."""

    pop = serializers.CharField(source="pop.name")
    country = serializers.CharField(source="pop.country")
    roles = serializers.ListField(child=serializers.CharField())
    engines = serializers.SerializerMethodField()
    management = serializers.SerializerMethodField()
    sync = serializers.SerializerMethodField()
    said_otherwise = serializers.SerializerMethodField(
        help_text="What another router said of itself that answered in its place (serial, platform, ios); null where none did."
    )

    class Meta:
        model = Router
        fields = [
            "id", "name", "pop", "country", "platform", "ios", "serial", "roles", "driver", "engines", "management",
            "sync", "said_otherwise",
        ]  # fmt: skip

    def get_said_otherwise(self, router: Router) -> dict[str, str] | None:
        """Return what it said when it was last read, if it was not the router of the inventory."""
        try:
            return router.sync.detail.get("said")
        except RouterSync.DoesNotExist:
            return None

    def get_engines(self, router: Router) -> dict[str, str]:
        """Return the forwarding engine by slot."""
        return {str(card.slot): card.engine for card in router.line_cards.all()}

    @extend_schema_field(Management)
    def get_management(self, router: Router) -> dict[str, Any]:
        """Return how the router is reached."""
        return {
            "host": router.management_host,
            "port": router.management_port,
            "ssh_profile": router.ssh_profile,
            "host_key": router.host_key,
        }

    def get_sync(self, router: Router) -> str:
        """Return what the last reading said: in-sync, differs or unknown."""
        try:
            return str(router.sync.state)
        except RouterSync.DoesNotExist:
            return str(SyncState.UNKNOWN.value)


class Committed(serializers.Serializer[Any]):
    """What is charged to a link at this moment, bit/s by direction."""

    pool = serializers.CharField()
    direction = serializers.CharField()
    rate_bps = serializers.IntegerField()


class LinkFields(serializers.Serializer[Any]):
    """What access and core links share."""

    committed = serializers.SerializerMethodField(
        help_text="Charged at this moment; null where it is not yours to see."
    )

    @extend_schema_field(Committed(many=True, allow_null=True))
    def get_committed(self, link: AccessLink | CoreLink) -> list[dict[str, Any]] | None:
        """Return the charges of the moment, None for somebody else's link."""
        committed: dict[str, list[dict[str, Any]]] = self.context["committed"]
        return committed.get(link.name, []) if link.name in self.context["open_links"] else None


class AccessLinkView(LinkFields, serializers.ModelSerializer[AccessLink]):
    """An access link; `committed` only for its own NREN and for those who see everything."""

    nren = serializers.CharField(source="nren.name")
    router = serializers.CharField(source="interface.router.name")
    interface = serializers.CharField(source="interface.name")
    pvc = serializers.CharField(source="interface.pvc")
    line_rate_bps = serializers.IntegerField(source="interface.line_rate_bps")
    bw_bps = serializers.IntegerField(source="interface.bw_bps", help_text="The router's base of percents.")
    usable_bps = serializers.IntegerField(source="interface.usable_bps")
    dscp_map = serializers.DictField(
        child=serializers.IntegerField(), help_text="Our DSCP to the neighbour's; empty for an NREN."
    )

    class Meta:
        model = AccessLink
        fields = [
            "id", "name", "nren", "router", "interface", "pvc", "line_rate_bps", "bw_bps", "usable_bps", "case",
            "standing", "standing_consent", "source_filter", "agreement", "dscp_map", "committed",
        ]  # fmt: skip


class CoreLinkView(LinkFields, serializers.ModelSerializer[CoreLink]):
    """A core link, for those who see everything."""

    a = serializers.CharField(source="a_interface")
    z = serializers.CharField(source="z_interface")
    line_rate_bps = serializers.IntegerField(source="a_interface.line_rate_bps")
    bw_bps = serializers.IntegerField(source="a_interface.bw_bps")
    usable_bps = serializers.IntegerField(source="a_interface.usable_bps")

    class Meta:
        model = CoreLink
        fields = [
            "id",
            "name",
            "a",
            "z",
            "metric",
            "down",
            "line_rate_bps",
            "bw_bps",
            "usable_bps",
            "committed",
        ]


class PlanningRow(serializers.Serializer[Any]):
    """How far a plan is that somebody asked for: so many of its routers are read; `error` says why it could not be made."""

    read = serializers.IntegerField()
    routers = serializers.IntegerField()
    error = serializers.CharField(allow_blank=True)


class ApprovalRow(serializers.Serializer[Any]):
    """One person's word on a change; `carried_from` is the change with the same lines that it was given on."""

    user = serializers.CharField()
    at = serializers.DateTimeField()
    reason = serializers.CharField(allow_blank=True)
    carried_from = serializers.IntegerField(allow_null=True)


class NextStepView(serializers.Serializer[Any]):
    """How a push ended, and what is to be done: `verb` is the next step, null where nothing is; `also` are others."""

    verb = serializers.ChoiceField(choices=NEXT_STEPS, allow_null=True)
    also = serializers.ListField(child=serializers.ChoiceField(choices=NEXT_STEPS))
    means = serializers.CharField(help_text="What happened, in a sentence.")
    do = serializers.CharField(help_text="What a person can do.")
    meanwhile = serializers.CharField(
        allow_blank=True, help_text="What becomes of it without a person; empty: nothing."
    )


class ChangeView(serializers.ModelSerializer[Change]):
    """A change; an NREN sees that it exists, how far it is and which of its own requests it carries out."""

    state = serializers.SerializerMethodField()
    title = serializers.SerializerMethodField()
    requests = serializers.SerializerMethodField()
    takes_off = serializers.SerializerMethodField(
        help_text="The ids of those of its `requests` that it takes off; it puts the others on."
    )
    modifies = serializers.SerializerMethodField(
        help_text="The ids of those of its `requests` that are on and become something else."
    )
    base_lines = serializers.SerializerMethodField(
        help_text="Whether it carries lines no request asked for, which two people of the NOC stand behind; null for an NREN."
    )
    planning = serializers.SerializerMethodField(
        help_text="How far it is while it is being planned, or why it could not be; null once it is planned, and for an NREN."
    )
    approvals = serializers.SerializerMethodField(
        help_text="Who has approved it so far; it may need several people. Null for an NREN."
    )
    still_needed = serializers.SerializerMethodField(
        help_text="Whose word it still needs, a sentence each; empty when it needs none. Null for an NREN."
    )
    approved_by = serializers.SerializerMethodField(help_text="Who gave the last approval that it needed.")
    pushes = serializers.SerializerMethodField()
    held = serializers.SerializerMethodField(
        help_text="Who paused it, since when and why, as a sentence; empty: nobody. Null for an NREN."
    )
    rollout = serializers.SerializerMethodField(
        help_text="When its routers may be begun, how many first and at once, and its ticket; null for an NREN."
    )
    rates = serializers.SerializerMethodField(
        help_text="What could converge on core links, and every policer at layer 2 and 3; null for an NREN."
    )
    way_back = serializers.SerializerMethodField(
        help_text="Steps that undo what was verified: `code`, `text`, and the id of the `request` concerned; null for an NREN."
    )

    next_step = serializers.SerializerMethodField(
        help_text="Of a change of which some routers hold their part and some do not; null for every other, and for an NREN."
    )

    class Meta:
        model = Change
        fields = [
            "id", "reference", "kind", "state", "title", "requests", "takes_off", "modifies", "base_lines", "created_at",
            "planned_at", "planning", "due_at", "approvals", "still_needed", "approved_at", "approved_by", "released_at",
            "held", "rollout", "finished_at", "pushes", "rates", "way_back", "next_step",
        ]  # fmt: skip

    def get_state(self, change: Change) -> str:
        """Return the state derived from the routers' own."""
        return str(state_of(change))

    def get_title(self, change: Change) -> str | None:
        """Return the title, None for an NREN: it may speak of others."""
        return change.title if self.context["actor"].sees_everything else None

    @extend_schema_field(NextStepView(allow_null=True))
    def get_next_step(self, change: Change) -> dict[str, Any] | None:
        """Return what is to be done about a change that is done in part, None for an NREN."""
        end = end_of_change(change) if self.context["actor"].sees_everything else None
        return None if end is None else end.to_json()

    def get_requests(self, change: Change) -> list[int]:
        """Return the ids of the requests carried out, as far as the reader may see them."""
        actor = self.context["actor"]
        return [
            request.pk
            for request in change.requests.all()
            if actor.sees_everything or request.nren_id in actor.nren_ids
        ]

    def get_takes_off(self, change: Change) -> list[int]:
        """Return the ids of the requests taken off, as far as the reader may see them."""
        shown = self.get_requests(change)
        return [request.pk for request in taken_off_by(change) if request.pk in shown]

    def get_modifies(self, change: Change) -> list[int]:
        """Return the ids of the requests that become something else, as far as the reader may see them."""
        shown = self.get_requests(change)
        return [request.pk for request in changed_by(change) if request.pk in shown]

    def get_base_lines(self, change: Change) -> bool | None:
        """Return whether it carries lines nobody asked for, None for an NREN."""
        return change.base_lines if self.context["actor"].sees_everything else None

    @extend_schema_field(PlanningRow(allow_null=True))
    def get_planning(self, change: Change) -> dict[str, Any] | None:
        """Return how far the plan is, None for an NREN: it speaks of routers."""
        planned = planning_of(change)
        return asdict(planned) if planned is not None and self.context["actor"].sees_everything else None

    @extend_schema_field(ApprovalRow(many=True, allow_null=True))
    def get_approvals(self, change: Change) -> list[dict[str, Any]] | None:
        """Return the approvals, oldest first; None for an NREN."""
        if not self.context["actor"].sees_everything:
            return None
        rows = [
            {
                "user": each.user.get_username(),
                "at": each.at,
                "reason": each.reason,
                "carried_from": each.carried_from_id,
            }
            for each in given_to(change)
        ]
        return list(ApprovalRow(rows, many=True).data)

    def get_still_needed(self, change: Change) -> list[str] | None:
        """Return what its approvals lack, None for an NREN."""
        if not self.context["actor"].sees_everything:
            return None
        waits = change.approved_at is None and change.finished_at is None and change.planned_at is not None
        return list(missing_of(change)) if waits else []

    def get_approved_by(self, change: Change) -> str | None:
        """Return the user name, None for an NREN or before the approval."""
        visible = self.context["actor"].sees_everything and change.approved_by
        return change.approved_by.get_username() if visible and change.approved_by else None

    def get_held(self, change: Change) -> str | None:
        """Return why no further router of it is begun, None for an NREN."""
        if not self.context["actor"].sees_everything:
            return None
        return why_held(change, timezone.now()) if change.finished_at is None else ""

    @extend_schema_field(RolloutRow(allow_null=True))
    def get_rollout(self, change: Change) -> dict[str, Any] | None:
        """Return what people said about its course, None for an NREN."""
        return dict(RolloutRow(change).data) if self.context["actor"].sees_everything else None

    def get_rates(self, change: Change) -> dict[str, Any] | None:
        """Return what was reckoned with the plan, None for an NREN: it speaks of everybody's links."""
        return change.rates if self.context["actor"].sees_everything else None

    def get_way_back(self, change: Change) -> list[dict[str, Any]] | None:
        """Return what undoes the change, None for an NREN; empty while nothing of it was verified."""
        if not self.context["actor"].sees_everything:
            return None
        return [step.to_json() for step in way_back(change)]

    def get_pushes(self, change: Change) -> list[int] | None:
        """Return the ids of its pushes in order, None for an NREN."""
        if not self.context["actor"].sees_everything:
            return None
        return [push.pk for push in sorted(change.pushes.all(), key=lambda push: (push.position, push.pk))]


class PushView(serializers.ModelSerializer[RouterPush]):
    """What one router receives in one phase, for those who see everything; the plan itself is on the single push."""

    router = serializers.CharField(source="router.name")
    answered = serializers.SerializerMethodField(
        help_text="How many of its lines the router answered, those that were taken back too."
    )
    next_step = serializers.SerializerMethodField(help_text="How it ended; null while it has not.")

    class Meta:
        model = RouterPush
        fields: ClassVar[list[str]] = [
            "id", "change", "router", "phase", "position", "state", "fingerprint", "plan_digest", "line", "lines",
            "answered", "error", "error_code", "saved", "started_at", "finished_at", "next_step",
        ]  # fmt: skip

    def get_answered(self, push: RouterPush) -> int:
        """Return how far it came."""
        return answered(push)

    @extend_schema_field(NextStepView(allow_null=True))
    def get_next_step(self, push: RouterPush) -> dict[str, Any] | None:
        """Return its row of the table of ends."""
        end = end_of_push(push)
        return None if end is None else end.to_json()


class PushWithPlanView(PushView):
    """One push; `plan` is exactly what was approved, null when the router was not read or its lines were pruned."""

    plan = serializers.SerializerMethodField()

    class Meta(PushView.Meta):
        fields: ClassVar[list[str]] = [*PushView.Meta.fields, "plan"]

    def get_plan(self, push: RouterPush) -> dict[str, Any] | None:
        """Return the plan as stored."""
        return content_of(push) if push.has_plan and not push.plan_removed else None
