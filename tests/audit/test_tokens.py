"""Tokens of the API: shown once, kept as a hash, good for a while."""

from __future__ import annotations

import hashlib
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from audit import services
from audit.models import ApiToken


@pytest.fixture
def account(django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("feed")


def acted_for(token: str) -> Any:
    """The account for which a token is good; None where it is good for nothing."""
    used = services.use_token(token)
    return None if used is None else used.account


def test_only_the_hash_and_the_beginning_are_kept(account: Any) -> None:
    made = services.create_token(name="night", days=30)
    kept = ApiToken.objects.get()
    assert re.fullmatch(r"tc_[\w-]{43}", made.token)
    assert bytes(kept.sha256) == hashlib.sha256(made.token.encode()).digest()
    assert kept.prefix == made.prefix == made.token[:9]
    assert made.token not in {str(value) for value in vars(kept).values()}
    assert kept.account == account
    assert abs(kept.expires_at - timezone.now() - timedelta(days=30)) < timedelta(minutes=1)


def test_a_token_opens_until_it_expires_or_is_revoked(account: Any) -> None:
    made = services.create_token(name="night", days=1)
    assert acted_for(made.token) == account
    assert services.use_token(made.token[:-1]) is None
    assert services.use_token("") is None
    now = timezone.now()
    ApiToken.objects.update(expires_at=now)
    assert services.use_token(made.token) is None
    ApiToken.objects.update(expires_at=now + timedelta(minutes=1))
    assert acted_for(made.token) == account
    services.revoke_token(name="night")
    assert services.use_token(made.token) is None


def test_the_last_use_is_kept_to_a_minute(account: Any, django_assert_num_queries: Any) -> None:
    made = services.create_token(name="night", days=1)
    with django_assert_num_queries(2):
        services.use_token(made.token)
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    with django_assert_num_queries(1):
        services.use_token(made.token)
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    services.use_token(made.token)
    assert ApiToken.objects.get().last_used_at > first


def test_a_name_is_free_again_when_its_token_is_revoked(account: Any) -> None:
    services.create_token(name="night", days=1)
    with pytest.raises(services.TokenRefused, match="revoke it first"):
        services.create_token(name="night", days=1)
    services.revoke_token(name="night")
    with pytest.raises(services.TokenRefused, match="No token named night is in use"):
        services.revoke_token(name="night")
    services.create_token(name="night", days=1)
    assert ApiToken.objects.count() == 2


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"days": 0}, "A token is good for 1 to 3650 days."),
        ({"days": 3651}, "A token is good for 1 to 3650 days."),
        ({"name": ""}, "The name of a token has 1 to 100 characters."),
        ({"account": "nobody"}, "There is no active account nobody."),
    ],
)
def test_what_cannot_be_made_is_told(account: Any, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(services.TokenRefused) as refused:
        services.create_token(**{"name": "night", "days": 1, **given})
    assert str(refused.value) == sentence


def test_among_several_accounts_one_is_named(account: Any, django_user_model: Any) -> None:
    other = django_user_model.objects.create_user("other")
    with pytest.raises(services.TokenRefused, match="with --account"):
        services.create_token(name="night", days=1)
    made = services.create_token(name="night", days=1, account="other")
    assert acted_for(made.token) == other


def test_the_command_prints_it_once_alone_on_standard_output(account: Any) -> None:
    out, err = io.StringIO(), io.StringIO()
    call_command("api_token", "night", "--days", "7", stdout=out, stderr=err)
    assert acted_for(out.getvalue().strip()) == account
    assert "acts for feed until" in err.getvalue()
    assert out.getvalue().strip() not in err.getvalue()
    call_command("api_token", "night", "--revoke", stdout=out, stderr=err)
    assert ApiToken.objects.get().revoked_at is not None
    with pytest.raises(CommandError, match="No token named night"):
        call_command("api_token", "night", "--revoke")
