"""Rulesets, their publications and what was said to be in force, as leaves of the log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from audit.models import LeafKind, Role, SealedLeaf
from audit.selectors.sealed_rows import SEALED
from audit.services.rulesets import retire_ruleset, withdraw_ruleset
from audit.services.rulesets_force import put_in_force, take_back_switch
from audit.services.sealing import seal
from tests.audit.rulesets import NAMED, access_for, add, publish, revision
from tests.audit.seals import check_log, leaf_kinds
from tests.audit.test_verifying import own_places, tamper, verify  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db

CHANGES = [
    (LeafKind.RULESET, "content = 'x'"),
    (LeafKind.RULESET, "sha256 = sha256('x')"),
    (LeafKind.RULESET, "content = 'x', sha256 = sha256('x')"),
    (LeafKind.RULESET, "author_id = author_id + 99"),
    (LeafKind.RULESET, "reason = 'x'"),
    (LeafKind.RULESET_PUBLICATION, "published_by_id = published_by_id + 99"),
    (LeafKind.RULESET_PUBLICATION, "published_at = now()"),
    (LeafKind.RULESET_PUBLICATION, "unrehearsed_reason = 'x'"),
    (LeafKind.RULESET_SWITCH, "effective_at = now()"),
    (LeafKind.RULESET_SWITCH, "ruleset = 'x@1'"),
    (LeafKind.RULESET_SWITCH, "source = 'x'"),
    (LeafKind.RULESET_SWITCH, "declared_by_id = declared_by_id + 99"),
]


@pytest.fixture
def sealed(django_user_model: Any) -> None:
    """A draft, a withdrawn one, a published and a retired one, and a switch taken back."""
    author = access_for(django_user_model, "wen.autor", Role.RULES_AUTHOR)
    approver = access_for(django_user_model, "pia.prueft", Role.RULES_APPROVER)
    key = add(author, revision(2, rake_rate='"0.07"'))
    withdraw_ruleset(access=author, revision_pk=key, reason="a typo")
    publish(author, approver)
    retired = publish(author, approver, revision(3, rake_rate='"0.08"'))
    seal()
    # What ends later is no part of what was sealed.
    retire_ruleset(access=approver, revision_pk=retired, reason="over")
    add(author, revision(4, rake_rate='"0.09"'))
    switch = put_in_force(
        access=approver, source="here", ruleset=NAMED, reason="agreed",
        effective_at=datetime(2025, 3, 1, tzinfo=UTC),
    )  # fmt: skip
    take_back_switch(access=approver, switch_pk=switch, reason="not so")
    seal()
    tamper("SET CONSTRAINTS ALL IMMEDIATE")


def test_each_is_a_leaf(sealed: None) -> None:
    found = {name: count for name, count in leaf_kinds().items() if name.startswith("RULESET")}
    assert found == {"RULESET": 4, "RULESET_PUBLICATION": 2, "RULESET_SWITCH": 2}
    check_log()
    status, words = verify()
    assert status == 0, words


@pytest.mark.parametrize(("kind", "change"), CHANGES)
def test_a_changed_one_is_named(sealed: None, kind: LeafKind, change: str) -> None:
    table = SEALED[kind].table
    row = SealedLeaf.objects.filter(kind=kind).order_by("index")[0].row
    tamper(f"UPDATE {table} SET {change} WHERE id = {row}")
    status, words = verify()
    assert status == 1
    named = [line for line in words if line.startswith(f"{kind.label} {row} ")]
    assert [line.rpartition(": ")[2] for line in named] == ["altered since it was sealed"], words


@pytest.mark.parametrize("kind", [LeafKind.RULESET, LeafKind.RULESET_SWITCH])
def test_a_deleted_one_is_named(sealed: None, kind: LeafKind) -> None:
    table = SEALED[kind].table
    (row,) = tamper(f"DELETE FROM {table} WHERE id = (SELECT min(id) FROM {table}) RETURNING id")
    status, words = verify()
    assert status == 1
    assert [line for line in words if line.startswith(f"{kind.label} {row[0]}: deleted")], words


def test_one_that_is_published_behind_the_back_is_named(sealed: None) -> None:
    (row,) = tamper(
        "UPDATE audit_rulesetrevision SET state = 'published', publication = 9,"
        " published_by_id = author_id + 1, published_at = now(), publish_reason = 'x',"
        " unrehearsed_reason = 'y' WHERE state = 'draft' RETURNING id"
    )
    status, words = verify()
    assert status == 1
    kind = LeafKind.RULESET_PUBLICATION
    named = [line for line in words if line.startswith(f"{kind.label} {row[0]} ")]
    assert [line.rpartition(": ")[2] for line in named] == [
        "added behind the application's back"
    ], words
