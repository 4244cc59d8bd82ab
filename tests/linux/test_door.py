"""`manage.py linux` on a real kernel: read, compare, run what is printed, read again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.linux.edge import TEXT
from tests.linux.router import LinuxRouter, built

BANDWIDTHS = ("--bandwidth", "eth1=100M", "--bandwidth", "eth2=100M")
pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def wires() -> Iterator[LinuxRouter]:
    with built() as made:
        yield made


@pytest.fixture
def router(wires: LinuxRouter) -> LinuxRouter:
    wires.clear()
    return wires


@pytest.fixture
def intended(tmp_path: Path) -> Path:
    file = tmp_path / "intended.txt"
    file.write_text(TEXT)
    return file


def said(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    """Exit status and what was printed."""
    try:
        call_command("linux", *map(str, words))
    except SystemExit as ended:
        return int(ended.code or 0), capsys.readouterr().out
    return 0, capsys.readouterr().out


def kept(router: LinuxRouter, script: str, file: Path) -> Path:
    done = router.run(script)
    assert done.returncode == 0, done.stderr
    file.write_text(done.stdout)
    return file


def test_the_whole_way_there_and_back(
    router: LinuxRouter, intended: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, reader = said(capsys, "read")
    bare = kept(router, reader, tmp_path / "bare")
    words = (intended, "--in", "eth1=FILTERED-IN", "--out", "eth2=my_policy", *BANDWIDTHS)
    status, script = said(capsys, "diff", bare, *words)
    assert status == 1
    assert said(capsys, "render", *words)[1].splitlines()[-3:] == script.splitlines()[-3:]
    assert router.run(script).returncode == 0
    there = kept(router, reader, tmp_path / "there")
    assert said(capsys, "diff", there, *words) == (0, "")
    _, counted = said(capsys, "counters", there)
    assert {each["interface"] for each in json.loads(counted)} == {"eth1", "eth2"}
    status, other = said(capsys, "diff", there, intended, "--in", "eth1=TRUSTED-IN", *BANDWIDTHS)
    assert status == 1 and router.run(other).returncode == 0
    now = kept(router, reader, tmp_path / "now")
    for goal in (there, bare):
        status, back = said(capsys, "back", now, goal)
        assert status == 1 and router.run(back).returncode == 0
        now = kept(router, reader, tmp_path / "now")
        assert said(capsys, "back", now, goal) == (0, "")


def test_a_script_for_what_was_read_is_not_run_on_what_has_changed(
    router: LinuxRouter, intended: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, reader = said(capsys, "read")
    bare = kept(router, reader, tmp_path / "bare")
    _, first = said(capsys, "diff", bare, intended, "--in", "eth1=FILTERED-IN", *BANDWIDTHS)
    _, second = said(capsys, "diff", bare, intended, "--in", "eth1=TRUSTED-IN", *BANDWIDTHS)
    status, rendered = said(capsys, "render", intended, "--in", "eth1=TRUSTED-IN", *BANDWIDTHS)
    assert status == 0
    assert router.run(first).returncode == 0
    held = router.held()
    for late in (second, first, rendered):
        done = router.run(late)
        assert done.returncode == 3 and "read it" in done.stderr
        assert router.held() == held


def test_one_at_a_time(router: LinuxRouter, intended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, rendered = said(capsys, "render", intended, "--in", "eth1=TRUSTED-IN", *BANDWIDTHS)
    words = ["flock", "/run/lock/expedite-linux", "sh", "-c", "echo held; exec sleep 30"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        done = router.run(rendered)
        os.killpg(holder.pid, signal.SIGKILL)
    assert (done.returncode, done.stderr) == (3, "another change of this router runs\n")


def test_killed_in_the_middle_it_goes_on_from_where_it_is(
    router: LinuxRouter, intended: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, reader = said(capsys, "read")
    words = (intended, "--in", "eth1=FILTERED-IN", "--in", "eth3.100=TRUSTED-IN", "--out", "eth2=my_policy", *BANDWIDTHS,
             "--bandwidth", "eth3.100=100M")  # fmt: skip
    for wait in (0.0, 0.03, 0.06, 0.1, 0.15, 0.2):
        router.clear()
        _, script = said(capsys, "diff", kept(router, reader, tmp_path / "bare"), *words)
        running = subprocess.Popen(
            ["ip", "netns", "exec", router.name, "sh", "-c", script],
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(wait)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait(timeout=10)
        status, rest = said(capsys, "diff", kept(router, reader, tmp_path / "now"), *words)
        if status:
            assert router.run(rest).returncode == 0
        assert said(capsys, "diff", kept(router, reader, tmp_path / "now"), *words) == (0, "")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--in", "eth1"), "IF=VALUE"),
        ((), "nothing is bound"),
        (("--in", "eth1=NOBODY"), "no policy-map NOBODY"),
        (("--in", "eth1=TRUSTED-IN", "--in", "eth1=FILTERED-IN"), "twice"),
        (("--in", "eth1;reboot=TRUSTED-IN"), "no name of a Linux interface"),
        (("--in", "xp-0123456789ab=TRUSTED-IN"), "no name of a Linux interface"),
        (("--out", "eth1=my_policy"), "bandwidth is needed"),
        (("--out", "eth1=my_policy", "--bandwidth", "eth1=1k"), "64000"),
        (("--out", "eth1=TRUSTED-IN", "--bandwidth", "eth1=10M"), "Police is not done on output"),
        (("--in", "eth1=my_policy"), "is not done on input"),
    ],
)
def test_what_cannot_be_meant_is_said_and_nothing_printed(
    intended: Path, words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match=why) as refused:
        call_command("linux", "render", str(intended), *words)
    assert refused.value.returncode == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "text", ["", "hostname pe1\n", "### expedite linux 1\n### nft\n{}\n", "### expedite linux 1\n### end\n"]
)
def test_what_is_not_what_a_router_said_is_refused(
    text: str, intended: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "running"
    file.write_text(text)
    for words in (("diff", str(file), str(intended), "--in", "eth1=TRUSTED-IN"), ("counters", str(file))):
        with pytest.raises(CommandError) as refused:
            call_command("linux", *words)
        assert refused.value.returncode == 2
        assert str(file) in str(refused.value)
