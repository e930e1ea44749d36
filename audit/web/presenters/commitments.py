"""The hash that a feed published of its deal: alone before the reveal, with its value behind it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

import replay
from audit.web.walks import Replayed


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitmentCard:
    """`value` and `warning` are None until the value may be seen."""

    algorithm: str
    hash: str
    value: str | None
    words: str
    warning: str | None


def present_commitment(replayed: Replayed, number: int) -> CommitmentCard | None:
    """What of a commitment may be seen after step `number`: whoever looks, the value comes with the
    end of the hand."""
    found = replay.commitment_of(replayed.read.hand)
    if found is None:
        return None
    is_over = not replayed.is_open and number == replayed.read.event_count
    if not is_over:
        return CommitmentCard(
            algorithm=found.algorithm,
            hash=found.hash,
            value=None,
            words=_("The value is told when the hand is over."),
            warning=None,
        )
    return CommitmentCard(
        algorithm=found.algorithm,
        hash=found.hash,
        value=found.value,
        words=_words(found),
        warning=_warning(found),
    )


def _words(found: replay.Commitment) -> str:
    if found.value is None:
        return _("The log does not tell the value.")
    if found.standing == "kept":
        return _("The hash is of this value.")
    if found.standing == "broken":
        return _("The hash is not of this value.")
    return _("It cannot be checked here: the algorithm or the encoding is not known.")


def _warning(found: replay.Commitment) -> str | None:
    if found.guessable == "number":
        return _("Guessable: the value is a number of 32 bits, so all can be tried before play.")
    if found.guessable == "time":
        return _("Guessable: the value is a time stamp, so the likely ones can be tried.")
    return None
