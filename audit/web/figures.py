"""Pieces of HTML of the settlement: a figure beside the logged one, the way to it, its stages.

A page has hundreds of them, and a template takes several times as long for each. What is put into
a piece is escaped, by `chinese` or here, or safe already; anchors and bars are letters and digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString

from audit.web.language import here, phrase, phrase_html, told
from audit.web.markup import chinese
from audit.web.presenters.settlement import Cell, Row, Settlement
from audit.web.presenters.ways import StageRow, Way

_OFF = {"off": " off", "follows": " off off-follows"}


def column_titles(titles: Iterable[str]) -> SafeString:
    """What each figure is: a head over its two columns."""
    head = '<th scope="colgroup" colspan="2" class="num pair">{}</th>'
    return SafeString("".join([head.format(chinese(title)) for title in titles]))


def column_words(titles: Sequence[str]) -> SafeString:
    """That one column of each figure is the log's, and the other recomputed."""
    words = _words(here())
    one = f'<th scope="col" class="num pair">{words["logged"]}</th>'
    return SafeString(f'{one}<th scope="col" class="num">{words["recomp."]}</th>' * len(titles))


def settlement_rows(settlement: Settlement) -> SafeString:
    """The rows of a settlement, each with the ways to its figures under it."""
    return SafeString("".join([_row(row, settlement.width) for row in settlement.rows]))


def _row(row: Row, width: int) -> str:
    words, group = _words(here()), ""
    if row.group:
        head = f'<th scope="rowgroup" colspan="{width}">{escape(told(row.group))}</th>'
        group = f'<tr class="group">{head}</tr>\n'
    note = f"<small>{chinese(row.note)}</small>" if row.note else ""
    banker = f' <span class="tag">{words["banker"]}</span>' if row.is_banker else ""
    return (
        f'{group}<tr><th scope="row" data-heads="{words["heads"]}">{row.seal or ""}'
        f"<bdi>{escape(row.owner)}</bdi>{note}{banker}</th>{figures(row.cells)}</tr>\n"
        f"{way_rows(row.ways, width)}"
    )


def figures(cells: Iterable[Cell | None]) -> SafeString:
    """The figures of a row of the settlement."""
    return SafeString("".join([f"{figure(cell)}\n" for cell in cells]))


def figure(cell: Cell | None) -> SafeString:
    """A logged figure and the recomputed one, which leads to its way: two cells of a table."""
    if cell is None:
        return SafeString('<td class="num pair log">–</td><td class="num">–</td>')
    off, language = _OFF.get(cell.state, ""), here()
    logged = _not_logged(language) if cell.logged is None else chinese(cell.logged)
    recomputed = chinese(cell.recomputed)
    if cell.anchor:
        title = phrase_html("{figure}: how this number is reached", figure=cell.title)
        recomputed = SafeString(
            f'<a href="#{cell.anchor}" data-way title="{title}">{recomputed}</a>'
        )
    return SafeString(
        f'<td class="num pair log{off}" data-label="{conditional_escape(cell.title)}">'
        f'{_difference(cell.state, language)}{logged}</td><td class="num{off}">{recomputed}</td>'
    )


@lru_cache(maxsize=16)
def _difference(state: str, _language: str | None) -> SafeString:
    """What stands before a logged figure that is not as recomputed."""
    if state == "off":
        differs = phrase("differs")
        return format_html(
            '<span class="ne" title="{}">≠<span class="visually-hidden"> {}</span></span> ',
            differs, differs,
        )  # fmt: skip
    if state == "follows":
        return format_html('<span class="visually-hidden">{} </span>', phrase("follows"))
    return SafeString()


@lru_cache(maxsize=4)
def _not_logged(_language: str | None) -> SafeString:
    return format_html(
        '<span class="muted">–<span class="visually-hidden"> {}</span></span>', phrase("not logged")
    )


def way_rows(ways: Iterable[Way], width: int) -> SafeString:
    """The ways to the figures of a row of the settlement, each as a row under it."""
    return SafeString("".join([f"{way_row(way, width)}\n" for way in ways]))


