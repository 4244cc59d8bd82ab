"""The DiffServ domain and the national networks attached to it."""

from __future__ import annotations

from django.db import models

from inventory.fields import IPNetworkField
from inventory.models.provenance import Provenance
from inventory.models.retiring import Retirable, named_once


class Domain(models.Model):
    """A DiffServ domain: one backbone under one QoS scheme (D4.4.2v2 sections 2.1 to 2.6)."""

    name = models.CharField(max_length=64, unique=True)
    asn = models.PositiveBigIntegerField("AS number")
    prefix = IPNetworkField(help_text="The backbone's own addresses.")
    scheme = models.CharField(max_length=64, help_text="Name of the QoS scheme, such as 6net.")
    classes = models.JSONField(default=list, help_text="Name, abbreviation, PHB and DSCP of each class.")
    caps = models.JSONField(default=dict, help_text="Shares in percent, as the network file states them.")
    policer = models.CharField(max_length=16, default="cap", help_text="cap or grants.")
    options = models.JSONField(
        default=dict, blank=True, help_text="Switches of the scheme that are not as its file has them."
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(policer__in=["cap", "grants"]),
                name="domain_policer_is_cap_or_grants",
                violation_error_message="A domain polices by its cap or by what it granted.",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Nren(Retirable):
    """A national research and education network: who asks for IP Premium and who agrees to receive it."""

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="nrens")
    name = models.CharField("name", max_length=64, db_index=True)
    country = models.CharField(max_length=2)
    provenance = models.CharField(
        max_length=16, choices=Provenance.choices, default=Provenance.REPRESENTATIVE
    )

    class Meta:
        ordering = ["name"]
        verbose_name = "NREN"
        constraints = [
            named_once("name", name="nren_has_a_name_of_its_own", message="Two NRENs do not share a name."),
        ]

    def __str__(self) -> str:
        return self.name


class Prefix(models.Model):
    """An IP network that belongs to one NREN; sources of a request lie inside one of them."""

    nren = models.ForeignKey(Nren, on_delete=models.PROTECT, related_name="prefixes")
    network = IPNetworkField()

    class Meta:
        ordering = ["network"]
        verbose_name_plural = "prefixes"
        constraints = [
            models.UniqueConstraint(
                fields=["network"],
                name="prefix_belongs_to_one_nren",
                violation_error_message="A prefix belongs to one NREN.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.network} ({self.nren.name})"
