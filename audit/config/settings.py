"""Django's settings. What differs between places comes from the environment; the rest is here.

DEBUG is off unless asked for, everything needs a log-in unless a view says otherwise, and nothing
is loaded from outside.
"""

import os
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

from celery.schedules import crontab
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from audit.config.logs import logging_config
from audit.config.secret import secret_key
from audit.config.services import (
    broker_from_url,
    cache_url,
    database_from_url,
    service_url,
    state_of,
)


def flag(variable: str) -> bool:
    return os.environ.get(variable, "") == "1"


def number(variable: str, default: int) -> int:
    text = os.environ.get(variable) or str(default)
    if not text.isdecimal():
        raise ImproperlyConfigured(f"{variable} is {text!r}, which is not a whole number.")
    return int(text)


def words(variable: str, default: str = "") -> list[str]:
    return [word.strip() for word in os.environ.get(variable, default).split(",") if word.strip()]


def chosen(variable: str, *known: str) -> list[str]:
    """Words out of those that are known."""
    found = words(variable)
    for word in found:
        if word not in known:
            raise ImproperlyConfigured(f"{variable} holds {word!r}, which is none of {known}.")
    return found


def weights(variable: str) -> dict[str, Decimal]:
    """Read `HKD=1,CNY=1.1`: what a whole unit of each currency weighs."""
    found = {}
    for word in words(variable):
        currency, _, text = word.rpartition("=")
        if not currency or not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text, re.ASCII):
            raise ImproperlyConfigured(f"{variable} holds {word!r}, which is no CURRENCY=WEIGHT.")
        found[currency] = Decimal(text)
    return found


ROOT = Path(__file__).resolve().parents[2]
STATE = state_of(ROOT)
IS_TEST = flag("TILECOURT_TEST")
IS_HTTPS = flag("TILECOURT_HTTPS")
IS_WEB = os.environ.get("TILECOURT_PROCESS") == "web"

DEBUG = flag("TILECOURT_DEBUG")
SECRET_KEY = secret_key(STATE)
SECRET_KEY_FALLBACKS = words("TILECOURT_SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = words("TILECOURT_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = words("TILECOURT_CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "axes",
    "drf_spectacular",
    "audit",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "audit.config.languages.Languages",
    # Before anybody looks into the address.
    "audit.config.utf8.Utf8",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "audit.config.visits.Visits",
    # Who one is comes before the check of the form's token, because that reads the whole body: a
    # stranger's upload is turned away unread.
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "audit.config.access.Journalled",
    "audit.config.strangers.SmallStrangers",
    "django.middleware.csrf.CsrfViewMiddleware",
    "audit.config.forms.Forms",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "audit.config.urls"
WSGI_APPLICATION = "audit.config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "audit.web.access.may",
            ],
        },
    },
]

# The database. Celery closes Django's pool at the end of each task, so only the web process has
# one; a worker keeps its connection open and asks whether it still works.
DATABASES = {"default": database_from_url(service_url("DATABASE_URL", STATE))}
if DATABASES["default"]["NAME"].startswith("test_") and not IS_TEST:
    # Its triggers let such a database be emptied, as the tests do after each test.
    raise ImproperlyConfigured("A database whose name begins with test_ is for tests alone.")
