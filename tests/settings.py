"""The project's settings with secrets for tests; PUSH_ENABLED on, because tests push to practice routers."""

import atexit
import os
import shutil
import tempfile

os.environ.setdefault("EXPEDITE_ENV_FILE", os.devnull)
os.environ.setdefault("SECRET_KEY", "tests-" + "x" * 50)
os.environ.setdefault("CREDENTIAL_KEYS", "dGVzdHMtdGVzdHMtdGVzdHMtdGVzdHMtdGVzdHMtISE=")
os.environ.setdefault("TOKEN_PEPPER", "tests-pepper")
os.environ.setdefault("PUSH_ENABLED", "true")
if "STATE_DIR" not in os.environ:
    # Made once, by whoever came first; its children (xdist's workers, a `runjobs`) inherit the name and leave it alone.
    os.environ["STATE_DIR"] = tempfile.mkdtemp(prefix="expedite-tests-")
    atexit.register(shutil.rmtree, os.environ["STATE_DIR"], ignore_errors=True)
os.environ.setdefault("API_RATE_USER", "100000/min")
os.environ.setdefault("API_RATE_ANON", "100000/min")
# The practice routers answer at once; what is late there is late by a fault that a test plants itself.
os.environ.setdefault("ROUTER_QUIET_SECONDS", "0.01")
os.environ.setdefault("ROUTER_LATE_SECONDS", "0.3")
os.environ.setdefault("HEALTH_SETTLE_SECONDS", "0.2")
# Nothing is to run out by itself, however busy the machine is; what is about that says so.
os.environ.setdefault("ROUTER_LEASE_SECONDS", "60")
os.environ.setdefault("JOB_LEASE_SECONDS", "120")
# Whoever looks for it asks for it: elsewhere a tick makes the jobs that a test is about.
os.environ.setdefault("FAILURES_SECONDS", "0")
os.environ.setdefault("USAGE_SECONDS", "0")
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = (
    "true"  # Playwright's sync API runs an event loop in the test's thread
)

from provisioning.settings import *  # noqa: F403 - the environment above must be set first

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    # A file, not memory: threads, workers and the live server share it as they do in production.
    _name = os.path.join(os.environ["STATE_DIR"], "tests.sqlite3")
    DATABASES["default"]["TEST"] = {"NAME": _name}  # noqa: F405
elif os.environ.get("TEST_TEMPLATE"):
    DATABASES["default"]["TEST"] = {"TEMPLATE": os.environ["TEST_TEMPLATE"]}  # noqa: F405
