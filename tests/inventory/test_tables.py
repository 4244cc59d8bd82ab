"""CSV in and out: what spreadsheets do to it, every fault with its row, and rows by the ten thousand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from inventory.models import Domain, Nren, Router
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network_text
from inventory.readers.tables import COLUMNS, Entry, read_table, write_table
from provisioning.models import SYSTEM
from provisioning.services.inventory import entries_of, import_network, network_with_rows
from tests.inventory.conftest import edited, network

HEAD = "router,interface,capacity_bps,nren,case,prefix\r\n"


def faults(raw: bytes | str, section: str = "access_links") -> list[tuple[int, str, str]]:
    with pytest.raises(NetworkFileError) as caught:
        read_table(raw.encode() if isinstance(raw, str) else raw, section=section, source="t.csv")
    return [(each.line, each.path, each.reason) for each in caught.value.faults]


def many(number: int) -> Iterator[Entry]:
    odd = (
        "=2+3",
        "+1",
        "-1",
        "@x",
        "'quoted'",
        'say "x"',
        "a;b",
        "a;=cmd",
        "a,b",
        "é",
        "''",
        "=cmd|' /C calc'!A0",
    )
    for index in range(number):
        yield {
            "router": f"r{index}", "interface": f"POS{index}/0", "capacity_bps": 155_520_000 + index, "bw_bps": 155_000_000,
            "usable_bps": 155_520_000, "exempt_reason": odd[index % len(odd)], "description": odd[-index % len(odd)],
        }  # fmt: skip


def test_ten_thousand_rows_come_back_as_they_went_whatever_a_spreadsheet_did_to_the_file() -> None:
    entries = list(many(10_000))
    text = write_table("interfaces", entries)
    assert not [
        line
        for line in text.splitlines()
        for cell in line.split(",")
        if re.search(r"(?:^|[;|\t])[=+@]", cell.strip('"'))
    ]
    assert read_table(text.encode(), section="interfaces", source="t").entries == tuple(entries)
    plain = write_table(
        "core_links", [{"a": ["x", "POS1/0"], "z": ["y", "POS1/0"], "capacity_bps": 1, "down": True}]
    )
    wanted = read_table(plain.encode(), section="core_links", source="t").entries
    for spoilt in (
        plain.encode("utf-8-sig"), plain.replace(",", ";").encode("utf-8-sig"), plain.replace(",", "\t").encode(),
        plain.replace("\r\n", "\n").encode(), plain.replace("\r\n", "\r").encode(), plain.replace("true", "TRUE").encode(),
        plain.replace("a_router", '"A Router"').encode(), (plain + ",,,,,,\r\n\r\n").encode(), b"\r\n" + plain.encode(),
    ):  # fmt: skip
        assert read_table(spoilt, section="core_links", source="t").entries == wanted


def test_every_fault_is_told_with_its_line_and_column() -> None:
    text = (
        f'{HEAD}uk6,POS1/1,"1,56E+08",HEAnet,trusted,\r\nuk6,,155520000,HEAnet,trusted,\r\n\r\n'
        "uk6,POS1/2,155.520.000,HEAnet,trusted,\r\nuk6,POS1/3,1,HEAnet,trusted,x,y\r\n"
    )
    said = faults(text)
    assert [(line, column) for line, column, _ in said] == [
        (2, "capacity_bps"),
        (3, "interface"),
        (5, "capacity_bps"),
        (6, ""),
    ]
    assert "was rounded by a spreadsheet" in said[0][2] and "7 cells, and the header 6" in said[3][2]
    said = faults("router,router,colour\r\n")
    assert {(column, reason[:25]) for _, column, reason in said} >= {
        ("router", "is the name of two column"), ("colour", "is no column of access_li"), ("nren", "the column is missing"),
    }  # fmt: skip
    assert faults(HEAD.encode() + b"\xe9,,,,,\r\n")[0][2].endswith("save it as CSV UTF-8")
    assert "is no CSV" in faults(HEAD + '"uk6,POS1/1')[0][2]
    assert faults("") == [(0, "", "is empty")]
    assert faults(HEAD.encode() + b"\x00") == [(0, "", "holds a byte of zero")]
    flags = "nren,router,interface,capacity_bps,case,standing\r\nA,uk6,POS1/0,1,trusted,WAHR\r\n"
    assert faults(flags) == [(2, "standing", "must be true or false, not 'WAHR'")]


def test_a_yaml_file_says_everything_that_is_wrong_with_its_line() -> None:
    raw = edited(
        ("country: no, platform: cisco-12400, ios: \"12.0(28)S\"", "country: NOR, platform: cisco-12400, ios: nine, colour: red"),
        ("name: South, country: uk", "name: South, country: gb/uk"),
        ("case: trusted", "case: maybe"),
        ("router: bb1, interface: FastEthernet0/0, capacity_bps: 100000000", "router: cc1, interface: fa0, capacity_bps: fast"),
        ("name: Outside, router: aa1, interface: POS1/1", "name: Outside, router: dd1, interface: POS1/1"),
    )  # fmt: skip
    with pytest.raises(NetworkFileError) as caught:
        read_network_text(raw, source="small.yaml")
    assert [(each.line, each.path) for each in caught.value.faults] == [
        (3, "routers[0].country"), (3, "routers[0].ios"), (3, "routers[0].colour"), (7, "nrens[1].country"),
        (11, "access_links[0].case"), (16, "interfaces[0].interface"), (16, "interfaces[0].capacity_bps"),
        (14, "peerings[0].router"),
    ]  # fmt: skip


@pytest.mark.django_db
def test_what_is_written_is_read_back_and_changes_nothing_and_nothing_is_half_imported(
    tmp_path: Path,
) -> None:
    import_network(actor=SYSTEM, network=network())
    domain = Domain.objects.get()
    for section in COLUMNS:
        path = tmp_path / f"{section}.csv"
        call_command("import_inventory", str(path), "--csv", section, "--write")
        table = read_table(path.read_bytes(), section=section, source=path.name)
        assert table.entries == tuple(entries_of(section, domain)) and table.entries
        report = import_network(actor=SYSTEM, network=network_with_rows(domain, table))
        assert not report.changed, [row for row in report.rows if row.outcome != "unchanged"]
    rows = "name,country,prefixes\r\nEast,se,2001:db8:a000::/48\r\nWest,dk,2001:db8:8000::/49\r\n"
    path = tmp_path / "bad.csv"
    path.write_text(rows)
    with pytest.raises(CommandError, match=r"overlaps .* of North") as refused:
        call_command("import_inventory", str(path), "--csv", "nrens")
    assert refused.value.returncode == 1 and not Nren.objects.filter(name="East").exists()
    path.write_text(rows.replace("2001:db8:8000::/49", "2001:db8:8000::1/49").replace("East,se", "East,SE"))
    with pytest.raises(CommandError, match="2 things are wrong; nothing was written") as refused:
        call_command("import_inventory", str(path), "--csv", "nrens")
    assert refused.value.returncode == 2
    path.write_text("router,interface,capacity_bps,exempt_reason\r\nzz9,POS1/0,155520000,shut\r\n")
    with pytest.raises(CommandError, match="line 2, router: there is no router 'zz9'"):
        call_command("import_inventory", str(path), "--csv", "interfaces")
    path.write_text(rows.replace("2001:db8:8000::/49", "2001:db8:b000::/48"))
    call_command("import_inventory", str(path), "--csv", "nrens")
    assert set(Nren.objects.values_list("name", flat=True)) == {"North", "South", "East", "West"}
    assert Router.objects.count() == 2
