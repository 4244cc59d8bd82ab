"""Settings, all from the environment (or the file named by EXPEDITE_ENV_FILE, by default `.env`).

Nothing secret has a default outside DEBUG, and nothing is sent to a router unless PUSH_ENABLED says so. Every
variable is described in docs/reference/settings.md; a test fails on one that is not.
"""

from __future__ import annotations

import hashlib
import os
from ipaddress import ip_network
from pathlib import Path

import environ
from csp.constants import NONE, SELF

from provisioning import logs
from provisioning.schema_names import ENUM_NAMES

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.FileAwareEnv()
env.read_env(os.environ.get("EXPEDITE_ENV_FILE", BASE_DIR / ".env"))

DEBUG = env.bool("DEBUG", default=False)

# Django itself refuses to use an empty SECRET_KEY; provisioning.apps reports all missing secrets at start.
SECRET_KEY = env("SECRET_KEY", default="for-development-only-" + "0" * 40 if DEBUG else "")
CREDENTIAL_KEYS = env.list(
    "CREDENTIAL_KEYS", default=["MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="] if DEBUG else []
)
AUDIT_SIGNING_KEY = env("AUDIT_SIGNING_KEY", default="")
# Public keys (base64) whose signatures still count although another key signs now.
AUDIT_FORMER_KEYS = env.list("AUDIT_FORMER_KEYS", default=[])
TOKEN_PEPPER = env("TOKEN_PEPPER", default="for-development-only" if DEBUG else "")

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# What Expedite may do to the world.
PUSH_ENABLED = env.bool("PUSH_ENABLED", default=False)
SCHEME = env("SCHEME", default="6net")
SCHEMES_DIR = env("SCHEMES_DIR", default="")
TWO_PEOPLE = env.bool("TWO_PEOPLE", default=False)
# By what an approval given ahead goes with the plan made when it is due: "lines" (the same) or "effect" (ADR 22).
APPROVAL_CARRIES = env("APPROVAL_CARRIES", default="lines")
# A change with more routers than this in a phase sends to one of them first; 0: never by itself.
CANARY_ABOVE = env.int("CANARY_ABOVE", default=20)
LEAD_TIME_SECONDS = env.int("LEAD_TIME_SECONDS", default=900)
ROUTER_TIMEOUT_SECONDS = env.int("ROUTER_TIMEOUT_SECONDS", default=30)
ROUTER_QUIET_SECONDS = env.float("ROUTER_QUIET_SECONDS", default=0.05)
ROUTER_LATE_SECONDS = env.float("ROUTER_LATE_SECONDS", default=1.4)
# How a router fares before the first line of a push and after the last; routers that are not asked, by name.
HEALTH_LOOK = env.bool("HEALTH_LOOK", default=True)
HEALTH_NOT_ON = env.list("HEALTH_NOT_ON", default=[])
HEALTH_SETTLE_SECONDS = env.float("HEALTH_SETTLE_SECONDS", default=10.0)
ROUTER_LEASE_SECONDS = env.float("ROUTER_LEASE_SECONDS", default=5)
ROUTER_WRITE_SECONDS = env.float("ROUTER_WRITE_SECONDS", default=3)
JOB_LEASE_SECONDS = env.float("JOB_LEASE_SECONDS", default=30)
VERIFY_SECONDS = env.int("VERIFY_SECONDS", default=900)
VERIFY_STEADY_FACTOR = env.float("VERIFY_STEADY_FACTOR", default=4.0)
USAGE_SECONDS = env.int("USAGE_SECONDS", default=300)
USAGE_TOLD_PERCENT = env.float("USAGE_TOLD_PERCENT", default=1.0)
TICK_SECONDS = env.float("TICK_SECONDS", default=2.0)
# How many requests a process of gunicorn answers at once (provisioning/gunicorn.py); half of them may wait for events.
WEB_THREADS = env.int("WEB_THREADS", default=8)
SILENT_SECONDS = env.int("SILENT_SECONDS", default=60)
STOP_GRACE_SECONDS = env.int("STOP_GRACE_SECONDS", default=30)
BROKER_PATIENCE_SECONDS = env.float("BROKER_PATIENCE_SECONDS", default=5)
# What a series may be at most: windows that come again, asked for as one.
SERIES_MOST_OCCURRENCES = env.int("SERIES_MOST_OCCURRENCES", default=366)
SERIES_LONGEST_DAYS = env.int("SERIES_LONGEST_DAYS", default=3660)
# How often one request may be held; 0: as often as somebody likes.
HOLD_MOST_TIMES = env.int("HOLD_MOST_TIMES", default=3)
# How long a token may live from its issue on, days, and how many live ones a person or an NREN may have; 0: no bound.
TOKEN_LONGEST_DAYS = env.int("TOKEN_LONGEST_DAYS", default=0)
TOKENS_MOST = env.int("TOKENS_MOST", default=100)
# How long rows are kept (services/retention); 0 keeps them for ever.
PATH_MOVE_HOURS = env.float("PATH_MOVE_HOURS", default=24.0)
FAILURES_SECONDS = env.float("FAILURES_SECONDS", default=60.0)
PRUNE_SECONDS = env.int("PRUNE_SECONDS", default=3600)
KEEP_VERIFICATION_JOBS_HOURS = env.int("KEEP_VERIFICATION_JOBS_HOURS", default=6)
KEEP_JOBS_DAYS = env.int("KEEP_JOBS_DAYS", default=30)
KEEP_SNAPSHOTS_DAYS = env.int("KEEP_SNAPSHOTS_DAYS", default=90)
KEEP_PLANS_DAYS = env.int("KEEP_PLANS_DAYS", default=400)
KEEP_TRANSCRIPTS_DAYS = env.int("KEEP_TRANSCRIPTS_DAYS", default=400)
KEEP_CHARGES_DAYS = env.int("KEEP_CHARGES_DAYS", default=400)
KEEP_RECORDS_DAYS = env.int("KEEP_RECORDS_DAYS", default=1825)
KEEP_NOTIFICATIONS_DAYS = env.int("KEEP_NOTIFICATIONS_DAYS", default=90)
KEEP_USAGE_POLLS_DAYS = env.int("KEEP_USAGE_POLLS_DAYS", default=7)
KEEP_USAGE_HOURS_DAYS = env.int("KEEP_USAGE_HOURS_DAYS", default=100)
KEEP_USAGE_DAYS_DAYS = env.int("KEEP_USAGE_DAYS_DAYS", default=1825)
KEEP_IDEMPOTENCY_KEYS_DAYS = env.int("KEEP_IDEMPOTENCY_KEYS_DAYS", default=7)
KEEP_SESSIONS_DAYS = env.int("KEEP_SESSIONS_DAYS", default=1)
# Who is told what happens (services/telling), and how.
SITE_URL = env("SITE_URL", default="")
NOTIFY_WINDOW_SECONDS = env.float("NOTIFY_WINDOW_SECONDS", default=60.0)
NOTIFY_TIMEOUT_SECONDS = env.float("NOTIFY_TIMEOUT_SECONDS", default=10.0)
NOTIFY_TRIES = env.int("NOTIFY_TRIES", default=150)
WEBHOOK_HOSTS = env.list("WEBHOOK_HOSTS", default=[])
WEBHOOK_CA_FILE = env("WEBHOOK_CA_FILE", default="")
# The NetBox that `manage.py netbox` reads. Set on the machine alone: the token goes wherever the address leads.
NETBOX_URL = env("NETBOX_URL", default="")
NETBOX_TOKEN = env("NETBOX_TOKEN", default="")
NETBOX_CA_FILE = env("NETBOX_CA_FILE", default="")
NETBOX_TIMEOUT_SECONDS = env.float("NETBOX_TIMEOUT_SECONDS", default=30.0)
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = env("EMAIL_HOST", default="")
EMAIL_PORT = env.int("EMAIL_PORT", default=25)
EMAIL_HOST_USER = env("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD = env("EMAIL_HOST_PASSWORD", default="")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", default=False)
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", default=False)
DEFAULT_FROM_EMAIL = env("EMAIL_FROM", default="expedite@localhost")
STATE_DIR = Path(env("STATE_DIR", default=str(BASE_DIR / "var")))

