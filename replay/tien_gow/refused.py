"""Why an event was refused, in a few words that follow "refused:"."""

from __future__ import annotations

from collections.abc import Sequence

from replay.findings import Finding
from replay.tien_gow.combinations import LONG_LEG_PAIR, MALLET_PAIR
from replay.tien_gow.options import Rules
from replay.tien_gow.record import Discard, TienGowEvent
from replay.tien_gow.state import Moment
from replay.tien_gow.words import NAMES, SEALS, count_word, name_of, suit_word, tile_names


def why_refused(event: TienGowEvent, found: Finding, moment: Moment, rules: Rules) -> str:
    """The reason; `found` is the finding that stopped the replay, `moment` the table before it."""
    match found.code:
        case "out-of-turn":
            assert found.expected is not None
            return f"it is the turn of {SEALS[int(found.expected)]}"
        case "tile-excess":
            return f"{tile_names([found.logged or ''])} is there more often than the set holds it"
        case "deal-count":
            return f"{found.logged} tiles instead of {found.expected}"
        case "deal-wall":
            return f"the wall gives {tile_names((found.expected or '').split())}"
        case "tile-not-held":
            return f"{tile_names([found.logged or ''])} is not held"
        case "lead-illegal":
            if type(event) is Discard:
                return "the leader must play face up"
            return "these tiles are no combination that may be led"
        case "follow-illegal":
            return _why_not_followed(found, moment, rules)
        case "not-eligible":
            tricks = moment.tricks[found.seat or 0]
            return f"with {tricks} 棟 this seat would not reach {rules.min_jie} 棟"
        case "declaration-invalid":
            return {
                "TG-82": "the first lead has been made",
                "TG-80": "the holding is not of this pattern",
                "TG-81": "this pattern is not in force at the table",
            }[found.rule or ""]
        case _:
            return "out of its place"


def _why_not_followed(found: Finding, moment: Moment, rules: Rules) -> str:
    tiles = (found.logged or "").split()
    count = moment.count
    if len(tiles) != count:
        verb = "was" if count == 1 else "were"
        return f"{count_word(count)} {verb} led"
    if found.rule == "TG-21":
        return f"no {suit_word(moment.lead)}"
    if moment.lead == MALLET_PAIR and rules.wen_zun.startswith("true_"):
        if moment.best_play == LONG_LEG_PAIR:
            return "nothing beats the pair that captured 文尊"
        if rules.wen_zun == "true_capturable":
            return "only 雙高腳七 beats 文尊"
        return "nothing beats 文尊"
    best = NAMES[moment.highest].hant
    if found.rule == "TG-22":
        return f"only equal to {best}"
    return f"not above {best}"


def refused_title(tiles: Sequence[str]) -> str:
    """Refused tiles by the name of their combination, else one by one."""
    name = name_of(tiles) if len(tiles) <= 4 else None
    return name.hant if name is not None else tile_names(tiles)
