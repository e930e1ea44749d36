"""The pages of certificates, runs and day rules: what templates print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

import replay
from audit.models import Numbering, VerdictKind
from audit.selectors.certificates import CertificateDetail, CertificateRow, RunRow
from audit.selectors.certificates_days import Rule, Rules, zone_names
from audit.selectors.pages import Page
from audit.web.language import phrase, phrases, say
from audit.web.markup import grouped
from audit.web.presenters.hands import day_words
from audit.web.stored import stored

FILTERS = ("source", "table", "from", "to", "state", "all")
CHANGES_SHOWN = 100
VALUE_MAX = 160
ROWS_SHOWN = 200
NOTHING = "–"
MONEY = (
    "valid_bet", "valid_bet_logged", "valid_bet_difference", "rake", "rake_logged",
    "rake_difference", "net_difference",
)  # fmt: skip
REASONS = {
    "numbers-missing": say("Numbers are missing in the sequence of hand ids."),
    "numbers-unreadable": say(
        "The hand ids should be numbered, but no common form was found in them."
    ),
    "round-hands-missing": say("Rounds came in with only one of their two hands."),
    "conflicts": say(
        "Under one id came records of different meaning, and nobody said which one holds."
    ),
    "refused": say("Lines of this table and day were refused, and no hand of their id is stored."),
    "refused-table-not-known": say(
        "Uploads of this day had lines refused that name no table; they may belong here."
    ),
    "refused-not-looked-at": say("Refused lines of an upload were not looked through yet."),
    "upload-open": say("An upload that brought hands of this day is still being audited."),
    "comparing": say("Hands of this day are still to be compared with the ones before them."),
}
BASES = {
    "numbered": say("The hand ids are numbered, as the rule of this table says."),
    "detected": say("The hand ids look numbered: they share one form, and most numbers are hands."),
    "none": say("Not checked: by the rule of this table its ids have no sequence."),
    "no-form": say("Not checked: the hand ids share no form with a number in it."),
    "too-few": say("Not checked: too few hands to tell whether their ids are numbered."),
    "too-sparse": say("Not checked: the numbers lie too far apart to be a sequence."),
}
WHERE = {
    "inside": say("within the day"),
    "before": say("before the first hand: of this day or an earlier one"),
    "after": say("after the last hand: of this day or a later one"),
}
STANDINGS = {"holds": say("Holds"), "outdated": say("Changed since"), "replaced": say("Replaced")}


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateLine:
    """One certificate of a list."""

    row: CertificateRow
    day: str
    standing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A list of a certificate: `cells` by row under `heads`; `more` were not listed."""

    key: str
    title: str
    about: str
    count: int
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int


def present_list(
    page: Page[CertificateRow], query: Mapping[str, str], runs: Sequence[RunRow]
) -> dict[str, Any]:
    """The list with its filters, and the runs that are not done."""
    asked = {key: query[key] for key in FILTERS if query.get(key)}

    def address(cursor: str | None) -> str | None:
        return None if cursor is None else "?" + urlencode({**asked, "cursor": cursor})

    return {
        "lines": [
            CertificateLine(row=row, day=day_words(row.day), standing=STANDINGS[row.standing])
            for row in page.rows
        ],
        "newer": address(page.previous_cursor),
        "older": address(page.next_cursor),
        "asked": asked,
        "csv": reverse("certificates-csv") + ("?" + urlencode(asked) if asked else ""),
        "runs": [(run, day_words(run.day)) for run in runs],
        "states": [
            {
                "title": title,
                "url": "?" + urlencode({**{k: v for k, v in asked.items() if k != "state"},
                                        **({"state": value} if value else {})}),
                "is_current": asked.get("state", "") == value,
            }
            for value, title in (("", phrase("All")), ("incomplete", phrase("Not complete")),
                                 ("complete", phrase("Complete")))
        ],
    }  # fmt: skip


def present_run(run: RunRow) -> dict[str, Any]:
    """One run as it stands now."""
    return {
        "run": run,
        "day": day_words(run.day),
        "words": _run_words(run),
        "poll_url": reverse("certificate-run-progress", args=(run.pk,)),
        "list_url": reverse("certificates") + "?" + urlencode(
            {"from": run.day.isoformat(), "to": run.day.isoformat()}
        ),
    }  # fmt: skip


def _run_words(run: RunRow) -> str:
    looked = phrase("{looked} of {tables} tables looked at", looked=run.looked, tables=run.tables)
    if run.state == "done":
        made = phrase("{made} certificates made, {same} still hold", made=run.made, same=run.same)
        return phrase(
            "Done: {made}, {empty} tables without a hand or a refused line that day.",
            made=made,
            empty=run.empty,
        )
    return phrase("Stopped: {looked}.", looked=looked) if run.state == "stopped" else f"{looked}."


