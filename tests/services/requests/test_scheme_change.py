"""Another scheme on a live domain: which reservations would break, on which link and when, before anything is planned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

import inventory
from inventory.models import Domain
from provisioning.models import LedgerEntry
from provisioning.pipeline.units import instant_text
from provisioning.selectors import schemes
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import intents
from tests.services.requests.sixnet import GRNET, JANET, admitted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("six")]
SIX = Path(inventory.__file__).parent / "networks" / "6net.yaml"
SHIPPED = schemes.DIRECTORY
Switch = Callable[..., str]


@pytest.fixture
def switch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Switch]:
    """Import 6NET under a scheme of this name, which is 6net's file with words replaced; what the command printed."""

    def to(name: str, *edits: tuple[str, str], dry_run: bool = False) -> str:
        text = (SHIPPED / "6net.yaml").read_text()
        for old, new in (("name: 6net\n", f"name: {name}\n"), *edits):
            assert old in text, old
            text = text.replace(old, new)
        monkeypatch.setattr(schemes, "DIRECTORY", tmp_path)
        (tmp_path / f"{name}.yaml").write_text(text)
        network = tmp_path / "network.yaml"
        network.write_text(SIX.read_text().replace("scheme: 6net", f"scheme: {name}"))
        capsys.readouterr()
        call_command("import_inventory", str(network), *(["--dry-run"] if dry_run else []))
        return capsys.readouterr().out

    yield to
    schemes._loaded.cache_clear()
    schemes._chosen.cache_clear()


THREE_PERCENT = (("percent: 5", "percent: 3"),)


def test_a_smaller_share_says_link_reservations_and_instants_and_is_planned_like_any_change(
    switch: Switch,
) -> None:
    tomorrow, after = timezone.now() + timedelta(days=1), timezone.now() + timedelta(days=2)
    request = admitted(rate=5_000_000, start=tomorrow, end=after)
    before = intents.wanted()
    expected = (
        f"NO LONGER FITS: {JANET} in: {request.reference} hold up to 5 Mbit/s, the share is now 4.65 Mbit/s: "
        f"350 kbit/s too much from {instant_text(tomorrow)} to {instant_text(after)}"
    )
    said = switch("three", *THREE_PERCENT, dry_run=True)
    assert expected in said
    assert f"NO LONGER FITS: {GRNET} out" in said
    assert Domain.objects.get().scheme == "6net", "a dry run writes nothing"
    assert expected in switch("three", *THREE_PERCENT)
    (source, far) = overcommitted(Domain.objects.get(), now=timezone.now())  # what the page's alarm shows
    assert {source.link, far.link} == {JANET, GRNET}
    assert (source.start, source.end) == (tomorrow, after)
    wanted = intents.wanted()
    assert wanted.scheme_digest != before.scheme_digest, "plans of the scheme before are stale"
    assert wanted.intents["uk6"].revision != before.intents["uk6"].revision


def test_a_scheme_without_the_class_is_refused_with_who_breaks_and_when(switch: Switch) -> None:
    tomorrow = timezone.now() + timedelta(days=1)
    now = admitted(rate=1_000_000)
    later = admitted(rate=1_000_000, start=tomorrow, end=tomorrow + timedelta(hours=2))
    without = (("name: ip-premium\n", "name: premium\n"), ("service: ip-premium", "service: premium"))
    with pytest.raises(CommandError) as told:
        switch("renamed", *without)
    said = str(told.value)
    assert (
        f"{JANET} carries {now.reference}, {later.reference}: scheme renamed has no class 'ip-premium'"
        in said
    )
    assert f"{now.reference} would break at once, until further notice" in said
    assert f"{later.reference} would break on {instant_text(tomorrow)}, until " in said
    assert Domain.objects.get().scheme == "6net"


def test_a_scheme_that_would_not_count_what_is_granted_is_refused(switch: Switch) -> None:
    """The ledger's charges name their pool: under another one the same capacity would be free again."""
    request = admitted(rate=5_000_000)
    charged = set(LedgerEntry.objects.values_list("pool", flat=True))
    assert charged == {"ip-premium"}
    with pytest.raises(
        CommandError, match=f"{request.reference}: it is charged to the pool ip-premium, .* twice"
    ):
        switch(
            "repooled",
            ("pool: ip-premium", "pool: gold"),
            ("  ip-premium:\n    access", "  gold:\n    access"),
        )
