"""Sentences that were stored in English when nobody was looking: why a line was refused, what went
wrong with an upload, what a record of a feed was taken to mean.

The core and the workers write them down once, for everybody. A page tells one again in its own
language where it knows the form of the sentence; what stands in its places is data and stays.
"""

from __future__ import annotations

import re
from functools import cache

import replay
from audit.web.language import SOURCE, here, listed, phrase, say, told

# Refusals of lines (docs/format.md), and of whole files. The more exact stand first.
FORMS = (
    say("unknown ruleset {ruleset}"),
    say("{ruleset} is a ruleset of {game}"),
    say("not JSON: {why} (character {place})"),
    say("not UTF-8 (byte {place})"),
    say("{word} is not JSON"),
    say("not a JSON object"),
    say("not an object"),
    say("nested too deep"),
    say("deeper than {most} (character {place})"),
    say("longer than {most} bytes"),
    say("more than {most} bytes: send it in parts"),
    say("the stream breaks off: {why}"),
    say("an unpaired surrogate in a key"),
    say("an unpaired surrogate"),
    say("a control character"),
    say("the key {key} is there twice in one object"),
    say("before started_at"),
    say("not a time without an offset: {text}"),
    say("the seat {seat} is empty"),
    say("seat {seat} is there twice"),
    say("seat {seat} is not there exactly once"),
    say("a player is there twice"),
    say("the bet {bet} is there twice"),
    say("{name} is there twice"),
    say("the banker has a bet"),
    say("null in a hand that is not void"),
    say("not above zero: {text}"),
    say("not ascending"),
    say("empty"),
    say("below {least}"),
    say("not 0"),
    say("all three doors, or none"),
    say("not the players of the wagers, in their order"),
    say("gross, rake and net are there together or not at all"),
    say("a gap is there twice"),
    say("no check of {game} needs “{name}”"),
    say("“{name}” is missing: this format has no field for it"),
    say("“{name}” is named, but nothing is missing"),
    say("missing, and “{name}” is not named as a gap"),
    say("Object missing required field `{field}`"),
    say("Object contains unknown field `{field}`"),
    say("Object contains unknown field `{field}` at `{place}`"),
    say("Expected `{wanted}`, got `{given}`"),
    say("Expected `{wanted}` of length {length}"),
    say("Expected `{wanted}` of length {length}, got {given}"),
    say("Expected `{wanted}` matching regex {form}"),
    say("Expected `{wanted}` >= {least}"),
    say("Expected `{wanted}` <= {most}"),
    say("Invalid value {value}"),
    say("Invalid enum value {value}"),
    say("JSON is malformed: invalid character (byte {place})"),
    say("JSON is malformed: {why}"),
    say("Input data was truncated"),
    say("No hands found: the file is empty."),
    say("Incomplete upload: after {byte_count} bytes it broke off ({reason})."),
    say("Incomplete upload: after {size} bytes it broke off ({reason})."),
    say("Incomplete upload: it took too long and was given up."),
    say("Found at the first start."),
    # What was assumed of a feed's record (audit.importers).
    say("{ruleset} was in force at this source when the hand was played."),
    say(
        "CellScore is taken as the valid bet: it equals |Profit + Revenue| in {equal} of {rows}"
        " players' rows of its file that won or lost."
    ),
    say(
        "CellScore is not used: it equals |Profit + Revenue| in {equal} of {rows} players' rows of"
        " its file that won or lost."
    ),
    say(
        "CellScore is not used: it equals |Profit + Revenue| in {equal} of {rows} players' rows of"
        " its file that won or lost. It is the same in all rows of each room, as the room's base"
        " would be."
    ),
)


# What a re-audit was narrowed to, each before its value (selectors.reaudits_scope).
FILTERS = (
    say("every hand"), say("beginning with"), say("in conflict yes"), say("with rules"),
    say("days in an open case"), say("money at risk"), say("logged net"),
    say("naming any revision of"), say("naming"),
    say("game"), say("table"), say("source"), say("player"), say("verdict"), say("finding"),
    say("from"), say("to"), say("upload"), say("tile"), say("combination"), say("at"), say("met"),
    say("currency"),
)  # fmt: skip

# As a name it is another word than after a number.
_NAMES = {"finding": say("Finding")}
# What a scope was narrowed to by number, and values that are words of ours.
_NEWEST = re.compile(r"the (?P<count>[0-9,]+) played last")
_TITLES = {("game", str(game.title)): game.title for game in replay.GAMES.values()} | {
    ("finding", str(code.title)): code.title for code in replay.CODES.values()
}


def stored_filter(text: str) -> str:
    """A stored list of filters in the language of the page; values stay as they are."""
    if here() in (SOURCE, None):
        return text
    parts: list[str] = []
    for part in text.split(", "):
        if parts and not _is_filter(part):
            # A value may have a comma of its own.
            parts[-1] = f"{parts[-1]}, {part}"
        else:
            parts.append(part)
    return listed(_filter(part) for part in parts)


def _is_filter(part: str) -> bool:
    return _NEWEST.fullmatch(part) is not None or any(
        part == words or part.startswith(f"{words} ") for words in FILTERS
    )


def _filter(part: str) -> str:
    if newest := _NEWEST.fullmatch(part):
        return phrase("the {count} played last", count=newest["count"])
    for words in FILTERS:
        if part == words:
            return told(words)
        if part.startswith(f"{words} "):
            value = part[len(words) + 1 :]
            name = _NAMES.get(words, words)
            return f"{told(name)} {told(_TITLES.get((words, value), value))}"
    return part


def stored(text: str) -> str:
    """A stored sentence in the language of the page; one of an unknown form as it was stored."""
    return of_forms(text, FORMS)


def of_forms(text: str, forms: tuple[replay.Words, ...]) -> str:
    """A text in the language of the page, if it has one of these forms; else as it is."""
    if not text or here() in (SOURCE, None):
        return text
    for sentence, form in _patterns(forms):
        match = form.fullmatch(text)
        if match is not None:
            return phrase(sentence, **match.groupdict())
    return text


@cache
def _patterns(forms: tuple[replay.Words, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each sentence with what it looks like when its places are filled."""
    return tuple((str(words), _form(words)) for words in forms)


def _form(words: replay.Words) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", words.template)
    texts = (re.escape(part) for part in parts[::2])
    places = [f"(?P<{name}>.+?)" for name in parts[1::2]] + [""]
    return re.compile(
        "".join(text + place for text, place in zip(texts, places, strict=True)), re.S
    )
