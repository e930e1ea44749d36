"""Each figure of a hand with its way: the stages of the settlement with their numbers.

The amounts come from the same settlement as the audit's (`payout.settle`); here they are only
put into words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replay.banker_pai_gow.caps import BankerCap, PlayerClip
from replay.banker_pai_gow.options import (
    BankerValid,
    RakeBasis,
    RakeRound,
    Rounding,
    Rules,
    ValidBet,
)
from replay.banker_pai_gow.payout import Cap, Settlement, by_seat, settlement_of
from replay.banker_pai_gow.play import Play, replay
from replay.banker_pai_gow.record import Facts, Logged, PaiGowHand
from replay.banker_pai_gow.words import amount, short_amount
from replay.glossary import SEALS
from replay.money import Rate, format_minor, quotient_text
from replay.steps import Figure, Stage
from replay.telling import listed, say, series

_TITLES = {
    "theoretical": say("Theoretical"),
    "clip": say("Clip"),
    "cap": say("Cap"),
    "gross": say("Gross"),
    "rake": say("Rake"),
    "net": say("Net"),
    "valid_bet": say("Valid bet"),
    "carry_out": say("Carry-out"),
}
_RULES = {
    "theoretical": "PG-30",
    "clip": "PG-32",
    "cap": "PG-32",
    "gross": "PG-32",
    "rake": "PG-31",
    "net": "PG-30",
    "valid_bet": "PG-38",
    "carry_out": "PG-37",
}
# The stages on the way to each figure of a seat, in order.
_WAYS: Mapping[str, tuple[str, ...]] = {
    "theoretical": ("theoretical",),
    "gross": ("theoretical", "clip", "cap", "gross"),
    "rake": ("theoretical", "clip", "cap", "gross", "rake"),
    "net": ("theoretical", "clip", "cap", "gross", "rake", "net"),
    "valid_bet": ("theoretical", "clip", "cap", "gross", "rake", "net", "valid_bet"),
    "carry_out": ("theoretical", "clip", "cap", "gross", "rake", "net", "carry_out"),
}


def derive(hand: PaiGowHand, facts: Facts, rules: Rules) -> tuple[Figure, ...]:
    """Every figure by seat; none where the replay could not reach the end.

    The last stage of each is the recomputed figure.
    """
    play = replay(hand, facts, rules)
    due = settlement_of(play, facts)
    if due is None:
        return ()
    players = {entry.seat: entry.player for entry in hand.seats}
    figures = []
    for seat in range(4):
        stages = _Derivation(play, facts, due, seat).stages()
        for name, way in _WAYS.items():
            last = stages[name]
            figures.append(
                Figure(
                    name=name,
                    title=_TITLES[name],
                    owner=f"seat-{seat}",
                    owner_title=say("{seal} {player}", seal=SEALS[seat], player=players[seat]),
                    seat=seat,
                    logged=last.logged,
                    recomputed=format_minor(getattr(due, name)[seat], hand.minor_digits),
                    stages=(last,) if due.cap is None else tuple(stages[stage] for stage in way),
                )
            )
    return tuple(figures)


# How a player's pair with the banker ended, before the product of its stakes.
_FARED = {1: say("won"), -1: say("lost"), 0: say("a push, nothing is owed of")}


class _Derivation:
    """The stages of one seat, each with its formula."""

    def __init__(self, play: Play, facts: Facts, due: Settlement, seat: int) -> None:
        self._play = play
        self._rules = play.rules
        self._facts = facts
        self._due = due
        self._seat = seat
        self._digits = play.hand.minor_digits

    def stages(self) -> dict[str, Stage]:
        """Each stage by name; in a void hand only the figures themselves."""
        due, seat = self._due, self._seat
        if due.cap is None:
            return {
                name: self._stage(
                    name,
                    say("the hand is void: all stakes go back")
                    if name == "carry_out"
                    else say("the hand is void: nothing is owed"),
                    getattr(due, name)[seat],
                    rule=None,
                )
                for name in _WAYS
            }
        clipped, capped = self._after_clip(due.cap), self._after_cap(due.cap)
        return {
            stage.name: stage
            for stage in (
                self._stage("theoretical", self._theoretical(), due.theoretical[seat]),
                self._stage("clip", self._clip(due.cap), clipped),
                self._stage("cap", self._cap(due.cap, clipped, capped), capped),
                self._stage("gross", self._gross(capped), due.gross[seat]),
                self._stage("rake", self._rake(), due.rake[seat]),
                self._stage("net", self._net(), due.net[seat]),
                self._stage("valid_bet", self._valid_bet(), due.valid_bet[seat]),
                self._stage("carry_out", self._carry_out(), due.carry_out[seat]),
            )
        }

    def _stage(self, name: str, formula: str, units: int, rule: str | None = "") -> Stage:
        return Stage(
            name=name,
            title=_TITLES[name],
            formula=formula,
            value=format_minor(units, self._digits),
            logged=self._logged(name),
            rule=_RULES[name] if rule == "" else rule,
        )

    def _logged(self, name: str) -> str | None:
        logged: Logged | None = self._facts.logged
        if logged is None or name not in _WAYS:
            return None
        units = getattr(logged, name)[self._seat]
        return None if units is None else format_minor(units, self._digits)

    @property
    def _is_banker(self) -> bool:
        return self._seat == self._due.banker

    def _shown(self, units: int) -> str:
        return amount(units, self._digits)

    # -- theoretical, clip, cap, gross ------------------------------------------------------

    def _theoretical(self) -> str:
        if not self._is_banker:
            return say(
                "{fared} {product}",
                fared=_FARED[self._play.outcomes[self._seat]],
                product=self._product(self._seat),
            )
        won, lost = self._banker_pairs(-1), self._banker_pairs(1)
        # Each rank of tile is there twice, so at most one player can tie with the banker.
        assert won or lost
        parts = [
            say(
                "{fared} {product}",
                fared=_FARED[outcome],
                product=listed([self._product(seat) for seat in seats]),
            )
            for outcome, seats in ((1, won), (-1, lost))
            if seats
        ]
        theoretical = self._due.theoretical
        return say(
            "{parts}: {sum}",
            parts=series(parts),
            sum=self._sum([-theoretical[seat] for seat in won + lost]),
        )

    def _banker_pairs(self, outcome: int) -> list[int]:
        """The players with an outcome, ascending."""
        return [
            seat
            for seat in range(4)
            if seat != self._due.banker and self._play.outcomes[seat] == outcome
        ]

    def _product(self, seat: int) -> str:
        base = short_amount(self._facts.base, self._digits)
        return f"{base} × {self._play.multiple} × {self._play.bets[seat]}"

    def _sum(self, amounts: Sequence[int]) -> str:
        """Signed amounts as a sum: 100.00 + 80.00 − 50.00."""
        text = self._shown(amounts[0])
        for units in amounts[1:]:
            text += f" {'−' if units < 0 else '+'} {self._shown(abs(units))}"
        return text

    def _after_clip(self, cap: Cap) -> int:
        assert self._due.banker is not None
        return by_seat(cap.players, cap.clipped, self._due.banker)[self._seat]

    def _after_cap(self, cap: Cap) -> int:
        """A player's share; for the banker what the losers pay less what the winners get."""
        if self._is_banker:
            return cap.paid - cap.received
        return cap.shares[cap.players.index(self._seat)]

    def _clip(self, cap: Cap) -> str:
        if not self._is_banker:
            return self._clip_of(cap, self._seat)
        theoretical = self._due.theoretical
        clipped = [
            self._clip_of(cap, seat)
            for position, seat in enumerate(cap.players)
            if cap.clipped[position] != theoretical[seat]
        ]
        return series(clipped, "; ") if clipped else say("no player's result is clipped")

    def _clip_of(self, cap: Cap, seat: int) -> str:
        claim = self._due.theoretical[seat]
        if claim == 0:
            return say("a push, nothing to clip")
        after = cap.clipped[cap.players.index(seat)]
        brought = say(
            "{seal} brought {shown}",
            seal=SEALS[seat],
            shown=self._shown(self._facts.carry_in[seat]),
        )
        if after != claim:
            return _no_more(brought, self._shown(abs(claim)), self._shown(abs(after)), claim > 0)
        if abs(claim) > self._facts.carry_in[seat]:
            # Only an option leaves a result above the carry-in.
            option = self._rules.player_clip
            if option is PlayerClip.LOSS_ONLY:
                return say(
                    "{brought}, but wins are not clipped (pg.player_clip = {option})",
                    brought=brought,
                    option=option.value,
                )
            return say(
                "{brought}, but nothing is clipped (pg.player_clip = {option})",
                brought=brought,
                option=option.value,
            )
        return say(
            "{brought}, which covers {shown}", brought=brought, shown=self._shown(abs(claim))
        )

    def _cap(self, cap: Cap, clipped: int, capped: int) -> str:
        if self._is_banker:
            return self._banker_cap(cap, clipped, capped)
        total, whole, who = (
            (cap.received, cap.won, say("winners get"))
            if clipped > 0
            else (cap.paid, cap.lost, say("losers pay"))
        )
        if clipped == 0 or total == whole:
            return say("the banker's limit changes nothing here")
        share = quotient_text(total, abs(clipped), whole, self._digits)
        return say(
            "{who} {total} instead of {whole}, in proportion:"
            " {claim} × {total} ÷ {whole} = {share} → {capped}{rounding}",
            who=who,
            total=self._shown(total),
            whole=self._shown(whole),
            claim=self._shown(abs(clipped)),
            share=share,
            capped=self._shown(abs(capped)),
            rounding=self._rounding(share),
        )

    def _rounding(self, share: str) -> str:
        """How the split was rounded, where it did not come out even."""
        if share.endswith("…") or share[-4:] != "0000":
            return {
                Rounding.LARGEST_REMAINDER: say(", by largest remainder"),
                Rounding.TRUNCATE: say(", cut off"),
                Rounding.LAST_TAKES_REST: say(", the last seat takes the rest"),
            }[self._rules.rounding]
        return ""

    def _banker_cap(self, cap: Cap, clipped: int, capped: int) -> str:
        carry = self._shown(self._facts.carry_in[self._seat])
        brought = say("{seal} brought {carry}", seal=SEALS[self._seat], carry=carry)
        option = self._rules.banker_cap
        if option is BankerCap.NONE:
            return say("the banker's result has no limit (pg.banker_cap = none)")
        if (cap.paid, cap.received) == (cap.lost, cap.won):
            return say(
                "{brought}, which covers {shown}", brought=brought, shown=self._shown(abs(clipped))
            )
        if option in (BankerCap.GROSS_FIRST, BankerCap.GROSS_BOTH):
            return say(
                "{brought}: takes {paid} of {lost}, pays {received} of {won}"
                " (pg.banker_cap = {option})",
                brought=brought,
                paid=self._shown(cap.paid),
                lost=self._shown(cap.lost),
                received=self._shown(cap.received),
                won=self._shown(cap.won),
                option=option.value,
            )
        return _no_more(brought, self._shown(clipped), self._shown(capped), clipped > 0)

    def _gross(self, capped: int) -> str:
        if self._due.gross[self._seat] != capped:
            others = [self._due.gross[seat] for seat in range(4) if seat != self._seat]
            what = say("minus what the players have, cut-off units stay with nobody")
            return say("{what}: −({sum})", what=what, sum=self._sum(others))
        return say("what is left")

    # -- rake, net, valid bet, carry-out ----------------------------------------------------

    def _rake(self) -> str:
        rate = self._rules.rake_rate
        if rate.numerator == 0:
            return say("no rake is taken (pg.rake_rate = 0)")
        if self._is_banker and self._rules.rake_basis is RakeBasis.PER_PAIR:
            gross = self._due.gross
            pairs = [-gross[seat] for seat in self._banker_pairs(-1) if gross[seat] < 0]
            if not pairs:
                return say("no pair was won, no rake")
            parts = series([self._rake_of(units, rate) for units in pairs], "; ")
            return say("each pair won pays its own: {parts}", parts=parts)
        gross_units = self._due.gross[self._seat]
        if gross_units <= 0:
            return say("only a winner pays rake")
        return self._rake_of(gross_units, rate)

    def _rake_of(self, units: int, rate: Rate) -> str:
        fee = self._rules.rake(units)
        exact = _trimmed(rate.exact_text_of(units, self._digits), self._digits)
        text = f"{percent(rate)} × {self._shown(units)} = {exact}"
        if exact == self._shown(fee):
            return text
        if rate.floor_of(units) == 0 and self._rules.rake_round is RakeRound.MIN_ONE:
            return say(
                "{text}, but a winner pays at least {shown}", text=text, shown=self._shown(fee)
            )
        if self._rules.rake_round is RakeRound.HALF_UP:
            return say("{text}, rounded half up to {fee}", text=text, fee=self._shown(fee))
        return say("{text}, rounded down to {fee}", text=text, fee=self._shown(fee))

    def _net(self) -> str:
        gross, rake = self._due.gross[self._seat], self._due.rake[self._seat]
        return f"{self._shown(gross)} − {self._shown(rake)}"

    def _valid_bet(self) -> str:
        due = self._due
        if self._is_banker and self._rules.banker_valid is BankerValid.SUM_PLAYERS:
            volumes = [due.valid_bet[seat] for seat in range(4) if seat != self._seat]
            return say("the players' valid bets together: {sum}", sum=self._sum(volumes))
        if self._rules.valid_bet is ValidBet.ABS_NET:
            return say("net without its sign: |{shown}|", shown=self._shown(due.net[self._seat]))
        return say("gross without its sign: |{shown}|", shown=self._shown(due.gross[self._seat]))

    def _carry_out(self) -> str:
        had = self._facts.carry_in[self._seat]
        return say("brought + net: {sum}", sum=self._sum([had, self._due.net[self._seat]]))


def _no_more(brought: str, before: str, after: str, is_won: bool) -> str:
    if is_won:
        return say(
            "{brought} and can win no more: {before} → {after}",
            brought=brought, before=before, after=after,
        )  # fmt: skip
    return say(
        "{brought} and can lose no more: {before} → {after}",
        brought=brought, before=before, after=after,
    )  # fmt: skip


def percent(rate: Rate) -> str:
    """A rate for people: 5 %, 2.5 %."""
    places = len(str(rate.denominator)) - 1
    return f"{_trimmed(format_minor(rate.numerator * 100, places), 0)} %"


def _trimmed(text: str, digits: int) -> str:
    """A decimal without trailing zeros beyond `digits` decimals."""
    whole, point, fraction = text.partition(".")
    kept = fraction[:digits] + fraction[digits:].rstrip("0")
    return f"{whole}{point}{kept}" if kept else whole
