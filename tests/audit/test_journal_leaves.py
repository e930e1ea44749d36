"""The journal, the attempts to sign in and the reviews in the log: what is altered behind the
application's back is named."""

from __future__ import annotations

from typing import Any

import pytest

from audit.models import JournalEntry, LeafKind, Review, ReviewKind, Role, SignIn
from audit.selectors.access import EVERYTHING, Act, access_of
from audit.services.granting import grant_role
from audit.services.journal import record
from audit.services.reviews import record_review
from audit.services.sealing import seal
from tests.audit.seals import check_log, leaf_kinds
from tests.audit.test_verifying import own_places, tamper, verify  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db

OURS = {
    LeafKind.JOURNAL: JournalEntry,
    LeafKind.SIGN_IN: SignIn,
    LeafKind.REVIEW: Review,
}
ALTERED = {
    LeafKind.JOURNAL: (
        "actor = 'somebody else'", "subject = 'GET nothing'", "player = 'Bo'", "detail = '{}'",
        "hand = 99", "address = '192.0.2.1'", "at = at + interval '1 second'",
    ),
    LeafKind.SIGN_IN: ("outcome = 'good'", "address = NULL", "name = 'nobody'"),
    LeafKind.REVIEW: ("note = 'fine'", "last = 1", "facts = '{}'"),
}  # fmt: skip


@pytest.fixture
def sealed(client: Any, django_user_model: Any) -> None:
    """Two rows of each, with their leaves."""
    user = django_user_model.objects.create_user("ines.castro", password="correct horse")
    grant_role(access=EVERYTHING, account_id=user.pk, role=Role.AUDITOR)
    access = access_of(user)
    for number in (7, 8):
        record(
            access=access, act=Act.SEE_HANDS, subject=f"hand:{number}", source="house",
            hand=number, player="Ann", detail={"asked": {"q": ["Ann"]}},
        )  # fmt: skip
        client.post("/login", {"username": "ines.castro", "password": f"wrong {number}"})
        record_review(
            access=access, kind=ReviewKind.JOURNAL, note="odd", first=1, last=number + 10,
            facts={"looked": number},
        )  # fmt: skip
    seal()
    tamper("SET CONSTRAINTS ALL IMMEDIATE")


def named(kind: LeafKind, row: int) -> list[str]:
    """What the log says of a row; that it says nothing of another."""
    status, words = verify()
    assert status == 1
    begin = f"{kind.label} {row}"
    return [line.rpartition(": ")[2] for line in words if line.startswith(begin)]


def test_each_row_is_a_leaf(sealed: None) -> None:
    found = leaf_kinds()
    assert {kind: found[kind.name] for kind in OURS} == {
        kind: model.objects.count() for kind, model in OURS.items()
    }
    assert found["SIGN_IN"] == found["REVIEW"] == 2
    check_log()
    status, words = verify()
    assert status == 0, words


@pytest.mark.parametrize(
    ("kind", "change"), [(kind, change) for kind, changes in ALTERED.items() for change in changes]
)
def test_an_altered_row_is_named(sealed: None, kind: LeafKind, change: str) -> None:
    row = OURS[kind].objects.latest("id").pk
    tamper(f"UPDATE {OURS[kind]._meta.db_table} SET {change} WHERE id = {row}")
    assert named(kind, row) == ["altered since it was sealed"]


@pytest.mark.parametrize("kind", OURS)
def test_a_deleted_row_is_named(sealed: None, kind: LeafKind) -> None:
    row = OURS[kind].objects.latest("id").pk
    tamper(f"DELETE FROM {OURS[kind]._meta.db_table} WHERE id = {row}")
    status, words = verify()
    assert status == 1
    assert [line for line in words if line.startswith(f"{kind.label} {row}: deleted")], words
