"""Points of presence, routers, their line cards and interfaces."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from inventory.models.domain import Domain
from inventory.models.provenance import Provenance
from inventory.models.retiring import Retirable, named_once


class Pop(models.Model):
    """A point of presence: the place where routers stand."""

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="pops")
    name = models.CharField(max_length=64)
    country = models.CharField(max_length=2)

    class Meta:
        ordering = ["name"]
        verbose_name = "PoP"
        constraints = [
            models.UniqueConstraint(
                fields=["domain", "name"],
                name="pop_name_is_unique_in_its_domain",
                violation_error_message="Two PoPs of a domain do not share a name.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.country})"


class Router(Retirable):
    """A backbone router and how it is reached. Passwords are not here: see provisioning's credentials.

    `roles` is a list out of ``core`` and ``access``. `host_key` is the pinned SSH key in OpenSSH form,
    ``type base64``; a router without one is not connected to.
    """

    class SshProfile(models.TextChoices):
        """The cryptography a router of its age speaks."""

        LEGACY = "legacy", "legacy (SHA-1 key exchange, CBC ciphers, ssh-rsa)"
        MODERN = "modern", "modern"

    class Driver(models.TextChoices):
        """Which driver speaks to the router; `auto` chooses by how many are spoken to at once."""

        NETMIKO = "netmiko", "netmiko"
        NAPALM = "napalm", "napalm"
        ASYNCSSH = "asyncssh", "asyncssh"
        AUTO = "auto", "auto"

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="routers")
    pop = models.ForeignKey(Pop, on_delete=models.PROTECT, related_name="routers")
    name = models.CharField(max_length=63, db_index=True)
    platform = models.CharField(max_length=32)
    ios = models.CharField("IOS release", max_length=32)
    roles = models.JSONField(default=list)
    management_host = models.CharField(max_length=255, blank=True, default="")
    management_port = models.PositiveIntegerField(default=22)
    ssh_profile = models.CharField(max_length=16, choices=SshProfile.choices, default=SshProfile.LEGACY)
    host_key = models.TextField(blank=True, default="", help_text="Pinned SSH host key: type and base64.")
    serial = models.CharField(max_length=64, blank=True, default="")
    driver = models.CharField(max_length=16, choices=Driver.choices, default=Driver.NETMIKO)
    provenance = models.CharField(
        max_length=16, choices=Provenance.choices, default=Provenance.REPRESENTATIVE
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            named_once(
                "name", name="router_has_a_name_of_its_own", message="Two routers do not share a name."
            ),
            models.CheckConstraint(
                condition=Q(management_port__gte=1, management_port__lte=65535),
                name="router_management_port_is_a_tcp_port",
                violation_error_message="A management port lies between 1 and 65535.",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class LineCard(models.Model):
    """A line card of a router by slot; `engine` is the 12000's forwarding engine (3 is ISE, "Tetra")."""

    router = models.ForeignKey(Router, on_delete=models.PROTECT, related_name="line_cards")
    slot = models.PositiveSmallIntegerField()
    engine = models.CharField(max_length=8)

    class Meta:
        ordering = ["router", "slot"]
        constraints = [
            models.UniqueConstraint(
                fields=["router", "slot"],
                name="line_card_slot_holds_one_card",
                violation_error_message="A slot of a router holds one line card.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.router.name} slot {self.slot} engine {self.engine}"


class Interface(Retirable):
    """An interface (or one PVC of it) with its three rates in bit/s.

    `line_rate_bps` is what the medium clocks (POS STM-1: 155,520,000); `bw_bps` what the router shows as BW
    and takes as the base of ``percent`` (155,000,000); `usable_bps` what the card really forwards. The base
    of every share is the smaller of BW and usable (`percent_base_bps`). A non-blank `exempt_reason` keeps an
    interface that is neither core, access nor peering from counting as an open edge.
    """

    router = models.ForeignKey(Router, on_delete=models.PROTECT, related_name="interfaces")
    name = models.CharField(max_length=64)
    description = models.CharField(max_length=200, blank=True, default="")
    pvc = models.CharField("PVC", max_length=16, blank=True, default="", help_text="VPI/VCI, such as 0/32.")
    line_rate_bps = models.PositiveBigIntegerField()
    bw_bps = models.PositiveBigIntegerField("BW")
    usable_bps = models.PositiveBigIntegerField()
    exempt_reason = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        ordering = ["router", "name"]
        constraints = [
            named_once(
                "router",
                "name",
                name="interface_name_is_unique_on_its_router",
                message="Two interfaces of a router do not share a name.",
            ),
            models.CheckConstraint(
                condition=Q(line_rate_bps__gt=0, bw_bps__gt=0, usable_bps__gt=0),
                name="interface_rates_are_positive",
                violation_error_message="Line rate, BW and usable capacity are above zero.",
            ),
            models.CheckConstraint(
                condition=Q(usable_bps__lte=F("line_rate_bps")),
                name="interface_usable_capacity_fits_its_line_rate",
                violation_error_message="Usable capacity does not exceed the line rate.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.router.name}:{self.name}"

    @property
    def percent_base_bps(self) -> int:
        """Return the base of a percentage on this interface: min(BW, usable), bit/s."""
        return min(self.bw_bps, self.usable_bps)