# After the database was away a connection is asked before it is used: an empty statement each time.
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# PostgreSQL lets go of what a client held whose machine went without a word after a minute and a
# half, not after two hours. Over a Unix socket, where this cannot happen, it takes no notice.
DATABASES["default"]["OPTIONS"].setdefault(
    "options",
    "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=6",
)
if IS_WEB:
    DATABASES["default"]["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": number("TILECOURT_POOL_SIZE", 10),
        "timeout": 10,
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 600
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Tasks. A task that runs longer than its limit is stopped; its lease ends and it is done again.
CELERY_BROKER_URL = broker_from_url(service_url("BROKER_URL", STATE))
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A worker outlives its broker, and takes up all its work again when that is back.
CELERY_WORKER_CONSUMER = "audit.config.consumer:LastingConsumer"
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_SOFT_TIME_LIMIT = number("TILECOURT_TASK_SECONDS", 300)
CELERY_TASK_TIME_LIMIT = CELERY_TASK_SOFT_TIME_LIMIT + 60
CELERY_WORKER_MAX_TASKS_PER_CHILD = 1000
CELERY_TIMEZONE = "UTC"
# A message that was lost with a worker or the broker is found by its row and queued again: this is
# how often it is looked for, and for how long a message must be out before it may count as lost.
TILECOURT_SWEEP_SECONDS = number("TILECOURT_SWEEP_SECONDS", 30)
# After so long Redis and Valkey give a message to another worker that its first has not ended.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": number("TILECOURT_REDELIVERY_SECONDS", 600),
}
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "sweep": {
        "task": "audit.sweep",
        "schedule": float(TILECOURT_SWEEP_SECONDS),
        "options": {"expires": float(TILECOURT_SWEEP_SECONDS)},
    },
    "gather_cases": {"task": "audit.gather_cases", "schedule": 20.0, "options": {"expires": 20.0}},
    "sweep_reaudits": {
        "task": "audit.sweep_reaudits",
        "schedule": 30.0,
        "options": {"expires": 30.0},
    },
    "sweep_certificates": {
        "task": "audit.sweep_certificates",
        "schedule": 30.0,
        "options": {"expires": 30.0},
    },
}

CELERY_BEAT_SCHEDULE["seal"] = {
    "task": "audit.seal", "schedule": 60.0, "options": {"expires": 60.0},
}  # fmt: skip
CELERY_BEAT_SCHEDULE["send_webhooks"] = {
    "task": "audit.send_webhooks", "schedule": 15.0, "options": {"expires": 15.0},
}  # fmt: skip
CELERY_BEAT_SCHEDULE["end_visits"] = {
    "task": "audit.end_visits", "schedule": 300.0, "options": {"expires": 300.0},
}  # fmt: skip
CELERY_BEAT_SCHEDULE["count_refusals"] = {
    "task": "audit.count_refusals", "schedule": 60.0, "options": {"expires": 60.0},
}  # fmt: skip
CELERY_BEAT_SCHEDULE["self_check"] = {
    "task": "audit.self_check", "schedule": crontab(hour=3, minute=17),
}  # fmt: skip
CELERY_BEAT_SCHEDULE["make_months"] = {
    "task": "audit.make_months", "schedule": crontab(hour=2, minute=41),
}  # fmt: skip

CELERY_BEAT_SCHEDULE["daily_reports"] = {
    "task": "audit.daily_reports", "schedule": crontab(minute=23),
}  # fmt: skip
CELERY_BEAT_SCHEDULE["watch_clock"] = {
    "task": "audit.watch_clock", "schedule": 60.0, "options": {"expires": 60.0},
}  # fmt: skip
CELERY_BEAT_SCHEDULE["sweep_reports"] = {
    "task": "audit.sweep_reports", "schedule": 60.0, "options": {"expires": 60.0},
}  # fmt: skip

# What comes by the clock has a queue of its own: behind a long backlog it would come too late. So
# has what waits for the answers of others, which would hold up both. Each worker takes from all in
# turn.
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_QUEUES = (
    Queue("celery", routing_key="celery"),
    Queue("clock", routing_key="clock"),
    Queue("webhooks", routing_key="webhooks"),
)
CELERY_TASK_ROUTES = {entry["task"]: {"queue": "clock"} for entry in CELERY_BEAT_SCHEDULE.values()}
CELERY_TASK_ROUTES["audit.send_to_webhook"] = {"queue": "webhooks"}

