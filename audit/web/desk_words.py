"""The desk in words: what a relation of figures means, how long something lasts, what was done."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import replay
from audit.models import Decision
from audit.selectors.desk_queue import CaseRow, Money
from audit.web import markup
from audit.web.language import listed, phrase, phrases, say, told
from audit.web.presenters.findings import WITHOUT_RULE
from audit.web.presenters.options import OPTION_WORDS, VALUE_WORDS

# What stands between logged and expected (services.desk.causes), as the end of "the log has …".
RELATIONS = {
    "one-more": say("one smallest unit more than the rules give"),
    "one-less": say("one smallest unit less than the rules give"),
    "opposite": say("the right amount with the wrong sign"),
    "zero": say("zero where something is due"),
    "rake-left-out": say("the result before rake: the rake was left out"),
    "rake-twice": say("the result less rake twice: the rake was taken again"),
    "double": say("twice what the rules give"),
    "half": say("half of what the rules give"),
    "triple": say("three times what the rules give"),
    "fourfold": say("four times what the rules give"),
    "third": say("a third of what the rules give"),
    "quarter": say("a quarter of what the rules give"),
    "other": say("another figure, in no simple ratio to the right one"),
    "missing": say("nothing where something is due"),
    "surplus": say("something where nothing is due"),
    "kind": say("another kind of payment"),
    "collector": say("another collector"),
    "units": say("other units for the same payment"),
    "seat": say("another seat"),
    "number": say("another number"),
    "banker": say("another banker"),
    "streak": say("another length of the bank"),
}
# The same as a short formula, where there is one.
FORMULAS = {
    "one-more": say("logged − expected = +1 smallest unit"),
    "one-less": say("logged − expected = −1 smallest unit"),
    "opposite": say("logged = −expected"),
    "zero": say("logged = 0"),
    "rake-left-out": say("logged − expected = rake"),
    "rake-twice": say("expected − logged = rake"),
    "double": say("logged = 2 × expected"),
    "half": say("logged = expected ÷ 2"),
    "triple": say("logged = 3 × expected"),
    "fourfold": say("logged = 4 × expected"),
    "third": say("logged = expected ÷ 3"),
    "quarter": say("logged = expected ÷ 4"),
}
# Between two relations.
OR = say(", or ")
DECISIONS = {
    Decision.OPERATOR: (say("Operator error"), say("The room paid wrongly; remedies follow")),
    Decision.PLAYER: (say("Player right"), say("The claim stands")),
    Decision.LOG: (say("Log fault"), say("Paid rightly, logged wrongly")),
    Decision.ENGINE: (say("Engine fault"), say("Our replay is wrong; no player is accused")),
    Decision.RULE: (say("Rule unclear"), say("The rule text allows both readings")),
}


def title_of(row: CaseRow) -> str:
    """What a case is about, in a line."""
    if not row.code:
        return phrase("A player's claim")
    known = replay.CODES.get(row.code)
    return told(known.title) if known is not None else row.code


def relation_words(relation: str) -> str:
    """What the log has instead of what is due; several relations are joined by "or"."""
    return listed((RELATIONS.get(one, one) for one in relation.split("+") if one), OR)


def formulas_of(relation: str) -> tuple[str, ...]:
    return tuple(FORMULAS[one] for one in relation.split("+") if one in FORMULAS)


def option_words(label: str) -> str:
    """`pg.rake_round=half_up` as "the rounding of the rake were half up"."""
    name, _, value = label.partition("=")
    option = name.partition(".")[2]
    what = OPTION_WORDS.get(option, option.replace("_", " "))
    return phrase(
        "{what} were {value}",
        what=what,
        value=VALUE_WORDS.get((option, value), value.replace("_", " ")),
    )


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
    if seconds >= 86_400:
        return phrases("{count} day", "{count} days", seconds // 86_400)
    if seconds >= 3_600:
        return phrases("{count} hour", "{count} hours", seconds // 3_600)
    if seconds >= 60:
        return phrases("{count} minute", "{count} minutes", seconds // 60)
    return phrase("less than a minute")


def due_words(due: datetime, now: datetime) -> str:
    if due >= now:
        return phrase("due in {span}", span=span_words(due - now))
    return phrase("overdue by {span}", span=span_words(now - due))
