"""What a certificate says: the content of certificate/1, made of the facts of a table's day.

The same facts give the same bytes: keys in order, no blanks, UTF-8, nothing of the moment at which
or of the person for whom it was made.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import replay
from audit.models import VerdictKind
from audit.selectors.certificates_days import Rule, Span, day_span
from audit.selectors.certificates_facts import Facts, HandFact, raw_of, read_facts
from audit.selectors.certificates_rounds import round_report
from audit.selectors.certificates_sequence import Numbers, find_sequence, numbers_known
from audit.selectors.totals_money import meaning_of
from audit.selectors.totals_sums import Sum

FORMAT = "certificate/1"
# So many entries of a list are named; its count is always exact.
LISTED_MAX = 1_000
Json = dict[str, Any]
_HOUR = re.compile(r"(.{13}):.*?(Z|[+-][0-9]{2}:[0-9]{2})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A content with what lists and the store want to know of it."""

    content: Json
    text: str
    sha256: bytes
    hands: int
    missing: int
    refused: int
    is_complete: bool


def draw_up(source: str, table: str, day: date, rule: Rule) -> Drawn:
    """Say what is known of a table's day now. Reads each of its records."""
    span = day_span(rule, day)
    facts = read_facts(source, table, span)
    content = _content(source, table, day, rule, span, facts)
    text = canonical(content)
    return Drawn(
        content=content,
        text=text,
        sha256=hashlib.sha256(text.encode()).digest(),
        hands=len(facts.hands),
        missing=content["sequence"]["missing"] + content["rounds"]["missing"]["count"],
        refused=content["refused"]["count"],
        is_complete=content["is_complete"],
    )


def canonical(content: Mapping[str, Any]) -> str:
    """The one way in which a content is written; its SHA-256 is over the UTF-8 of it."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _content(source: str, table: str, day: date, rule: Rule, span: Span, facts: Facts) -> Json:
    hands = facts.hands
    numbers = find_sequence(
        [hand.hand_id for hand in hands],
        numbering=rule.numbering,
        before=facts.before[0].hand_id if facts.before else None,
        after=facts.after[0].hand_id if facts.after else None,
        refused=[one.hand_id for one in facts.refused],
        known=numbers_known(source),
    )
    rounds = round_report(facts)
    twins = _possible_duplicates(hands)
    content = {
        "format": FORMAT,
        "source": source,
        "table": table,
        "day": day.isoformat(),
        "day_rule": _rule(rule, span),
        "engine": replay.ENGINE,
        "hands": _hands(facts, twins),
        "hours": _hours(hands, rule),
        "sequence": _sequence(numbers),
        "rounds": rounds,
        "repeated": _repeated(facts),
        "possible_duplicates": _listed(
            {"hand_id": hand.hand_id, "of": list(twins[hand.pk])}
            for hand in hands
            if hand.pk in twins
        ),
        "conflicts": _conflicts(facts),
        "restated": _listed(
            {**asdict(one), "announced_at": instant_text(one.announced_at)}
            for one in facts.restated
        ),
        "refused": _listed(asdict(one) for one in facts.refused),
        "uploads": _uploads(facts),
        "sums": _sums(hands),
        "sums_without_possible_duplicates": _sums(hand for hand in hands if hand.pk not in twins),
    }
    reasons = _reasons(facts, content, numbers, rule)
    return content | {"is_complete": not reasons, "reasons": reasons}


def _rule(rule: Rule, span: Span) -> Json:
    is_zone = span.wall is None
    return {
        "time_zone": rule.time_zone or None,
        "starts_at": rule.starts,
        "numbering": rule.numbering,
        "since": instant_text(span.since) if is_zone else None,
        "until": instant_text(span.until) if is_zone else None,
    }


def _hands(facts: Facts, twins: Mapping[int, Sequence[str]]) -> Json:
    hands = facts.hands
    kinds = Counter(hand.kind for hand in hands)
    return {
        "count": len(hands),
        "verdicts": {kind: kinds[kind] for kind in VerdictKind.values},
        "in_conflict": sum(hand.is_conflict for hand in hands),
        "possible_duplicates": len(twins),
        "first": _named(hands[0]) if hands else None,
        "last": _named(hands[-1]) if hands else None,
        "longest_pause": _longest_pause(hands),
        "sha256": _all_hands_sha256(hands),
    }


def _named(hand: HandFact) -> Json:
    return {"hand_id": hand.hand_id, "started_at": hand.started_at, "sha256": hand.sha256}


def _all_hands_sha256(hands: Sequence[HandFact]) -> str:
    """Over one line a hand in order of play: id as JSON, SHA-256 of the record, verdict."""
    summed = hashlib.sha256()
    for hand in hands:
        name = json.dumps(hand.hand_id, ensure_ascii=False)
        summed.update(f"{name} {hand.sha256} {hand.kind}\n".encode())
    return summed.hexdigest()


def _longest_pause(hands: Sequence[HandFact]) -> Json | None:
    pauses = [
        ((later.played_at - earlier.played_at), earlier, later)
        for earlier, later in pairwise(hands)
    ]
    if not pauses:
        return None
    length, earlier, later = max(pauses, key=lambda pause: pause[0])
    return {
        "seconds": int(length.total_seconds()),
        "from": earlier.hand_id,
        "to": later.hand_id,
    }


def _hours(hands: Sequence[HandFact], rule: Rule) -> list[Json]:
    """How many hands began in each hour of the table's clock that had any, in their order."""
    zone = ZoneInfo(rule.time_zone) if rule.time_zone else None
    counts = Counter(_hour(hand, zone) for hand in hands)
    return [{"hour": hour, "hands": count} for hour, count in counts.items()]


