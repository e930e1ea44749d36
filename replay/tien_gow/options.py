"""The options of a Tien Gow ruleset, and what they compile to (RULEBOOK 7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from replay.money import Rate
from replay.ruleset import Option, OptionValue, choice, citing, decimal_rate, whole, words, yes_no
from replay.tien_gow import combinations as tiles
from replay.tien_gow.combinations import MALLET_PAIR, QUADS, SUPREME, WEN_ZUN, windows_of
from replay.tien_gow.lipai import PATTERNS

# The rules that the options decide; the walls (3.2) have a section without a number.
_RULES = {
    "par": "TG-50", "empty_extra": "TG-50", "min_jie": "TG-31", "multiple": "TG-6",
    "multiplier_scope": "TG-57", "in_paid_by_banker": "TG-55", "wen_zun": "TG-42",
    "zun_base": "TG-40", "he_base": "TG-44", "bao_also_he": "TG-46", "bao_zun_mult": "TG-46",
    "four_bao_mult": "TG-46", "yao_mult": "TG-60", "yao15": "TG-60", "yao_validity": "TG-63",
    "capture_priority": "TG-62", "capture_mult": "TG-64", "quad_capture_mult": "TG-66",
    "quad_capture": "TG-66", "wenzun_last_capture": "TG-67", "slam": "TG-70",
    "seven_mult": "TG-70", "eight_mult": "TG-70", "eight_quad_mult": "TG-71",
    "eight_rule": "TG-72", "slam_stack": "TG-73", "slam_first_lead": "TG-74", "lipai": "TG-81",
    "tian_red": "TG-84", "one_red": "TG-84", "rake_rate": "TG-91", "rake_round": "TG-91",
    "carry_cap": "TG-90", "valid_bet": "TG-92",
}  # fmt: skip


def _schema(*, small: bool) -> dict[str, Option]:
    options = (
        whole("par", least=1, alternatives=(2, 4) if small else ()),
        whole("empty_extra", least=0),
        whole("min_jie", least=1, most=2, alternatives=(1, 2)),
        choice("multiple", "n_plus_1", "two_pow_n"),
        choice("multiplier_scope", "banker_pairs", "global"),
        choice("in_paid_by_banker", "times_m", "times_1"),
        choice("wen_zun", *WEN_ZUN),
        whole("zun_base", least=0),
        whole("he_base", least=0),
        yes_no("bao_also_he"),
        whole("bao_zun_mult", least=1),
        whole("four_bao_mult", least=1),
        whole("yao_mult", least=1),
        choice("yao15", "always", "with_wen_zun"),
        choice("yao_validity", "none", "capturer_live"),
        choice("capture_priority", "must_win", "first_captor"),
        whole("capture_mult", least=1, alternatives=(2, 4)),
        whole("quad_capture_mult", least=1, alternatives=(2, 4)),
        choice("quad_capture", "liable", "none"),
        choice("wenzun_last_capture", "as_yao_capture", "ordinary"),
        choice("slam", "on", "off"),
        whole("seven_mult", least=1),
        whole("eight_mult", least=1),
        whole("eight_quad_mult", least=1),
        choice("eight_rule", "last_tile_kind", "multi_tile_only"),
        choice("slam_stack", "replace", "multiply"),
        choice("slam_first_lead", "no_slam", "downgrade", "off"),
        words("lipai", *PATTERNS),
        _zero_or_six("tian_red"),
        choice("one_red", "pips", "halves"),
        choice("restack", "in_order", "mirrored"),
        decimal_rate("rake_rate", most=1),
        choice("rake_round", "floor", "half_up", "min_one"),
        choice("carry_cap", "none", "net_pool"),
        choice("valid_bet", "abs_gross_net", "abs_net"),
    )
    return citing(options, _RULES)


def _zero_or_six(name: str) -> Option:
    """The red pips of a Heaven (TG-84): as painted, or none."""

    def check(value: object) -> OptionValue:
        if not isinstance(value, int) or isinstance(value, bool) or value not in (0, 6):
            raise ValueError("must be 0 or 6")
        return value

    return Option(name=name, check=check, alternatives=(0, 6))


OPTIONS_BIG: Mapping[str, Option] = _schema(small=False)
OPTIONS_SMALL: Mapping[str, Option] = _schema(small=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The options of one ruleset, compiled.

    Sizes are tiles a seat, `empty` is the (negative) base of an empty seat, factors are whole
    numbers. `windows` says of each lead what beats it; `bonus_base` of each lead that can earn
    an immediate payment (賀尊, 擒尊, 四大賀) the base of that payment; `capturers` of each single
    么 the single that captures it in the last trick.
    """

    size: int
    par: int
    empty: int
    min_jie: int
    two_pow_n: bool
    is_global: bool
    in_times_m: bool
    wen_zun: str
    has_wen_zun: bool
    zun_base: int
    he_base: int
    bao_also_he: bool
    bao_zun_mult: int
    four_bao_mult: int
    yao_mult: int
    capturer_live: bool
    first_captor: bool
    capture_mult: int
    quad_capture_mult: int
    quad_liable: bool
    wenzun_liable: bool
    slam: bool
    seven_mult: int
    eight_mult: int
    eight_quad_mult: int
    multi_tile_only: bool
    slam_multiply: bool
    slam_first_lead: str
    lipai: tuple[str, ...]
    tian_red: int
    one_red: str
    restack: str
    rake_rate: Rate
    rake_round: str
    net_pool: bool
    valid_of_net: bool
    windows: dict[int, tuple[int, int]]
    bonus_base: dict[int, int]
    capturers: dict[int, int]

    def multiple_of(self, streak: int) -> int:
        """M of TG-6, for the n-th hand of a bank."""
        return 2**streak if self.two_pow_n else streak + 1

    def base_of(self, tricks: int) -> int:
        """What a seat of so many 棟 is due from the winner in units: negative below par (TG-50)."""
        return tricks - self.par if tricks else self.empty


