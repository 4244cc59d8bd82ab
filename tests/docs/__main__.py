"""`python -m tests.docs DOCUMENT`: follow one document and print all that is typed and answered, to write it by."""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.docs.blocks import ROOT
from tests.docs.checkout import Checkout
from tests.docs.following import follow
from tests.docs.prepared import environment_of, is_skipped, preparation_of


def main() -> int:
    (document,) = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends with us
    with tempfile.TemporaryDirectory(prefix="follow-") as base:
        checkout = Checkout(Path(base))
        began = time.monotonic()

        def tell(said: str) -> None:
            print(f"[{time.monotonic() - began:.1f} s] {said}", flush=True)

        try:
            checkout.begin()
            faults = follow(
                (ROOT / document).read_text(),
                checkout,
                environment=environment_of(document),
                before=preparation_of(document),
                skipped=lambda command: is_skipped(document, command),
                tell=tell,
            )
        finally:
            checkout.end()
    print("\n\n".join(faults))
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())
