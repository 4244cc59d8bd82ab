"""Tokens that are narrow, expire, are rotated and revoked; and that one gives away no more than it has (issue 11, row 4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from inventory.models import Nren
from provisioning.errors import Conflict, InvalidInput, NotPermitted, NotVisible
from provisioning.models import SYSTEM, Actor, ApiToken, AuditEvent, Role, Via
from provisioning.selectors import tokens as selecting
from provisioning.services import people, tokens

pytestmark = pytest.mark.usefixtures("six")

HOME = ["192.0.2.0/24", "2001:db8::/32"]


def person(name: str, *roles: Role, nrens: tuple[str, ...] = ()) -> Actor:
    rows = list(Nren.objects.filter(name__in=nrens))
    people.put_person(actor=SYSTEM, username=name, roles=roles, nrens=rows)
    return people.actor_named(name, via=Via.WEB)


def issued(actor: Actor, nren: str | None = None, **said: Any) -> tuple[ApiToken, str]:
    row = Nren.objects.get(name=nren) if nren else None
    user = User.objects.get(username=actor.label)
    return tokens.issue(**{"actor": actor, "user": user, "nren": row, "name": "t", **said})


def works(text: str, address: str | None = None) -> bool:
    try:
        tokens.authenticate(text=text, address=address)
    except NotPermitted as refused:
        assert str(refused) == "The token is not valid."
        return False
    return True


def by(text: str, address: str | None = None) -> tuple[Actor, ApiToken]:
    token = tokens.authenticate(text=text, address=address)
    return tokens.actor_of(token), token


def test_a_rotated_token_is_another_secret_for_the_same() -> None:
    jane = person("jane", nrens=("JANET",))
    until = timezone.now() + timedelta(days=30)
    old, before = issued(jane, "JANET", scopes=["read"], expires_at=until, allowed_networks=HOME)
    new, after = tokens.rotate(actor=jane, token=old, reason="spring cleaning")
    assert (new.name, new.scopes, new.nren, new.expires_at, new.allowed_networks) == (
        old.name, old.scopes, old.nren, until, HOME,
    )  # fmt: skip
    assert not works(before, "192.0.2.1") and works(after, "192.0.2.1")
    assert works(after, "::ffff:192.0.2.1") and not works(after, "203.0.113.1")
    event = AuditEvent.objects.get(action="token.rotate")
    assert (event.reason, event.after["successor"]) == ("spring cleaning", new.prefix)
    said = str(list(AuditEvent.objects.values_list())) + str(list(ApiToken.objects.values()))
    for text in (before, after):
        assert text not in said and text.split("_", 2)[2] not in said
    shown = selecting.visible(jane, old.pk)
    assert selecting.state_of(shown, timezone.now()) == selecting.TokenState.ROTATED
    with pytest.raises(Conflict, match="rotated already"):
        tokens.rotate(actor=jane, token=old, reason="again")
    with pytest.raises(Conflict, match=f"{new.prefix} has taken its place"):
        tokens.revoke(actor=jane, token=old, reason="leaked")


def test_both_work_while_they_overlap_and_the_old_one_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    jane = person("jane", nrens=("JANET",))
    old, before = issued(jane, "JANET")
    _new, after = tokens.rotate(actor=jane, token=old, reason="x", overlap=timedelta(hours=2))
    assert works(before) and works(after)
    later = timezone.now() + timedelta(hours=3)
    monkeypatch.setattr("provisioning.services.clock.now", lambda: later)
    assert not works(before) and works(after)
    for wrong in (timedelta(days=8), timedelta(hours=-1)):
        with pytest.raises(InvalidInput) as refused:
            tokens.rotate(actor=jane, token=_new, reason="x", overlap=wrong)
        assert refused.value.field == "overlap"


def test_an_overlap_lengthens_no_life() -> None:
    jane = person("jane", nrens=("JANET",))
    until = timezone.now() + timedelta(hours=1)
    old, _ = issued(jane, "JANET", expires_at=until)
    tokens.rotate(actor=jane, token=old, reason="x", overlap=timedelta(days=7))
    assert set(ApiToken.objects.values_list("expires_at", flat=True)) == {until}


def test_who_issued_a_token_stays_behind_it_through_rotation() -> None:
    """Row 1 by way of a rotation: who once knew a secret, or made it known, is not forgotten."""
    jane, adam, eve = (
        person("jane", nrens=("JANET",)),
        person("adam", Role.ADMINISTRATOR),
        person("eve", Role.ADMINISTRATOR),
    )
    user = User.objects.get(username="jane")
    old, _ = issued(adam, "JANET", user=user)
    new, text = tokens.rotate(actor=jane, token=old, reason="mine now")
    assert new.issued_by_id == adam.user_id
    assert by(text)[0].added_to([]) == [[jane.user_id, adam.user_id]]
    with pytest.raises(NotPermitted, match="Somebody else issued it"):
        tokens.rotate(actor=eve, token=new, reason="three people")
    assert tokens.rotate(actor=adam, token=new, reason="again")[0].issued_by_id == adam.user_id
    own, _ = issued(jane, "JANET")
    assert tokens.rotate(actor=eve, token=own, reason="helped")[0].issued_by_id == eve.user_id
    # What the token issues for its own user has the same two behind it.
    actor, using = by(text := issued(adam, "JANET", user=user)[1])
    child, _ = issued(actor, "JANET", using=using)
    assert child.issued_by_id == adam.user_id and text


@pytest.mark.parametrize(
    ("wider", "field"),
    [
        ({"nren": None}, "nren"),
        ({"nren": "DFN"}, "nren"),
        ({"scopes": ["read", "write"]}, "scopes"),
        ({"expires_at": None}, "expires_at"),
        ({"expires_at": timezone.now() + timedelta(days=400)}, "expires_at"),
        ({"allowed_networks": []}, "allowed_networks"),
        ({"allowed_networks": ["192.0.0.0/16"]}, "allowed_networks"),
        ({"allowed_networks": ["192.0.2.0/25", "203.0.113.0/24"]}, "allowed_networks"),
        ({"allowed_networks": ["::/0"]}, "allowed_networks"),
    ],
)
def test_a_token_issues_none_that_is_wider(wider: dict[str, Any], field: str) -> None:
    both = person("both", nrens=("JANET", "DFN"))
    fits = {
        "nren": "JANET",
        "scopes": ["write"],
        "expires_at": timezone.now() + timedelta(days=9),
        "allowed_networks": ["192.0.2.0/25"],
    }
    _, text = issued(
        both, **{**fits, "expires_at": timezone.now() + timedelta(days=10), "allowed_networks": HOME}
    )
    actor, using = by(text, "192.0.2.1")
    issued(actor, **fits, using=using)
    with pytest.raises(InvalidInput) as refused:
        issued(actor, **{**fits, **wider}, using=using)
    assert refused.value.field == field
    assert ApiToken.objects.count() == 2


def test_a_token_of_an_administrator_issues_for_others_unless_it_is_narrow_or_somebody_elses() -> None:
    adam, eve = person("adam", Role.ADMINISTRATOR), person("eve", Role.ADMINISTRATOR)
    jane = User.objects.get(username=person("jane", nrens=("JANET",)).label)
    actor, using = by(issued(adam)[1])
    assert issued(actor, "JANET", user=jane, using=using)[0].issued_by_id == adam.user_id
    actor, using = by(issued(eve, user=User.objects.get(username="adam"))[1])
    with pytest.raises(NotPermitted, match="issues none for others"):
        issued(actor, "JANET", user=jane, using=using)


def test_what_a_token_issued_ends_with_it() -> None:
    jane = person("jane", nrens=("JANET",))
    old, text = issued(jane, "JANET")
    actor, using = by(text)
    child = issued(actor, "JANET", using=using)[1]
    actor, using = by(child)
    grandchild = issued(actor, "JANET", using=using)[1]
    tokens.revoke(actor=jane, token=old, reason="leaked")
    assert not works(text) and not works(child) and not works(grandchild)
    assert AuditEvent.objects.filter(action="token.revoke").count() == 3
    old, text = issued(jane, "JANET")
    actor, using = by(text)
    child = issued(actor, "JANET", using=using)[1]
    _, successor = tokens.rotate(actor=actor, token=using, reason="weekly", using=using)
    assert not works(child) and works(successor)
    with pytest.raises(Conflict, match="has ended"):
        issued(actor, "JANET", using=using)


def test_a_stolen_token_that_was_rotated_leaves_nothing_behind() -> None:
    jane = person("jane", nrens=("JANET",))
    old, text = issued(jane, "JANET")
    actor, using = by(text)
    _, first = tokens.rotate(actor=actor, token=using, reason="x", overlap=timedelta(days=7), using=using)
    actor, using = by(first)
    child = issued(actor, "JANET", using=using)[1]
    _, second = tokens.rotate(actor=actor, token=using, reason="x", overlap=timedelta(days=7), using=using)
    assert works(text) and works(first) and works(second)
    tokens.revoke(actor=jane, token=old, reason="stolen")
    assert not any(works(each) for each in (text, first, second, child))
    assert AuditEvent.objects.filter(action="token.revoke").count() == 4


@pytest.mark.parametrize("overlaps", [(7, 0, 7), (7, 0, 0, 7), (7, 7, 0)])
def test_nor_where_one_of_its_rotations_left_no_overlap(overlaps: tuple[int, ...]) -> None:
    """The walk from the old token ended at one that was revoked already, and what had taken its place lived on."""
    jane = person("jane", nrens=("JANET",))
    old, text = issued(jane, "JANET")
    texts, children = [text], list[str]()
    for days in overlaps:
        actor, using = by(texts[-1])
        texts.append(
            tokens.rotate(actor=actor, token=using, reason="x", overlap=timedelta(days=days), using=using)[1]
        )
        actor, using = by(texts[-1])
        children.append(issued(actor, "JANET", using=using)[1])
    assert works(text) and works(texts[-1])
    tokens.revoke(actor=jane, token=old, reason="stolen")
    assert not any(works(each) for each in (*texts, *children))


def test_what_has_ended_names_what_is_used_in_its_place_by_now() -> None:
    jane = person("jane", nrens=("JANET",))
    old, _text = issued(jane, "JANET")
    first, _ = tokens.rotate(actor=jane, token=old, reason="x")
    second, text = tokens.rotate(actor=jane, token=first, reason="x")
    with pytest.raises(Conflict, match=f"{second.prefix} has taken its place"):
        tokens.revoke(actor=jane, token=old, reason="stolen")
    assert works(text)


def test_a_token_rotates_itself_only_and_reaches_no_wider_one() -> None:
    both = person("both", Role.NOC, nrens=("JANET",))
    wide, _ = issued(both)
    other, _ = issued(both, "JANET")
    actor, using = by(issued(both, "JANET")[1])
    for token in (wide, other):
        with pytest.raises(NotPermitted, match="rotates itself"):
            tokens.rotate(actor=actor, token=token, reason="x", using=using)
    with pytest.raises(NotPermitted, match="of that NREN only"):
        tokens.revoke(actor=actor, token=wide, reason="x", using=using)
    assert set(selecting.for_actor(actor, using)) == {other, using}
    with pytest.raises(NotVisible):
        selecting.visible(actor, wide.pk, using)


def test_each_sees_their_own_and_an_administrator_all() -> None:
    jane, dirk = person("jane", nrens=("JANET",)), person("dirk", nrens=("DFN",))
    mine, _ = issued(jane, "JANET")
    theirs, _ = issued(dirk, "DFN")
    assert list(selecting.for_actor(jane)) == [mine]
    for other in (person("nora", Role.NOC), person("audrey", Role.AUDITOR)):
        assert not selecting.for_actor(other).exists()
    assert list(selecting.for_actor(person("adam", Role.ADMINISTRATOR))) == [theirs, mine]
    assert selecting.of_prefix(SYSTEM, f"exp_{mine.prefix}_what-was-pasted") == mine


def test_a_reason_is_needed() -> None:
    jane = person("jane", nrens=("JANET",))
    token, _ = issued(jane, "JANET")
    for deed in (tokens.rotate, tokens.revoke):
        with pytest.raises(InvalidInput) as refused:
            deed(actor=jane, token=token, reason=" ")
        assert refused.value.field == "reason"
