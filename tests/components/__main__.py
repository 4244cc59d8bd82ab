"""`make sbom`: the bill of materials in var/sbom.cdx.json. `make licences`: the list, and status 1 where one may not be."""

from __future__ import annotations

import argparse
import sys

from tests.components.bill import as_json, bill_of
from tests.components.licences import listed, refused
from tests.components.parts import ROOT, RULES, parts

OUT = ROOT / "var" / "sbom.cdx.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.components", description=__doc__)
    parser.add_argument("what", choices=("sbom", "licences"))
    found = parts()
    if parser.parse_args().what == "sbom":
        OUT.parent.mkdir(exist_ok=True)
        OUT.write_text(as_json(bill_of(found)), encoding="utf-8")
        print(f"{len(found)} parts: {OUT.relative_to(ROOT)}")
        return 0
    print(listed(found))
    wrong = [f"{part.name} {part.version}: {why}" for part in found if (why := refused(part))]
    for said in wrong:
        print(said, file=sys.stderr)
    where = RULES.relative_to(ROOT)
    print(f"\n{len(found)} parts, {len(wrong) or 'none'} under a licence that {where} does not allow.")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
