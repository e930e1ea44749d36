"""Sentences that were stored in English when nobody was looking: why a line was refused, what went
wrong with an upload.

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
)


# What a re-audit was narrowed to, each before its value (selectors.reaudits_scope).
FILTERS = (
    say("every hand"), say("beginning with"), say("in conflict yes"), say("with rules"),
    say("days in an open case"), say("money at risk"), say("logged net"), say("naming"),
    say("game"), say("table"), say("source"), say("player"), say("verdict"), say("finding"),
    say("from"), say("to"), say("upload"), say("tile"), say("combination"), say("at"), say("met"),
    say("currency"),
)  # fmt: skip


def stored_filter(text: str) -> str:
    """A stored list of filters in the language of the page; values stay as they are."""
    if here() in (SOURCE, None):
        return text
    return listed(_filter(part) for part in text.split(", "))


def _filter(part: str) -> str:
    for words in FILTERS:
        if part == words:
            return told(words)
        if part.startswith(f"{words} "):
            return f"{told(words)} {part[len(words) + 1 :]}"
    return part


def stored(text: str) -> str:
    """A stored sentence in the language of the page; one of an unknown form as it was stored."""
    if not text or here() in (SOURCE, None):
        return text
    for sentence, form in _forms():
        match = form.fullmatch(text)
        if match is not None:
            return phrase(sentence, **match.groupdict())
    return text


@cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each sentence with what it looks like when its places are filled."""
    return tuple((str(words), _form(words)) for words in FORMS)


def _form(words: replay.Words) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", words.template)
    texts = (re.escape(part) for part in parts[::2])
    places = [f"(?P<{name}>.+?)" for name in parts[1::2]] + [""]
    return re.compile(
        "".join(text + place for text, place in zip(texts, places, strict=True)), re.S
    )
