"""A ruleset tried on stored hands before it is published, and what waits for it judged afterwards.

Both are re-audits (services.reauditing): with progress, to be stopped and resumed. A rehearsal
never becomes current, so a draft may be rehearsed that no hand is judged by.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User

from audit.models import RefusedLines
from audit.selectors.access import Access, Act
from audit.selectors.reaudits_scope import ANY_REVISION
from audit.selectors.rulesets import current_rulesets, rehearsable_ruleset
from audit.services.journal import record
from audit.services.reauditing import open_reaudit
from audit.services.rulesets import RulesetRefused, actor_of, reason_of
from replay import say

NEWEST = 1_000


def rehearse_ruleset(
    *,
    access: Access,
    name: str,
    reason: str,
    sha256: str | None = None,
    newest: int | None = NEWEST,
    query: Mapping[str, str] | None = None,
    is_whole_game: bool = False,
) -> int:
    """Judge the `newest` hands under this ruleset beside their verdicts; gives the re-audit.

    The hands are those that name any revision of its id, or `is_whole_game` all of its game; so is
    a ruleset whose id is new. `sha256`, where given, are the bytes that are meant. `query` narrows
    them as the hands list does.
    Raises: RulesetRefused, ReauditRefused; BadQuery for a malformed filter.
    """
    who = actor_of(access, Act.REHEARSE_RULESETS)
    ruleset = rehearsable_ruleset(name)
    if ruleset is None or sha256 not in (None, ruleset.sha256):
        raise RulesetRefused(say("There is no ruleset {name} that could be rehearsed.", name=name))
    is_new = all(one.id != ruleset.id for one in current_rulesets())
    reaudit = open_reaudit(
        user=User.objects.get(pk=who),
        sources=access.sources(Act.REHEARSE_RULESETS),
        reason=reason_of(reason),
        query=dict(query or {}),
        named="" if is_whole_game or is_new else ruleset.id + ANY_REVISION,
        ruleset=name,
        newest=newest,
    )
    record(
        access=access,
        act=Act.REHEARSE_RULESETS,
        subject=f"ruleset:{name}",
        detail={"reaudit": reaudit, "sha256": ruleset.sha256},
    )
    return reaudit


def judge_waiting(*, access: Access, name: str) -> int:
    """Judge the refused lines again that wait for a ruleset, now that it is published; gives the
    re-audit, which takes in what waits for others, too. Raises: RulesetRefused, ReauditRefused."""
    who = actor_of(access, Act.APPROVE_RULESETS)
    if current_rulesets().get(name) is None:
        raise RulesetRefused(say("{name} is not published.", name=name))
    reaudit = open_reaudit(
        user=User.objects.get(pk=who),
        sources=access.sources(Act.APPROVE_RULESETS),
        reason=f"{name} was published.",
        query={},
        refused_lines=RefusedLines.WAITING,
    )
    record(
        access=access,
        act=Act.APPROVE_RULESETS,
        subject=f"ruleset:{name}",
        detail={"reaudit": reaudit},
    )
    return reaudit
