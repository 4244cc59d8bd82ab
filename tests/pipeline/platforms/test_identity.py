"""Whether a router is the one of the inventory: what contradicts, what is only remarked; each sentence has both values."""

from __future__ import annotations

import pytest

from lab.device import Device
from lab.spec import RouterSpec
from provisioning.drivers import reading
from provisioning.pipeline.platforms import Identity, compare, compare_cards

GSR = Identity("cisco-12400", "12.0(28)S", "TBM0001")


def test_a_7200_in_the_place_of_a_12000_is_refused_with_both_values() -> None:
    """As it was measured: it was planned and pushed as a 12400."""
    found = compare(GSR, Identity("7206VXR", "12.0(3)M", "X7200"))
    assert found.contradictions == (
        "it says serial X7200, the inventory has TBM0001",
        "it says it is a 7206VXR, the inventory has cisco-12400",
    )


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        (GSR, Identity("12416/PRP", "12.0(28)S", "TBM0001")),
        (GSR, Identity("12410/GRP", "12.0(28)S", "tbm0001")),
        (Identity("cisco-7200vxr", "12.3(14)T"), Identity("7204VXR", "12.3(14)T", "4279256517")),
        (Identity("asr1000", "17.6.1"), Identity("ASR1001-X", "17.06.01", "FXS1")),
        (Identity("cisco-iosxe", "17.6.1"), Identity("ASR1002", "17.06.01", "FXS1")),
        (Identity("csr1000v", "16.12.1"), Identity("CSR1000V", "16.12.01", "9")),
    ],
)
def test_the_same_router_is_neither_refused_nor_remarked(recorded: Identity, said: Identity) -> None:
    assert compare(recorded, said).contradictions == ()
    assert compare(recorded, said).remarks == ()


@pytest.mark.parametrize(
    ("recorded", "said", "what"),
    [
        ("12.0(28)S", "12.0(27)S", "`police cir percent`"),
        ("12.0(28)S", "12.0(3)M", "train"),
        ("12.4(15)T", "12.4(24)T", "hqf"),
        ("12.2(13)T", "12.3(14)T", "leading blank"),
        ("12.4(24)T", "12.4(25)", "hqf"),
    ],
)
def test_a_release_that_changes_the_lines_is_refused(recorded: str, said: str, what: str) -> None:
    platform = "cisco-12400" if recorded.startswith("12.0") else "cisco-7200vxr"
    chassis = "12416/PRP" if recorded.startswith("12.0") else "7206VXR"
    (sentence,) = compare(Identity(platform, recorded), Identity(chassis, said)).contradictions
    assert f"it runs {said}, the inventory has {recorded}" in sentence
    assert what in sentence


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ("12.0(28)S", "12.0(28)S5"),
        ("12.0(28)S", "12.0(32)SY6c"),
        ("12.4(24)T", "12.4(24)T8"),
        (
            "12.3",
            "12.3(14)T",
        ),  # a running-config says `version 12.3`, and an adopted router has no more than that
        ("12.0(28)S", "12.0(20040128:214555)"),  # nobody can read it, so nobody can say that it is another
    ],
)
def test_another_rebuild_of_a_train_is_a_remark(recorded: str, said: str) -> None:
    gsr = recorded.startswith("12.0")
    found = compare(
        Identity("cisco-12400" if gsr else "cisco-7200vxr", recorded),
        Identity("12416" if gsr else "7206VXR", said),
    )
    assert found.contradictions == ()
    (remark,) = found.remarks
    assert said in remark and recorded in remark


def test_what_either_does_not_say_contradicts_nothing() -> None:
    assert (
        compare(
            Identity("cisco-12400", "12.0(28)S"), Identity("12416/PRP", "12.0(28)S", "NEW")
        ).contradictions
        == ()
    )
    silent = compare(GSR, Identity("", "", ""))
    assert silent.contradictions == ()
    assert len(silent.remarks) == 3


def test_a_chassis_without_a_profile_is_another_router() -> None:
    (sentence,) = compare(GSR, Identity("2811", "12.4(24)T")).contradictions
    assert "2811" in sentence and "cisco-12400" in sentence


def test_two_models_with_rules_of_their_own_are_told_apart() -> None:
    assert compare(Identity("asr1000", "17.6.1"), Identity("CSR1000V", "17.06.01")).contradictions


def test_cards_by_slot() -> None:
    found = compare_cards({1: "3", 2: "3", 4: "4+", 5: "3"}, {1: "3", 2: "4", 4: "4", 9: "5"})
    assert found.contradictions == ("slot 2 holds a card of Engine 4, the inventory has Engine 3",)
    assert found.remarks == (
        "slot 4 holds a card of Engine 4, the inventory has Engine 4+",
        "slot 5 shows no line card; the inventory has one of Engine 3",
    )


@pytest.mark.parametrize("engine", ["0", "1", "2", "3", "4", "4+", "5", "5+", "6"])
def test_engines_are_read_from_show_diag(engine: str) -> None:
    spec = RouterSpec.from_dict(
        {"name": "r1", "platform": "cisco-12400", "ios": "12.0(28)S", "engines": {"1": engine, "11": "3"}}
    )
    assert reading.engines(Device(spec).open_session(privilege=15).execute("show diag")) == {
        1: engine,
        11: "3",
    }


def test_the_recorded_card_of_a_12416() -> None:
    """S12 of the samples: slot by its own number, not by that in the brackets."""
    text = (
        "SLOT 3  (RP/LC 0 ): 16 Port ISE Packet Over SONET OC-3c/STM-1 Single Mode/IR LC connector\n"
        "  FRU:  Linecard/Module: 16OC3X/POS-IR-LC-B=\n  L3 Engine: 3 - ISE OC48 (2.5 Gbps)\n"
    )
    assert reading.engines(text) == {3: "3"}
