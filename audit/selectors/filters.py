"""What a list of hands may be narrowed by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from django.db import connection
from django.db.models import DecimalField, ExpressionWrapper, F, Q, Value
from django.db.models.functions import Power
from django.utils import timezone

import replay
from audit.models import (
    CaseHand,
    CaseState,
    Duplicate,
    HandKind,
    HandVersion,
    Table,
    Upload,
)
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources, uploads_in
from audit.selectors.holdings import feature, with_features, with_net
from audit.selectors.months import among
from audit.selectors.pages import KEY_MAX, BadQuery
from audit.selectors.rulesets_force import list_periods, names_out_of_force

TEXT_MAX = 128
CHOICES_MAX = 500
# Hands that name a revision that was not in force at their source.
NOT_IN_FORCE = "not-in-force"
# Of more than so many choices a message names none.
CHOICES_NAMED = 12
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,14})(\.[0-9]{1,8})?", re.ASCII)
_NET = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,8})?", re.ASCII)
SEATS = 4
TILES = tuple(kind.code for kind in replay.KINDS)
# What an address says of a place, and what the core calls it.
PLACE_OF: Mapping[str, str] = {place.removeprefix("seat-"): place for place in replay.PLACES}
_EXACT: DecimalField[Decimal, Decimal] = DecimalField(max_digits=60, decimal_places=8)
# A day of the log, in whatever offset, lies within this of the same day in UTC.
OFFSET_MAX = timedelta(hours=24)
# Since how many days a hand stands in an open case: from the first number to below the second.
OPEN_DAYS: Mapping[str, tuple[int, int | None]] = {
    "1": (0, None),
    "0-1": (0, 1),
    "1-3": (1, 3),
    "3-7": (3, 7),
    "7-30": (7, 30),
    "30-": (30, None),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFilters:
    """What was asked for; None, empty or False where nothing was.

    `player` and `met` are whole names of two people who both sat in the hand, or of one. `day_from`
    and `day_to`, both included, are days in the offset of the log. `verdict` finds a hand in
    conflict by the gravest verdict of its records, and by HandKind.CONFLICT; `code` and names find
    it by any of its records. `text` is the
    beginning of a hand id or of a table, or a whole player name. `upload` finds the hands that an
    upload brought, known ones too; `is_conflict` only those with several versions in conflict,
    `rules` (NOT_IN_FORCE) those that name a revision that was not in force at their source,
    `open_days` only those that stand in an open case of the desk, for that many days (OPEN_DAYS);
    `at_risk` those with so much money at risk or more, in whole units of their currency. `tile` and
    `combination` find what lay at `place` or anywhere, `net` a logged net in whole units.
    `currency` narrows what a table, a finding or days have narrowed: by itself it finds half a
    store, and no index leads to it.
    """

    game: str = ""
    table: str = ""
    source: str = ""
    player: str = ""
    met: str = ""
    verdict: str = ""
    code: str = ""
    day_from: date | None = None
    day_to: date | None = None
    text: str = ""
    upload: int | None = None
    is_conflict: bool = False
    rules: str = ""
    open_days: str = ""
    at_risk: Decimal | None = None
    tile: str = ""
    combination: str = ""
    place: str = ""
    net: Decimal | None = None
    currency: str = ""

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> HandFilters:
        """Read `game table source player met verdict code from to q upload conflict open
        risk rules tile combination seat net currency`.

        Other keys are left alone, an empty value counts as absent. Raises: BadQuery.
        """
        filters = cls(
            game=_choice(query, "game", tuple(replay.GAMES)),
            table=_text(query, "table"),
            source=_text(query, "source"),
            player=_text(query, "player"),
            met=_text(query, "met"),
            verdict=_choice(query, "verdict", tuple(HandKind.values)),
            code=_choice(query, "code", tuple(replay.CODES)),
            day_from=_day(query, "from"),
            day_to=_day(query, "to"),
            text=_text(query, "q"),
            upload=_number(query, "upload"),
            is_conflict=_choice(query, "conflict", ("1",)) == "1",
            rules=_choice(query, "rules", (NOT_IN_FORCE,)),
            open_days=_choice(query, "open", tuple(OPEN_DAYS)),
            at_risk=_amount(query, "risk"),
            tile=_choice(query, "tile", TILES),
            combination=_choice(query, "combination", tuple(replay.COMBINATION_OF)),
            place=_choice(query, "seat", tuple(PLACE_OF)),
            net=_net(query, "net"),
            currency=_text(query, "currency"),
        )
        if filters.day_from and filters.day_to and filters.day_to < filters.day_from:
            raise BadQuery(replay.say("The last day lies before the first."))
        if filters.met and filters.met == filters.player:
            raise BadQuery(replay.say("Nobody meets themselves: name two players."))
        days = filters.day_from and filters.day_to
        if filters.currency and not (filters.table or filters.code or days):
            raise BadQuery(
                replay.say("A currency goes with a table, a finding, or a first and a last day.")
            )
        return filters

    def condition(self, *, sources: Sources) -> Q:
        """The same for the database, within the sources that may be seen."""
        wanted = in_sources(sources)
        if not self.text:
            # Another hand stands for it; who knows its name finds it, and is led on there.
            wanted &= Q(is_replaced=False)
        wanted &= self._named()
        if named := [name for name in (self.player, self.met) if name]:
            wanted &= Q(players__contains=named)
        if self.code:
            wanted &= Q(finding_codes__contains=[self.code])
        if self.text:
            wanted &= (
                Q(hand_id__startswith=self.text)
                | Q(table__startswith=self.text)
                | Q(players__contains=[self.text])
            )
        if self.upload is not None:
            wanted &= _in_upload(self.upload, sources)
        if self.rules:
            wanted &= names_out_of_force(list_periods(sources=sources))
        if self.open_days:
            wanted &= _in_open_case(*OPEN_DAYS[self.open_days])
        if self.at_risk is not None:
            wanted &= _with_risk(self.at_risk)
        wanted &= self._held()
        return wanted & self._days()

    def _named(self) -> Q:
        """What a hand has a column for; one in conflict has the gravest of its verdicts there."""
        is_kind = self.verdict == HandKind.CONFLICT
        columns = {
            "game": self.game,
            "table": self.table,
            "source": self.source,
            "currency": self.currency,
            "verdict_kind": "" if is_kind else self.verdict,
            "is_conflict": is_kind or self.is_conflict,
        }
        return Q(**{column: value for column, value in columns.items() if value})

    def _held(self) -> Q:
        """Where a tile or a combination lay, who sat there, and what a seat's net was.

        A net and a place mean the net of that seat, a tile or combination and a place what lay
        there; two of them without a place may be of different seats.
        """
        place = PLACE_OF.get(self.place)
        wanted = Q()
        features = []
        if self.tile:
            features.append(feature(place, tile=self.tile))
        if self.combination:
            features.append(feature(place, combination=self.combination))
        if place is not None and not features:
            features.append(feature(place))
        if features:
            wanted &= with_features(features)
        if self.net is not None:
            seat = replay.PLACES.index(place) if place is not None else None
            wanted &= with_net(self.net, seat if seat is None or seat < SEATS else None)
        return wanted

    def _days(self) -> Q:
        """The days asked for, and the instants around them, which the index by time can find."""
        wanted = Q()
        since, until = instants_of(self.day_from, self.day_to)
        if self.day_from is not None:
            wanted &= Q(played_on__gte=self.day_from)
        if self.day_to is not None:
            wanted &= Q(played_on__lte=self.day_to)
        if since is not None:
            wanted &= Q(played_at__gte=since)
        if until is not None:
            wanted &= Q(played_at__lt=until)
        return wanted


def instants_of(
    day_from: date | None, day_to: date | None
) -> tuple[datetime | None, datetime | None]:
    """From when to before when hands of these days were played, whatever their offsets.

    None where there is no bound, or none that the calendar holds.
    """
    since = until = None
    if day_from is not None and day_from > date.min + 2 * OFFSET_MAX:
        since = _midnight(day_from) - OFFSET_MAX
    if day_to is not None and day_to < date.max - 3 * OFFSET_MAX:
        until = _midnight(day_to) + 2 * OFFSET_MAX
    return since, until


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterChoices:
    """What a form can offer; `games`, `verdicts` and `codes` are pairs of value and title.

    `tables` are those at which hands were ever stored, `sources` those of stored hands: at most
    CHOICES_MAX each, in the order of their code points.
    """

    games: tuple[tuple[str, str], ...]
    verdicts: tuple[tuple[str, str], ...]
    codes: tuple[tuple[str, str], ...]
    tables: tuple[str, ...]
    sources: tuple[str, ...]


def filter_choices(*, sources: Sources) -> FilterChoices:
    """What the stored hands of these sources can be narrowed by."""
    return FilterChoices(
        games=tuple((game.name, game.title) for game in replay.GAMES.values()),
        verdicts=tuple((kind.value, str(kind.label)) for kind in HandKind),
        codes=tuple((code.code, code.title) for code in replay.CODES.values()),
        tables=_tables_in(sources),
        sources=_sources_in(sources),
    )


# Identities lie in one table, whatever the months of their hands, so that there is little to plan.
_SOURCES = """
WITH RECURSIVE known AS (
    (SELECT source AS name FROM audit_identity ORDER BY source LIMIT 1)
    UNION ALL
    SELECT (SELECT source FROM audit_identity WHERE source > known.name ORDER BY source LIMIT 1)
    FROM known WHERE known.name IS NOT NULL
)
SELECT name FROM known WHERE name IS NOT NULL LIMIT %s
"""
_SOURCES_OF = """
SELECT name FROM unnest(%s::text[]) AS name
WHERE EXISTS (SELECT FROM audit_identity i WHERE i.source = name COLLATE "C")
ORDER BY name COLLATE "C"
"""


def _sources_in(sources: Sources) -> tuple[str, ...]:
    """Those that have hands, by hopping from one to the next in the index."""
    with connection.cursor() as cursor:
        if sources is None:
            cursor.execute(_SOURCES, [CHOICES_MAX])
        else:
            cursor.execute(_SOURCES_OF, [sorted(sources)[:CHOICES_MAX]])
        return tuple(name for (name,) in cursor.fetchall())


def _tables_in(sources: Sources) -> tuple[str, ...]:
    names = Table.objects.filter(in_sources(sources)).order_by("name")
    return tuple(names.values_list("name", flat=True).distinct()[:CHOICES_MAX])


def _in_upload(upload: int, sources: Sources) -> Q:
    """The hands that an upload brought; none of one that may not be seen."""
    if sources is not None and not Upload.objects.filter(uploads_in(sources), pk=upload).exists():
        return Q(pk__in=[])
    brought = HandVersion.objects.filter(upload_id=upload).values("hand_id")
    repeated = Duplicate.objects.filter(upload_id=upload).values("version__hand_id")
    return among("pk", brought.union(repeated, all=True))


def _in_open_case(least: int, most: int | None) -> Q:
    """Standing in an open case since at least and less than so many days."""
    now = timezone.now()
    standing = CaseHand.objects.filter(left_at__isnull=True, case__state=CaseState.OPEN)
    if least:
        standing = standing.filter(joined_at__lte=now - timedelta(days=least))
    if most is not None:
        standing = standing.filter(joined_at__gt=now - timedelta(days=most))
    return Q(pk__in=standing.values("hand_id"))


def _with_risk(least: Decimal) -> Q:
    """Standing in a case, open or closed, with so much at risk."""
    scale = Power(Value(Decimal(10)), F("minor_digits"), output_field=_EXACT)
    standing = CaseHand.objects.filter(left_at__isnull=True).annotate(
        least=ExpressionWrapper(Value(least) * scale, output_field=_EXACT)
    )
    return Q(pk__in=standing.filter(at_risk_minor__gte=F("least")).values("hand_id"))


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _text(query: Mapping[str, str], key: str) -> str:
    value = query.get(key, "")
    if len(value) > TEXT_MAX:
        raise BadQuery(
            replay.say(
                "The filter “{key}” holds more than {text_max} characters.",
                key=key,
                text_max=TEXT_MAX,
            )
        )
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise BadQuery(
            replay.say("The filter “{key}” holds a character that no name has.", key=key)
        )
    return value


def _choice(query: Mapping[str, str], key: str, known: tuple[str, ...]) -> str:
    value = query.get(key, "")
    if value and value not in known:
        if len(known) > CHOICES_NAMED:
            raise BadQuery(
                replay.say("The filter “{key}” names nothing that is known here.", key=key)
            )
        raise BadQuery(
            replay.say("The filter “{key}” is none of {join}.", key=key, join=", ".join(known))
        )
    return value


def _day(query: Mapping[str, str], key: str) -> date | None:
    value = query.get(key, "")
    if not value:
        return None
    try:
        day = date.fromisoformat(value)
    except ValueError:
        day = None
    # fromisoformat knows more forms than a date field sends.
    if day is None or day.isoformat() != value:
        raise BadQuery(
            replay.say("The filter “{key}” is no date: write it as 2026-03-31.", key=key)
        )
    return day


def _amount(query: Mapping[str, str], key: str) -> Decimal | None:
    value = query.get(key, "")
    if not value:
        return None
    if _AMOUNT.fullmatch(value) is None:
        raise BadQuery(replay.say("The filter “{key}” is no amount: write it as 12.50.", key=key))
    return Decimal(value)


def _net(query: Mapping[str, str], key: str) -> Decimal | None:
    value = query.get(key, "")
    if not value:
        return None
    if _NET.fullmatch(value) is None:
        raise BadQuery(
            replay.say("The filter “{key}” is no amount: write it as 12.50 or -12.50.", key=key)
        )
    return Decimal(value)


def _number(query: Mapping[str, str], key: str) -> int | None:
    value = query.get(key, "")
    if not value:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) <= 19):
        raise BadQuery(replay.say("The filter “{key}” is no number.", key=key))
    if not 1 <= int(value) <= KEY_MAX:
        raise BadQuery(replay.say("The filter “{key}” is out of range.", key=key))
    return int(value)
