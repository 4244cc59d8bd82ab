"""Each document from nothing, as somebody follows it; and that the runner would see what is wrong."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, blocks_of, documents
from tests.docs.checkout import Checkout
from tests.docs.following import follow, follow_document
from tests.docs.prepared import LONG, PREPARED, SKIPPED, is_skipped, servers
from tests.docs.printed import differs
from tests.docs.shell import runs

# With DEEP=1 all in one worker: what documents begin with is made once there.
pytestmark = pytest.mark.xdist_group("documents")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    made = Checkout(tmp_path_factory.mktemp("documents"))
    yield made
    made.end()


@pytest.mark.parametrize(
    "document",
    [pytest.param(each, marks=[pytest.mark.deep] if each in LONG else []) for each in documents()],
)
def test_a_document_can_be_followed(document: str, checkout: Checkout) -> None:
    faults = follow_document(document, checkout)
    assert not faults, "\n\n".join(faults)


@pytest.mark.deep
def test_the_part_for_several_machines_can_be_followed(checkout: Checkout) -> None:
    if not servers():
        pytest.skip("needs the PostgreSQL and the Redis of `make test`")
    faults = follow_document("docs/howto/deploy.md", checkout, several=True)
    assert not faults, "\n\n".join(faults)


def test_what_is_not_typed_stands_in_the_table_line_by_line() -> None:
    left_out = [
        (document, command.text)
        for document in documents()
        for block in blocks_of((ROOT / document).read_text())
        for command in block.commands
        if is_skipped(document, command)
    ]
    assert len(left_out) == len(SKIPPED) == 22
    named = Counter(
        (where, begins)
        for where, begins, _why in SKIPPED
        for document, text in left_out
        if document == where and text.startswith(begins)
    )
    assert set(named.values()) == {1}


def test_what_is_prepared_is_for_documents_that_there_are() -> None:
    assert PREPARED.keys() | LONG <= set(documents())


WRONG = """
```sh
x=1
false
```
```sh
echo "$x" two 2026-11-27 three   # exit 3
```
```text
nothing of it
```
"""


def test_a_command_that_ends_otherwise_ends_it_all_and_is_named(checkout: Checkout) -> None:
    checkout.begin()
    (fault,) = follow(WRONG, checkout)
    assert fault.startswith("line 4: 'false' ended with 1")
    (fault,) = follow(WRONG.replace("false\n", ""), checkout, skipped=lambda _b, each: each.text == "false")
    assert "ended with 0" in fault
    (fault,) = follow(WRONG.replace("false", "true").replace("   # exit 3", ""), checkout)
    assert "it shows\nnothing of it" in fault
    assert "1 two 2026-11-27 three" in fault


def test_what_serves_ends_with_the_session(checkout: Checkout, tmp_path: Path) -> None:
    checkout.begin()
    serves = f"```sh\nsh -c 'echo $$ > {tmp_path}/pid; exec sleep 600 # bin/celery'\n```\n"
    waits = f"```sh\nuntil [ -s {tmp_path}/pid ]; do sleep 0.1; done\n```\n"
    assert follow(serves + waits, checkout) == []
    pid, deadline = int((tmp_path / "pid").read_text()), time.monotonic() + 20
    while runs(pid) and time.monotonic() < deadline:  # a signal that was sent is not yet an end
        time.sleep(0.05)
    assert not runs(pid)


@pytest.mark.parametrize(
    ("shown", "printed", "other"),
    [
        ("uk6  127.0.0.1 40001", "uk6 127.0.0.1 51234\nnl6", False),
        ("a\n...\nd", "a\nb\nc\nd", False),
        ("a\n...\nd", "d\na", True),
        ("12 events, at 2026-11-27 06:11:59 UTC", "12 events, at 2027-01-02 00:00 UTC", False),
        ("12 events", "13 events", True),
    ],
)
def test_only_what_changes_at_each_run_may_differ(shown: str, printed: str, other: bool) -> None:
    assert differs(shown, printed) is other
