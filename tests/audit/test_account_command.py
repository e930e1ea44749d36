"""`manage.py account`: accounts and roles from the command line."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from audit.models import Grant, JournalEntry, Role


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("account", *words, stdout=out)
    return out.getvalue()


def roles_of(name: str) -> set[tuple[str, str | None]]:
    rows = Grant.objects.filter(account__username=name, ended_at=None)
    return set(rows.values_list("role", "source"))


def test_an_account_is_opened_with_its_roles_and_a_password_to_be_changed(db: Any) -> None:
    said = run(
        "open", "amy.ng", "--person", "Amy Ng", "--role", "auditor", "--role", "support",
        "--source", "house",
    )  # fmt: skip
    (password,) = re.findall(r"the password ([\w-]{16}) ", said)
    user = User.objects.get(username="amy.ng")
    assert user.check_password(password)
    assert (user.staff.full_name, user.staff.must_change) == ("Amy Ng", True)
    assert roles_of("amy.ng") == {("auditor", "house"), ("support", "house")}
    assert set(JournalEntry.objects.values_list("actor", flat=True)) == {"tilecourt"}


def test_roles_are_given_and_taken(db: Any) -> None:
    run("open", "may.ling", "--all-roles")
    assert roles_of("may.ling") == {(role.value, None) for role in Role}
    run("open", "amy.ng")
    run("grant", "amy.ng", "investigator", "--source", "hall")
    assert roles_of("amy.ng") == {("investigator", "hall")}
    with pytest.raises(CommandError, match="does not hold investigator in every source"):
        run("end", "amy.ng", "investigator")
    run("end", "amy.ng", "investigator", "--source", "hall")
    assert roles_of("amy.ng") == set()
    assert run("list").splitlines()[0] == "amy.ng: no role"


def test_an_account_is_closed_opened_again_and_reset(db: Any) -> None:
    run("open", "may.ling", "--all-roles")
    run("open", "amy.ng")
    run("close", "amy.ng")
    assert "amy.ng (closed): no role" in run("list")
    first, second = (re.findall(r"password ([\w-]{16}) ", run(act, "amy.ng"))[0]
                     for act in ("reopen", "reset"))  # fmt: skip
    user = User.objects.get(username="amy.ng")
    assert (user.check_password(first), user.check_password(second)) == (False, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("close", "nobody"), "There is no account nobody."),
        (("open", "may.ling"), "There is an account of this name already."),
        (("close", "may.ling"), "This is the last account that manages accounts."),
        (("remove-second-step", "may.ling"), "may.ling has no second step."),
        (("grant", "may.ling", "auditor"), "The account has this role there already."),
    ],
)
def test_what_cannot_be_done_is_said(db: Any, words: tuple[str, ...], sentence: str) -> None:
    run("open", "may.ling", "--all-roles")
    with pytest.raises(CommandError) as refused:
        run(*words)
    assert str(refused.value) == sentence


def test_a_pause_is_ended(client: Any, db: Any) -> None:
    run("open", "may.ling", "--all-roles")
    for _ in range(3):
        answer = client.post("/login", {"username": "may.ling", "password": "wrong"})
    assert answer.status_code == 429
    run("unlock", "may.ling")
    answer = client.post("/login", {"username": "may.ling", "password": "wrong"})
    assert answer.status_code == 200
