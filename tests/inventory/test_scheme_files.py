"""A scheme of one's own lies outside the project: found beside those that ship, and refused at start with file and path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import SYSTEM
from provisioning.selectors import schemes
from provisioning.services.inventory import import_network
from tests.inventory.conftest import network

SHIPPED = (schemes.DIRECTORY / "6net.yaml").read_text(encoding="utf-8")
OURS = SHIPPED.replace("name: 6net\n", "name: ours\n").replace("rate_bps: 64000", "rate_bps: 128000")


@pytest.fixture
def own(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A directory of one's own, set as SCHEMES_DIR."""
    settings.SCHEMES_DIR = str(tmp_path)
    schemes._loaded.cache_clear()
    schemes._chosen.cache_clear()
    yield tmp_path
    schemes._loaded.cache_clear()
    schemes._chosen.cache_clear()


def write(own: Path, text: str, name: str = "ours") -> Path:
    file = own / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.django_db
def test_it_is_found_beside_those_that_ship_and_a_network_runs_it(own: Path) -> None:
    write(own, OURS)
    assert schemes.scheme_names() == ("6net", "cti", "enst", "grnet", "irs", "ours")
    call_command("check")
    import_network(actor=SYSTEM, network=network(("scheme: 6net}", "scheme: ours}")))
    scheme = schemes.scheme_of(Domain.objects.get())
    assert scheme.name == "ours"
    police = scheme.policies["TRUSTED-IN-RT"].classes[0].police
    assert police is not None
    assert police.rate_bps == 128_000


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (OURS.replace("percent: 5,", "percent: 6,", 1), "ours", r"ours\.yaml: policies\.TRUSTED-IN\.classes\[0\]\.police\.perc"),
        (OURS + "colour: blue\n", "ours", r"ours\.yaml: colour: unknown key"),
        (OURS + "\t: [", "ours", r"ours\.yaml: scheme: it is not YAML"),
        (OURS + "rest: lbe\n", "ours", r"ours\.yaml: rest: line \d+: the key is given twice"),
        (OURS + "notes: " + "[" * 3000 + "]" * 3000, "ours", r"ours\.yaml: scheme: it is not YAML: line \d+: is nested deeper"),
        (OURS + "notes: [!!python/name:os.sep x]\n", "ours", r"ours\.yaml: scheme: it is not YAML: line \d+: tags are refused"),
        ("[]", "ours", r"ours\.yaml: scheme: a mapping is needed"),
        (OURS, "other", r"other\.yaml: name: it calls itself 'ours'"),
        (SHIPPED, "6net", r"6net\.yaml: name: a scheme of this name ships with Expedite"),
        (OURS, "Ours", r"Ours\.yaml: name: a scheme's file is named"),
    ],
)  # fmt: skip
def test_what_is_wrong_stops_the_start_with_file_and_path(own: Path, text: str, name: str, said: str) -> None:
    file = write(own, text, name)
    with pytest.raises(SystemCheckError, match=said) as stopped:
        call_command("check")
    assert str(file) in str(stopped.value)
    assert "expedite.E003" in str(stopped.value)


def test_bytes_that_are_no_text_and_a_directory_that_is_not_there_stop_it_too(
    own: Path, settings: Any
) -> None:
    (own / "ours.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SystemCheckError, match=r"ours\.yaml: scheme: it is not YAML: is not UTF-8"):
        call_command("check")
    with pytest.raises(InvalidInput, match="not UTF-8 text"):
        schemes.load_scheme("ours")
    settings.SCHEMES_DIR = str(own / "nowhere")
    with pytest.raises(SystemCheckError, match="nowhere: SCHEMES_DIR is no directory"):
        call_command("check")
    assert "6net" in schemes.scheme_names()


@pytest.mark.parametrize("said", ["notes: [2020-13-45]\n", "families: [2020-13-45]\n"])
def test_a_date_that_is_none_is_text_like_any_other(own: Path, said: str) -> None:
    write(own, OURS.replace("families: [6]\n", "").replace("notes:", "plan_notes:", 1) + said)
    (found, *_) = schemes.unsound_schemes() or [""]
    assert ("families" in found) == said.startswith("families"), found


def test_what_a_reader_of_the_site_is_told_names_no_place_on_the_server(own: Path) -> None:
    (own / "ours.yaml").mkdir()
    with pytest.raises(InvalidInput, match=r"ours\.yaml: it cannot be read: Is a directory") as told:
        schemes.load_scheme("ours")
    assert str(own) not in told.value.reason


def test_a_file_that_nobody_would_find_and_a_scheme_that_is_gone_say_where_one_lies(own: Path) -> None:
    file = own / "ours.yml"
    file.write_text(OURS, encoding="utf-8")
    with pytest.raises(SystemCheckError, match=r"ours\.yml: name: a scheme's file is called NAME\.yaml"):
        call_command("check")
    with pytest.raises(
        InvalidInput, match=r"no scheme 'ours'; there is 6net, .*, and no other in SCHEMES_DIR"
    ) as told:
        schemes.load_scheme("ours")
    assert str(own) not in told.value.reason


def test_without_the_setting_there_are_those_that_ship(settings: Any) -> None:
    settings.SCHEMES_DIR = ""
    assert schemes.scheme_names() == ("6net", "cti", "enst", "grnet", "irs")
    call_command("check")
