"""What the settings promise to whoever opens the site."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.urls import reverse

from audit.config.celery import app
from audit.config.secret import make_key, secret_key
from tests.access import trusted

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a long and winding road"


@pytest.fixture
def auditor(db):
    return trusted(get_user_model().objects.create_user("auditor", password=PASSWORD))


def log_in(client, password: str) -> int:
    form = {"username": "auditor", "password": password}
    return client.post(reverse("login"), form).status_code


def test_a_page_carries_the_strict_headers(client, db):
    headers = client.get(reverse("login")).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "font-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_passwords_are_kept_by_argon2(auditor):
    assert auditor.password.startswith("argon2$argon2id$")


def test_cookies_are_kept_from_scripts_and_other_sites(client, auditor):
    client.get(reverse("login"))
    assert log_in(client, PASSWORD) == 302
    for name in ("sessionid", "csrftoken"):
        assert (client.cookies[name]["httponly"], client.cookies[name]["samesite"]) == (True, "Lax")


def test_the_fourth_guess_is_locked_out_with_the_right_password_too(client, auditor):
    statuses = [log_in(client, f"guess {number}") for number in range(3)]
    assert statuses == [200, 200, 429]
    assert log_in(client, PASSWORD) == 429
    assert AccessAttempt.objects.get().username == "auditor"


def test_an_unknown_host_is_refused(client, db):
    assert client.get(reverse("login"), headers={"host": "elsewhere.example"}).status_code == 400


def test_the_secret_key_is_made_once_and_private(tmp_path, monkeypatch):
    monkeypatch.delenv("TILECOURT_SECRET_KEY")
    key = secret_key(tmp_path / "state")
    assert len(key) >= 64
    assert secret_key(tmp_path / "state") == key
    path = tmp_path / "state" / "secret_key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    make_key(path)
    assert path.read_text() == key
    assert [found.name for found in path.parent.iterdir()] == ["secret_key"]


def test_an_empty_secret_key_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("TILECOURT_SECRET_KEY")
    (tmp_path / "secret_key").touch()
    with pytest.raises(ImproperlyConfigured, match="is empty: remove it"):
        secret_key(tmp_path)


def read_settings(expression: str, **env: str) -> str:
    """Read settings as another process has them."""
    return subprocess.run(
        [sys.executable, "-c", f"from django.conf import settings; print({expression})"],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "audit.config.settings", **env},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_a_database_that_can_be_emptied_is_for_tests_alone():
    name = "settings.DATABASES['default']['NAME']"
    url = "postgresql://somebody@elsewhere.example/test_rooms"
    assert read_settings(name, DATABASE_URL=url, TILECOURT_TEST="1") == "test_rooms"
    with pytest.raises(subprocess.CalledProcessError) as refused:
        read_settings(name, DATABASE_URL=url, TILECOURT_TEST="")
    assert "begins with test_ is for tests alone" in refused.value.stderr


def test_https_makes_cookies_secure_and_debug_needs_asking():
    expression = (
        "settings.DEBUG, settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE,"
        " settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS > 0"
    )
    assert read_settings(expression) == "False False False False False"
    assert read_settings(expression, TILECOURT_HTTPS="1") == "False True True True True"


def test_the_web_process_alone_has_a_pool():
    assert "pool" not in settings.DATABASES["default"]["OPTIONS"]
    pool = "settings.DATABASES['default']['OPTIONS']['pool']['max_size']"
    assert read_settings(pool, TILECOURT_PROCESS="web", TILECOURT_POOL_SIZE="3") == "3"


def test_celery_takes_json_alone_and_keeps_no_results():
    assert app.conf.result_backend is None
    assert app.conf.accept_content == ["json"]
    assert (app.conf.task_acks_late, app.conf.worker_prefetch_multiplier) == (True, 1)


def test_postgresql_is_asked_to_notice_a_client_that_is_gone(db):
    """The value in force is 0 over a Unix socket, so this reads what the session asked for."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, reset_val, source FROM pg_settings WHERE name LIKE 'tcp_keepalives%'"
        )
        assert sorted(cursor.fetchall()) == [
            ("tcp_keepalives_count", "6", "client"),
            ("tcp_keepalives_idle", "30", "client"),
            ("tcp_keepalives_interval", "10", "client"),
        ]
