"""Commands on a database that was never made, or that does not answer: one line that says what to do, no traceback."""

from __future__ import annotations

import pytest
from django.db import OperationalError, ProgrammingError

import manage
from provisioning.management import listing


def _fail_with(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_argv: list[str]) -> None:
        raise error

    monkeypatch.setattr(listing, "execute", fail)
    monkeypatch.setattr(manage, "nobody_reads", lambda: False)


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("no such table: inventory_router"),
        ProgrammingError('relation "inventory_router" does not exist\nLINE 1: SELECT'),
    ],
    ids=["sqlite", "postgresql"],
)
def test_a_database_without_tables_is_told_to_migrate(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fail_with(error, monkeypatch)
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert "inventory_router" in str(ended.value)
    assert str(ended.value).endswith("run `manage.py migrate` first")
    assert "LINE 1" not in str(ended.value)


def test_a_database_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(OperationalError("connection refused"), monkeypatch)
    with pytest.raises(SystemExit, match="cannot be used: connection refused"):
        manage.main()


def test_another_error_of_the_database_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(ProgrammingError("syntax error at or near SELECT"), monkeypatch)
    with pytest.raises(ProgrammingError, match="syntax error"):
        manage.main()


def test_ctrl_c_is_one_word_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_argv: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(listing, "execute", interrupt)
    monkeypatch.setattr(manage, "nobody_reads", lambda: False)
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