# Who may come in.
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]
AUTH_PASSWORD_VALIDATORS.append({"NAME": "audit.services.passwords.NotUsedBefore"})
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
# The third wrong try locks a name, whether there is such an account or not and from wherever it
# came (GLI-19 B.2.3 g, i): who guesses from many addresses has no more tries than from one.
AXES_FAILURE_LIMIT = 3
AXES_COOLOFF_TIME = number("TILECOURT_LOCK_MINUTES", 15) / 60  # hours
AXES_LOCKOUT_PARAMETERS = ["username"]
# axes would have the address, too; then each address had three tries of its own.
SILENCED_SYSTEM_CHECKS = ["axes.W006"]
# Trying on does not make the pause longer, or anybody could keep a colleague out for good.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
# Our own log has every attempt (audit.models.visits.SignIn).
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
# It keeps how often and when, and nothing of what was asked or typed.
AXES_HANDLER = "audit.config.locks.Locks"
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_CLIENT_IP_CALLABLE = "audit.config.access.address_of"
# A visit ends when nobody asked for anything for so long, and after so long in any case.
TILECOURT_IDLE_MINUTES = number("TILECOURT_IDLE_MINUTES", 30)
TILECOURT_VISIT_HOURS = number("TILECOURT_VISIT_HOURS", 12)
# Roles whose holders must have a second step of signing in.
TILECOURT_SECOND_STEP_ROLES = chosen(
    "TILECOURT_SECOND_STEP_ROLES",
    "support", "investigator", "auditor", "rules-author", "rules-approver", "administrator",
)  # fmt: skip

# What a browser may do with a page.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = IS_HTTPS
# Longer than any visit, so that the visit is what ends, and is written down.
SESSION_COOKIE_AGE = 60 * 60 * (TILECOURT_VISIT_HOURS + 1)
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = IS_HTTPS
SECURE_SSL_REDIRECT = IS_HTTPS
# Probes and scrapers stand behind the proxy and come by HTTP.
SECURE_REDIRECT_EXEMPT = ["^(healthz|readyz|metrics)$"]
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if IS_HTTPS else 0
TILECOURT_BEHIND_PROXY = flag("TILECOURT_BEHIND_PROXY")
if IS_HTTPS and TILECOURT_BEHIND_PROXY:
    # Only where a proxy sets this header itself: otherwise a caller could claim to be on HTTPS.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Static files: names with a hash and long caching when serving, plain names in tests, which
# collect nothing.
STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("TILECOURT_STATIC_ROOT") or STATE / "static")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if IS_TEST
        else "whitenoise.storage.CompressedManifestStaticFilesStorage",
    },
}
WHITENOISE_USE_FINDERS = IS_TEST
WHITENOISE_AUTOREFRESH = DEBUG or IS_TEST

# Bounds on what comes in. Django's own count neither the bytes of a streamed body nor its lines:
# the upload service does, by the TILECOURT_ numbers.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100
DATA_UPLOAD_MAX_NUMBER_FILES = 20
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
TILECOURT_UPLOAD_BYTES_MAX = number("TILECOURT_UPLOAD_BYTES_MAX", 2 * 1024**3)
TILECOURT_UNPACKED_BYTES_MAX = number("TILECOURT_UNPACKED_BYTES_MAX", 8 * 1024**3)
# Beyond so many unpacked bytes a file may unpack to so many times its size and no more.
TILECOURT_UNPACKED_BYTES_FREE = number("TILECOURT_UNPACKED_BYTES_FREE", 512 * 1024**2)
TILECOURT_UNPACKED_RATIO_MAX = number("TILECOURT_UNPACKED_RATIO_MAX", 200)
TILECOURT_UPLOAD_LINES_MAX = number("TILECOURT_UPLOAD_LINES_MAX", 5_000_000)
TILECOURT_CHUNK_LINES_MAX = number("TILECOURT_CHUNK_LINES_MAX", 5_000)
TILECOURT_CHUNK_BYTES_MAX = number("TILECOURT_CHUNK_BYTES_MAX", 16 * 1024**2)
# A batch of a re-audit has so many hands.
TILECOURT_REAUDIT_BATCH_MAX = number("TILECOURT_REAUDIT_BATCH_MAX", 5_000)
# For so long a chunk is one worker's: what a worker that was killed costs at most.
TILECOURT_LEASE_SECONDS = number("TILECOURT_LEASE_SECONDS", 120)
# The key that signs the heads of the log, and where they are put down outside of the database.
TILECOURT_SEAL_KEY_FILE = os.environ.get("TILECOURT_SEAL_KEY_FILE") or STATE / "seal_key"
TILECOURT_SEAL_HEADS = os.environ.get("TILECOURT_SEAL_HEADS") or STATE / "heads"
# Whether webhooks may lead to this machine and its network, and go without TLS: for trying them.
TILECOURT_WEBHOOK_PRIVATE = flag("TILECOURT_WEBHOOK_PRIVATE")
# A sender who is silent for so long has gone.
TILECOURT_SENDER_SECONDS = number("TILECOURT_SENDER_SECONDS", 60)

