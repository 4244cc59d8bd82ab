"""`python -m tests.docs DOCUMENT`: follow one document and print all that is typed and answered, to write it by.

With `--several` the part of it that needs PostgreSQL and Redis, which DATABASE_URL and REDIS_URL name as for `make test`.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.docs.checkout import Checkout
from tests.docs.following import follow_document


def main() -> int:
    document, *rest = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends with us
    with tempfile.TemporaryDirectory(prefix="follow-") as base:
        checkout = Checkout(Path(base))
        began = time.monotonic()

        def tell(said: str) -> None:
            print(f"[{time.monotonic() - began:.1f} s] {said}", flush=True)

        try:
            faults = follow_document(document, checkout, several="--several" in rest, tell=tell)
        finally:
            checkout.end()
    print("\n\n".join(faults))
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())
