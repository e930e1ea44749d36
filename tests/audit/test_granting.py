"""Roles, grants, what they let one do, and the journal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import Error, connection, transaction

from audit.models import Grant, Hand, JournalEntry, Role
from audit.selectors.access import EVERYTHING, NOWHERE, TABLE, WHOLE_SERVICE, Access, Act, access_of
from audit.services.granting import GrantRefused, end_grant, grant_everything, grant_role
from audit.services.journal import JournalRefused, record
from tests.audit.logs import B, log


@pytest.fixture
def ines(django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("ines.castro")


def given(ines: Any, *grants: tuple[Role, str | None]) -> Access:
    for role, source in grants:
        grant_role(access=EVERYTHING, account_id=ines.pk, role=role, source=source)
    return access_of(ines)


def test_each_act_stands_in_the_table() -> None:
    assert set(TABLE) == set(Act)


def test_without_a_grant_nothing_but_ones_own_account(ines: Any) -> None:
    access = access_of(ines)

    assert [act for act in Act if access.may(act)] == [Act.OWN_ACCOUNT]
    assert {access.sources(act) for act in Act} == {NOWHERE}


def test_nobody_may_do_anything(db: Any) -> None:
    access = access_of(AnonymousUser())

    assert [act for act in Act if access.may(act)] == []


def test_a_closed_account_may_do_nothing(ines: Any) -> None:
    given(ines, (Role.AUDITOR, None))
    ines.is_active = False

    assert [act for act in Act if access_of(ines).may(act)] == []


@pytest.mark.parametrize("role", Role)
def test_a_role_may_do_what_its_column_says(ines: Any, role: Role) -> None:
    access = given(ines, (role, None))

    assert {act for act in Act if access.may(act)} == {
        Act.OWN_ACCOUNT,
        *(act for act, roles in TABLE.items() if role in roles),
    }
    assert {access.sources(act) for act in Act if act in TABLE and role in TABLE[act]} == {None}


def test_a_grant_reaches_as_far_as_its_source(ines: Any) -> None:
    access = given(ines, (Role.SUPPORT, "house"), (Role.INVESTIGATOR, "hall"))

    assert access.sources(Act.SEE_HANDS) == {"house", "hall"}
    assert access.sources(Act.WORK_CASES) == {"hall"}
    assert access.sources(Act.SEE_JOURNAL) == NOWHERE
    assert access.may_in(Act.WORK_CASES, "hall")
    assert not access.may_in(Act.WORK_CASES, "house")
    assert not access.may_in(Act.SEE_HANDS, "House")


def test_one_source_does_not_make_an_administrator_of_the_service(ines: Any) -> None:
    access = given(ines, (Role.ADMINISTRATOR, "house"))

    assert not any(access.may(act) for act in WHOLE_SERVICE)
    assert access.may(Act.UPLOAD)


def test_a_key_narrows_and_never_widens(ines: Any) -> None:
    grants = given(ines, (Role.INVESTIGATOR, "hall")).grants
    narrowed = Access(
        account_id=ines.pk,
        name="ines.castro",
        grants=grants,
        acts=frozenset({Act.SEE_HANDS, Act.SEE_JOURNAL}),
        within=frozenset({"hall", "house"}),
    )

    assert {act for act in Act if narrowed.may(act)} == {Act.SEE_HANDS}
    assert narrowed.sources(Act.SEE_HANDS) == {"hall"}


def test_a_role_that_was_taken_away_is_gone_at_once(ines: Any) -> None:
    grant = grant_role(access=EVERYTHING, account_id=ines.pk, role=Role.AUDITOR)
    end_grant(access=EVERYTHING, grant_id=grant)

    assert not access_of(ines).may(Act.SEE_HANDS)
    with pytest.raises(GrantRefused):
        end_grant(access=EVERYTHING, grant_id=grant)


def test_a_role_is_given_once(ines: Any) -> None:
    grant_role(access=EVERYTHING, account_id=ines.pk, role=Role.AUDITOR)

    with pytest.raises(GrantRefused):
        grant_role(access=EVERYTHING, account_id=ines.pk, role=Role.AUDITOR)


@pytest.fixture
def boss(django_user_model: Any) -> Access:
    """Somebody who manages accounts."""
    made = django_user_model.objects.create_user("may.ling")
    grant_role(access=EVERYTHING, account_id=made.pk, role=Role.ADMINISTRATOR)
    return replace(access_of(made), address="192.0.2.7")


def test_giving_and_taking_is_in_the_journal(ines: Any, boss: Access) -> None:
    access = boss
    grant = grant_role(access=access, account_id=ines.pk, role=Role.SUPPORT, source="house")
    end_grant(access=access, grant_id=grant)

    rows = JournalEntry.objects.order_by("id").values_list(
        "account_id", "actor", "act", "subject", "source", "detail", "address"
    )[1:]
    about = (boss.account_id, "may.ling", "manage-accounts", f"account:{ines.pk}", "house")
    assert list(rows) == [
        (*about, {"granted": "support"}, "192.0.2.7"),
        (*about, {"ended": "support"}, "192.0.2.7"),
    ]


def test_nobody_gives_roles_to_themselves(boss: Access) -> None:
    assert boss.account_id is not None
    with pytest.raises(GrantRefused, match="another administrator"):
        grant_role(access=boss, account_id=boss.account_id, role=Role.AUDITOR)


def test_the_last_that_manages_accounts_stays(ines: Any, boss: Access) -> None:
    assert boss.account_id is not None
    mine = Grant.objects.get(account_id=boss.account_id).pk
    with pytest.raises(GrantRefused, match="last account"):
        end_grant(access=boss, grant_id=mine)

    grant_role(access=boss, account_id=ines.pk, role=Role.ADMINISTRATOR)
    end_grant(access=boss, grant_id=mine)
    assert not Grant.objects.filter(account_id=boss.account_id, ended_at=None).exists()


def test_everything_is_every_role_in_every_source(ines: Any) -> None:
    grant_role(access=EVERYTHING, account_id=ines.pk, role=Role.AUDITOR)
    grant_everything(access=EVERYTHING, account_id=ines.pk)

    assert access_of(ines).grants == {(role, None) for role in Role}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_grant SET role = 'auditor'",
        "UPDATE audit_grant SET ended_at = now(), source = 'hall'",
        "DELETE FROM audit_grant",
        "TRUNCATE audit_grant",
        "UPDATE audit_journal SET actor = 'somebody else'",
        "DELETE FROM audit_journal",
        "TRUNCATE audit_journal",
    ],
)
def test_the_database_refuses_to_rewrite(ines: Any, statement: str) -> None:
    grant_role(access=EVERYTHING, account_id=ines.pk, role=Role.SUPPORT)

    with connection.cursor() as cursor:
        # A check at the end of a transaction would stand in the way of TRUNCATE.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET tilecourt.guard = 'on'")
        with pytest.raises(Error), transaction.atomic():
            cursor.execute(statement)
        cursor.execute("RESET tilecourt.guard")
    assert list(Grant.objects.values_list("role", "source", "ended_at")) == [
        ("support", None, None)
    ]
    assert JournalEntry.objects.get().actor == "tilecourt"


def test_nothing_is_written_down_without_an_actor(db: Any) -> None:
    nobody = Access(account_id=None, name="")

    with pytest.raises(JournalRefused):
        record(access=nobody, act=Act.SEE_HANDS, subject="hand:1", hand=1)
    with pytest.raises(Error), transaction.atomic():
        JournalEntry.objects.create(actor="", act="see-hands", subject="hand:1")
    assert not JournalEntry.objects.exists()


def test_what_came_from_outside_is_kept_as_far_as_it_can_be(ines: Any) -> None:
    record(
        access=Access(account_id=ines.pk, name="ines.castro"),
        act=Act.SEE_HANDS,
        subject="GET hands",
        player="p\x00" + "x" * 200,
        detail={"asked": {"q": ["\x00", "\ud800"]}},
    )

    row = JournalEntry.objects.get()
    assert row.player == "p�" + "x" * 126
    assert row.detail == {"asked": {"q": ["�", "?"]}}


def test_the_source_of_a_hand_is_found(ines: Any, ingest: Any) -> None:
    ingest(log(B))
    hand = Hand.objects.get()
    access = Access(account_id=ines.pk, name="ines.castro")
    record(access=access, act=Act.SEE_HANDS, subject=f"hand:{hand.pk}", hand=hand.pk)
    record(access=access, act=Act.SEE_HANDS, subject="hand:0", hand=0)

    rows = JournalEntry.objects.order_by("id").values_list("hand", "source")
    assert list(rows) == [(hand.pk, hand.source), (0, None)]