# The desk: days until a case is due, days in which a hand can be disputed, minutes for which a case
# that was taken is one person's, and what currencies weigh in the order of the queue.
TILECOURT_CASE_DAYS = number("TILECOURT_CASE_DAYS", 3)
TILECOURT_CLAIM_DAYS = number("TILECOURT_CLAIM_DAYS", 7)
TILECOURT_TAKE_MINUTES = number("TILECOURT_TAKE_MINUTES", 30)
TILECOURT_CURRENCY_WEIGHTS = weights("TILECOURT_CURRENCY_WEIGHTS")

# A ruleset is published after a rehearsal of so many hands, or of all there are; of fewer, whoever
# publishes it says why they are enough.
TILECOURT_REHEARSED_MIN = number("TILECOURT_REHEARSED_MIN", 1_000)

# Reports: whose they are, from how many whole units on a win or a wager of a currency is large, and
# which reports the clock makes of each gaming day that is over.
TILECOURT_OPERATOR = os.environ.get("TILECOURT_OPERATOR") or "not named (TILECOURT_OPERATOR)"
TILECOURT_LARGE_WINS = {key: f"{one:f}" for key, one in weights("TILECOURT_LARGE_WINS").items()}
TILECOURT_LARGE_WAGERS = {key: f"{one:f}" for key, one in weights("TILECOURT_LARGE_WAGERS").items()}
TILECOURT_DAILY_REPORTS = words(
    "TILECOURT_DAILY_REPORTS",
    "game-performance,significant-events,discrepancies,completeness",
)

# The API. A program shows a token; a page of ours has its session and the form's token.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "audit.api.authentication.TokenAuthentication",
        "audit.api.authentication.SessionAuthentication",
    ],
    # Nobody, until a view says who.
    "DEFAULT_PERMISSION_CLASSES": ["audit.api.permissions.Nobody"],
    "DEFAULT_RENDERER_CLASSES": ["audit.api.rendering.Json"],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "audit.api.errors.OnlyJson",
    "DEFAULT_THROTTLE_CLASSES": ["audit.api.throttling.PerMinute"],
    "DEFAULT_SCHEMA_CLASS": "audit.api.schema.Described",
    "EXCEPTION_HANDLER": "audit.api.errors.answer_error",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Tilecourt",
    "DESCRIPTION": "Hand histories of Chinese-domino games, replayed and audited.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["audit.api.schema.with_components"],
    "SORT_OPERATION_PARAMETERS": False,
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
}
# How many requests a minute are answered, from one key and from one account. All web processes
# count in one place, the broker's Valkey unless another address is named; where that is away nobody
# counts, and nobody is held up. Wrong keys are counted in the store, by address, over 15 minutes.
TILECOURT_API_KEY_PER_MINUTE = number("TILECOURT_API_KEY_PER_MINUTE", 600)
TILECOURT_WRONG_KEYS_MAX = number("TILECOURT_WRONG_KEYS_MAX", 10)
TILECOURT_API_ACCOUNT_PER_MINUTE = number("TILECOURT_API_ACCOUNT_PER_MINUTE", 1_200)
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": os.environ.get("TILECOURT_CACHE_URL") or cache_url(CELERY_BROKER_URL),
        "KEY_PREFIX": "tilecourt",
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    }
}
# What a scraper shows at /metrics; without one only this machine may ask.
TILECOURT_METRICS_TOKEN = os.environ.get("TILECOURT_METRICS_TOKEN", "")

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = True
# Each language by its own name. A bare "zh" of a browser gets the first Chinese one.
LANGUAGES = [("en", "English"), ("zh-hant", "繁體中文"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [ROOT / "audit" / "locale"]
LANGUAGE_COOKIE_NAME = "tilecourt_language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = IS_HTTPS

LOGGING = logging_config(os.environ.get("TILECOURT_LOG_LEVEL", "INFO"))
LOGGING_CONFIG = "logging.config.dictConfig"
