"""Finding hands by tile, combination, place and logged net."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from django.db.models import Exists, F, OuterRef, Q, QuerySet

import replay
from audit.models import Holding, Upload
from audit.selectors.access import Sources
from audit.selectors.belonging import uploads_in

# A feature is the number of a place times this, plus what was there: nothing more than the place,
# a tile, or a combination.
_WIDTH = 128
_TILES_FROM = 1
_COMBINATIONS_FROM = 32
_ANYWHERE = 15
_KINDS = {kind.code: kind.index for kind in replay.KINDS}
_COMBINATIONS = {one.code: number for number, one in enumerate(replay.COMBINATIONS)}
_PLACES = {name: number for number, name in enumerate(replay.PLACES)}
DIGITS_MAX = 8


def feature(place: str | None, *, tile: str = "", combination: str = "") -> int:
    """The number of a tile or of a combination at a place, None for anywhere; of the place alone
    where neither is named. The names are `replay.KINDS`', `COMBINATIONS`' and `PLACES`'."""
    start = (_ANYWHERE if place is None else _PLACES[place]) * _WIDTH
    if tile:
        return start + _TILES_FROM + _KINDS[tile]
    if combination:
        return start + _COMBINATIONS_FROM + _COMBINATIONS[combination]
    return start


def features_of(held: Iterable[replay.Held]) -> list[int]:
    """All features of a hand, each once, in rising order."""
    found = set()
    for one in held:
        found.add(feature(one.place))
        for place in (None, one.place):
            found |= {feature(place, tile=replay.KINDS[kind].code) for kind in one.tiles}
            found |= {feature(place, combination=code) for code in one.combinations}
    return sorted(found)


def with_features(wanted: Iterable[int]) -> Q:
    """Hands whose current record has all of these features."""
    rows = Holding.objects.filter(version_id=OuterRef("version_id"), features__contains=[*wanted])
    return Q(Exists(rows))


def with_net(net: Decimal, seat: int | None) -> Q:
    """Hands in which somebody's logged net is exactly this, or that of a seat.

    `net` is in whole units of the hand's currency, whose digits the hand has.
    """
    by_units: dict[int, list[int]] = {}
    for digits in range(DIGITS_MAX + 1):
        exact = net.scaleb(digits)
        if exact == exact.to_integral_value():
            by_units.setdefault(int(exact), []).append(digits)
    found = Q(pk__in=[])
    for units, digits_of in by_units.items():
        rows = Holding.objects.filter(version_id=OuterRef("version_id"), nets__contains=[units])
        if seat is not None:
            rows = rows.filter(**{f"nets__{seat}": units}).filter(
                features__contains=[feature(f"seat-{seat}")]
            )
        found |= Q(Exists(rows), minor_digits__in=digits_of)
    return found


def unsearched(*, sources: Sources) -> QuerySet[Upload]:
    """Uploads that have ended with hands that cannot be found by this yet, the oldest first."""
    ended = Upload.objects.filter(
        uploads_in(sources), finished_at__isnull=False, searched__isnull=True
    )
    counted = ended.annotate(hands=F("clean_count") + F("discrepant_count") + F("void_count"))
    return counted.filter(hands__gt=0).order_by("pk")
