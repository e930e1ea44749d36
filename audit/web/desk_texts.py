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
    "table": ("table", "牌桌", "牌桌"),
    "rules": ("Rules", "規則", "规则"),
    "dear": ("Dear {player},", "{player}：", "{player}："),
    "subject": (
        "How your results came about",
        "您的牌局結果如何得出",
        "您的牌局结果如何得出",
    ),
    "intro": (
        (
            "We replayed what follows from the log of the room, move by move, under the rules in"
            " force at that table. What the log says stands beside what the rules give."
        ),
        "我們根據營運商的記錄，按該桌當時生效的規則，逐步重播了以下牌局，並列出記錄所載與按規則計算的結果。",
        "我们根据运营商的记录，按该桌当时生效的规则，逐步重播了以下牌局，并列出记录所载与按规则计算的结果。",
    ),
    "you_said": ("You told us on {day}:", "您於 {day} 提出：", "您于 {day} 提出："),
    "how": ("How the amount is made", "金額如何得出", "金额如何得出"),
    "stage": ("Stage", "環節", "环节"),
    "numbers": ("With its numbers", "算式", "算式"),
    "logged": ("By the log", "記錄", "记录"),
    "expected": ("By the rules", "按規則", "按规则"),
    "note": ("Note", "備註", "备注"),
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
        "本局其餘各步均由您本人所作。",
        "本局其余各步均由您本人所作。",
    ),
    "all_by_player": (
        "Your moves in this hand were made by the player, none by the timer.",
        "本局各步均由您本人所作，無一由計時器代行。",
        "本局各步均由您本人所作，无一由计时器代行。",
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
    "decision": ("Our decision", "我們的裁定", "我们的裁定"),
    "open": (
        "This is a draft: the case is not decided yet.",
        "此為草稿：個案尚未裁定。",
        "此为草稿：个案尚未裁定。",
    ),
    "withdrawn": ("The case was withdrawn.", "個案已撤回。", "个案已撤回。"),
    "operator": (
        "The room paid wrongly. We put it right.",
        "營運商賠付有誤，我們將予更正。",
        "运营商赔付有误，我们将予更正。",
    ),
    "player": ("You are right.", "您的申訴成立。", "您的申诉成立。"),
    "log": (
        "You were paid rightly; only the log is wrong.",
        "賠付無誤，僅記錄有誤。",
        "赔付无误，仅记录有误。",
    ),
    "engine": (
        "Our replay was wrong, not the room and not you.",
        "有誤的是我們的重播，並非營運商，亦非您。",
        "有误的是我们的重播，并非运营商，亦非您。",
    ),
    "rule": (
        "The text of the rule allows both readings.",
        "規則條文可有兩種解釋。",
        "规则条文可有两种解释。",
    ),
    "reason": ("Reason: {reason}", "理由：{reason}", "理由：{reason}"),
    "credit": (
        "{amount} will be credited to you ({remedy}).",
        "將補付您 {amount}（{remedy}）。",
        "将补付您 {amount}（{remedy}）。",
    ),
    "credit_waits": (
        "{amount} is proposed as a credit and waits for a second person ({remedy}).",
        "擬補付您 {amount}，待另一人批准（{remedy}）。",
        "拟补付您 {amount}，待另一人批准（{remedy}）。",
    ),
    "debit": (
        "{amount} will be debited ({remedy}).",
        "將向您扣回 {amount}（{remedy}）。",
        "将向您扣回 {amount}（{remedy}）。",
    ),
    "debit_waits": (
        "{amount} is proposed as a debit and waits for a second person ({remedy}).",
        "擬向您扣回 {amount}，待另一人批准（{remedy}）。",
        "拟向您扣回 {amount}，待另一人批准（{remedy}）。",
    ),
    "answer": (
        "If you see it otherwise, answer this letter and name {reference}.",
        "如您另有看法，請回覆本函並註明 {reference}。",
        "如您另有看法，请回复本函并注明 {reference}。",
    ),
    "signed_by": ("Decided by {name}", "裁定人：{name}", "裁定人：{name}"),
    "approved_by": ("Approved by", "批准人：", "批准人："),
    "footer": (
        (
            "This letter replays finished hands; every figure can be checked against the records."
            " Engine {engine}."
        ),
        "本函重播的是已完結的牌局；各項數字均可憑記錄核對。引擎 {engine}。",
        "本函重播的是已完结的牌局；各项数字均可凭记录核对。引擎 {engine}。",
    ),
    "page": (
        "Page {page} of {pages}",
        "第 {page} 頁，共 {pages} 頁",
        "第 {page} 页，共 {pages} 页",
    ),
    "print": ("Print", "列印", "打印"),
    "you": ("You", "您", "您"),
    # What stands between the parts of a line.
    "comma": (", ", "，", "，"),
    "colon": (": ", "：", "："),
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


TEXTS = {
    code: Texts(
        code=code,
        lang=LANGUAGES[code][1],
        sentences={key: words[place] for key, words in _TEXTS.items()},
    )
    for place, code in enumerate(LANGUAGES)
}
