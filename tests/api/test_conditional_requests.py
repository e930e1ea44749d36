"""What has a version is not sent again to whoever has it: at every address that says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.api.docs import description
from tests.access import trusted
from tests.api.conftest import Send
from tests.web.operators import operator_of

# What does not come from an operator's share of the store.
COMMON = {"ruleset": "banker-pai-gow/bs-2022", "revision": 1, "form": "csv"}
# An address that is for people, and so stands in no description of itself.
SCHEMA = "/api/schema/"


@pytest.fixture
def keys(
    account: Any, django_user_model: Any, settings: Any, tmp_path: Path
) -> dict[str, str | int]:
    """Something of everything in the store, by what stands for it in an address."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    second = trusted(django_user_model.objects.create_user("tom.reyes"))
    found = operator_of("south", first=account, second=second).keys
    # The number of a record within its hand.
    return {**COMMON, **found, "version": 1}


def versioned_addresses() -> list[str]:
    return [
        path
        for path, methods in description()["paths"].items()
        if "304" in methods.get("get", {}).get("responses", {})
    ]


def test_each_answer_with_a_version_is_not_sent_twice(keys: dict[str, Any], ask: Send) -> None:
    addresses = [path.format(**keys) for path in versioned_addresses()]
    assert len(addresses) > 15
    for address in [*addresses, SCHEMA]:
        first = ask(address)
        assert first.status_code == 200, address
        again = ask(address, If_None_Match=first["ETag"])
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        for shown, status in ((first["ETag"], 200), ('"another"', 412)):
            assert ask(address, If_Match=shown).status_code == status, (address, shown)
        for date in ("Sat, 01 Jan 2000 00:00:00 GMT", "Sat, 01 Jan 2050 00:00:00 GMT"):
            dated = ask(address, If_Unmodified_Since=date, If_Modified_Since=date)
            assert (dated.status_code, dated.content) == (200, first.content), (address, date)
        other = ask(address, If_None_Match='"another"')
        assert (other.status_code, other.content) == (200, first.content), address
