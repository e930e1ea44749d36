"""Why an event was refused, in a few words that follow "refused:"."""

from __future__ import annotations

from collections.abc import Sequence

from replay.findings import Finding
from replay.glossary import SEALS
from replay.telling import say
from replay.tien_gow.combinations import LONG_LEG_PAIR, MALLET_PAIR
from replay.tien_gow.options import Rules
from replay.tien_gow.record import Discard, TienGowEvent
from replay.tien_gow.state import Moment
from replay.tien_gow.words import NAMES, count_word, name_of, suit_word, tile_names


def why_refused(event: TienGowEvent, found: Finding, moment: Moment, rules: Rules) -> str:
    """The reason; `found` is the finding that stopped the replay, `moment` the table before it."""
    match found.code:
        case "out-of-turn":
            assert found.expected is not None
            return say("it is the turn of {seal}", seal=SEALS[int(found.expected)])
        case "tile-excess":
            return say(
                "{tile_names} is there more often than the set holds it",
                tile_names=tile_names([found.logged or ""]),
            )
        case "deal-count":
            return say(
                "{logged} tiles instead of {expected}", logged=found.logged, expected=found.expected
            )
        case "deal-wall":
            return say(
                "the wall gives {tile_names}", tile_names=tile_names((found.expected or "").split())
            )
        case "tile-not-held":
            return say("{tile_names} is not held", tile_names=tile_names([found.logged or ""]))
        case "lead-illegal":
            if type(event) is Discard:
                return say("the leader must play face up")
            return say("these tiles are no combination that may be led")
        case "follow-illegal":
            return _why_not_followed(found, moment, rules)
        case "not-eligible":
            tricks = moment.tricks[found.seat or 0]
            return say(
                "with {tricks} 棟 this seat would not reach {min_jie} 棟",
                tricks=tricks,
                min_jie=rules.min_jie,
            )
        case "declaration-invalid":
            return {
                "TG-82": say("the first lead has been made"),
                "TG-80": say("the holding is not of this pattern"),
                "TG-81": say("this pattern is not in force at the table"),
            }[found.rule or ""]
        case _:
            return say("out of its place")


def _why_not_followed(found: Finding, moment: Moment, rules: Rules) -> str:
    tiles = (found.logged or "").split()
    count = moment.count
    if len(tiles) != count:
        tiles_led = count_word(count)
        if count == 1:
            return say("{tiles} was led", tiles=tiles_led)
        return say("{tiles} were led", tiles=tiles_led)
    if found.rule == "TG-21":
        return say("no {suit_word}", suit_word=suit_word(moment.lead))
    if moment.lead == MALLET_PAIR and rules.wen_zun.startswith("true_"):
        if moment.best_play == LONG_LEG_PAIR:
            return say("nothing beats the pair that captured 文尊")
        if rules.wen_zun == "true_capturable":
            return say("only 雙高腳七 beats 文尊")
        return say("nothing beats 文尊")
    best = NAMES[moment.highest].hant
    if found.rule == "TG-22":
        return say("only equal to {best}", best=best)
    return say("not above {best}", best=best)


def refused_title(tiles: Sequence[str]) -> str:
    """Refused tiles by the name of their combination, else one by one."""
    name = name_of(tiles) if len(tiles) <= 4 else None
    return name.hant if name is not None else tile_names(tiles)
