"""What a network file chooses of its scheme: policer and options, refused where no sound plan could come of them."""

from __future__ import annotations

import pytest

from inventory.models import Domain
from inventory.readers.errors import NetworkFileError
from provisioning.errors import InvalidInput
from provisioning.models import SYSTEM
from provisioning.pipeline import ios
from provisioning.selectors.schemes import load_scheme, scheme_of
from provisioning.services import intents
from provisioning.services.edges import open_edges
from provisioning.services.inventory import import_network
from tests.inventory.conftest import network

ON_6NET = "scheme: 6net}"


@pytest.mark.django_db
def test_an_option_is_switched_in_the_network_file_and_reaches_every_router() -> None:
    import_network(actor=SYSTEM, network=network())
    before = intents.wanted()
    switched = network((ON_6NET, "scheme: 6net, options: {core_lbe_guarantee: true, access_output: true}}"))
    report = import_network(actor=SYSTEM, network=switched)
    assert any("core_lbe_guarantee" in line for line in report.lines())
    scheme = scheme_of(Domain.objects.get())
    assert (scheme.core, scheme.options["exempt_routing"]) == ("my_policy_lbe", False)
    assert load_scheme("6net").core == "my_policy"  # the file that ships is as it was
    after = intents.wanted()
    assert before.scheme_digest != after.scheme_digest

    def outbound(wanted: intents.Wanted) -> set[tuple[str, str]]:
        held = wanted.intents["aa1"].bindings
        return {(each.interface, each.policy) for each in held if each.direction == "output"}

    assert outbound(before) == {("POS2/0", "my_policy")}
    assert outbound(after) == {("POS2/0", "my_policy_lbe"), ("POS1/0", "my_policy")}

    import_network(actor=SYSTEM, network=network())
    assert scheme_of(Domain.objects.get()).core == "my_policy"


EXEMPTING = "scheme: 6net, options: {exempt_routing: true}}"


@pytest.mark.django_db
def test_every_edge_keeps_the_number_of_its_own_objects() -> None:
    """A peering, too, keeps the names of its list, class and policy when other edges come and the option goes."""
    peer = (
        "interface: POS1/1, capacity_bps: 155520000}",
        'interface: POS1/1, capacity_bps: 155520000, prefix: "192.0.2.4/30"}',
    )
    import_network(actor=SYSTEM, network=network((ON_6NET, EXEMPTING), peer))
    first = intents.wanted()
    assert dict(first.intents["aa1"].suffixes) == {"North@aa1:POS1/0": 1, "Outside@aa1:POS1/1": 2}
    (theirs,) = (each for each in first.intents["aa1"].access_lists if each.name == "routing-peer-L2")
    assert [entry.text for entry in theirs.entries] == ["permit ip 192.0.2.4 0.0.0.3 192.0.2.4 0.0.0.3"]
    intents.keep_names(first, ["aa1"])

    later = (
        "peerings:\n",
        "  - {nren: South, router: aa1, interface: POS1/2, capacity_bps: 155520000, case: trusted, standing: true}\n"
        "peerings:\n  - {name: Another, router: aa1, interface: POS1/3, capacity_bps: 155520000}\n",
    )
    import_network(actor=SYSTEM, network=network((ON_6NET, EXEMPTING), peer, later))
    more = intents.wanted()
    intents.keep_names(more, ["aa1"])
    numbers = {"North@aa1:POS1/0": 1, "Outside@aa1:POS1/1": 2, "South@aa1:POS1/2": 3, "Another@aa1:POS1/3": 4}
    assert dict(more.intents["aa1"].suffixes) == dict(intents.wanted().suffixes) == numbers
    said = more.intents["aa1"].warnings
    assert "Another@aa1:POS1/3: its own addresses are not in the inventory, so nothing is exempted" in said


@pytest.mark.django_db
def test_an_edge_that_lets_nothing_in_is_no_open_edge_while_the_exemption_waits_to_be_pushed() -> None:
    import_network(actor=SYSTEM, network=network((ON_6NET, EXEMPTING)))
    wanted = intents.wanted()
    held = ios.parse(
        "policy-map NON-PARTICIPANT\n class class-default\n  set dscp default\n"
        "interface POS1/0\n ipv6 address 2001:DB8:1::1/64\n service-policy input NON-PARTICIPANT\n"
        "interface POS1/1\n ipv6 address 2001:DB8:3::1/64\n service-policy input NON-PARTICIPANT\n",
        wanted.profiles["aa1"],
    )
    assert open_edges("aa1", held, wanted) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ("scheme: 7net}", "no scheme '7net'; there is 6net, "),
        ("scheme: 6net, options: {lbe: true}}", "no option 'lbe'.* it has emit_unused_other, "),
        ("scheme: enst, options: {access_output: true}}", "it has none"),
        # GRNET's Virtual Wires have a policer each: policed to the whole share each would let in all that is admitted.
        ("scheme: grnet, policer: cap}", "scheme grnet with policer cap: .*one per flow"),
        ("scheme: irs, policer: cap}", "one per flow"),
    ],
)
def test_a_choice_no_sound_plan_could_come_of_is_refused_whole(chosen: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        import_network(actor=SYSTEM, network=network((ON_6NET, chosen)))
    assert not Domain.objects.exists()


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ("{exempt_routing: 1}", "exempt_routing"),
        ("[exempt_routing]", "options"),
        ("{Exempt-Routing: true}", "Exempt"),
    ],
)
def test_an_option_is_on_or_off(options: str, where: str) -> None:
    with pytest.raises(NetworkFileError, match=where):
        network((ON_6NET, f"scheme: 6net, options: {options}}}"))
