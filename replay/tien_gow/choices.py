"""What a seat may do at its turn: every lead, every play that beats, every discard, every 例牌.

Pure functions of a holding and the table before the act. Copies of a civil kind are the same tile
here: two plays that differ only in them are one choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from replay.glossary import PATTERNS
from replay.steps import Choice, Decision
from replay.telling import say
from replay.tien_gow.checks import patterns_in_force
from replay.tien_gow.combinations import COMBINATIONS, pack
from replay.tien_gow.lipai import holds
from replay.tien_gow.options import Rules
from replay.tien_gow.record import AnyHand, Declare, Discard, Play
from replay.tien_gow.state import Moment
from replay.tien_gow.words import NAMES, name_of, tile_names
from replay.tiles import INDEX, indices

LEAD_TILES_MAX = 4
Tiles = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Legal:
    """What is open to the seat whose turn it is.

    `plays` are face up: leads where `is_lead`, else those that beat the best so far, the highest
    first. `discards` is empty for a leader, who must play (TG-26). `is_barred`: TG-32 forbids the
    seat to play for the last trick.
    """

    is_lead: bool
    plays: tuple[Tiles, ...]
    discards: tuple[Tiles, ...] = ()
    is_barred: bool = False


def legal_plays(holding: Sequence[str], moment: Moment, rules: Rules, seat: int) -> Legal:
    """What a seat may do with its tiles at its turn, declarations apart.

    Shape: `moment` is the table before the act, with the seat's turn.
    Rule:  TG-20 to TG-23, TG-26, TG-32; 3.3 for leads.
    """
    held = sorted(holding, key=INDEX.__getitem__)
    if moment.position in (0, 4):
        leads = [tiles for size in range(1, LEAD_TILES_MAX + 1) for tiles in _sets(held, size)]
        return Legal(is_lead=True, plays=_ranked(leads, 0, 1 << 31))
    count = moment.count
    sets = _sets(held, count)
    if count == moment.left and moment.tricks[seat] + count < rules.min_jie:
        return Legal(is_lead=False, plays=(), discards=sets, is_barred=True)
    floor, ceiling = rules.windows[moment.lead]
    if moment.highest != moment.lead:
        floor = moment.highest
    return Legal(is_lead=False, plays=_ranked(sets, floor, ceiling), discards=sets)


def legal_declarations(
    hand: AnyHand, holding: Sequence[str], moment: Moment, rules: Rules
) -> tuple[str, ...]:
    """The 例牌 that a seat holds and may show: before the first lead (TG-80 to TG-82)."""
    if moment.number or len(holding) != rules.size:
        return ()
    kinds = indices(holding)
    return tuple(
        pattern
        for pattern in PATTERNS
        if pattern in patterns_in_force(hand, rules)
        and holds(pattern, kinds, tian_red=rules.tian_red, one_red=rules.one_red)
    )


def _sets(held: Sequence[str], size: int) -> tuple[Tiles, ...]:
    """The different sets of so many tiles, in the order of the set."""
    return tuple(dict.fromkeys(combinations(held, size)))


def _ranked(sets: Sequence[Tiles], floor: int, ceiling: int) -> tuple[Tiles, ...]:
    """Those that are combinations strictly between two others, the highest of each type first."""
    coded = [(COMBINATIONS.get(pack(tiles), 0), tiles) for tiles in sets]
    between = [(code, tiles) for code, tiles in coded if code and floor < code < ceiling]
    between.sort(key=lambda pair: (-len(pair[1]), -pair[0]))
    return tuple(tiles for _, tiles in between)


def decision_of(
    hand: AnyHand,
    event: Play | Discard | Declare,
    holding: Sequence[str],
    moment: Moment,
    rules: Rules,
) -> Decision:
    """What was open to the seat of an event, with what it did marked."""
    patterns = legal_declarations(hand, holding, moment, rules)
    declared = tuple(
        Choice(
            act="declare",
            title=PATTERNS[pattern][0],
            is_taken=type(event) is Declare and event.pattern == pattern,
        )
        for pattern in patterns
    )
    if isinstance(event, Declare):
        onward = Choice(act="play-on", title=say("play on"))
        return Decision(
            seat=event.seat,
            choices=(*declared, onward),
            freedom="free",
            words=say("A seat that holds a winning deal may show it or play on"),
            rule="TG-82",
        )
    legal = legal_plays(holding, moment, rules, event.seat)
    taken = tuple(sorted(event.tiles, key=INDEX.__getitem__))
    is_play = type(event) is Play
    act = "lead" if legal.is_lead else "beat"
    choices = (
        *declared,
        *(_choice(act, tiles, is_taken=is_play and tiles == taken) for tiles in legal.plays),
        *(_choice("discard", t, is_taken=not is_play and t == taken) for t in legal.discards),
    )
    words, rule = _words(legal, moment, rules, event.seat)
    return Decision(
        seat=event.seat,
        choices=choices,
        freedom="forced" if len(choices) == 1 else "free" if legal.plays else "discard",
        words=words,
        rule=rule,
    )


def _choice(act: str, tiles: Tiles, *, is_taken: bool) -> Choice:
    name = name_of(tiles) if act != "discard" else None
    title = tile_names(tiles) if name is None else name.hant
    return Choice(act=act, title=title, tiles=tiles, is_taken=is_taken)


def _words(legal: Legal, moment: Moment, rules: Rules, seat: int) -> tuple[str, str]:
    """Why just these choices, and the rule."""
    if legal.is_lead:
        if len(legal.plays) == 1:
            return say("One lead was left"), "TG-26"
        return say(
            "The leader plays face up, any of {plays_count} leads", plays_count=len(legal.plays)
        ), "TG-26"
    discards = len(legal.discards)
    down = (
        say("one discard was left")
        if discards == 1
        else say("{discards} discards were open", discards=discards)
    )
    if legal.is_barred:
        short = say(
            "With {tricks} 棟 the seat would not reach {min_jie}",
            tricks=moment.tricks[seat],
            min_jie=rules.min_jie,
        )
        return say(
            "{short} and may not play for the last trick; {down}", short=short, down=down
        ), "TG-32"
    best = NAMES[moment.highest].hant
    if not legal.plays:
        return say("Nothing held beats {best}; {down}", best=best, down=down), "TG-20"
    plays = len(legal.plays)
    beating = (
        say("1 play beats {best}", best=best)
        if plays == 1
        else say("{plays} plays beat {best}", plays=plays, best=best)
    )
    return say(
        "{beating}; to discard is always allowed, and {down}", beating=beating, down=down
    ), "TG-23"
