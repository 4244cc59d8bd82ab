"""Access links, core links and peerings: what an interface is used for.

`name` is the identifier used everywhere else: ``JANET@uk6:POS1/0`` (access), ``uk6:POS2/0--nl6:POS2/0``
(core), ``GEANT@de6:POS1/1`` (peering).

A link that was retired keeps an interface of its own, retired too, as it was then: the one that it was on is free for another.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from inventory.fields import IPNetworkField
from inventory.models.domain import Domain, Nren
from inventory.models.provenance import Provenance
from inventory.models.retiring import Retirable, named_once
from inventory.models.routers import Interface


class AccessCase(models.TextChoices):
    """Who marks on an access link (D4.4.2v2 section 2.6, Appendix A)."""

    TRUSTED = "trusted", "trusted: the NREN marks (TRUSTED-IN)"
    FILTERED = "filtered", "filtered: the backbone marks (FILTERED-IN)"
    NON_PARTICIPANT = "non-participant", "non-participant (NON-PARTICIPANT)"


class AccessLink(Retirable):
    """The link on which an NREN enters the backbone.

    `standing` links keep the policy of their case always; others are NON-PARTICIPANT until a reservation
    sends from them. `standing_consent` means the NREN has agreed beforehand to receive whatever is asked
    towards it.
    """

    nren = models.ForeignKey(Nren, on_delete=models.PROTECT, related_name="access_links")
    interface = models.OneToOneField(Interface, on_delete=models.PROTECT, related_name="access_link")
    name = models.CharField(max_length=200, db_index=True)
    case = models.CharField(max_length=16, choices=AccessCase.choices)
    standing = models.BooleanField(default=True)
    standing_consent = models.BooleanField(default=False)
    source_filter = models.CharField(
        max_length=200,
        blank=True,
        default="",
        help_text="How it is known that the interface takes none but its NREN's own source addresses; empty: it is not.",
    )
    agreement = models.CharField(
        max_length=200,
        blank=True,
        default="",
        help_text="The agreement with a neighbouring domain that stands in an NREN's place; empty for an NREN.",
    )
    dscp_map = models.JSONField(
        "DSCP map", default=dict, blank=True, help_text="Our DSCP to the neighbour's, such as 46 to 47."
    )
    prefix = IPNetworkField(null=True, blank=True, help_text="The addresses of the link itself.")
    provenance = models.CharField(
        max_length=16, choices=Provenance.choices, default=Provenance.REPRESENTATIVE
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            named_once(
                "name",
                name="access_link_has_a_name_of_its_own",
                message="Two access links do not share a name.",
            ),
            models.CheckConstraint(
                condition=Q(case__in=AccessCase.values),
                name="access_link_case_is_one_of_three",
                violation_error_message="An access link is trusted, filtered or non-participant.",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class CoreLink(Retirable):
    """A link between two backbone routers; `metric` is what the routing protocol adds for crossing it."""

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="core_links")
    name = models.CharField(max_length=200, db_index=True)
    a_interface = models.OneToOneField(Interface, on_delete=models.PROTECT, related_name="core_link_a")
    z_interface = models.OneToOneField(Interface, on_delete=models.PROTECT, related_name="core_link_z")
    metric = models.PositiveIntegerField(default=10)
    down = models.BooleanField(default=False, help_text="Declared down: no path goes over it.")
    prefix = IPNetworkField(null=True, blank=True, help_text="The addresses of the link itself.")
    provenance = models.CharField(
        max_length=16, choices=Provenance.choices, default=Provenance.REPRESENTATIVE
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            named_once(
                "name", name="core_link_has_a_name_of_its_own", message="Two core links do not share a name."
            ),
            models.CheckConstraint(
                condition=~Q(a_interface=F("z_interface")),
                name="core_link_ends_on_two_interfaces",
                violation_error_message="A core link ends on two different interfaces.",
            ),
            models.CheckConstraint(
                condition=Q(metric__gte=1),
                name="core_link_metric_is_positive",
                violation_error_message="A metric is at least 1.",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Peering(Retirable):
    """An interface towards another network without an agreement: always NON-PARTICIPANT (D4.4.2v2 Appendix
    A).
    """

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="peerings")
    peer = models.CharField(max_length=64)
    name = models.CharField(max_length=200, db_index=True)
    interface = models.OneToOneField(Interface, on_delete=models.PROTECT, related_name="peering")
    prefix = IPNetworkField(null=True, blank=True, help_text="The addresses of the link itself.")
    provenance = models.CharField(
        max_length=16, choices=Provenance.choices, default=Provenance.REPRESENTATIVE
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            named_once(
                "name", name="peering_has_a_name_of_its_own", message="Two peerings do not share a name."
            ),
        ]

    def __str__(self) -> str:
        return self.name
