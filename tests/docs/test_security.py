"""The pages on security: every requirement once, every test there is, the numbers right, every key and kind of row in its
table.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from django.apps import apps

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "security.md").read_text(encoding="utf-8")
KEPT = (ROOT / "docs" / "reference" / "data-and-keys.md").read_text(encoding="utf-8")
NUMBERS = Path(__file__).with_name("asvs-5.0.0.txt")
VERDICTS = ("met", "partly", "not met", "does not apply")
ROW = re.compile(
    r"^\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE
)
SECRETS = {
    *(
        "SECRET_KEY",
        "CREDENTIAL_KEYS",
        "TOKEN_PEPPER",
        "AUDIT_SIGNING_KEY",
        "METRICS_TOKEN",
        "OIDC_CLIENT_SECRET",
        "EMAIL_HOST_PASSWORD",
    ),
    *("DATABASE_URL", "CELERY_BROKER_URL"),
}


def rows() -> list[tuple[str, ...]]:
    return [tuple(cell.strip() for cell in found) for found in ROW.findall(PAGE)]


def verdict(row: tuple[str, ...]) -> str:
    return row[3].strip("*")


def test_every_requirement_of_levels_1_and_2_stands_there_once_with_its_level() -> None:
    lines = NUMBERS.read_text(encoding="ascii").splitlines()[1:]
    expected = [tuple(line.split()) for line in lines]
    assert len(expected) == len(set(expected)) == 253
    assert sorted((row[0], row[1]) for row in rows()) == sorted(expected)
    assert {verdict(row) for row in rows()} == set(VERDICTS)


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"`(tests/[^`]+)`", PAGE))
    assert len(named) > 60
    assert {path for path in named if not (ROOT / path).exists()} == set()


def test_what_is_said_to_be_done_says_how() -> None:
    bare = [
        row[0] for row in rows() if verdict(row) in ("partly", "not met", "does not apply") and not row[4]
    ]
    untold = [row[0] for row in rows() if verdict(row) == "met" and not (row[4] or row[5])]
    assert bare == untold == []


def test_the_summary_counts_what_stands_below() -> None:
    part = PAGE.split("<!-- summary -->")[1].split("<!-- end -->")[0]
    said = {
        cells[0].strip("* "): [int(cell.strip("* ")) for cell in cells[1:]]
        for cells in (line.strip("|").split("|") for line in part.strip().splitlines()[2:])
    }
    counted: dict[str, Counter[str]] = {}
    for row in rows():
        for name in (f"V{row[0].split('.')[0]}", "all"):
            counted.setdefault(name, Counter())[verdict(row)] += 1
    assert {name.split()[0]: numbers for name, numbers in said.items()} == {
        name: [counter[each] for each in VERDICTS] for name, counter in counted.items()
    }
    missing = re.findall(r"^- (\d+\.\d+\.\d+) ", PAGE, re.MULTILINE)
    assert missing == [row[0] for row in rows() if verdict(row) == "not met"]
    (partly,) = re.findall(r"^\*\*Met in part\*\*, .+: (.+)\.$", PAGE, re.MULTILINE)
    assert partly.split(", ") == [row[0] for row in rows() if verdict(row) == "partly"]


def test_every_kind_of_row_is_in_one_class() -> None:
    table = KEPT.split("## What is kept")[1].split("\n## ")[0]
    named = Counter(
        name
        for line in table.splitlines()
        if line.startswith("| ")
        for name in re.findall(r"`([A-Z][a-z]\w+)`", line.split("|")[2])
    )
    ours = {
        model.__name__
        for label in ("provisioning", "inventory")
        for model in apps.get_app_config(label).get_models()
    }
    assert set(named) == ours
    assert set(named.values()) == {1}


def test_every_key_is_in_the_table_of_keys_and_every_door_in_that_of_connections() -> None:
    keys = KEPT.split("## Keys")[1].split("\n## ")[0]
    settings = (ROOT / "provisioning" / "settings.py").read_text(encoding="utf-8")
    assert all(f'"{name}"' in settings for name in SECRETS)
    assert set(re.findall(r"^\| (?:`[A-Z_]+`(?:, )?)+", keys, re.MULTILINE)) != set()
    assert {name for name in SECRETS if f"`{name}`" not in keys} == set()
    connections = KEPT.split("## Connections")[1].split("\n## ")[0]
    for name in (
        "DATABASE_URL",
        "CELERY_BROKER_URL",
        "EMAIL_HOST",
        "WEBHOOK_HOSTS",
        "OIDC_ISSUER",
        "METRICS_NETWORKS",
    ):
        assert f"`{name}`" in connections, name
