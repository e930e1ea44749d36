"""The sequence in the hand ids of a table's day: where numbers are missing or out of order.

A hand-log carries no sequence number, but many feeds number their ids. Ids are taken as numbered
when all of a day share what stands before their last digits; a number that is a hand elsewhere at
the source (another table, another day) is not missing. Where nobody said that the ids are numbered,
they count as such only when at least half of the numbers between the first and the last are hands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from audit.models import Hand, Numbering

DIGITS_MAX = 18
# So many numbers may be looked for at once; a wider span is no sequence that can be checked.
NUMBERS_MAX = 1_000_000
_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How ids are numbered: what stands in front, and how many digits where zeros lead, else 0."""

    prefix: str
    width: int

    def name(self, number: int) -> str:
        return f"{self.prefix}{number:0{self.width}d}"

    def number_of(self, hand_id: str) -> int | None:
        """The number of an id of this form, None where it is of another."""
        digits = hand_id[len(self.prefix) :]
        if not hand_id.startswith(self.prefix) or not _is_number(digits):
            return None
        number = int(digits)
        return number if self.name(number) == hand_id else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Numbers without a hand, from `first` to `last` as ids. `where` is `inside` the day, or
    `before` its first or `after` its last hand, where they may belong to the neighbouring day."""

    first: str
    last: str
    count: int
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the ids say. `basis`: `numbered` (told so), `detected`, `none` (told that there is no
    sequence), or why it cannot be checked: `no-form`, `too-few`, `too-sparse`.

    `elsewhere` numbers between first and last are hands of other tables or days; where there are
    any, a missing one may be of another table, too. `out_of_order` are the fewest ids without which
    the others rise in the order of play.
    """

    basis: str
    form: Form | None = None
    first: str | None = None
    last: str | None = None
    gaps: tuple[Gap, ...] = ()
    elsewhere: int = 0
    out_of_order: tuple[str, ...] = ()

    @property
    def is_checked(self) -> bool:
        return self.basis in (Numbering.NUMBERED.value, "detected")

    @property
    def missing(self) -> int:
        return sum(gap.count for gap in self.gaps)


Known = Callable[[Form, int, int], set[int]]


def find_sequence(
    hand_ids: Sequence[str],
    *,
    numbering: str,
    before: str | None,
    after: str | None,
    refused: Sequence[str],
    known: Known,
) -> Numbers:
    """Look for missing numbers among `hand_ids`, which are in the order of play.

    `before` and `after` are the ids of the table's neighbouring hands outside of the day; `refused`
    those of lines that came and were refused, so that they are not missing; `known` tells which
    numbers of a span are hands of the source, whatever their table.
    """
    if numbering == Numbering.NONE:
        return Numbers(basis="none")
    form = form_of(hand_ids)
    if form is None:
        return Numbers(basis="too-few" if not hand_ids else "no-form")
    numbers = [number for hand_id in hand_ids if (number := form.number_of(hand_id)) is not None]
    low, high = min(numbers), max(numbers)
    is_told = numbering == Numbering.NUMBERED
    if not is_told and len(numbers) < 2:
        return Numbers(basis="too-few")
    if high - low >= NUMBERS_MAX:
        return Numbers(basis="too-sparse")
    came = {number for one in refused if (number := form.number_of(one)) is not None}
    there = known(form, low, high) | set(numbers)
    if not is_told and len(there) * 2 < high - low + 1:
        return Numbers(basis="too-sparse")
    gaps = [
        *_edge(form, (_number(form, before), low), known, came, "before"),
        *_gaps(form, there | {number for number in came if low < number < high}, "inside"),
        *_edge(form, (high, _number(form, after)), known, came, "after"),
    ]
    return Numbers(
        basis=Numbering.NUMBERED.value if is_told else "detected",
        form=form,
        first=form.name(low),
        last=form.name(high),
        gaps=tuple(gaps),
        elsewhere=len(there) - len(set(numbers)),
        out_of_order=tuple(form.name(number) for number in _out_of_order(numbers)),
    )


def form_of(hand_ids: Iterable[str]) -> Form | None:
    """The form that all ids share; None where they share none."""
    ids = list(hand_ids)
    parts = [match.groups() for one in ids if (match := _NUMBERED.fullmatch(one))]
    if len(parts) < len(ids) or len({prefix for prefix, _ in parts}) != 1:
        return None
    numbers = [digits for _, digits in parts]
    is_padded = any(len(digits) > 1 and digits[0] == "0" for digits in numbers)
    form = Form(prefix=parts[0][0], width=min(map(len, numbers)) if is_padded else 0)
    return form if all(form.number_of(one) is not None for one in ids) else None


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdigit() and len(digits) <= DIGITS_MAX


def _number(form: Form, hand_id: str | None) -> int | None:
    return None if hand_id is None else form.number_of(hand_id)


def _edge(
    form: Form, ends: tuple[int | None, int | None], known: Known, came: set[int], where: str
) -> list[Gap]:
    """What is missing between this day and a neighbouring hand; nothing where ids start anew."""
    low, high = ends
    if low is None or high is None or not low < high or high - low >= NUMBERS_MAX:
        return []
    between = {number for number in came if low < number < high}
    return _gaps(form, known(form, low, high) | {low, high} | between, where)


def _gaps(form: Form, there: set[int], where: str) -> list[Gap]:
    gaps = []
    ordered = sorted(there)
    for one, following in pairwise(ordered):
        if following - one > 1:
            gaps.append(
                Gap(
                    first=form.name(one + 1),
                    last=form.name(following - 1),
                    count=following - one - 1,
                    where=where,
                )
            )
    return gaps


def _out_of_order(numbers: Sequence[int]) -> list[int]:
    """The fewest numbers without which the others rise: those outside of the longest rising run of
    numbers that there is, not necessarily next to each other."""
    ends: list[int] = []
    places: list[int] = []
    earlier: list[int | None] = []
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number)
        earlier.append(places[length - 1] if length else None)
        if length == len(ends):
            ends.append(number)
            places.append(place)
        else:
            ends[length], places[length] = number, place
    rising: set[int] = set()
    at = places[-1] if places else None
    while at is not None:
        rising.add(at)
        at = earlier[at]
    return [number for place, number in enumerate(numbers) if place not in rising]


def numbers_known(source: str) -> Known:
    """Which numbers are hands of a source, out of the store.

    Ids of one width sort as their numbers do, so each width is one span of the index.
    """

    def known(form: Form, low: int, high: int) -> set[int]:
        found: set[int] = set()
        width = len(str(low))
        while low <= high:
            top = min(high, 10**width - 1)
            ids = Hand.objects.filter(
                source=source, hand_id__gte=form.name(low), hand_id__lte=form.name(top)
            ).values_list("hand_id", flat=True)
            for hand_id in ids.iterator(chunk_size=2_000):
                number = form.number_of(hand_id)
                if number is not None and low <= number <= top:
                    found.add(number)
            low, width = top + 1, width + 1
        return found

    return known
