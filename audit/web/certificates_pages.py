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
from audit.web.markup import grouped
from audit.web.presenters.hands import day_words

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
    "numbers-missing": "Numbers are missing in the sequence of hand ids.",
    "numbers-unreadable": "The hand ids should be numbered, but no common form was found in them.",
    "round-hands-missing": "Rounds came in with only one of their two hands.",
    "conflicts": "Under one id came records of different meaning, and nobody said which one holds.",
    "refused": "Lines of this table and day were refused, and no hand of their id is stored.",
    "refused-table-not-known": "Uploads of this day had lines refused that name no table; they may"
    " belong here.",
    "refused-not-looked-at": "Refused lines of an upload were not looked through yet.",
    "upload-open": "An upload that brought hands of this day is still being audited.",
    "comparing": "Hands of this day are still to be compared with the ones before them.",
}
BASES = {
    "numbered": "The hand ids are numbered, as the rule of this table says.",
    "detected": "The hand ids look numbered: they share one form, and most numbers are hands.",
    "none": "Not checked: by the rule of this table its ids have no sequence.",
    "no-form": "Not checked: the hand ids share no form with a number in it.",
    "too-few": "Not checked: too few hands to tell whether their ids are numbered.",
    "too-sparse": "Not checked: the numbers lie too far apart to be a sequence.",
}
WHERE = {
    "inside": "within the day",
    "before": "before the first hand: of this day or an earlier one",
    "after": "after the last hand: of this day or a later one",
}
STANDINGS = {"holds": "Holds", "outdated": "Changed since", "replaced": "Replaced"}


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
            for value, title in (("", "All"), ("incomplete", "Not complete"),
                                 ("complete", "Complete"))
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
    looked = f"{run.looked} of {run.tables} tables looked at"
    if run.state == "done":
        made = f"{run.made} certificates made, {run.same} still hold"
        return f"Done: {made}, {run.empty} tables without a hand or a refused line that day."
    return f"Stopped: {looked}." if run.state == "stopped" else f"{looked}."


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
        return f"from {rule['starts_at']} in the offset logged with each hand"
    return f"from {rule['starts_at']}, {rule['time_zone']}"


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
        ("Missing numbers", numbers, "gaps"),
        ("Out of order", str(sequence["out_of_order"]["count"]), "out-of-order"),
        ("Rounds with only one hand", str(rounds["missing"]["count"]), "rounds"),
        ("Rounds with a hand twice", str(rounds["doubled"]["count"]), "doubled"),
        ("Repeated lines", str(content["repeated"]["lines"]), "repeated"),
        ("Possible duplicates", str(content["possible_duplicates"]["count"]), "twins"),
        ("In conflict", str(content["conflicts"]["count"]), "conflicts"),
        ("Restated", str(content["restated"]["count"]), "restated"),
        ("Refused lines", str(content["refused"]["count"]), "refused"),
    ]


def _sections(content: Mapping[str, Any]) -> list[Section]:
    rounds = content["rounds"]
    return [
        _section("gaps", "Missing numbers", content["sequence"]["gaps"],
                 ("From", "To", "Numbers", "Where"),
                 lambda one: (one["from"], one["to"], str(one["count"]), WHERE[one["where"]]),
                 about="A number may belong to another table of the source."
                 if content["sequence"]["elsewhere"] else ""),
        _section("out-of-order", "Out of order", content["sequence"]["out_of_order"],
                 ("Hand",), lambda one: (one,),
                 about="The fewest hands without which the numbers rise in the order of play."),
        _section("rounds", "Rounds with only one hand", rounds["missing"],
                 ("Round", "Missing", "Came in", "Game"),
                 lambda one: (one["round"], f"hand {one['missing']}", one["hand_id"],
                              _game(one["game"]))),
        _section("doubled", "Rounds with a hand twice", rounds["doubled"],
                 ("Round", "Hand", "Came in as"),
                 lambda one: (one["round"], str(one["hand"]), ", ".join(one["hand_ids"]))),
        _section("repeated", "Repeated", content["repeated"], ("Hand", "By"),
                 lambda one: (one["hand_id"], "; ".join(map(_repeat, one["by"])))),
        _section("twins", "Possible duplicates under another id", content["possible_duplicates"],
                 ("Hand", "Says the same as"),
                 lambda one: (one["hand_id"], ", ".join(one["of"]))),
        _section("conflicts", "In conflict", content["conflicts"],
                 ("Hand", "First brought by", "Other records"),
                 lambda one: (one["hand_id"], _line_of(*one["brought_by"]),
                              "; ".join(_line_of(two["upload"], two["line"])
                                        for two in one["others"])),
                 about="Neither record was chosen, so neither is summed."),
        _section("restated", "Restated", content["restated"],
                 ("Hand", "Version", "Because", "By"),
                 lambda one: (one["hand_id"], f"{one['version']} in place of {one['replaced']}",
                              one["reason"], one["announced_by"])),
        _section("refused", "Refused lines", content["refused"],
                 ("Line", "Hand", "Where and why", "Since"),
                 lambda one: (_line_of(one["upload_id"], one["line"]), one["hand_id"] or "–",
                              f"{one['place']} {one['reason']}",
                              "stored since" if one["is_known"] else "no hand of its id")),
    ]  # fmt: skip


def _section(
    key: str, title: str, found: Mapping[str, Any], heads: tuple[str, ...], cells: Any,
    *, about: str = "",
) -> Section:  # fmt: skip
    rows = tuple(cells(one) for one in found["listed"][:ROWS_SHOWN])
    return Section(key=key, title=title, about=about, count=found["count"], heads=heads, rows=rows,
                   more=found["count"] - len(rows))  # fmt: skip


def _repeat(one: Mapping[str, Any]) -> str:
    words = f"upload {one['upload']}, {one['lines']} line{'s' if one['lines'] != 1 else ''}"
    return words + (f", {one['respelt']} in other bytes" if one["respelt"] else "")


def _line_of(upload: int, line: int) -> str:
    return f"upload {upload}, line {line}"


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
