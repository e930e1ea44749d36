"""A store from before closing was for good: what closed accounts had ends, and nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections

BEFORE = "0049_decided_by_people"
ROWS = """
INSERT INTO auth_user (id, username, password, is_superuser, first_name, last_name, email, is_staff,
    is_active, date_joined)
VALUES (1, 'may.ling', '', false, '', '', '', false, true, now()),
    (2, 'amy.ng', '', false, '', '', '', false, false, now()),
    (3, 'pia', '', false, '', '', '', false, true, now());
INSERT INTO audit_grant (account_id, role, granted_by_id)
VALUES (1, 'administrator', NULL), (2, 'auditor', 1), (3, 'support', 1);
INSERT INTO audit_sharelink (hand_id, viewpoint, reason, prefix, sha256, created_by_id, expires_at)
VALUES (7, 'public', 'x', 'abc', 'a', 2, now() + interval '1 day'),
    (7, 'public', 'x', 'abd', 'b', 3, now() + interval '1 day');
INSERT INTO audit_journal (account_id, actor, act, subject, detail)
VALUES (1, 'may.ling', 'manage-accounts', 'account:2', '{"did": "opened", "name": "amy.ng"}'),
    (NULL, 'tilecourt', 'manage-accounts', 'account:3', '{"did": "opened", "name": "pia"}'),
    (1, 'may.ling', 'manage-accounts', 'account:3', '{"did": "password reset"}'),
    (1, 'may.ling', 'manage-accounts', 'account:2', '{"did": "closed"}'),
    (1, 'may.ling', 'manage-accounts', 'account:9', '{"did": "opened"}');
INSERT INTO audit_webhook (name, url, secret, codes, only_errors, next_leaf, created_by_id,
    paused_at)
VALUES ('on', 'https://a/', 's', '{}', true, 0, 1, NULL),
    ('off', 'https://a/', 's', '{}', true, 0, 1, now());
INSERT INTO audit_webhookdelivery (id, webhook_id, finding_count, body, state, attempt_count)
SELECT gen_random_uuid(), id, 0, '{"findings": []}', 'waiting', 0 FROM audit_webhook;
INSERT INTO axes_accessattempt (user_agent, username, http_accept, path_info, attempt_time,
    get_data, post_data, failures_since_start)
VALUES ('x', 'amy.ng', '', '/login', now(), 'next=/hands/?player=Ling', 'new=secret', 2);
"""


def rows(query: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


@pytest.fixture
def old_store(transactional_db: None) -> Iterator[None]:
    """A database of its own, as it was before."""
    name, url = f"test_closed_{os.getpid()}", os.environ["DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    here = connections["default"]
    there = here.copy()
    there.settings_dict["NAME"] = name
    connections["default"] = there
    try:
        for app, last in (("auth", None), ("axes", None), ("audit", BEFORE)):
            call_command("migrate", app, *([last] if last else []), verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute(ROWS)
        yield
    finally:
        there.close()
        connections["default"] = here
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_what_closed_accounts_had_ends_and_the_rest_stays(old_store: None) -> None:
    call_command("migrate", verbosity=0)

    grants = rows("SELECT account_id, ended_at IS NULL, ended_by_id FROM audit_grant ORDER BY 1")
    assert grants == [(1, True, None), (2, False, None), (3, True, None)]
    links = rows("SELECT created_by_id, revoked_at IS NULL FROM audit_sharelink ORDER BY 1")
    assert links == [(2, False), (3, True)]
    given = rows("SELECT account_id, how, given_by_id FROM audit_firstpassword ORDER BY id")
    assert given == [(2, "opened", 1), (3, "opened", None), (3, "reset", 1)]
    hooks = rows("SELECT name, owner_id, paused_because FROM audit_webhook ORDER BY id")
    assert hooks == [("on", 1, ""), ("off", 1, "asked")]
    assert rows("SELECT count(*) FROM audit_webhookdelivery WHERE state = 'waiting'") == [(2,)]
    kept = rows(
        "SELECT username, get_data, post_data, failures_since_start FROM axes_accessattempt"
    )
    assert kept == [("amy.ng", "", "", 2)]
