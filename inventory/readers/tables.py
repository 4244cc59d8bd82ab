"""CSV <-> entries of one section of a network file, as spreadsheets write it; a cell is what stands in it, and never guessed.

Read are comma, semicolon and tab (whichever the header has), a byte order mark, any line ends and quotes. An apostrophe in
front of what a spreadsheet would run as a formula is taken off again: it is put there when such a cell is written. A number that
was rounded (``1,56E+08``) is refused: what it was nobody knows.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inventory.readers.errors import Gather, NetworkFileError, SeveralFaults
from inventory.readers.spreadsheets import as_meant, defused
from inventory.readers.yaml_text import LARGEST_FILE_BYTES

Entry = dict[str, Any]
MOST_ROWS: Final = 100_000

_ROUNDED: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)?[eE][+-]?[0-9]+")


@dataclass(frozen=True)
class Column:
    """A column: where its value stands in an entry, how a cell is read and written, and whether it has to be there."""

    name: str
    path: tuple[str | int, ...]
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    needed: bool = False


def _whole(cell: str) -> int:
    if _ROUNDED.fullmatch(cell):
        raise ValueError(
            f"{cell[:40]} was rounded by a spreadsheet: format the column as a number without decimals, and type it anew"
        )
    if not (cell.isascii() and cell.isdecimal() and len(cell) <= 16):
        raise ValueError(f"must be a whole number of digits alone, not {cell[:40]!r}")
    return int(cell)


def _flag(cell: str) -> bool:
    if cell.lower() not in ("true", "false"):
        raise ValueError(f"must be true or false, not {cell[:40]!r}")
    return cell.lower() == "true"


def _words(cell: str) -> list[str]:
    return cell.replace(",", " ").split()


def _engines(cell: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for word in _words(cell):
        slot, _, engine = word.partition(":")
        if not (slot.isascii() and slot.isdecimal() and len(slot) < 3 and engine):
            raise ValueError(f"must be slots and engines such as 1:3 2:4+, not {cell[:40]!r}")
        if int(slot) in found:
            raise ValueError(f"names slot {slot} twice")
        found[int(slot)] = engine
    return found


def _text(name: str, path: tuple[str | int, ...] | None = None, *, needed: bool = False) -> Column:
    return Column(name, path or (name,), str, str, needed)


def _number(name: str, path: tuple[str | int, ...] | None = None, *, needed: bool = False) -> Column:
    return Column(name, path or (name,), _whole, str, needed)


def _truth(name: str) -> Column:
    return Column(name, (name,), _flag, lambda value: str(value).lower())


def _listed(name: str) -> Column:
    return Column(name, (name,), _words, " ".join, True)


_RATES = (_number("capacity_bps", needed=True), _number("bw_bps"), _number("usable_bps"))
_PLACE = (_text("router", needed=True), _text("interface", needed=True), _text("pvc"))
COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = {
    "routers": (
        _text("name", needed=True), _text("pop", needed=True), _text("country", needed=True), _text("platform", needed=True),
        _text("ios", needed=True), _listed("roles"),
        Column("engines", ("engines",), _engines, lambda value: " ".join(f"{slot}:{engine}" for slot, engine in value.items())),
        _text("serial"), _text("driver"), _text("management_host", ("management", "host")),
        _number("management_port", ("management", "port")), _text("ssh_profile", ("management", "ssh_profile")),
        _text("host_key", ("management", "host_key")), _text("provenance"),
    ),
    "nrens": (_text("name", needed=True), _text("country", needed=True), _listed("prefixes"), _text("provenance")),
    "core_links": (
        _text("a_router", ("a", 0), needed=True), _text("a_interface", ("a", 1), needed=True),
        _text("z_router", ("z", 0), needed=True), _text("z_interface", ("z", 1), needed=True),
        *_RATES, _number("metric"), _truth("down"), _text("prefix"), _text("provenance"),
    ),
    "access_links": (
        _text("nren", needed=True), *_PLACE, *_RATES, _text("case", needed=True), _truth("standing"), _truth("standing_consent"),
        _text("source_filter"), _text("prefix"), _text("provenance"),
    ),
    "peerings": (_text("name", needed=True), *_PLACE, *_RATES, _text("prefix"), _text("provenance")),
    "interfaces": (*_PLACE, *_RATES, _text("description"), _text("exempt_reason", needed=True)),
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """The entries of one section, and the line on which each of them stands."""

    source: str
    section: str
    entries: tuple[Entry, ...]
    lines: tuple[int, ...]

    def placed(self, error: NetworkFileError) -> NetworkFileError:
        """Return faults of the section with the line and the column of each; others as they are."""
        told = [self._fault(fault) for fault in error.faults]
        return told[0] if len(told) == 1 else SeveralFaults(told)

    def _fault(self, fault: NetworkFileError) -> NetworkFileError:
        found = re.match(rf"{self.section}\[([0-9]+)\](?:\.(.*))?$", fault.path)
        reason = re.sub(
            rf"{self.section}\[([0-9]+)\][.a-z_\[\]0-9]*",
            lambda each: f"line {self.lines[int(each[1])]}",
            fault.reason,
        )
        if found is None or int(found[1]) >= len(self.lines):
            return NetworkFileError(self.source, fault.path, reason, line=fault.line)
        return NetworkFileError(
            self.source, self._column(found[2] or ""), reason, line=self.lines[int(found[1])]
        )

    def _column(self, path: str) -> str:
        """The column behind a place in an entry: ``a[0]`` is a_router, ``management.host`` management_host."""
        for column in COLUMNS[self.section]:
            spelt = str(column.path[0]) + "".join(
                f"[{part}]" if isinstance(part, int) else f".{part}" for part in column.path[1:]
            )
            if path == spelt or (path.startswith((f"{spelt}[", f"{spelt}.")) and len(column.path) == 1):
                return column.name
        return path


def read_table(raw: bytes, *, section: str, source: str) -> Table:
    """Return the entries in CSV text. Raises NetworkFileError (SeveralFaults: everything that is wrong), each with its line."""
    if len(raw) > LARGEST_FILE_BYTES:
        raise NetworkFileError(source, "", f"is larger than {LARGEST_FILE_BYTES} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NetworkFileError(
            source, "", f"is not UTF-8 text (byte {error.start}): save it as CSV UTF-8"
        ) from error
    if "\x00" in text:
        raise NetworkFileError(source, "", "holds a byte of zero")
    first = text.lstrip("\r\n").split("\n", 1)[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    gather = Gather()
    entries: list[Entry] = []
    lines: list[int] = []
    columns: list[Column | None] | None = None
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if columns is None:
                columns = _header(source, section, row, rows.line_num, gather)
                continue
            if len(entries) >= MOST_ROWS:
                raise NetworkFileError(source, "", f"has more than {MOST_ROWS} rows", line=rows.line_num)
            entries.append(gather(_entry, source, columns, row, rows.line_num) or {})
            lines.append(rows.line_num)
    except csv.Error as error:
        gather(_fail, source, "", f"is no CSV: {error}", rows.line_num)
    if columns is None and not gather.found:
        raise NetworkFileError(source, "", "is empty")
    gather.end()
    return Table(source, section, tuple(entries), tuple(lines))


def _header(source: str, section: str, row: Sequence[str], line: int, gather: Gather) -> list[Column | None]:
    known = {column.name: column for column in COLUMNS[section]}
    names = [cell.strip().lower().replace(" ", "_") for cell in row]
    for index, name in enumerate(names):
        if name in names[:index]:
            gather(_fail, source, name, "is the name of two columns", line)
        elif name not in known:
            gather(_fail, source, name[:60], f"is no column of {section}: they are {', '.join(known)}", line)
    for column in known.values():
        if column.needed and column.name not in names:
            gather(_fail, source, column.name, "the column is missing", line)
    return [known.get(name) for name in names]


def _entry(source: str, columns: Sequence[Column | None], row: Sequence[str], line: int) -> Entry:
    gather = Gather()
    entry: Entry = {}
    if any(cell.strip() for cell in row[len(columns) :]):
        gather(
            _fail,
            source,
            "",
            f"has {len(row)} cells, and the header {len(columns)}: is a cell with a comma without quotes?",
            line,
        )
    for column, cell in zip(columns, row, strict=False):
        said = as_meant(cell).strip()
        if column is None:
            continue
        if not said:
            if column.needed:
                gather(_fail, source, column.name, "is empty", line)
            continue
        try:
            _put(entry, column.path, column.read(said))
        except ValueError as error:
            gather(_fail, source, column.name, str(error), line)
    gather.end()
    return entry


def _put(entry: Entry, path: tuple[str | int, ...], value: Any) -> None:
    if len(path) == 1:
        entry[str(path[0])] = value
    elif isinstance(path[1], int):
        entry.setdefault(str(path[0]), ["", ""])[path[1]] = value
    else:
        entry.setdefault(str(path[0]), {})[path[1]] = value


def write_table(section: str, entries: Iterable[Entry]) -> str:
    """Return entries as CSV, with a header; what a spreadsheet would run gets an apostrophe."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    columns = COLUMNS[section]
    writer.writerow([column.name for column in columns])
    for entry in entries:
        writer.writerow([_cell(column, entry) for column in columns])
    return out.getvalue()


def _cell(column: Column, entry: Entry) -> str:
    value: Any = entry
    for part in column.path:
        value = value[part] if isinstance(part, int) else value.get(part)
        if value is None:
            return ""
    return defused(column.write(value))


def _fail(source: str, path: str, reason: str, line: int) -> None:
    raise NetworkFileError(source, path, reason, line=line)