# django_filters is not one: it has no rows, and what it brings as an application (forms for an API in a browser) nobody sees,
# but every command would load it.
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "django_htmx",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "rest_framework",
    "inventory",
    "provisioning.apps.ProvisioningConfig",
]

MIDDLEWARE = [
    "provisioning.web.timing.Timing",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",  # before what answers by itself: static files say it too
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "provisioning.web.identity.sessions.note_seen",
    "provisioning.web.identity.required.ask_for_own_password",
    "provisioning.web.identity.required.ask_for_second_factor",
]

ROOT_URLCONF = "provisioning.urls"
WSGI_APPLICATION = "provisioning.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "html"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "provisioning.web.shell.shell",
            ],
            "libraries": {
                "expedite": "provisioning.web.templatetags.expedite",
                # By its tags, not as an application: with that every command would load what only pages need.
                "django_tables2": "django_tables2.templatetags.django_tables2",
            },
        },
    },
]
DJANGO_TABLES2_TEMPLATE = "web/table.html"

# SQLite without Redis is the embedded default: WAL so that readers never wait, IMMEDIATE so that two writers queue
# up instead of failing at the first write of a transaction that began with a read.
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{STATE_DIR / 'expedite.sqlite3'}")}
DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "provisioning.database.sqlite3"  # who writes takes turns
    SILENCED_SYSTEM_CHECKS = ["models.W040"]  # it ignores the extra columns of an index, as we want it to
    if DATABASES["default"]["NAME"] != ":memory:":
        Path(DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        transaction_mode="IMMEDIATE",
        timeout=30,
        init_command="PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    )
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # A host that is gone does not even refuse: whoever asks must not wait for minutes.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 10)
    # A process that stands still inside a transaction keeps its rows locked, and a successor waits: the server ends it.
    TRANSACTION_IDLE_SECONDS = env.int("TRANSACTION_IDLE_SECONDS", default=120)
    # Compiling a query takes longer than any of ours runs.
    _for_sessions = ["-c jit=off"]
    if TRANSACTION_IDLE_SECONDS:
        _for_sessions.append(f"-c idle_in_transaction_session_timeout={TRANSACTION_IDLE_SECONDS}s")
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("options", " ".join(_for_sessions))

CELERY_BROKER_URL = env("CELERY_BROKER_URL", default="")
# What this installation keeps in Redis has names of its own, so that two may share one: the key is the same in all its processes.
REDIS_PREFIX = "expedite-" + hashlib.blake2s(SECRET_KEY.encode(), digest_size=6, person=b"redis").hexdigest()
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 15,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
}
# Failed sign-ins, request rates, used codes and marks of sessions (shared_cache.py): for all processes together in Redis, where
# there is one.
if CELERY_BROKER_URL.startswith(("redis://", "rediss://", "redis+socket://")):
    CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"] = f"{REDIS_PREFIX}-"
    _counted_in = {
        "BACKEND": "provisioning.shared_cache.SharedCache",
        # Celery has a name of its own for a socket in the file system.
        "LOCATION": CELERY_BROKER_URL.replace("redis+socket://", "unix://"),
        "KEY_PREFIX": f"{REDIS_PREFIX}-counts",
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
else:
    _counted_in = {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},  # a small one could be flooded until it forgets them
    }
