"""`token rotate --save`: nothing that was told once is lost, and two at once spoil nothing."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from expedite_client import Client, InvalidInput, profiles
from expedite_client.profiles import Profile, Profiles
from provisioning.models import ApiToken
from tests.client.broken import Proxy, serving
from tests.client.conftest import SOURCES, Terminal


@pytest.fixture
def kept(janet: Terminal) -> tuple[Terminal, Path, int]:
    """JANET with its token in a profile; the file, and the id of the token."""
    (own,) = [row["id"] for row in janet("token", "list", "--live", "--json").json if row["name"] == "t"]
    janet("profile", "add", "work", "--url", janet.url, stdin=f"{janet.token}\n")
    janet.url = janet.token = ""
    return janet, janet.home / "config" / "expedite" / "profiles.toml", own


def token_in(file: Path) -> str:
    return profiles.read(file).named["work"].token


def full(*_handle: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_is_full_before_it_ends_nothing(
    kept: tuple[Terminal, Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    janet, file, own = kept
    before = file.read_text()
    monkeypatch.setattr(os, "fsync", full)
    refused = janet("token", "rotate", own, "--reason", "r", "--save", code=2)
    assert "cannot be written" in refused.err and file.read_text() == before
    assert not ApiToken.objects.filter(replaces=own).exists()


@pytest.mark.parametrize("as_json", [False, True])
def test_a_disk_that_is_full_after_it_has_the_text_printed(
    kept: tuple[Terminal, Path, int], monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    janet, file, own = kept
    before, rotate = file.read_text(), profiles.write

    def first_only(path: Path, found: Profiles) -> None:
        rotate(path, found)
        monkeypatch.setattr(os, "fsync", full)

    monkeypatch.setattr(profiles, "write", first_only)
    words = ["--json"] if as_json else []
    done = janet("token", "rotate", own, "--reason", "r", "--save", *words, code=1)
    text = done.json["text"] if as_json else done.out.strip()
    assert text.startswith("exp_") and file.read_text() == before
    assert as_json or ("cannot be written" in done.err and text not in done.err)
    assert not list(file.parent.glob(".profiles-*")), "nothing half written is left"
    successor = ApiToken.objects.get(replaces=own)
    assert text.split("_")[1] == successor.prefix


def test_a_file_that_may_not_grow_is_refused_before(kept: tuple[Terminal, Path, int]) -> None:
    """As a quota or a full disk refuses it: in a process of its own that may write no byte."""
    janet, file, own = kept
    before = file.read_text()
    done = subprocess.run(
        [sys.executable, "-m", "expedite_client", "token", "rotate", str(own), "--reason", "r", "--save"],
        env={**janet.environment(), "PYTHONPATH": str(SOURCES), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and "cannot be written" in done.stderr, done
    assert file.read_text() == before and not ApiToken.objects.filter(replaces=own).exists()


def test_of_two_at_once_one_is_told_and_the_profile_works(kept: tuple[Terminal, Path, int]) -> None:
    janet, file, own = kept
    both = [
        janet.start("token", "rotate", own, "--reason", "r", "--save", "--json", "--profile", "work")
        for _ in range(2)
    ]
    ended = [(each.communicate(timeout=60), each.returncode) for each in both]
    assert sorted(code for _said, code in ended) == [0, 3], ended
    (successor,) = ApiToken.objects.filter(replaces=own)
    assert token_in(file).split("_")[1] == successor.prefix
    assert janet("list", "--profile", "work", "--json").json == []


def test_profiles_that_are_added_at_once_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "expedite" / "profiles.toml"
    together = threading.Barrier(6)

    def add(number: int) -> None:
        together.wait(30)
        profile = Profile(f"https://e{number}.example", f"exp_{number}")
        profiles.changed(path, lambda found: Profiles({**found.named, f"p{number}": profile}))

    workers = [threading.Thread(target=add, args=(number,)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert sorted(profiles.read(path).named) == [f"p{number}" for number in range(6)]
    assert not path.stat().st_mode & 0o077


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "expedite").write_text("a file where a directory should be")
    with pytest.raises(InvalidInput, match="cannot be written"):
        profiles.changed(tmp_path / "expedite" / "profiles.toml", lambda found: found)


def test_an_answer_that_is_lost_is_asked_for_again_and_the_lost_token_revoked(
    kept: tuple[Terminal, Path, int], live_server: Any
) -> None:
    _janet, file, own = kept
    proxy = Proxy(live_server.url, cuts=1)
    with (
        serving(proxy.carry) as url,
        Client(url, token_in(file), sleep=lambda _seconds: None) as client,
    ):
        made = client.tokens.rotate(own, reason="weekly")
        orphan, successor = ApiToken.objects.filter(replaces=own).order_by("pk")
        assert made["id"] == successor.pk and (made["text"] or "").startswith("exp_")
        assert orphan.revoked_at is not None and successor.revoked_at is None
        # Under a key of one's own the first answer comes again, as it is kept.
        proxy.cuts = 1
        with Client(url, made["text"] or "", sleep=lambda _seconds: None) as second:
            again = second.tokens.rotate(made["id"], reason="weekly", key="k")
    assert again["text"] is None


def test_the_command_says_how_to_go_on(kept: tuple[Terminal, Path, int], live_server: Any) -> None:
    janet, file, own = kept
    proxy = Proxy(live_server.url, cuts=1)
    with serving(proxy.carry) as url:
        lost = Terminal(url, token_in(file), janet.home)
        done = lost("token", "rotate", own, "--reason", "r", "--key", "k", code=1)
        (orphan,) = ApiToken.objects.filter(replaces=own)
        # Nothing that is no token gets into the file that standard output goes to.
        assert f"--lost {orphan.pk}" in done.err and done.out == ""
        kept_answer = lost("token", "rotate", own, "--reason", "r", "--key", "k", "--json", code=1)
        assert kept_answer.json["text"] is None and kept_answer.json["id"] == orphan.pk
        again = lost("token", "rotate", own, "--reason", "r", "--lost", orphan.pk, "--json")
    assert json.loads(again.out)["text"].startswith("exp_")
    orphan.refresh_from_db()
    assert orphan.revoked_at is not None


def test_a_token_that_was_issued_and_lost_is_no_success(janet: Terminal, live_server: Any) -> None:
    proxy = Proxy(live_server.url, cuts=1)
    with serving(proxy.carry) as url:
        done = Terminal(url, janet.token, janet.home)("token", "issue", "script", code=1)
    made = ApiToken.objects.get(name="script")
    assert done.out == "" and f"token {made.pk}: its text was lost" in done.err and "--lost" not in done.err
