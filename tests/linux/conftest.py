"""What drives the routers waits as long as with any other."""

from tests.services.conftest import _patient as _patient
