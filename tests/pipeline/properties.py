"""How many examples a property gets, by profile; hypothesis profiles of their own, so that other tests keep theirs.

`PROPERTIES=quick` (the default: while editing) 25, `ci` (`make test`) 1,000, `deep` (`make test DEEP=1`) 20,000. Where an
example is a whole router that is planned, sent and read back, `ci` draws 150 (`OF_ROUTERS`).
`ci` draws the same examples in every run, so that a red run is the fault of the change it tests; `quick` and `deep` draw
new ones each time, and looking for what nobody thought of is their work. What one finds is printed as a blob for
`@reproduce_failure` and then written down as an `@example` or a test of its own.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

_COMMON = settings(
    deadline=None,
    print_blob=True,
    derandomize=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.register_profile("expedite-quick", _COMMON, max_examples=25)
# Without a database: a run depends on nothing that an earlier one left. Without shrinking: worlds are small enough to
# read, and a red run stays short.
_UNATTENDED = (Phase.explicit, Phase.generate)
settings.register_profile(
    "expedite-ci", _COMMON, max_examples=1_000, database=None, phases=_UNATTENDED, derandomize=True
)
settings.register_profile("expedite-deep", _COMMON, max_examples=20_000, database=None, phases=_UNATTENDED)

PROPERTY = settings.get_profile(f"expedite-{os.environ.get('PROPERTIES', 'quick')}")
"""The decorator of every property: `@PROPERTY` above `@given`."""

OF_VALUES = settings(
    PROPERTY, max_examples=50_000 if PROPERTY.max_examples == 20_000 else PROPERTY.max_examples
)
"""Of rules over small values, which are cheap: two and a half times as many where there is time."""

OF_ROUTERS = settings(PROPERTY, max_examples=150 if PROPERTY.max_examples == 1_000 else PROPERTY.max_examples)
"""Of whole routers, 10 to 60 ms an example: a sample in `make test`, the rest of the search with DEEP=1."""
