"""6NET's scheme says what D4.4.2v2 says, and a scheme that would break a promise is refused with path and reason."""

from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
import yaml

from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme import MatchTemplate, PoliceTemplate, WredTemplate, from_mapping
from provisioning.selectors.schemes import DIRECTORY, load_scheme, scheme_names

SCHEME = load_scheme("6net")
DATA: dict[str, Any] = yaml.safe_load((DIRECTORY / "6net.yaml").read_text(encoding="utf-8"))


def test_the_classes_are_those_of_table_1() -> None:
    found = [(one.name, one.abbreviation, one.dscp, one.pool) for one in SCHEME.classes]
    assert found == [
        ("ip-premium", "IPP", 46, "ip-premium"),
        ("best-effort", "BE", 0, None),
        ("less-than-best-effort", "LBE", 8, None),
    ]


def test_a_class_is_found_by_name_and_abbreviation() -> None:
    assert SCHEME.service_class("IPP") is SCHEME.service_class("ip-premium")
    assert SCHEME.pool_of("IPP") is SCHEME.pools["ip-premium"]
    assert SCHEME.pool_of("LBE") is None
    with pytest.raises(InvalidInput) as refused:
        SCHEME.service_class("gold")
    assert refused.value.field == "service_class"


def test_shares_carry_their_section_or_say_that_they_are_a_choice() -> None:
    pool = SCHEME.pools["ip-premium"]
    assert (pool.access.percent, pool.access.is_choice) == (Decimal(5), False)
    assert "D4.4.2v2 section 2.4.1" in pool.access.provenance
    assert (pool.core.percent, pool.core.is_choice) == (Decimal(20), True)


def test_the_policies_are_appendix_a() -> None:
    ef = PoliceTemplate(Decimal(5), "transmit", "drop")
    lbe = PoliceTemplate(Decimal(1), "transmit", "transmit")
    routing = PoliceTemplate(None, "transmit", "set-dscp-transmit 0", rate_bps=64000)
    shown = {
        name: [(one.class_name, one.police, one.set_dscp) for one in policy.classes]
        for name, policy in SCHEME.policies.items()
    }
    assert shown == {
        "NON-PARTICIPANT": [("class-default", None, 0)],
        "NON-PARTICIPANT-RT": [("ROUTING", routing, None), ("class-default", None, 0)],
        "TRUSTED-IN": [("EF", ef, None), ("LBE", lbe, None), ("class-default", None, 0)],
        "FILTERED-IN": [("EF-FILTERED", ef, 46), ("LBE", lbe, None), ("class-default", None, 0)],
        "TRUSTED-IN-RT": [
            ("ROUTING", routing, None),
            ("EF", ef, None),
            ("LBE", lbe, None),
            ("class-default", None, 0),
        ],
        "FILTERED-IN-RT": [
            ("ROUTING", routing, None),
            ("EF-FILTERED", ef, 46),
            ("LBE", lbe, None),
            ("class-default", None, 0),
        ],
        "my_policy": [("EF", None, None), ("class-default", None, None)],
        "my_policy_vlan": [("class-default", None, None)],
        "my_policy_lbe": [("EF", None, None), ("LBE", None, None), ("class-default", None, None)],
    }
    first, last = SCHEME.core_policy.classes
    assert first.strict_priority is not None
    assert last.random_detect == WredTemplate()
    assert {case: SCHEME.case_policy(case).name for case in SCHEME.cases} == {
        "non-participant": "NON-PARTICIPANT",
        "trusted": "TRUSTED-IN",
        "filtered": "FILTERED-IN",
    }


def test_the_class_maps_are_appendix_a_and_other_is_an_option() -> None:
    assert SCHEME.class_maps["EF-FILTERED"].matches == (MatchTemplate("access_list", "nren-auth-ef"),)
    assert SCHEME.class_maps["OTHER"].matches == (
        MatchTemplate("dscp", 8, True),
        MatchTemplate("dscp", 46, True),
    )
    assert {name: SCHEME.emitted(name) for name in SCHEME.class_maps} == {
        "EF": True,
        "EF-FILTERED": True,
        "LBE": True,
        "ROUTING": True,
        "OTHER": False,
    }
    assert from_mapping({**DATA, "options": {**DATA["options"], "emit_unused_other": True}}).emitted("OTHER")
    without = {**DATA, "options": {"core_lbe_guarantee": False, "access_output": False}}
    with pytest.raises(InvalidInput) as refused:
        from_mapping(without)
    assert refused.value.field == "class_maps.OTHER.emit"


