"""The words of a report that was made, told on its page in the reader's language.

A version is kept and signed as it was made, in English, and so are its files. What its sections,
columns and checks are called is known here; what a cell holds is data, and stays.
"""

from __future__ import annotations

from audit.web.language import say, told
from audit.web.stored import of_forms

FORMS = (
    say("A hand belongs to the gaming day of its table."), say("Account"), say("Accounts"),
    say("Accounts and who could come in as each, roles and who gave them, acts of two."),
    say("Act"), say("Acts of two people who may have been one"), say("Amount"),
    say("As they stand at the time of making, whatever the days."), say("At the end"),
    say("At the start"), say("At the start and moved"), say("Brought in"), say("By"),
    say("By account"), say("By day"), say("By game"), say("By gaming day"), say("By kind"),
    say("By primary finding"), say("By state"), say("By table"),
    say("By verdict, and in conflict"), say("Certificate"), say("Clean"), say("Code"),
    say("Consistent"), say("Could come in as it"), say("Counts not"), say("Currency"), say("Day"),
    say("Days and tables, hands"), say("Days and tables, rake ({currency})"),
    say("Days and tables, valid bet ({currency})"), say("Definition"), say("Detail"),
    say("Difference"), say("Discrepant"), say("Each hand has one verdict"),
    say("Each row that stands in one of the two editions alone."), say("Ended (UTC)"),
    say("Event"), say("Events"), say("Events by kind and one by one"), say("Filters"),
    say("Finding"), say("Findings"), say("Findings and hands"), say("Funds at the tables"),
    say("Game"), say("Given (UTC)"), say("Grants"), say("Grants, by account and one by one"),
    say("Hand"), say("Hands"), say("Hands by game and one by one"), say("Hands certified"),
    say("Hands listed and left out"), say("Hands stored"), say("In conflict"), say("In the sums"),
    say("In whose hands"), say("Last sign-in (UTC)"), say("Listed and left out"), say("Logged"),
    say("Lost"), say("Made"), say("Made (UTC)"), say("Made of"), say("Missing"), say("Money"),
    say("Name"), say("Names erased"), say("Net of all seats"), say("Net off"), say("Net results"),
    say("Net results, logged ({currency})"), say("Net, logged"), say("Net, recomputed"),
    say("Not known"), say("Not logged"), say("Not recomputed"), say("Now"), say("Number"),
    say("Of what"), say("One by one"), say("Opening and movements are closing ({currency})"),
    say("Operator"), say("Period"), say("Played"), say("Player or account"), say("Rake"),
    say("Rake logged"), say("Rake, taken off"), say("Recomputed"), say("Refused"), say("Report"),
    say("Role"), say("Rule"), say("Ruleset"),
    say("Seats win what the others lose, less rake ({currency})"), say("Second step"),
    say("Section"), say("Software"), say("Source"), say("Stakes not read"), say("State"),
    say("Still owed"), say("Subject"), say("Table"), say("Table-days"),
    say("Table-days by state and one by one"), say("Taken out"),
    say("The latest first. “Still owed” is recomputed less logged, negative for too much."),
    say("Then"), say("Time (UTC)"), say("Times"), say("Valid bet"), say("Valid bet logged"),
    say("Verdict"), say("Void"),
    say("Void hands and hands in conflict are counted and in no sum of money."), say("Wagered"),
    say("What"), say("What came between"), say("What changed since the edition before"),
    say("When (UTC)"), say("Where"), say("Won"),
    say(
        "By the log, in games among seats: what was carried into the first hand, changed"
        " between two hands, won and lost, and carried out of the last one."
    ),
    say(
        "Each discrepant hand with its primary finding, the latest first. “Net off” is how"
        " far the logged net results lie from the recomputed ones, over all seats or wagers."
        " A total sums up what is known. Hands in conflict are not among them: which of"
        " their records holds was not said."
    ),
    say(
        "Each table and gaming day that has a hand or a certificate, by its newest"
        " certificate, the latest first. Where stored and certified hands differ, the"
        " certificate is out of date."
    ),
    say(
        "Recomputed, but where a column says “logged”; a difference is logged less"
        " recomputed. Won and lost are net, after rake. Wagered is what losing seats paid in"
        " before rake, and at doors the stakes of all wagers."
    ),
    say(
        "Records, restatements and verdicts of hands of these days that were sealed after"
        " the edition before was made."
    ),
    say(
        "Void hands and hands in conflict are in no sum of money. A hand is in the sums"
        " when its result was logged and could be recomputed."
    ),
    say(
        "Whoever gives an account its first password, or makes a key for it, can act under"
        " its name: one of the two had been in the other's hands, or both in somebody's."
    ),
)  # fmt: skip
# Beside another, of two people; alone they would be the first and the second of hands.
_PEOPLE = {"First": say("First person"), "Second": say("Second person")}


def report_words(text: str) -> str:
    """A title or a sentence of a report; one of another version of its definition as it stands."""
    return told(_PEOPLE[text]) if text in _PEOPLE else of_forms(text, FORMS)
