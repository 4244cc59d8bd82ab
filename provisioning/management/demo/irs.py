"""The story of @IRS: guaranteed and assured services, a token bucket per flow, told apart by flow labels."""

from __future__ import annotations

from provisioning.management.demo.telling import Story

LAAS, LYON1, LIP6 = (
    "LAAS@toulouse:FastEthernet2/0",
    "LYON1@lyon:FastEthernet2/0",
    "LIP6@paris:FastEthernet2/0",
)
TOULOUSE, LYON, PARIS = "2001:db8:d010:1::/64", "2001:db8:d020:1::/64", "2001:db8:d030:1::/64"


class IrsStory(Story):
    """Three sites on a line, with virtual paths of 1 Mbit/s between them."""

    network = "irs"
    routers_told = "each of the three"
    users = {"LAAS": "fabien", "LYON1": "lucie"}
    baseline_reason = "the services of section 2.2"
    why_asked = "the measurements of section 4"

    def run(self) -> None:
        """Every chapter, in order."""
        self.import_network()
        self.practice_routers()
        self.people()
        self.baseline()
        assured = self.assured()
        guaranteed = self.guaranteed()
        self.tell.step("Both are withdrawn")
        self._withdraw("LAAS", assured)
        self._withdraw("LAAS", guaranteed)
        self._all_back()

    def assured(self) -> str:
        self.tell.step("AS: 40 kbytes/s of payload an edge are 335 kbit/s at layer 3, and not one step more")
        self._turned_away("LAAS", "flow label", LAAS, LIP6, 335_000, TOULOUSE, PARIS, service_class="assured")
        over = self._flow("LAAS", LAAS, TOULOUSE, 335_500, "assured", 74565)
        self._does_not_fit(over, "500 bit/s too much")
        request = self._flow("LAAS", LAAS, TOULOUSE, 335_000, "assured", 74565)
        self._admit(request)
        self.tell.note("Only the edge is charged: core routers are not implied (section 2.2.2).")
        self._put_on("LAAS", request)
        return request

    def guaranteed(self) -> str:
        self.tell.step(
            "GS: 20 kbytes/s an edge, 167.5 kbit/s at layer 3, charged on every router of the path"
        )
        over = self._flow("LAAS", LAAS, TOULOUSE, 168_000, "guaranteed", 74566)
        self._does_not_fit(over, "500 bit/s too much")
        request = self._flow("LAAS", LAAS, TOULOUSE, 100_000, "guaranteed", 74566)
        self._admit(request)
        self._put_on("LAAS", request)
        self.tell.step("Lyon's own edge is free, but the core router in the middle has no more for GS")
        beyond = self._flow("LYON1", LYON1, LYON, 100_000, "guaranteed", 74567)
        self._does_not_fit(beyond, "lyon:Serial1/1--paris:Serial1/0")
        return request

    def _flow(self, nren: str, source: str, own: str, rate: int, service: str, label: int) -> str:
        return self._ask(nren, source, LIP6, rate, own, PARIS, service_class=service, flow_label=label)
