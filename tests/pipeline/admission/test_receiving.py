"""Who receives: a link that takes no part in the class is a reason, a doubt or nothing, by the scheme's word (issue 9, f)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission import Admitted, Refused, admit, admit_all, from_json, to_json
from provisioning.pipeline.scheme import Receivers, Scheme, Word, from_mapping
from provisioning.pipeline.topology import Direction
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.networks import GRNET, JANET, SURFNET, sixnet, sls
from tests.pipeline.scheme.test_reference import data

SCHEME = load_scheme("6net")
NETWORK = sixnet()
TO_SURFNET = sls(JANET, SURFNET, 1_000_000)


def says(word: Word) -> Scheme:
    return replace(SCHEME, receivers=Receivers(word, "somebody said so", False))


def test_6net_warns_of_surfnet_in_words() -> None:
    verdict = admit(NETWORK, SCHEME, TO_SURFNET, ())
    assert isinstance(verdict, Admitted)
    (said,) = verdict.warnings
    assert said.startswith(
        "SURFnet@nl6:GigabitEthernet1/0 receives and is non-participant: IP Premium is promised up to it, and SURFnet takes "
        "no part in it (our choice: D4.4.2v2 section 2.6 "
    )
    assert from_json(to_json(verdict)) == verdict


def test_the_schemes_word_decides() -> None:
    refused = admit(NETWORK, says("refuse"), TO_SURFNET, ())
    assert isinstance(refused, Refused)
    (reason,) = refused.reasons
    assert (reason.code, reason.link, reason.direction) == ("receiver-without-class", SURFNET, Direction.OUT)
    assert reason.text.endswith("takes no part in it (somebody said so)")
    assert refused.counter_offers == () and refused.warnings == ()
    admitted = admit(NETWORK, says("admit"), TO_SURFNET, ())
    assert isinstance(admitted, Admitted) and admitted.warnings == ()


def test_a_participant_receives_without_a_word_under_every_word() -> None:
    for word in ("admit", "warn", "refuse"):
        verdict = admit(NETWORK, says(word), sls(JANET, GRNET, 1_000_000), ())
        assert isinstance(verdict, Admitted) and verdict.warnings == ()


def test_a_neighbour_whose_agreement_knows_nothing_of_the_class_cannot_take_it() -> None:
    def agreed(*pairs: tuple[int, int]) -> Refused | Admitted:
        links = tuple(
            replace(link, dscp_map=pairs) if link.id == GRNET else link for link in NETWORK.access_links
        )
        return admit(replace(NETWORK, access_links=links), says("refuse"), sls(JANET, GRNET, 1_000_000), ())

    assert isinstance(agreed((46, 47)), Admitted)
    refused = agreed((8, 9))
    assert isinstance(refused, Refused)
    assert "its agreement says nothing of DSCP 46" in refused.reasons[0].text


def test_both_ways_are_judged_each_at_its_own_end() -> None:
    verdict = admit_all(NETWORK, SCHEME, (TO_SURFNET, sls(GRNET, JANET, 1)), ())
    assert isinstance(verdict, tuple)
    assert [len(each.warnings) for each in verdict] == [1, 0]


@pytest.mark.parametrize(
    ("name", "word", "choice"),
    [
        ("6net", "warn", True),
        ("grnet", "refuse", True),
        ("cti", "admit", True),
        ("irs", "warn", True),
        ("enst", "admit", True),
    ],
)
def test_every_scheme_has_its_word_and_says_whose_it_is(name: str, word: str, choice: bool) -> None:
    found = load_scheme(name).receivers
    assert (found.without_the_class, found.is_choice) == (word, choice)
    assert len(found.provenance) > 30


def test_a_scheme_that_does_not_say_warns() -> None:
    unsaid = data("6net")
    del unsaid["receivers"]
    verdict = admit(NETWORK, from_mapping(unsaid), TO_SURFNET, ())
    assert isinstance(verdict, Admitted)
    assert verdict.warnings[0].endswith("(our choice: the scheme does not say)")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"without_the_class": "perhaps", "choice": "x"}, "receivers.without_the_class"),
        ({"without_the_class": "warn"}, "receivers"),
        ({"without_the_class": "warn", "choice": "x", "source": "y"}, "receivers"),
        ({"choice": "x"}, "receivers"),
        ({"without_the_class": "warn", "choice": "x", "else": 1}, "receivers.else"),
        ("warn", "receivers"),
    ],
)
def test_a_wrong_word_is_refused_by_name(wrong: object, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        from_mapping({**data("6net"), "receivers": wrong})
    assert caught.value.field == field