CACHES = {"default": _counted_in}
NUM_PROXIES = env.int("NUM_PROXIES", default=0)

# Who may read /metrics; nobody unless one of the two is set. A typing error stops every command at its start.
METRICS_NETWORKS = [ip_network(network) for network in env.list("METRICS_NETWORKS", default=[])]
METRICS_TOKEN = env("METRICS_TOKEN", default="")

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Who signs in, and how (provisioning/web/identity): a password, one OpenID Connect provider, a second factor.
PASSWORD_SIGN_IN = env.bool("PASSWORD_SIGN_IN", default=True)
# The roles that do nothing on the pages until a second factor is set up.
SECOND_FACTOR = env.list("SECOND_FACTOR", default=[])
OIDC_ISSUER = env("OIDC_ISSUER", default="").rstrip("/")
OIDC_CLIENT_ID = env("OIDC_CLIENT_ID", default="")
OIDC_CLIENT_SECRET = env("OIDC_CLIENT_SECRET", default="")
OIDC_NAME = env("OIDC_NAME", default="single sign-on")
OIDC_SCOPES = env.list("OIDC_SCOPES", default=["openid", "profile", "email"])
OIDC_USERNAME_CLAIM = env("OIDC_USERNAME_CLAIM", default="preferred_username")
# What joins somebody seen for the first time to an account that is here: "" (nothing), "username" or "email".
OIDC_LINK_BY = env("OIDC_LINK_BY", default="")
OIDC_CREATE = env.bool("OIDC_CREATE", default=False)
# The claim that says in which groups somebody is, and what each group gives: `group=role`, `group=NREN`.
OIDC_GROUPS_CLAIM = env("OIDC_GROUPS_CLAIM", default="")
OIDC_ROLES = env.dict("OIDC_ROLES", default={})
OIDC_NRENS = env.dict("OIDC_NRENS", default={})
# Values of `acr` that stand for a second factor at the provider: https://refeds.org/profile/mfa
OIDC_ACR = env.list("OIDC_ACR", default=[])
ACCOUNT_ADAPTER = "provisioning.web.identity.accounts.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
SOCIALACCOUNT_ADAPTER = "provisioning.web.identity.single_sign_on.SocialAdapter"
SOCIALACCOUNT_STORE_TOKENS = False
MFA_ADAPTER = "provisioning.web.identity.factors.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "Expedite"
MFA_TOTP_TOLERANCE = 1  # periods of half a minute: the clock of a telephone is not that of a server
MFA_RECOVERY_CODES_SHOW_ONCE = True

