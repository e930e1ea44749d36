"""Letters and case files as PDF: what their pages print, as data for the templates of typst."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

import replay
from audit import pdf
from audit.web import markup
from audit.web.desk_figures import FiledHand, ToldHand
from audit.web.desk_texts import Texts
from audit.web.language import phrase, phrases, told

Json = dict[str, Any]
LANGUAGES = {"en": "en", "zh-hant": "zh-Hant", "zh-hans": "zh-Hans"}


def letter_pdf(context: Mapping[str, Any]) -> HttpResponse:
    """The letter of a page as a file. Raises: Http404 where no PDF can be set."""
    texts: Texts = context["texts"]
    name = f"letter-{context['reference']}-{texts.code}.pdf"
    return _answer("letter", letter_data(context), context["day"], name)


def file_pdf(context: Mapping[str, Any]) -> HttpResponse:
    """The case file of a page as a file. Raises: Http404 where no PDF can be set."""
    name = f"case-file-C-{context['case'].pk}.pdf"
    return _answer("casefile", file_data(context), context["day"], name)


def _answer(template: pdf.Template, data: Json, made_at: datetime, name: str) -> HttpResponse:
    try:
        made = pdf.make_pdf(template, data, made_at=made_at)
    except pdf.PdfRefused as error:
        raise Http404(str(error)) from None
    response = HttpResponse(made, content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def page_words(sentence: str) -> list[str]:
    """What stands around the two numbers of “Page {page} of {pages}”."""
    before, _sep, rest = sentence.partition("{page}")
    between, _sep, after = rest.partition("{pages}")
    return [before, between, after]


def letter_data(context: Mapping[str, Any]) -> Json:
    """What the template of a letter prints: texts alone."""
    texts: Texts = context["texts"]
    case, claim = context["case"], context["claim"]
    refs = [[texts["claim"], f"K-{claim.pk}"]] if claim is not None else []
    refs.append([texts["case"], f"C-{case.pk}"])
    if case.ruleset:
        refs.append([texts["rules"], case.ruleset])
    return {
        "lang": texts.lang,
        "stamp": texts["stamp"],
        "refs": refs,
        "day": f"{context['day']:%Y-%m-%d}",
        "dear": context["dear"],
        "subject": texts["subject"],
        "intro": texts["intro"],
        "you_said": context["you_said"],
        "claim": "" if claim is None else claim.text,
        "outcome": list(context["outcome"]),
        "decision_title": texts["decision"],
        "decision": context["decision"],
        "heads": [texts["stage"], texts["numbers"], texts["logged"], texts["expected"], ""],
        "hands": [_told_hand(one, texts) for one in context["hands"]],
        "more": context["more"],
        "reason": context["reason"],
        "bookings": list(context["bookings"]),
        "answer": context["answer"],
        "signed": context["signed"] or "",
        "approved_by": texts["approved_by"],
        "notes": [
            [str(number), rule + (texts["colon"] + told(sentence) if sentence else "")]
            for number, rule, sentence in context["notes"]
        ],
        "footer": context["footer"],
        "page_words": page_words(texts["page"]),
    }


def _told_hand(one: ToldHand, texts: Texts) -> Json:
    return {
        "title": f"{texts['hand']} {one.hand.hand_id}",
        "about": texts["comma"].join(
            (f"{texts['table']} {one.hand.table}", one.played, one.hand.currency)
        ),
        "lines": [
            {
                "title": told(line.title),
                "formula": told(line.formula),
                "logged": line.logged or "",
                "expected": line.expected,
                "note": "" if line.note is None else str(line.note),
                "is_wrong": line.is_wrong,
                "is_sum": line.is_sum,
            }
            for line in one.lines
        ],
        "sentences": [told(sentence) for sentence in one.sentences],
    }


def _text(text: str, kind: str = "text") -> Json:
    return {"kind": kind, "text": text}


def _table(
    columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Sequence[object], bool]]
) -> Json:
    """`columns` are title and look: "num" to the right, "wide" takes the room that is left."""
    return {
        "kind": "table",
        "columns": [
            {"title": title, "right": look == "num", "wide": look == "wide"}
            for title, look in columns
        ],
        "rows": [
            {"cells": ["" if cell is None else str(cell) for cell in cells], "is_wrong": is_wrong}
            for cells, is_wrong in rows
        ],
    }


def file_data(context: Mapping[str, Any]) -> Json:
    """What the template of a case file prints, in the order of its page."""
    case, day = context["case"], context["day"]
    title = phrase("Case file C-{number}: {title}", number=case.pk, title=told(context["title"]))
    return {
        "lang": LANGUAGES.get(get_language() or "en", "en"),
        "title": title,
        "stamp": _("Replay"),
        "footer": phrase(
            "Made {day} UTC with engine {engine}, {address}",
            day=f"{day:%Y-%m-%d %H:%M}",
            engine=replay.ENGINE,
            address=context["address"],
        ),
        "page_words": page_words(_("Page {page} of {pages}")),
        "blocks": list(_blocks(context)),
    }


def _blocks(context: Mapping[str, Any]) -> Iterator[Json]:
    case = context["case"]
    about = [case.source, *([case.ruleset] if case.ruleset else [])]
    yield _text(f"{', '.join(about)}. {told(context['line'].standing)}.", "quiet")
    money = ", ".join(f"{one.currency} {markup.grouped(one.text)}" for one in case.money)
    facts = [
        (_("Hands"), case.hand_count),
        (_("Money at risk"), money or "–"),
        (_("Opened"), f"{case.opened_at:%Y-%m-%d %H:%M} UTC"),
        (_("Due"), f"{case.due_at:%Y-%m-%d %H:%M} UTC"),
        (_("Claims"), len(context["claims"])),
    ]
    yield _table([("", ""), ("", "wide")], [(fact, False) for fact in facts])
    yield from _cause_blocks(context)
    yield from _claim_blocks(context)
    yield from _exposure_blocks(context)
    yield _text(_("Hands"), "heading")
    if not context["hands"]:
        yield _text(_("No hand stands in this case."))
    for one in context["hands"]:
        yield from _hand_blocks(one)
    yield from _remedy_blocks(context)
    yield _text(_("History"), "heading")
    yield _table(
        [(_("When (UTC)"), ""), (_("Who"), ""), (_("What"), "wide")],
        [
            ((f"{one.row.created_at:%Y-%m-%d %H:%M}", told(one.who), _act_words(one)), False)
            for one in context["acts"]
        ],
    )


def _cause_blocks(context: Mapping[str, Any]) -> Iterator[Json]:
    cause = context["cause"]
    if not cause:
        return
    yield _text(_("Cause"), "heading")
    case = context["case"]
    parts = [case.code, case.rule or "", told(cause["because"] or "")]
    yield _text(" ".join(part for part in parts if part))
    if cause["relation"]:
        yield _text(phrase("The log has {relation}.", relation=told(cause["relation"])))
    for label, sentence in cause["options"]:
        words = phrase("the log is right if {option}.", option=told(sentence))
        yield _text(phrase("{option}: {value}", option=label, value=words))


def _claim_blocks(context: Mapping[str, Any]) -> Iterator[Json]:
    if context["claims"]:
        yield _text(_("What players say"), "heading")
    for one in context["claims"]:
        time = f"{one.claimed_at:%Y-%m-%d %H:%M} UTC"
        said = phrase("{text}, {note}", text=f"K-{one.pk} {one.player}", note=time)
        if one.amount:
            amount = f"{one.amount.currency} {one.amount.text}"
            said = phrase("{text}, {note}", text=said, note=amount)
        if one.is_withdrawn:
            said = phrase("{text} ({note})", text=said, note=_("withdrawn"))
        yield _text(said)
        yield _text(one.text, "said")


def _exposure_blocks(context: Mapping[str, Any]) -> Iterator[Json]:
    if not context["players"]:
        return
    yield _text(_("Exposure per player"), "heading")
    columns = [(_("Player"), "wide"), (_("Hands"), "num"), (_("Logged"), "num"),
               (_("Recomputed"), "num"), (_("Net"), "num"), (_("Standing"), "")]  # fmt: skip
    yield _table(
        columns,
        [
            (
                (
                    one.player, one.hands, one.logged or "–", one.recomputed or "–",
                    f"{one.currency} {one.net}" if one.net else "–", told(one.standing),
                ),
                False,
            )
            for one in context["players"]
        ],
    )  # fmt: skip


def _hand_blocks(one: FiledHand) -> Iterator[Json]:
    hand = one.hand
    yield _text(hand.hand_id, "subheading")
    about = phrase(
        "{table}, {played}, {currency}, record {sha256}",
        table=hand.table,
        played=one.played,
        currency=hand.currency,
        sha256=hand.sha256[:16],
    )
    yield _text(about, "quiet")
    for title, finding in one.findings:
        yield _text(f"• {_finding_words(told(title), finding)}")
    if not one.findings:
        yield _text(_("Log and rules agree."))
    for sentence in one.options:
        yield _text(phrase("The log is right if {option}.", option=told(sentence)))
    if one.problem:
        yield _text(phrase("It cannot be replayed now: {problem}", problem=one.problem))
    if one.figures:
        columns = [(_("Whose"), ""), (_("Figure"), "wide"), (_("Logged"), "num"),
                   (_("Recomputed"), "num"), (_("Rule"), "")]  # fmt: skip
        yield _table(columns, [(_figure_cells(each), each.state == "off") for each in one.figures])
    if one.steps:
        count = len(one.steps)
        yield _text(
            phrases("What was played, {count} step", "What was played, {count} steps", count),
            "quiet",
        )
        yield _table(
            [("", "num"), ("", "wide"), ("", "")],
            [((number, told(sentence), told(by)), False) for number, sentence, by in one.steps],
        )


def _figure_cells(figure: Any) -> tuple[object, ...]:
    mark = {"off": "≠ ", "follows": f"{_('follows')} "}.get(figure.state, "")
    logged = f"{mark}{'–' if figure.logged is None else figure.logged}"
    return (told(figure.owner), told(figure.title), logged, figure.expected, figure.rule or "")


def _finding_words(title: str, finding: replay.Finding) -> str:
    told_parts = [title, f"({finding.code}{', ' + finding.rule if finding.rule else ''})"]
    if finding.event is not None:
        told_parts.append(phrase("event {event}", event=finding.event))
    if finding.seat is not None:
        told_parts.append(phrase("seat {seat}", seat=finding.seat))
    if finding.subject:
        told_parts.append(finding.subject)
    if finding.logged is not None:
        told_parts.append(phrase("logged {value}", value=markup.minus(finding.logged)))
    if finding.expected is not None:
        told_parts.append(phrase("expected {value}", value=markup.minus(finding.expected)))
    return ", ".join(told_parts)


def _remedy_blocks(context: Mapping[str, Any]) -> Iterator[Json]:
    for book in context["books"]:
        remedy = book["remedy"]
        yield _text(phrase("Remedy R-{number}", number=remedy.pk), "heading")
        people = [told(str(remedy.state)), remedy.proposed_by]
        people += [remedy.settled_by] if remedy.settled_by else []
        yield _text(", ".join(people), "quiet")
        columns = [(_("Account"), "wide"), (_("Currency"), ""), (_("Amount"), "num")]
        yield _table(
            columns,
            [
                ((_("House") if one.account == "house" else one.player, one.money.currency, amount),
                 False)
                for one, amount in book["entries"]
            ],
        )  # fmt: skip


def _act_words(one: Any) -> str:
    row = one.row
    parts = [told(one.what)]
    parts += [f"K-{row.claim_pk}"] if row.claim_pk else []
    parts += [f"R-{row.remedy_pk}"] if row.remedy_pk else []
    parts += [row.hand_id] if row.hand_pk and not row.claim_pk else []
    sentence = " ".join(str(part) for part in parts)
    return phrase("{option}: {value}", option=sentence, value=row.text) if row.text else sentence
