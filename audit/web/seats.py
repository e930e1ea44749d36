"""The seats around a court. From step to step most of them look as they did before.

A drawn seat is kept by all that it says, so that who looks, and at which hand, does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from audit.web.language import here, told
from audit.web.presenters.board import SeatCard

# A seat takes 2 to 4 kB, so that these are about 2 MB at most.
SEATS_KEPT = 512


def seat_cards(seats: Iterable[SeatCard]) -> SafeString:
    """The seats, each in its place."""
    language = here()
    return SafeString("".join([drawn(seat, _words(seat), language) for seat in seats]))


def _words(seat: SeatCard) -> tuple[str, ...]:
    """The words that a seat has from the core: what is one in English may be two elsewhere."""
    return told(seat.banker_note), *[told(line) for line in seat.lines]


@lru_cache(maxsize=SEATS_KEPT)
def drawn(seat: SeatCard, _words: tuple[str, ...], _language: str | None) -> SafeString:
    """A seat with its words, in the language of the request, which are here as part of the key."""
    return render_to_string("hands/_seat.html", {"seat": seat})