LOGIN_URL = "web:sign-in"
LOGIN_REDIRECT_URL = "web:home"
LOGOUT_REDIRECT_URL = "web:sign-in"

SESSION_ENGINE = "provisioning.web.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 8 * 3600
HTTPS = env.bool("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = True  # no script of ours reads it: it stands in each form
# Over TLS a browser takes a cookie of such a name from this host alone, and from no other of its domain.
_OURS = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_OURS}sessionid"
CSRF_COOKIE_NAME = f"{_OURS}csrftoken"
MESSAGES_COOKIE_NAME = f"{_OURS}messages"
LAST_PERSON_COOKIE_NAME = f"{_OURS}last"
KEPT_COOKIE_NAME = f"{_OURS}kept"
MESSAGE_STORAGE = "provisioning.web.messages.Messages"
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=0)
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CSRF_FAILURE_VIEW = "provisioning.web.failures.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "object-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}

LANGUAGE_CODE = "en-gb"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "provisioning" / "web" / "static"]
STATIC_ROOT = STATE_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False  # no page of another host loads anything from here

# An API body is a few kilobytes; the form limits are the same.
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["provisioning.api.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "provisioning.api.pagination.Pages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "provisioning.api.problems.handle",
    "DEFAULT_THROTTLE_CLASSES": [
        "rest_framework.throttling.UserRateThrottle",
        "rest_framework.throttling.AnonRateThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "user": env("API_RATE_USER", default="600/min"),
        "anon": env("API_RATE_ANON", default="60/min"),
    },
    "NUM_PROXIES": NUM_PROXIES,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Expedite",
    "DESCRIPTION": "IP Premium between research networks: ask, see why not, accept, extend, withdraw.",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.0",
    "SERVERS": [{"url": "/", "description": "This installation."}],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": ENUM_NAMES,
}

# Beat writes down when it last sent what: beside the other state, wherever it was started.
CELERY_BEAT_SCHEDULE_FILENAME = str(STATE_DIR / "beat-schedule")

LOG_JSON = env.bool("LOG_JSON", default=False)
LOGGING = logs.configure(as_json=LOG_JSON, level=env("LOG_LEVEL", default="WARNING"))