def _hour(hand: HandFact, zone: ZoneInfo | None) -> str:
    if zone is not None:
        try:
            return hand.played_at.astimezone(zone).isoformat(timespec="hours")
        except OverflowError:
            pass
    match = _HOUR.fullmatch(hand.started_at.upper())
    assert match is not None, "a stored hand has a time"
    return match[1] + (match[2] or "")


def _sequence(numbers: Numbers) -> Json:
    return {
        "basis": numbers.basis,
        "is_checked": numbers.is_checked,
        "first": numbers.first,
        "last": numbers.last,
        "missing": numbers.missing,
        "elsewhere": numbers.elsewhere,
        "gaps": _listed(
            {"from": gap.first, "to": gap.last, "count": gap.count, "where": gap.where}
            for gap in numbers.gaps
        ),
        "out_of_order": _listed(numbers.out_of_order),
    }


def _repeated(facts: Facts) -> Json:
    """Lines that brought a known hand again, by hand."""
    by_hand: dict[str, list[Json]] = {}
    for one in facts.repeats:
        entry = {"upload": one.upload_id, "lines": one.lines, "respelt": one.respelt}
        by_hand.setdefault(one.hand_id, []).append(entry)
    return {
        "lines": sum(one.lines for one in facts.repeats),
        "respelt": sum(one.respelt for one in facts.repeats),
        **_listed({"hand_id": hand_id, "by": by} for hand_id, by in by_hand.items()),
    }


def _possible_duplicates(hands: Sequence[HandFact]) -> dict[int, tuple[str, ...]]:
    """Hands that say the same as ones stored before them, but for the id; by key, with
    the ids of those."""
    at: dict[datetime, list[HandFact]] = {}
    for hand in hands:
        at.setdefault(hand.played_at, []).append(hand)
    found: dict[int, tuple[str, ...]] = {}
    for group in at.values():
        if len(group) == 1:
            continue
        raws = raw_of(hand.version_id for hand in group)
        same: dict[bytes, list[HandFact]] = {}
        for hand in sorted(group, key=lambda hand: hand.pk):
            meaning = meaning_of(raws[hand.version_id])
            earlier = same.setdefault(meaning, [])
            if earlier:
                found[hand.pk] = tuple(one.hand_id for one in earlier)
            earlier.append(hand)
    return found


