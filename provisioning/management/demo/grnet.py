"""The story of GRNET: three flavours of Premium IP on one share, each promised between the ends it knows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from provisioning.management.demo.house import DoorFailed
from provisioning.management.demo.telling import Story

NTUA, UPATRAS = "NTUA@ilissos:GigabitEthernet1/0", "UPATRAS@patra:GigabitEthernet1/0.6"
UOI, AEGEAN = "UOI@ioannina:GigabitEthernet1/0", "AEGEAN@syros:FastEthernet2/0"
OWN, PHONES, ABROAD = "2001:648:2000:1::/64", "2001:648:2000:2::/64", "2001:648:2000:3::/64"
AT_PATRAS, AT_IOANNINA, AT_AEGEAN = "2001:648:2800:1::/64", "2001:648:3000:1::/64", "2001:648:2400:1::/64"
PHONES_V4 = "192.0.2.0/26"
OUTSIDE = "2001:630:8::/48"


class GrnetStory(Story):
    """Four routers: two with Tetra cards, one behind a Tango, one 7200."""

    network = "grnet"
    routers_told = "each of the four"
    users = {"NTUA": "nikos"}
    baseline_reason = "Premium IP for IPv6 beside IPv4 (section 7)"
    why_asked = "Premium IP, section 3.1"

    def run(self) -> None:
        """Every chapter, in order."""
        self.import_network()
        self.practice_routers()
        self.people()
        self.baseline()
        wire = self.virtual_wire()
        phones = self.voip()
        abroad = self.transparent()
        self.tango()
        self.one_share()
        self.software_router()
        self.tell.step("All three are withdrawn")
        for request in (wire, phones, abroad):
            self._withdraw("NTUA", request)
        self._all_back()

    def virtual_wire(self) -> str:
        self.tell.step("Virtual Wire: NTUA asks for 100 Mbit/s to UPATRAS, two known ends")
        request = self._ask("NTUA", NTUA, UPATRAS, 100_000_000, OWN, AT_PATRAS, service_class="virtual-wire")
        self._admit(request)
        self.tell.note(
            "20 % of min(BW, usable): a Tetra port switches 850 Mbit/s, so the share is 170 Mbit/s."
        )
        self._put_on("NTUA", request)
        return request

    def voip(self) -> str:
        self.tell.step("VoIP has one known end: with a destination it is refused")
        self._turned_away(
            "NTUA", "is not guaranteed", NTUA, UPATRAS, 10_000_000, PHONES, AT_PATRAS, service_class="voip"
        )
        self.tell.step(
            "It goes anywhere, so over IPv6 it meets the Tango card too; over IPv4 it does not matter"
        )
        request = self._ask("NTUA", NTUA, None, 10_000_000, PHONES, None, service_class="voip")
        self._does_not_fit(request, "patra slot 4 (POS4/0)")
        request = self._ask("NTUA", NTUA, None, 10_000_000, PHONES_V4, None, service_class="voip")
        self._admit(request)
        self._put_on("NTUA", request)
        return request

    def transparent(self) -> str:
        self.tell.step("Transparent: only for traffic that leaves the domain, best effort from the border on")
        kind = {"service_class": "transparent"}
        self._turned_away("NTUA", "is inside", NTUA, UPATRAS, 20_000_000, ABROAD, AT_PATRAS, **kind)
        self._turned_away("NTUA", "is inside the domain", NTUA, None, 20_000_000, ABROAD, AT_PATRAS, **kind)
        request = self._ask("NTUA", NTUA, None, 20_000_000, ABROAD, OUTSIDE, **kind)
        self._admit(request)
        self._put_on("NTUA", request)
        return request

    def one_share(self) -> None:
        self.tell.step("The three have one share: of 170 Mbit/s 40 are left, and not one kbit/s more")
        for rate, fits in ((40_001_000, False), (40_000_000, True)):
            request = self._ask_later(UPATRAS, rate, AT_PATRAS)
            if fits:
                self._admit(request)
                self._only_to_see("NTUA", request)
            else:
                self._does_not_fit(request, "1 kbit/s too much")

    def tango(self) -> None:
        self.tell.step("IPv6 Premium through an Engine 4+ card in the middle of the path: refused, naming it")
        request = self._ask("NTUA", NTUA, UOI, 5_000_000, OWN, AT_IOANNINA, service_class="virtual-wire")
        self._does_not_fit(request, "patra slot 4 (POS4/0)")

    def software_router(self) -> None:
        self.tell.step("Through a 7200: admitted, with a warning of what table 2 measured")
        request = self._ask_later(AEGEAN, 5_000_000, AT_AEGEAN)
        said = self._typed("admit", request, "--as", "boris", "--reason", "a low rate")
        self.tell.said(said)
        if "GRNET table 2" not in said:
            raise DoorFailed("nobody was warned of the 7200")
        self._only_to_see("NTUA", request)

    def _ask_later(self, destination: str, rate: int, theirs: str) -> str:
        """A Virtual Wire from tomorrow on: decided now, and on no router yet."""
        start = (datetime.now(UTC) + timedelta(days=1)).isoformat()
        return self._ask(
            "NTUA", NTUA, destination, rate, OWN, theirs, service_class="virtual-wire", start=start
        )
