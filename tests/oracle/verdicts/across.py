"""Verdicts on a hand and the one before it at its table (FORMAT 6.6)."""

from tests.oracle.common import ALL_TILES, minor, money, seats_of
from tests.oracle.verdicts.common import Findings, is_void

ROUND_RULES = {"banker-pai-gow": "PG-2", "wenzhou-pai-gow": "WZ-1"}


def compare(earlier, hand):
    """The findings on `hand`. Each of both is (the record, its ruleset's options, settlement)."""
    findings = Findings()
    reused_tiles(earlier[0], hand[0], findings)
    incomplete_round(earlier[0], earlier[1], hand[0], findings)
    broken_carry(earlier[0], hand[0], findings)
    bank(earlier[0], earlier[2], hand[0], findings)
    return findings.made


def dealt(hand):
    """Every tile in `deal` events, in order."""
    return [tile for event in hand["events"] if event["type"] == "deal" for tile in event["tiles"]]


def is_one_round(earlier, hand):
    """Whether both name the same round."""
    return "round" in earlier and "round" in hand and earlier["round"]["id"] == hand["round"]["id"]


def reused_tiles(earlier, hand, findings):
    """34: both hands of a round deal a tile, more often than the set holds it."""
    games = {earlier["game"], hand["game"]}
    if not games <= set(ROUND_RULES) or not is_one_round(earlier, hand):
        return
    before, now = dealt(earlier), dealt(hand)
    for tile in dict.fromkeys(now):
        copies = before.count(tile) + now.count(tile)
        if tile in before and copies > ALL_TILES.count(tile):
            findings.add(
                "round-tile-reused", ROUND_RULES[hand["game"]],
                subject=tile, logged=copies, expected=ALL_TILES.count(tile),
            )  # fmt: skip


def incomplete_round(earlier, options, hand, findings):
    """35: the first hand of a Pai Gow round has no second."""
    if {earlier["game"], hand["game"]} != {"banker-pai-gow"}:
        return
    if "round" not in earlier or earlier["round"]["hand"] != 1:
        return
    if is_one_round(earlier, hand) and hand["round"]["hand"] == 2:
        return
    if options["early_exit"] == "below_entry" and "entry" in earlier["stakes"]:
        entry = minor(earlier["stakes"]["entry"], earlier["minor_digits"])
        if any(amount < entry for amount in carried_out(earlier).values()):
            return
    findings.add("round-incomplete", "PG-1", subject=earlier["round"]["id"], severity="warning")


def carried_out(hand):
    """What each player carried out, as logged; nothing where the log does not tell (36)."""
    carry = seats_of(hand)
    players = {entry["seat"]: entry["player"] for entry in hand["seats"]}
    if hand["result"] is None:
        return {players[seat]: carry[seat] for seat in carry} if is_void(hand) else {}
    out = {}
    for row in hand["result"]["seats"]:
        amount = carry[row["seat"]] + minor(row["net"], hand["minor_digits"])
        if "carry_out" in row:
            amount = minor(row["carry_out"], hand["minor_digits"])
        out[players[row["seat"]]] = amount
    return out


def broken_carry(earlier, hand, findings):
    """36: a player brings what he did not carry out."""
    if "seats" not in earlier or "seats" not in hand:
        return
    for name in ["currency", "minor_digits"]:
        if earlier[name] != hand[name]:
            return
    digits, out, carry = hand["minor_digits"], carried_out(earlier), seats_of(hand)
    is_pai_gow = hand["game"] == "banker-pai-gow"
    for entry in sorted(hand["seats"], key=lambda entry: entry["seat"]):
        seat, player = entry["seat"], entry["player"]
        if player in out and out[player] != carry[seat]:
            findings.add(
                "carry-discontinuity", "PG-37" if is_pai_gow else None, severity="warning",
                seat=seat, subject=player if is_pai_gow else None,
                logged=money(carry[seat], digits), expected=money(out[player], digits),
            )  # fmt: skip


def bank(earlier, settlement, hand, findings):
    """37: the next banker and its streak are those that the earlier hand leads to."""
    if earlier["game"] != hand["game"] or "banker" not in hand or settlement is None:
        return
    logged, right = hand["banker"], settlement["next"]
    if logged["seat"] != right["banker"]:
        findings.add("banker-succession", "TG-5", logged=logged["seat"], expected=right["banker"])
    elif logged["streak"] != right["streak"]:
        findings.add("streak-mismatch", "TG-6", logged=logged["streak"], expected=right["streak"])
