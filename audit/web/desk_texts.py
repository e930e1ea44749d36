"""The words of letters, in one place and in three languages; figures are never part of them.

`Texts["key"]` gives a sentence of its language; `{…}` stand for what is filled in. The terms are
those of docs/glossary.md and the rulebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LANGUAGES = {
    "en": ("English", "en"),
    "zh-hant": ("繁體", "zh-Hant"),
    "zh-hans": ("简体", "zh-Hans"),
}

# key: English, Traditional, Simplified
_TEXTS: dict[str, tuple[str, str, str]] = {
    "stamp": ("Replay", "重播", "重播"),
    "claim": ("Claim", "申訴", "申诉"),
    "case": ("Case", "個案", "个案"),
    "hand": ("Hand", "牌局", "牌局"),
    "table": ("table", "桌", "桌"),
    "rules": ("Rules", "規則", "规则"),
    "dear": ("Dear {player},", "{player}：", "{player}："),
    "subject": (
        "How your results came about",
        "各局結果從何而來",
        "各局结果从何而来",
    ),
    "intro": (
        (
            "We replayed what follows from the log of the room, move by move, under the rules in"
            " force at that table. What the log says stands beside what the rules give."
        ),
        "以下牌局，我們依牌房的記錄，按當時該桌的規則逐步重播。記錄所載與按規則計算者並列。",
        "以下牌局，我们依牌房的记录，按当时该桌的规则逐步重播。记录所载与按规则计算者并列。",
    ),
    "you_said": ("You told us on {day}:", "您於 {day} 提出：", "您于 {day} 提出："),
    "how": ("How the amount is made", "金額如何得出", "金额如何得出"),
    "stage": ("Stage", "步驟", "步骤"),
    "numbers": ("With its numbers", "算式", "算式"),
    "logged": ("By the log", "記錄", "记录"),
    "expected": ("By the rules", "按規則", "按规则"),
    "note": ("Note", "註", "注"),
    "right_if": (
        "The log would be right if {option}.",
        "若採用 {option}，則記錄無誤。",
        "若采用 {option}，则记录无误。",
    ),
    "stopped": (
        (
            "The replay of this hand stops at step {step}, because the rules refuse what the log"
            " says there ({code}). What the log says of money cannot be compared."
        ),
        "本局重播至第 {step} 步為止，因記錄該處所載不合規則（{code}），金額無從比較。",
        "本局重播至第 {step} 步为止，因记录该处所载不合规则（{code}），金额无从比较。",
    ),
    "no_replay": (
        "This record cannot be replayed now.",
        "此記錄目前無法重播。",
        "此记录目前无法重播。",
    ),
    "by_timer": (
        "Step {step} was made by the timer, not by you.",
        "第 {step} 步由計時器代行，並非您所作。",
        "第 {step} 步由计时器代行，并非您所作。",
    ),
    "by_player": (
        "Your other moves in this hand were made by the player.",
        "本局您的其餘各步均由玩家本人所作。",
        "本局您的其余各步均由玩家本人所作。",
    ),
    "all_by_player": (
        "Your moves in this hand were made by the player, none by the timer.",
        "本局您的各步均由玩家本人所作，無一由計時器代行。",
        "本局您的各步均由玩家本人所作，无一由计时器代行。",
    ),
    "clean": (
        "Log and rules agree on every figure of this hand.",
        "本局各項數字，記錄與規則一致。",
        "本局各项数字，记录与规则一致。",
    ),
    "owed": ("{amount} is owed to you.", "尚欠您 {amount}。", "尚欠您 {amount}。"),
    "too_much": (
        "You received {amount} more than the rules give.",
        "您多收了 {amount}。",
        "您多收了 {amount}。",
    ),
    "even": (
        "By these hands nothing is owed on either side.",
        "就以上牌局，雙方互不相欠。",
        "就以上牌局，双方互不相欠。",
    ),
    "unknown": (
        "For {count} of these hands the amount cannot be told.",
        "其中 {count} 局的金額無從得知。",
        "其中 {count} 局的金额无从得知。",
    ),
    "more_hands": (
        (
            "Shown are {shown} of {count} hands, the latest played first; the sums are over those"
            " shown."
        ),
        "共 {count} 局，此處列出最近的 {shown} 局，合計僅就所列者計算。",
        "共 {count} 局，此处列出最近的 {shown} 局，合计仅就所列者计算。",
    ),
    "decision": ("Our decision", "我們的決定", "我们的决定"),
    "open": (
        "This is a draft: the case is not decided yet.",
        "此為草稿：個案尚未裁定。",
        "此为草稿：个案尚未裁定。",
    ),
    "withdrawn": ("The case was withdrawn.", "個案已撤回。", "个案已撤回。"),
    "operator": (
        "The room paid wrongly. We put it right.",
        "牌房派彩有誤，我們將予更正。",
        "牌房派彩有误，我们将予更正。",
    ),
    "player": ("You are right.", "您的申訴成立。", "您的申诉成立。"),
    "log": (
        "You were paid rightly; only the log is wrong.",
        "派彩正確，僅記錄有誤。",
        "派彩正确，仅记录有误。",
    ),
    "engine": (
        "Our replay was wrong, not the room and not you.",
        "有誤的是我們的重播，並非牌房，亦非您。",
        "有误的是我们的重播，并非牌房，亦非您。",
    ),
    "rule": (
        "The text of the rule allows both readings.",
        "規則條文可有兩種解釋。",
        "规则条文可有两种解释。",
    ),
    "reason": ("Reason: {reason}", "理由：{reason}", "理由：{reason}"),
    "credit": (
        "{amount} will be credited to you ({remedy}).",
        "將入賬 {amount}（{remedy}）。",
        "将入账 {amount}（{remedy}）。",
    ),
    "credit_waits": (
        "{amount} is proposed as a credit and waits for a second person ({remedy}).",
        "擬入賬 {amount}，待第二人核准（{remedy}）。",
        "拟入账 {amount}，待第二人核准（{remedy}）。",
    ),
    "debit": (
        "{amount} will be debited ({remedy}).",
        "將扣回 {amount}（{remedy}）。",
        "将扣回 {amount}（{remedy}）。",
    ),
    "debit_waits": (
        "{amount} is proposed as a debit and waits for a second person ({remedy}).",
        "擬扣回 {amount}，待第二人核准（{remedy}）。",
        "拟扣回 {amount}，待第二人核准（{remedy}）。",
    ),
    "answer": (
        "If you see it otherwise, answer this letter and name {reference}.",
        "如您另有看法，請回覆本函並註明 {reference}。",
        "如您另有看法，请回复本函并注明 {reference}。",
    ),
    "signed_by": ("Decided by {name}", "裁定人 {name}", "裁定人 {name}"),
    "approved_by": ("Approved by", "核准人", "核准人"),
    "footer": (
        (
            "This letter replays finished hands; every figure can be checked against the records."
            " Engine {engine}."
        ),
        "本函為已完結牌局之重播；各項數字均可憑記錄核對。引擎 {engine}。",
        "本函为已完结牌局之重播；各项数字均可凭记录核对。引擎 {engine}。",
    ),
    "page": (
        "Page {page} of {pages}",
        "第 {page} 頁，共 {pages} 頁",
        "第 {page} 页，共 {pages} 页",
    ),
    "print": ("Print", "列印", "打印"),
    "you": ("You", "您", "您"),
}

# Stages by the name that the replay gives them, without a number at its end. English has its own.
_STAGES: dict[str, tuple[str, str]] = {
    "theoretical": ("按注計算", "按注计算"),
    "clip": ("閒家賠付上限", "闲家赔付上限"),
    "cap": ("莊家上限", "庄家上限"),
    "gross": ("抽水前", "抽水前"),
    "rake": ("抽水", "抽水"),
    "net": ("應得", "应得"),
    "units": ("注數", "注数"),
    "ending": ("結", "结"),
    "bonus": ("賀", "贺"),
    "tricks": ("棟", "栋"),
    "winner": ("結", "结"),
    "next": ("下局莊家", "下局庄家"),
    "profit": ("盈虧", "盈亏"),
    "rounding": ("捨入", "舍入"),
    "side": ("投注", "投注"),
    "outcome": ("門與莊", "门与庄"),
    "valid_bet": ("有效投注額", "有效投注额"),
    "valid-bet": ("有效投注額", "有效投注额"),
    "offset": ("對沖後", "对冲后"),
    "carry_out": ("帶出", "带出"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The sentences of one language; `code` is what its address says, `lang` what HTML says."""

    code: str
    lang: str
    sentences: Mapping[str, str]

    def __getitem__(self, key: str) -> str:
        return self.sentences[key]

    def filled(self, key: str, **values: object) -> str:
        return self.sentences[key].format(**values)

    @property
    def is_english(self) -> bool:
        return self.code == "en"

    def stage(self, name: str, title: str) -> str:
        """The title of a stage in this language; the core's own where none is known."""
        if self.is_english:
            return title
        known = _STAGES.get(name.rstrip("0123456789").rstrip("-"))
        return title if known is None else known[_ORDER.index(self.code) - 1]


_ORDER = ("en", "zh-hant", "zh-hans")
TEXTS = {
    code: Texts(
        code=code,
        lang=LANGUAGES[code][1],
        sentences={key: words[place] for key, words in _TEXTS.items()},
    )
    for place, code in enumerate(_ORDER)
}
