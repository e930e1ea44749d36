"""Acts of two people, one of whom had the other's account in hand: they are seen, not forbidden."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from audit import services
from audit.models import FirstPassword, RecordClass, Role, TermUnit
from audit.selectors.access import EVERYTHING, Access, access_of
from audit.selectors.second_persons import TiedAct, tied_acts
from audit.services.retention import begin_run, set_term
from audit.services.rulesets_force import put_in_force
from audit.services.staff import open_account, reset_password
from tests.access import signed_in, trusted, with_roles
from tests.audit.rulesets import OTHER, publish
from tests.web.operators import operator_of

RULES = (Role.RULES_AUTHOR, Role.RULES_APPROVER)


@pytest.fixture
def boss(django_user_model: Any) -> Access:
    """Somebody who manages accounts, and whom nobody opened the account of."""
    user = django_user_model.objects.create_user("may.ling")
    return access_of(with_roles(user, Role.ADMINISTRATOR, *RULES))


@pytest.fixture
def wen(django_user_model: Any) -> Access:
    """Somebody whose account was there before that was kept."""
    return access_of(with_roles(django_user_model.objects.create_user("wen.autor"), *RULES))


def opened(by: Access, name: str) -> Access:
    """An account that somebody opened for another."""
    open_account(access=by, name=name, full_name="")
    return access_of(with_roles(User.objects.get(username=name), *RULES))


def told(acts: tuple[TiedAct, ...] | None = None) -> list[tuple[str, ...]]:
    found = tied_acts(sources=None) if acts is None else acts
    return [(act.kind, act.first, act.second, act.tie, act.keeper, *act.ways) for act in found]


def test_two_whose_accounts_nobody_had_in_hand_are_two(boss: Access, wen: Access) -> None:
    publish(wen, boss)
    assert told() == []


def test_the_first_opened_the_seconds_account(boss: Access) -> None:
    publish(boss, opened(boss, "pia"))
    assert told() == [("ruleset", "may.ling", "pia", "first", "may.ling", "opened")]


def test_the_second_opened_the_firsts_account(boss: Access) -> None:
    publish(opened(boss, "pia"), boss)
    assert told() == [("ruleset", "pia", "may.ling", "second", "may.ling", "opened")]


def test_one_administrator_opened_both(boss: Access) -> None:
    publish(opened(boss, "pia"), opened(boss, "tom"))
    assert told() == [("ruleset", "pia", "tom", "same", "may.ling", "opened")]


def test_a_reset_and_a_key_are_as_good_as_an_opening(boss: Access, wen: Access) -> None:
    """Whoever gave a new password or made a key could come in, too."""
    assert wen.account_id is not None
    reset_password(access=boss, account_id=wen.account_id)
    services.create_token(name="mine", days=1, account="wen.autor", access=boss)
    publish(boss, wen)
    assert told() == [("ruleset", "may.ling", "wen.autor", "first", "may.ling", "key", "reset")]


def test_what_came_afterwards_ties_nobody(boss: Access, wen: Access) -> None:
    publish(boss, wen)
    assert wen.account_id is not None
    # The clock of the store stands still within a test.
    FirstPassword.objects.create(
        account_id=wen.account_id, how="reset", given_by_id=boss.account_id,
        given_at=timezone.now() + timedelta(seconds=1),
    )  # fmt: skip
    assert told() == []


def test_ones_own_key_ties_nobody(boss: Access, wen: Access) -> None:
    services.create_token(name="mine", days=1, account="wen.autor", access=wen)
    publish(boss, wen)
    assert told() == []


def test_nor_does_what_a_command_gave(boss: Access) -> None:
    publish(opened(EVERYTHING, "pia"), opened(EVERYTHING, "tom"))
    assert told() == []


def test_a_switch_a_remedy_and_a_deletion_are_acts_of_two(
    boss: Access, settings: Any, tmp_path: Any
) -> None:
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    names = ("ines", "tom")
    first, second = (trusted(User.objects.get(username=opened(boss, name).name)) for name in names)
    operator_of("south", first=first, second=second)
    publish(access_of(first), access_of(second))
    put_in_force(
        access=access_of(second), source="south", ruleset=OTHER, reason="x",
        effective_at=timezone.now() + timedelta(days=1),
    )  # fmt: skip
    set_term(
        access=access_of(first), record_class=RecordClass.ATTACHMENTS, source="south", count=30,
        unit=TermUnit.DAY, reason="agreed",
    )  # fmt: skip
    begin_run(
        access=access_of(second), record_class=RecordClass.ATTACHMENTS, source="south",
        reason="of age",
    )  # fmt: skip
    whole = {
        ("ruleset", None), ("switch", "south"), ("remedy", "south"), ("retention", "south"),
    }  # fmt: skip
    found = tied_acts(sources=None)
    assert {(act.kind.value, act.source) for act in found} == whole
    assert {(act.first, act.second, act.tie.value, act.keeper) for act in found} == {
        ("ines", "tom", "same", "may.ling")
    }
    inside = tied_acts(sources=frozenset({"south"}))
    assert {(act.kind.value, act.source) for act in inside} == whole - {("ruleset", None)}
    assert tied_acts(sources=frozenset({"house"})) == ()


def test_the_review_and_its_record_show_them(boss: Access) -> None:
    publish(boss, opened(boss, "pia"))
    browser = signed_in(User.objects.get(username="may.ling"))
    page = browser.get("/accounts/review").content.decode()
    assert "may.ling had the account of pia in hand: opened it" in page
    assert "Opened by <bdi>may.ling</bdi>" in page


def test_days_narrow_what_a_report_lists(boss: Access) -> None:
    publish(boss, opened(boss, "pia"))
    now = datetime.now(UTC)
    for since, until, count in (
        (now - timedelta(days=1), now + timedelta(days=1), 1),
        (now - timedelta(days=2), now - timedelta(days=1), 0),
        (now + timedelta(days=1), None, 0),
    ):
        assert len(tied_acts(sources=None, since=since, until=until)) == count