def test_the_digest_changes_with_anything_that_is_said() -> None:
    assert from_mapping(copy.deepcopy(DATA)).digest() == SCHEME.digest()
    changed = copy.deepcopy(DATA)
    changed["pools"]["ip-premium"]["core"]["percent"] = 19
    for name in ("my_policy", "my_policy_lbe"):
        changed["policies"][name]["classes"][0]["strict_priority"]["percent"] = 19
    swapped = copy.deepcopy(DATA)
    swapped["policies"]["TRUSTED-IN"]["classes"][:2] = swapped["policies"]["TRUSTED-IN"]["classes"][1::-1]
    noted = {**DATA, "notes": ["something else"]}
    digests = {from_mapping(data).digest() for data in (DATA, changed, swapped, noted)}
    assert len(digests) == 4


def _set(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        *parents, last = path.split("/")
        here: Any = data
        for part in parents:
            here = here[int(part) if part.isdigit() else part]
        key: Any = int(last) if last.isdigit() and isinstance(here, list) else last
        if value is KeyError:
            del here[key]
        else:
            here[key] = value

    return change


TRUSTED = "policies/TRUSTED-IN/classes"
CORE = "policies/my_policy/classes"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("title", KeyError, "scheme"),
        ("colour", "blue", "colour"),
        ("title", "two\nlines", "title"),
        ("title", "", "title"),
        ("policer", "maybe", "policer"),
        ("classes", {}, "classes"),
        ("classes/0/dscp", 64, "classes[0].dscp"),
        ("classes/0/dscp", "46", "classes[0].dscp"),
        ("classes/0/dscp", 8, "classes"),
        ("classes/1/name", "ip-premium", "classes"),
        ("classes/0/pool", "gold", "classes[0].pool"),
        ("classes/0/source", KeyError, "classes[0]"),
        ("pools/ip-premium/access/percent", 101, "pools.ip-premium.access.percent"),
        ("pools/ip-premium/access/percent", 0, "pools.ip-premium.access.percent"),
        ("pools/ip-premium/access/percent", 5.0, "pools.ip-premium.access.percent"),
        ("pools/ip-premium/access/percent", "NaN", "pools.ip-premium.access.percent"),
        ("pools/ip-premium/access/percent", True, "pools.ip-premium.access.percent"),
        ("pools/ip-premium/core/source", "both", "pools.ip-premium.core"),
        (
            "pools/more",
            {"access": {"percent": 96, "choice": "x"}, "core": {"percent": 1, "choice": "x"}},
            "pools.*.access",
        ),
        ("pools/ip-premium/access/percent", 6, "policies.TRUSTED-IN.classes[0].police.percent"),
        ("pools/ip-premium/core/percent", 19, "policies.my_policy.classes[0].strict_priority.percent"),
        ("cases/trusted", "NOWHERE", "cases.trusted"),
        ("cases/non-participant", KeyError, "cases"),
        ("outputs/core/then", "NOWHERE", "core"),
        ("cases/trusted", "my_policy", "cases.trusted"),
        (f"{TRUSTED}/0/class", "NOWHERE", "policies.TRUSTED-IN.classes[0].class"),
        (f"{TRUSTED}/0/class", "E F", "policies.TRUSTED-IN.classes[0].class"),
        (f"{TRUSTED}/0/class", "LBE", "policies.TRUSTED-IN.classes"),
        (f"{TRUSTED}/2", KeyError, "policies.TRUSTED-IN.classes"),
        (f"{TRUSTED}/2/set_dscp", 46, "cases.trusted"),
        (f"{TRUSTED}/2/service", "ip-premium", "policies.TRUSTED-IN.classes[2].service"),
        (f"{TRUSTED}/0/service", "gold", "service_class"),
        (f"{TRUSTED}/0/police", KeyError, "cases.trusted"),
        (f"{TRUSTED}/0/police/exceed", "transmit", "cases.trusted"),
        (f"{TRUSTED}/0/police/exceed", "set-dscp-transmit 0", "policies.TRUSTED-IN.classes[0].police.exceed"),
        (f"{TRUSTED}/0/police/exceed", {"set_dscp": 46}, "cases.trusted"),
        (f"{TRUSTED}/0/police/rate_bps", 8000, "policies.TRUSTED-IN.classes[0].police"),
        (f"{TRUSTED}/0/strict_priority", {"percent": 20}, "cases.trusted"),
        ("policies/bad name", {"classes": []}, "policies.bad name"),
        ("policies/" + "x" * 41, {"classes": []}, "policies." + "x" * 41),
        ("class_maps/LBE/match", [{"dscp": 46}], "policies.TRUSTED-IN.classes[1].class"),
        ("class_maps/EF/match", [{"dscp": 46, "not_dscp": 8}], "class_maps.EF.match[0]"),
        ("class_maps/EF/mode", "match-none", "class_maps.EF.mode"),
        ("class_maps/OTHER/emit", "always", "class_maps.OTHER.emit"),
        ("options/emit_unused_other", "yes", "options.emit_unused_other"),
        ("rest", "gold", "rest"),
        ("class_maps/ROUTING/match", [{"link_addresses": "routing-peer"}], "class_maps.ROUTING.match"),
        (
            "class_maps/ROUTING/match",
            [{"link_addresses": "routing-peer"}, {"dscp": 46}],
            "class_maps.ROUTING.match",
        ),
        ("families", [5], "families"),
        ("families", [], "families"),
        ("exceptions", [{"rule": "anything", "text": "x", "choice": "y"}], "exceptions[0].rule"),
        ("exceptions", [{"rule": "premium-unpoliced", "text": "x"}], "exceptions[0]"),
        ("outputs/access", {"option": "nowhere", "then": "my_policy"}, "outputs.access.option"),
        ("outputs/roof", "my_policy", "outputs.roof"),
        ("pools/ip-premium/core", KeyError, "pools.ip-premium.core"),
        ("pools/ip-premium/access/rate_bps", 1000, "pools.ip-premium.access"),
        ("class_maps/LBE/match", [{"dscp": 8}, {"dscp": 10}], "policies.TRUSTED-IN.classes[1].class"),
        ("class_maps/EF/match", [{"dscp": [8, 46]}], "policies.TRUSTED-IN.classes[1].class"),
        ("class_maps/EF/match", [{"dscp": []}], "class_maps.EF.match[0].dscp"),
        ("classes/0/lower_dscps", [8], "classes"),
        ("classes/0/ends", "nowhere", "classes[0].ends"),
        (f"{CORE}/0/bandwidth", {"percent": 3}, "policies.my_policy.classes[0].bandwidth"),
        (f"{CORE}/1/bandwidth", {"percent": 81}, "policies.my_policy.classes"),
        (f"{CORE}/1/child", "TRUSTED-IN", "policies.my_policy.classes[1].child"),
        (f"{CORE}/1/child", "my_policy", "policies.my_policy.classes[1].child"),
        (
            f"{CORE}/1/random_detect",
            {"profiles": [{"dscp": 0, "minimum": 50, "maximum": 30, "denominator": 10}]},
            "policies.my_policy.classes[1].random_detect.profiles[0].maximum",
        ),
        (
            f"{CORE}/1/queue_limit",
            {"packets": 75, "when": "later"},
            "policies.my_policy.classes[1].queue_limit.when",
        ),
    ],
)
def test_what_is_wrong_is_refused_with_its_path(path: str, value: Any, field: str) -> None:
    data = copy.deepcopy(DATA)
    _set(path, value)(data)
    with pytest.raises(InvalidInput) as refused:
        from_mapping(data)
    assert refused.value.field == field


def test_something_that_is_no_mapping_is_refused() -> None:
    for wrong in (None, [], "text", {1: 2}):
        with pytest.raises(InvalidInput):
            from_mapping(wrong)  # type: ignore[arg-type]


def test_schemes_are_found_by_name() -> None:
    assert "6net" in scheme_names()
    for wrong in ("nothing", "../6net", "", "6NET\n"):
        with pytest.raises(InvalidInput) as refused:
            load_scheme(wrong)
        assert refused.value.field == "scheme"