def way_row(way: Way, width: int) -> SafeString:
    """The way to a figure as a row of the settlement, so many columns wide."""
    language = here()
    first = " wf-first" if way.is_first_wrong else ""
    stages = "".join([f"{_stage(row, way)}\n" for row in way.stages])
    explained = "\n"
    if way.explained:
        explained = render_to_string("hands/_explained.html", {"explained": way.explained})
    return SafeString(
        f'<tr class="wf-row{first}" id="{way.anchor}"><td colspan="{width}">'
        f'<div class="waterfall">\n{_head(way)}\n'
        f'<table class="wf">{_columns(way.has_bars, language)}<tbody>\n{stages}</tbody></table>\n'
        f"{explained}\n</div>\n</td></tr>"
    )


def _head(way: Way) -> str:
    """Whose figure a way leads to, what the log says of it, and the step that made it."""
    seal = format_html("{} ", way.seal) if way.seal else ""
    wrong = made = ""
    if way.wrong_stage:
        words = phrase_html("First wrong stage: <b>{stage}</b>.", stage=chinese(way.wrong_stage))
        wrong = f"<small>{words}</small> "
    if way.made_url:
        words = phrase_html("Step {number} made it", number=way.made_at)
        made = f'<a class="way-made" href="{escape(way.made_url)}" data-step>{words}</a> '
    heading = phrase_html(
        "{figure} of {owner}: the way to {value}",
        figure=chinese(way.title),
        owner=format_html("{}<bdi>{}</bdi>", seal, way.owner),
        value=chinese(way.value),
    )
    return (
        f'<p class="way-head"><span>{heading}</span>'
        f" <small>{_what_the_log_says(way)}</small> {wrong}{made}"
        f'<a class="way-close" href="#settlement">{_words(here())["close"]}</a></p>'
    )


def _what_the_log_says(way: Way) -> SafeString:
    if way.state in ("none", "same"):
        return _words(here())[way.state]
    logged = chinese(phrase("nothing") if way.logged is None else way.logged)
    if way.state == "off":
        return phrase_html("The log says {logged}. First wrong figure.", logged=logged)
    return phrase_html(
        "The log says {logged}, which follows from an earlier wrong figure.", logged=logged
    )


@lru_cache(maxsize=8)
def _columns(has_bars: bool, _language: str | None) -> SafeString:
    """The heads of the table of a way, with a column for its bars or without."""
    return render_to_string("hands/_way_columns.html", {"has_bars": has_bars})


def _stage(row: StageRow, way: Way) -> str:
    """A stage of a way as a row of its table."""
    words = _words(here())
    look = ' class="wf-wrong"' if row.is_wrong else ' class="wf-total"' if row.is_last else ""
    bar = _bar(row, way.zero) if way.has_bars else ""
    said = f"<small>{chinese(row.sentence)}</small>" if row.sentence else ""
    logged = "–" if row.logged is None else chinese(row.logged)
    return (
        f'<tr{look}><th scope="row">{chinese(row.title)}</th>{bar}'
        f'<td class="formula">{chinese(row.formula)}{said}</td>'
        f'<td class="num" data-label="{words["recomputed"]}">{chinese(row.value)}</td>'
        f'<td class="num log" data-label="{words["logged"]}">{logged}</td>'
        f'<td class="src">{row.rule}</td></tr>'
    )


def _bar(row: StageRow, zero: str) -> str:
    look = "b-rake" if row.is_wrong else "b-base"
    return (
        '<td class="wf-bar"><svg viewBox="0 0 200 28" preserveAspectRatio="none"'
        f' aria-hidden="true"><rect class="{look}" x="{row.bar_x}" y="7" width="{row.bar_width}"'
        f' height="14"></rect><path class="b-link" d="M{zero} 2V26"></path></svg></td>'
    )


@lru_cache(maxsize=4)
def _words(_language: str | None) -> dict[str, SafeString]:
    """The words that stand in each row and way, in the language of the request."""
    return {
        "recomputed": escape(phrase("recomputed")),
        "logged": escape(phrase("logged")),
        "recomp.": escape(phrase("recomp.")),
        "heads": escape(phrase("logged, recomputed")),
        "banker": escape(phrase("banker")),
        "close": escape(phrase("Close")),
        "none": escape(phrase("The log does not carry this figure.")),
        "same": escape(phrase("The log says the same.")),
    }
