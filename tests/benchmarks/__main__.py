"""`make bench`: each benchmark beside its peers in the same run, as a table and as var/bench/NAME.json."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from tests.benchmarks.timing import Row

NAMES = (
    "mqc",
    "admission",
    "topology",
    "push",
    "sessions",
    "counters",
    "planning",
    "console",
    "lists",
    "commands",
)
OUT = Path(__file__).resolve().parent.parent.parent / "var" / "bench"


def show(rows: list[Row]) -> None:
    for row in rows:
        peers = "  ".join(f"{name} {value:.4g} {row.unit}" for name, value in row.peers.items()) or "no peer"
        ratio = f"{row.ratio:.2f} x" if row.ratio is not None else "-"
        print(f"  {row.name:<48} {row.ours:>10.4g} {row.unit:<8} {peers:<40} {ratio:>10}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", default="", help="comma separated: " + ", ".join(NAMES))
    chosen = [name for name in parser.parse_args().only.split(",") if name] or list(NAMES)
    unknown = sorted(set(chosen) - set(NAMES))
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)} (there are {', '.join(NAMES)})", file=sys.stderr)
        return 2
    OUT.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        module = importlib.import_module(f"tests.benchmarks.{name}")
        print(f"{name}: {module.__doc__.strip().splitlines()[0]}", flush=True)
        rows = []
        for row in module.run():  # shown as they come: the last of them may be minutes away
            rows.append(row)
            show([row])
        (OUT / f"{name}.json").write_text(json.dumps([row.as_json() for row in rows], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
