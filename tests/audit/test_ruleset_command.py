"""`manage.py ruleset`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audit.models import Reaudit, Role
from audit.selectors.rulesets import current_rulesets
from tests.audit.logs import log
from tests.audit.reauditing import many, run
from tests.audit.rulesets import NAMED, OTHER, access_for, revision

NO_DECIMAL = "must be a decimal in quotes"
WITHOUT = "published without.\n"


@pytest.fixture
def people(db: Any, django_user_model: Any) -> None:
    access_for(django_user_model, "wen.autor", Role.RULES_AUTHOR)
    access_for(django_user_model, "pia.prueft", Role.RULES_APPROVER)


@pytest.fixture
def said(capsys: Any) -> Any:
    """Run the command; gives its exit status, and what it wrote to both outputs."""

    def do(*arguments: str) -> tuple[int, str, str]:
        status = 0
        try:
            call_command("ruleset", *arguments)
        except SystemExit as ended:
            status = int(ended.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return do


def test_the_whole_way(people: None, said: Any, tmp_path: Path, ingest: Any) -> None:
    ingest(log(*many(3)))
    file = tmp_path / "next.toml"
    file.write_bytes(revision(rake_rate='"0.06"'))
    author = ("--by", "wen.autor", "--reason", "rake goes up")
    approver = ("--by", "pia.prueft", "--reason", "agreed")
    status, out, _ = said("check", str(file))
    assert status == 0
    assert "  rake_rate (PG-31): 0.05 → 0.06\n" in out
    assert said("add", str(file), *author)[0] == 0
    status, _, err = said("approve", OTHER, *approver)
    assert (status, err) == (
        1,
        f"{OTHER} was not rehearsed with these bytes: rehearse it, or say why it is {WITHOUT}",
    )
    assert said("rehearse", OTHER, "--newest", "2", *author)[0] == 0
    assert run(Reaudit.objects.get().pk).rehearsed_count == 2
    status, _, err = said("approve", OTHER, *author)
    assert (status, "has no role that may do this" in err) == (1, True)
    status, _, err = said("approve", OTHER, *approver)
    assert (status, "was rehearsed on 2 of 3 hands, where 3 are wanted" in err) == (1, True)
    assert said("rehearse", OTHER, "--newest", "3", *author)[0] == 0
    assert run(Reaudit.objects.latest("pk").pk).rehearsed_count == 3
    assert said("approve", OTHER, *approver) == (0, f"{OTHER} is published (number 1).\n", "")
    assert current_rulesets().get(OTHER) is not None
    force = ("in-force", OTHER, "--source", "bs", "--from", "2026-03-01T06:00:00+08:00")
    assert said(*force, *approver)[0] == 0
    status, out, _ = said("list")
    lines = out.splitlines()
    assert (
        f"{OTHER} {current_rulesets().get(OTHER).sha256[:16]} published by wen.autor, published"
        in (" ".join(lines))
    )
    assert lines[-1] == f"bs: {OTHER} from 2026-02-28T22:00:00+00:00"
    assert said("retire", OTHER, *approver)[:2] == (0, f"{OTHER} is retired.\n")


def test_each_problem_is_a_line_with_its_place(said: Any, db: Any, tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    content = revision(rake_rate="0.06", high9='"lax"')
    file.write_bytes(content)
    lines = content.decode().split("\n")
    high, rake = lines.index('high9 = "lax"') + 1, lines.index("rake_rate = 0.06") + 1
    status, out, err = said("check", str(file))
    assert (status, out) == (1, "")
    assert err.splitlines() == [
        "This is no ruleset: 2 things are wrong with it.",
        f"{file}:{high}:1: $.options.high9 (PG-19): option high9: must be one of strict, any_seven",
        f"{file}:{rake}:1: $.options.rake_rate (PG-31): option rake_rate: {NO_DECIMAL}",
    ]


def test_what_cannot_be_is_said(people: None, said: Any, tmp_path: Path) -> None:
    who = ("--by", "pia.prueft", "--reason", "x")
    assert said("check", str(tmp_path / "none.toml"))[0] == 64
    assert said("approve", OTHER, *who)[::2] == (1, f"There is no ruleset {OTHER}.\n")
    status, _, err = said("retire", NAMED, *who)
    assert (status, err) == (1, f"{NAMED} comes out of a file of the service and stays as it is.\n")
    assert said("retire", NAMED, "--by", "nobody", "--reason", "x")[0] == 1
    wrong = said("in-force", NAMED, "--source", "bs", "--from", "March", *who)
    assert (wrong[0], "is no time with an offset" in wrong[2]) == (1, True)
