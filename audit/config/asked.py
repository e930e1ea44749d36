"""What an address may carry: a word that nobody reads is an error, never left aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import BadRequest
from django.http import QueryDict

import replay


class Misread(BadRequest):
    """An address or a form that cannot be read as it is; its text is a sentence for the sender,
    which names the place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misasked:
    """The first word of an address that is wrong, and a sentence that says why."""

    name: str
    message: str


def misasked(query: QueryDict, names: Sequence[str], *, lets_others: bool) -> Misasked | None:
    """What an address says that nobody reads, or says twice, or with a NUL; None where it is right.

    A filter that is left aside shows more than was asked for, and whoever misspelt it does not
    notice; of two that stand there one would be chosen for him. `names` are those that are read;
    with `lets_others` others are left aside, as SVC-60 has it of the pages of a hand.
    """
    for name, values in query.lists():
        if name not in names:
            if lets_others:
                continue
            return Misasked(name=name, message=_unknown(name, names))
        if len(values) > 1:
            return Misasked(name=name, message=replay.say("“{name}” stands more than once.",
                                                          name=name))  # fmt: skip
        if "\0" in values[0]:
            message = replay.say("“{name}” holds a character that no name has.", name=name)
            return Misasked(name=name, message=message)
    return None


def _unknown(name: str, names: Sequence[str]) -> str:
    if not names:
        return replay.say(
            "There is no parameter “{name}” at this address, which takes none.", name=name
        )
    return replay.say(
        "There is no parameter “{name}” at this address: it takes {names}.",
        name=name,
        names=", ".join(names),
    )