def _conflicts(facts: Facts) -> Json:
    """Hands under whose identity records of other meanings came; neither was chosen. Which is told
    first, and in which order the others are, depends on what they say."""
    others: dict[str, list[Json]] = {}
    for one in facts.others:
        others.setdefault(one.hand_id, []).append(
            {"version": one.number, "sha256": one.sha256, "upload": one.upload_id, "line": one.line}
        )
    return _listed(
        {
            "hand_id": hand.hand_id,
            "brought_by": list(hand.brought),
            "others": others.get(hand.hand_id, []),
        }
        for hand in facts.hands
        if hand.is_conflict
    )


def _uploads(facts: Facts) -> list[Json]:
    """By which uploads: `brought` records that were new, `repeated` and `refused` lines."""
    brought = Counter(hand.brought[0] for hand in facts.hands)
    brought.update(one.upload_id for one in facts.others)
    repeated: Counter[int] = Counter()
    for one in facts.repeats:
        repeated[one.upload_id] += one.lines
    refused = Counter(one.upload_id for one in facts.refused)
    return [
        {
            "upload": upload.pk,
            "name": upload.name,
            "sha256": upload.sha256,
            "is_ended": upload.is_ended,
            "error": upload.error or None,
            "brought": brought[upload.pk],
            "repeated": repeated[upload.pk],
            "refused": refused[upload.pk],
            "refused_table_not_known": upload.unknown,
        }
        for upload in facts.uploads
    ]


def _sums(hands: Iterable[HandFact]) -> list[Json]:
    """By currency and its decimals. Void hands move nothing; of two records in conflict neither
    was chosen, so neither is summed."""
    sums: dict[tuple[str, int], Sum] = {}
    for hand in hands:
        if hand.money is not None and not hand.is_conflict:
            sums.setdefault((hand.currency, hand.minor_digits), Sum()).add(hand.money)
    return [sum_text(sums[key], *key) for key in sorted(sums)]


def sum_text(total: Sum, currency: str, digits: int) -> Json:
    """A sum with money as texts, each with exactly the decimals of its currency."""

    def money(units: int | None) -> str | None:
        return None if units is None else replay.format_minor(units, digits)

    rake_off = None
    if total.rake is not None and total.logged_rake is not None:
        rake_off = total.logged_rake - total.rake
    return {
        "currency": currency,
        "minor_digits": digits,
        "hands": total.hands,
        "valid_bet": money(total.valid_bet),
        "valid_bet_logged": money(total.logged_valid_bet),
        "valid_bet_difference": money(total.logged_valid_bet - total.valid_bet),
        "rake": money(total.rake),
        "rake_logged": money(total.logged_rake),
        "rake_difference": money(rake_off),
        "net_difference": money(total.net_off),
        "not_recomputed": {
            "hands": total.unsettled,
            "valid_bet_logged": money(total.unsettled_valid_bet),
            "rake_logged": money(total.unsettled_rake),
        },
        "not_logged": total.unlogged,
    }


def _reasons(facts: Facts, content: Json, numbers: Numbers, rule: Rule) -> list[str]:
    """Why a day does not count as complete; none where nothing is open."""
    uploads = facts.uploads
    is_told = rule.numbering == "numbered"
    found = {
        "numbers-missing": numbers.missing > 0,
        "numbers-unreadable": is_told and bool(facts.hands) and not numbers.is_checked,
        "round-hands-missing": content["rounds"]["missing"]["count"] > 0,
        "conflicts": content["hands"]["in_conflict"] > 0,
        "refused": any(not one.is_known for one in facts.refused),
        "refused-table-not-known": any(upload.unknown for upload in uploads),
        "refused-not-looked-at": any(upload.unknown is None for upload in uploads),
        "upload-open": any(not upload.is_ended for upload in uploads),
        "comparing": facts.is_comparing,
    }
    return [reason for reason, holds in found.items() if holds]


def _listed(entries: Iterable[Any]) -> Json:
    listed = list(entries)
    return {"count": len(listed), "listed": listed[:LISTED_MAX]}


def instant_text(instant: datetime) -> str:
    """An instant in UTC, with what it has below a second."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")
