"""What seats, tiles and everything that tiles make are called: the one place for all games.

English, and the original script beside it; the simplified form is the catalogue's (`audit/locale`).
docs/glossary.md explains each, and tests hold the two to each other. The 21 kinds of tiles have
their names in `replay.tiles`.
"""

from __future__ import annotations

from replay.telling import say

SEALS = (say("東"), say("南"), say("西"), say("北"))
SEATS = (say("East"), say("South"), say("West"), say("North"))

# Several tiles of a kind, by the code of a tile.
PLURALS: dict[str, str] = {
    "66": say("Heavens"), "11": say("Earths"), "44": say("Men"), "13": say("Geese"),
    "55": say("Plums"), "33": say("Long Threes"), "22": say("Benches"), "56": say("Axes"),
    "46": say("Red Head Tens"), "16": say("Long Leg Sevens"), "15": say("Red Mallet Sixes"),
    "36": say("Mixed Nines"), "45": say("Mixed Nines"), "26": say("Mixed Eights"),
    "35": say("Mixed Eights"), "25": say("Mixed Sevens"), "34": say("Mixed Sevens"),
    "14": say("Mixed Fives"), "23": say("Mixed Fives"),
}  # fmt: skip

# The ranks of banker-bidding Pai Gow from the highest to the lowest, by their codes.
PAI_GOW_RANKS: dict[str, tuple[str, str]] = {
    "supreme": (say("至尊寶"), say("Supreme Pair")),
    "pair-66": (say("雙天"), say("pair of Heavens")),
    "pair-11": (say("雙地"), say("pair of Earths")),
    "pair-44": (say("雙人"), say("pair of Men")),
    "pair-13": (say("雙鵝"), say("pair of Geese")),
    "pair-55": (say("雙梅"), say("pair of Plums")),
    "pair-33": (say("雙長三"), say("pair of Long Threes")),
    "pair-22": (say("雙板凳"), say("pair of Benches")),
    "pair-56": (say("雙斧頭"), say("pair of Axes")),
    "pair-46": (say("雙紅頭"), say("pair of Red Head Tens")),
    "pair-16": (say("雙高腳"), say("pair of Long Leg Sevens")),
    "pair-15": (say("雙零霖"), say("pair of Red Mallet Sixes")),
    "pair-9": (say("雜九"), say("pair of Mixed Nines")),
    "pair-8": (say("雜八"), say("pair of Mixed Eights")),
    "pair-7": (say("雜七"), say("pair of Mixed Sevens")),
    "pair-5": (say("雜五"), say("pair of Mixed Fives")),
    "heaven-king": (say("天王"), say("Heaven King")),
    "earth-king": (say("地王"), say("Earth King")),
    "heaven-gong": (say("天槓"), say("Heaven Gong")),
    "earth-gong": (say("地槓"), say("Earth Gong")),
    "heaven-high-nine": (say("天高九"), say("Heaven High Nine")),
    "earth-high-nine": (say("地高九"), say("Earth High Nine")),
    "points-9": (say("九點"), say("9 points")),
    "points-8": (say("八點"), say("8 points")),
    "points-7": (say("七點"), say("7 points")),
    "points-6": (say("六點"), say("6 points")),
    "points-5": (say("五點"), say("5 points")),
    "points-4": (say("四點"), say("4 points")),
    "points-3": (say("三點"), say("3 points")),
    "points-2": (say("二點"), say("2 points")),
    "points-1": (say("一點"), say("1 point")),
    "points-0": (say("零點"), say("0 points")),
}

# What may be led in Tien Gow, by the names of its types: English, then the original.
LEADS: dict[str, tuple[str, str]] = {
    "CIVIL_SINGLE": (say("civil single"), say("單文")),
    "MILITARY_SINGLE": (say("military single"), say("單武")),
    "CIVIL_PAIR": (say("civil pair"), say("文對")),
    "MILITARY_PAIR": (say("military pair"), say("武對")),
    "MIXED_PAIR": (say("mixed pair"), say("文武")),
    "SUPREME": (say("supreme pair"), say("至尊")),
    "THREE_CIVIL": (say("two civil and a military"), say("三文")),
    "THREE_MILITARY": (say("a civil and two military"), say("三武")),
    "QUAD": (say("four civil and military"), say("四文武")),
}
# 天九 地八 人七 鵝五, by the strength of a combination inside its type: 4 to 1.
GROUPS: dict[int, tuple[str, str, str]] = {
    4: (say("天九"), say("Heaven"), say("Nine")),
    3: (say("地八"), say("Earth"), say("Eight")),
    2: (say("人七"), say("Man"), say("Seven")),
    1: (say("鵝五"), say("Goose"), say("Five")),
}
# Several of the military tile of a group.
GROUP_PLURALS: dict[str, str] = {
    "Nine": say("Nines"), "Eight": say("Eights"), "Seven": say("Sevens"), "Five": say("Fives"),
}  # fmt: skip
BONUSES = {"supreme": say("賀尊"), "capture-supreme": say("擒尊"), "four-grand": say("四大賀")}
# The winning deals.
PATTERNS = {
    "all-white": (say("全白"), say("all white")),
    "one-red": (say("一點紅"), say("one red")),
    "seven-military": (say("七武"), say("seven military")),
    "eight-military": (say("八武"), say("eight military")),
    "four-pairs": (say("四對"), say("four pairs")),
    "seven-civil": (say("七文"), say("seven civil")),
    "eight-civil": (say("八文"), say("eight civil")),
}
# How a wall is taken.
METHODS = {
    "side-left": say("開邊, from the left"),
    "side-right": say("開邊, from the right"),
    "stack-by-stack": say("輪棟, stack by stack"),
    "alternate": say("間棟, alternate stacks"),
    "layer": say("片面, by layers"),
    "heart": say("挖心, from the heart"),
    "ears": say("切耳, from the ears"),
    "dragon-phoenix": say("龍頭鳳尾, dragon and phoenix"),
    "twin-wings": say("雙翼齊飛, twin wings"),
    "three-lions": say("舞三獅, three lions"),
}
# How a hand of Tien Gow ended.
ENDINGS = {
    "bao-zun": say("包尊"),
    "four-bao": say("四大包"),
    "yao": say("么結"),
    "capture": say("擒, captured"),
    "quad-capture": say("擒四文武, captured"),
    "slam-seven": say("七支"),
    "slam-eight": say("八支"),
    "lipai-seven": say("七支"),
    "lipai-eight": say("八支"),
}

# The positions of Wenzhou Pai Gow, in the order of its records.
POSITION_TITLES = (say("Bank"), say("Shun"), say("Chu"), say("Dao"))
POSITION_TITLES_HANT = (say("莊"), say("順門"), say("出門"), say("到門"))
# The pair classes that are no pair of equal names.
WENZHOU_CLASSES: dict[int, tuple[str, str]] = {
    3: (say("Supreme"), say("至尊")),
    9: (say("Heaven-Nine King"), say("天九王")),
    10: (say("Heaven Gong"), say("天槓")),
    11: (say("Earth Gong"), say("地槓")),
    12: (say("Heaven-Nine"), say("天九")),
    13: (say("Earth-Nine"), say("地九")),
}
