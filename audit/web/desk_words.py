"""The desk in words: what a relation of figures means, how long something lasts, what was done."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import replay
from audit.models import Decision
from audit.selectors.desk_queue import CaseRow, Money
from audit.web import markup
from audit.web.presenters.findings import WITHOUT_RULE
from audit.web.presenters.options import OPTION_WORDS, VALUE_WORDS

# What stands between logged and expected (services.desk.causes), as the end of "the log has …".
RELATIONS = {
    "one-more": "one smallest unit more than the rules give",
    "one-less": "one smallest unit less than the rules give",
    "opposite": "the right amount with the wrong sign",
    "zero": "zero where something is due",
    "rake-left-out": "the result before rake: the rake was left out",
    "rake-twice": "the result less rake twice: the rake was taken again",
    "double": "twice what the rules give",
    "half": "half of what the rules give",
    "triple": "three times what the rules give",
    "fourfold": "four times what the rules give",
    "third": "a third of what the rules give",
    "quarter": "a quarter of what the rules give",
    "other": "another figure, in no simple ratio to the right one",
    "missing": "nothing where something is due",
    "surplus": "something where nothing is due",
    "kind": "another kind of payment",
    "collector": "another collector",
    "units": "other units for the same payment",
    "seat": "another seat",
    "number": "another number",
    "banker": "another banker",
    "streak": "another length of the bank",
}
# The same as a short formula, where there is one.
FORMULAS = {
    "one-more": "logged − expected = +1 smallest unit",
    "one-less": "logged − expected = −1 smallest unit",
    "opposite": "logged = −expected",
    "zero": "logged = 0",
    "rake-left-out": "logged − expected = rake",
    "rake-twice": "expected − logged = rake",
    "double": "logged = 2 × expected",
    "half": "logged = expected ÷ 2",
    "triple": "logged = 3 × expected",
    "fourfold": "logged = 4 × expected",
    "third": "logged = expected ÷ 3",
    "quarter": "logged = expected ÷ 4",
}
DECISIONS = {
    Decision.OPERATOR: ("Operator error", "The room paid wrongly; remedies follow"),
    Decision.PLAYER: ("Player right", "The claim stands"),
    Decision.LOG: ("Log fault", "Paid rightly, logged wrongly"),
    Decision.ENGINE: ("Engine fault", "Our replay is wrong; no player is accused"),
    Decision.RULE: ("Rule unclear", "The rule text allows both readings"),
}


def title_of(row: CaseRow) -> str:
    """What a case is about, in a line."""
    if not row.code:
        return "A player's claim"
    known = replay.CODES.get(row.code)
    return known.title if known is not None else row.code


def relation_words(relation: str) -> str:
    """What the log has instead of what is due; several relations are joined by "or"."""
    return ", or ".join(RELATIONS.get(one, one) for one in relation.split("+") if one)


def formulas_of(relation: str) -> tuple[str, ...]:
    return tuple(FORMULAS[one] for one in relation.split("+") if one in FORMULAS)


def option_words(label: str) -> str:
    """`pg.rake_round=half_up` as "the rounding of the rake were half up"."""
    name, _, value = label.partition("=")
    option = name.partition(".")[2]
    what = OPTION_WORDS.get(option, option.replace("_", " "))
    return f"{what} were {VALUE_WORDS.get((option, value), value.replace('_', ' '))}"


def because_of(row: CaseRow) -> str | None:
    """The rule behind the first wrong finding, in a sentence."""
    rule = markup.rule_of(row.rule or None)
    return rule.sentence if rule is not None else WITHOUT_RULE.get(row.code)


def money_words(money: Sequence[Money]) -> str:
    """ "CNY 5.00, HKD 1.00"; a dash where there is none."""
    return ", ".join(f"{one.currency} {markup.minus(one.text)}" for one in money) or "–"


def signed(units: int, digits: int) -> str:
    return ("+" if units > 0 else "") + markup.minus(replay.format_minor(units, digits))


def span_words(span: timedelta) -> str:
    """ "3 days", "5 hours", "20 minutes": whole units, cut and not rounded."""
    seconds = max(0, int(span.total_seconds()))
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {word}{'' if count == 1 else 's'}"
    return "less than a minute"


def due_words(due: datetime, now: datetime) -> str:
    if due >= now:
        return f"due in {span_words(due - now)}"
    return f"overdue by {span_words(now - due)}"