def prepare_big(options: Mapping[str, OptionValue]) -> Rules:
    """Compile the options of an 8-tile ruleset."""
    return _prepare(options, size=8)


def prepare_small(options: Mapping[str, OptionValue]) -> Rules:
    """Compile the options of a 4-tile ruleset."""
    return _prepare(options, size=4)


def _prepare(options: Mapping[str, OptionValue], *, size: int) -> Rules:
    wen_zun = _word(options, "wen_zun")
    has_wen_zun = wen_zun != "off"
    zun_base = _number(options, "zun_base")
    he_base = _number(options, "he_base")
    bonus_base = {SUPREME: zun_base, **dict.fromkeys(QUADS, he_base)}
    if has_wen_zun:
        bonus_base[MALLET_PAIR] = zun_base
    capturers = {tiles.THREE_SINGLE: tiles.SIX_SINGLE}
    if has_wen_zun or options["yao15"] == "always":
        capturers[tiles.MALLET_SINGLE] = tiles.LONG_LEG_SINGLE
    par = _number(options, "par")
    lipai = options["lipai"]
    assert isinstance(lipai, tuple)
    return Rules(
        size=size,
        par=par,
        empty=-(par + _number(options, "empty_extra")),
        min_jie=_number(options, "min_jie"),
        two_pow_n=options["multiple"] == "two_pow_n",
        is_global=options["multiplier_scope"] == "global",
        in_times_m=options["in_paid_by_banker"] == "times_m",
        wen_zun=wen_zun,
        has_wen_zun=has_wen_zun,
        zun_base=zun_base,
        he_base=he_base,
        bao_also_he=options["bao_also_he"] is True,
        bao_zun_mult=_number(options, "bao_zun_mult"),
        four_bao_mult=_number(options, "four_bao_mult"),
        yao_mult=_number(options, "yao_mult"),
        capturer_live=options["yao_validity"] == "capturer_live",
        first_captor=options["capture_priority"] == "first_captor",
        capture_mult=_number(options, "capture_mult"),
        quad_capture_mult=_number(options, "quad_capture_mult"),
        quad_liable=options["quad_capture"] == "liable",
        wenzun_liable=options["wenzun_last_capture"] == "as_yao_capture",
        slam=options["slam"] == "on",
        seven_mult=_number(options, "seven_mult"),
        eight_mult=_number(options, "eight_mult"),
        eight_quad_mult=_number(options, "eight_quad_mult"),
        multi_tile_only=options["eight_rule"] == "multi_tile_only",
        slam_multiply=options["slam_stack"] == "multiply",
        slam_first_lead=_word(options, "slam_first_lead"),
        lipai=lipai,
        tian_red=_number(options, "tian_red"),
        one_red=_word(options, "one_red"),
        restack=_word(options, "restack"),
        rake_rate=Rate.parse(_word(options, "rake_rate")),
        rake_round=_word(options, "rake_round"),
        net_pool=options["carry_cap"] == "net_pool",
        valid_of_net=options["valid_bet"] == "abs_net",
        windows=_WINDOWS[wen_zun],
        bonus_base=bonus_base,
        capturers=capturers,
    )


_WINDOWS = {wen_zun: windows_of(wen_zun) for wen_zun in WEN_ZUN}


def _word(options: Mapping[str, OptionValue], name: str) -> str:
    value = options[name]
    assert isinstance(value, str), name
    return value


def _number(options: Mapping[str, OptionValue], name: str) -> int:
    value = options[name]
    assert isinstance(value, int), name
    return value