def present_rules(rules: Rules, tables: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The day rules in force, the widest first, and what a form can offer."""
    return {
        "rules": [_rule_line(rules.by_place[place]) for place in sorted(rules.by_place)],
        "zones": zone_names(),
        "sources": sorted({source for source, _ in tables}),
        "tables": tables,
        "numberings": [(one.value, str(one.label)) for one in Numbering],
        "titles": {one.value: str(one.label) for one in Numbering},
    }


def _rule_line(rule: Rule) -> dict[str, Any]:
    titles = {one.value: str(one.label) for one in Numbering}
    return {"rule": rule, "numbering": titles[rule.numbering]}


def present_certificate(detail: CertificateDetail) -> dict[str, Any]:
    """A certificate whole, in the order of its page."""
    content, row = detail.content, detail.row
    changes = detail.changes
    return {
        "row": row,
        "day": day_words(row.day),
        "content": content,
        "rule": _rule_words(content["day_rule"]),
        "reasons": [REASONS.get(one, one) for one in content["reasons"]],
        "kinds": _kinds(content["hands"]["verdicts"], row),
        "basis": BASES.get(content["sequence"]["basis"], content["sequence"]["basis"]),
        "sections": [one for one in _sections(content) if one.count],
        "checks": _checks(content),
        "sums": _sums(content),
        "changes": None if changes is None else [
            (one.path, *(_cut(value) for value in one.values)) for one in changes[:CHANGES_SHOWN]
        ],
        "more_changes": max(0, len(changes or ()) - CHANGES_SHOWN),
        "newest": detail.newest,
        "hands_url": _hands_url(content),
    }  # fmt: skip


def _hands_url(content: Mapping[str, Any]) -> str:
    """The hands of the days of the log in which this gaming day lies."""
    day, rule = date.fromisoformat(content["day"]), content["day_rule"]
    first, last = day, day
    if rule["time_zone"] is not None and day > date.min:
        first = day - timedelta(days=1)
    if (rule["time_zone"] is not None or rule["starts_at"] != "00:00") and day < date.max:
        last = day + timedelta(days=1)
    query = {"source": content["source"], "table": content["table"],
             "from": first.isoformat(), "to": last.isoformat()}  # fmt: skip
    return f"{reverse('hands')}?{urlencode(query)}"


def _rule_words(rule: Mapping[str, Any]) -> str:
    if rule["time_zone"] is None:
        return phrase(
            "from {starts_at} in the offset logged with each hand", starts_at=rule["starts_at"]
        )
    return phrase(
        "from {starts_at}, {time_zone}", starts_at=rule["starts_at"], time_zone=rule["time_zone"]
    )


def _kinds(verdicts: Mapping[str, int], row: CertificateRow) -> list[tuple[str, int, str]]:
    titles = {kind.value: str(kind.label) for kind in VerdictKind}
    return [
        (kind, count, titles.get(kind, kind))
        for kind, count in verdicts.items()
        if count or kind in ("clean", "discrepant", "void")
    ]


def _checks(content: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each check with its count, and the section that lists what was found."""
    sequence, rounds = content["sequence"], content["rounds"]
    numbers = str(sequence["missing"]) if sequence["is_checked"] else "–"
    return [
        (phrase("Missing numbers"), numbers, "gaps"),
        (phrase("Out of order"), str(sequence["out_of_order"]["count"]), "out-of-order"),
        (phrase("Rounds with only one hand"), str(rounds["missing"]["count"]), "rounds"),
        (phrase("Rounds with a hand twice"), str(rounds["doubled"]["count"]), "doubled"),
        (phrase("Repeated lines"), str(content["repeated"]["lines"]), "repeated"),
        (phrase("Possible duplicates"), str(content["possible_duplicates"]["count"]), "twins"),
        (phrase("In conflict"), str(content["conflicts"]["count"]), "conflicts"),
        (phrase("Restated"), str(content["restated"]["count"]), "restated"),
        (phrase("Refused lines"), str(content["refused"]["count"]), "refused"),
    ]


def _sections(content: Mapping[str, Any]) -> list[Section]:
    rounds = content["rounds"]
    return [
        _section(
            "gaps",
            phrase("Missing numbers"),
            content["sequence"]["gaps"],
            (phrase("From"), phrase("To"), phrase("Numbers"), phrase("Where")),
            lambda one: (one["from"], one["to"], str(one["count"]), WHERE[one["where"]]),
            about=phrase("A number may belong to another table of the source.")
            if content["sequence"]["elsewhere"]
            else "",
        ),
        _section(
            "out-of-order",
            phrase("Out of order"),
            content["sequence"]["out_of_order"],
            (phrase("Hand"),),
            lambda one: (one,),
            about=phrase("The fewest hands without which the numbers rise in the order of play."),
        ),
        _section(
            "rounds",
            phrase("Rounds with only one hand"),
            rounds["missing"],
            (phrase("Round"), phrase("Missing"), phrase("Came in"), phrase("Game")),
            lambda one: (
                one["round"],
                phrase("hand {missing}", missing=one["missing"]),
                one["hand_id"],
                _game(one["game"]),
            ),
        ),
        _section(
            "doubled",
            phrase("Rounds with a hand twice"),
            rounds["doubled"],
            (phrase("Round"), phrase("Hand"), phrase("Came in as")),
            lambda one: (one["round"], str(one["hand"]), ", ".join(one["hand_ids"])),
        ),
        _section(
            "repeated",
            phrase("Repeated"),
            content["repeated"],
            (phrase("Hand"), phrase("Brought by")),
            lambda one: (one["hand_id"], "; ".join(map(_repeat, one["by"]))),
        ),
        _section(
            "twins",
            phrase("Possible duplicates under another id"),
            content["possible_duplicates"],
            (phrase("Hand"), phrase("Says the same as")),
            lambda one: (one["hand_id"], ", ".join(one["of"])),
        ),
        _section(
            "conflicts",
            phrase("In conflict"),
            content["conflicts"],
            (phrase("Hand"), phrase("First brought by"), phrase("Other records")),
            lambda one: (
                one["hand_id"],
                _line_of(*one["brought_by"]),
                "; ".join(_line_of(two["upload"], two["line"]) for two in one["others"]),
            ),
            about=phrase("Neither record was chosen, so neither is summed."),
        ),
        _section(
            "restated",
            phrase("Restated"),
            content["restated"],
            (phrase("Hand"), phrase("Version"), phrase("Because"), phrase("By")),
            lambda one: (
                one["hand_id"],
                phrase(
                    "{version} in place of {replaced}",
                    version=one["version"],
                    replaced=one["replaced"],
                ),
                one["reason"],
                one["announced_by"],
            ),
        ),
        _section(
            "refused",
            phrase("Refused lines"),
            content["refused"],
            (phrase("Line"), phrase("Hand"), phrase("Where and why"), phrase("Since")),
            lambda one: (
                _line_of(one["upload_id"], one["line"]),
                one["hand_id"] or "–",
                f"{one['place']} {stored(one['reason'])}",
                phrase("stored since") if one["is_known"] else phrase("no hand of its id"),
            ),
        ),
    ]


def _section(
    key: str, title: str, found: Mapping[str, Any], heads: tuple[str, ...], cells: Any,
    *, about: str = "",
) -> Section:  # fmt: skip
    rows = tuple(cells(one) for one in found["listed"][:ROWS_SHOWN])
    return Section(key=key, title=title, about=about, count=found["count"], heads=heads, rows=rows,
                   more=found["count"] - len(rows))  # fmt: skip


def _repeat(one: Mapping[str, Any]) -> str:
    words = phrases(
        "upload {upload}, {count} line",
        "upload {upload}, {count} lines",
        one["lines"],
        upload=one["upload"],
    )
    return words + (
        phrase(", {respelt} in other bytes", respelt=one["respelt"]) if one["respelt"] else ""
    )


def _line_of(upload: int, line: int) -> str:
    return phrase("upload {upload}, line {line}", upload=upload, line=line)


def _game(name: str) -> str:
    game = replay.GAMES.get(name)
    return name if game is None else game.title


def _sums(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """By currency, with and without possible duplicates where there are any."""
    without = {
        (one["currency"], one["minor_digits"]): one
        for one in content["sums_without_possible_duplicates"]
    }
    has_twins = content["possible_duplicates"]["count"] > 0
    return [
        {
            "sum": _in_words(one),
            "without": _in_words(without.get((one["currency"], one["minor_digits"]), {})),
            "has_twins": has_twins,
        }
        for one in content["sums"]
    ]


def _in_words(one: Mapping[str, Any]) -> dict[str, Any]:
    """A sum with its amounts set off by thousands, – where there is none."""
    shown = dict.fromkeys(MONEY, NOTHING) | dict(one)
    amounts = {key: shown[key] for key in MONEY}
    return shown | {
        key: NOTHING if value in (None, NOTHING) else grouped(value)
        for key, value in amounts.items()
    }


def _cut(value: str | None) -> str:
    if value is None:
        return "–"
    return value if len(value) <= VALUE_MAX else f"{value[:VALUE_MAX]}…"
