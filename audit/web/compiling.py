"""Templates as functions, for pages that have hundreds of rows.

Django walks through the nodes of a template each time that it is drawn, and looks for every name
again. Here a template of ours becomes a function once for each language, with the templates that it
includes and the sentences of that language put in, and draws what Django would have drawn. What
such templates are made of is known: text, variables with filters, `if`, `for`, `with`, `include`,
`extends`, `translate`, `blocktranslate`, `url`, `static`, and tags of ours. A template that holds
anything else is refused when its function is made, so that none is drawn otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import Engine, Template
from django.template.loader import get_template, render_to_string
from django.utils.safestring import SafeString

from audit.web import drawing
from audit.web.compiling_nodes import WRITERS
from audit.web.compiling_writer import NotCompilable, Scope, Writer
from audit.web.language import here

__all__ = ["NotCompilable", "compiled", "draw", "draw_page"]

Draw = Callable[[Mapping[str, Any]], str]


def compiled(template: Template) -> Draw:
    """The function that draws a template in the language at hand.

    Raises: NotCompilable.
    """
    writer = Writer(template.engine, WRITERS)
    writer.nodes(template.nodelist, Scope())
    space = {**vars(drawing), **writer.values}
    # The source is made of templates of ours alone; what they print comes in when it runs.
    exec(compile(writer.source(), f"<{template.name}>", "exec"), space)  # noqa: S102
    draw: Draw = space["draw"]
    return draw


def draw(name: str, context: Mapping[str, Any]) -> SafeString:
    """What a template draws of a context, without a request."""
    if settings.DEBUG:
        # Whoever works on a template sees at once what he changed, and where it breaks.
        return render_to_string(name, dict(context))
    return SafeString(_function_of(name, here())(context))


def draw_page(request: HttpRequest, name: str, context: Mapping[str, Any]) -> HttpResponse:
    """The answer that a template draws of a context and of what every page knows."""
    if settings.DEBUG:
        return render(request, name, dict(context))
    known: dict[str, Any] = {}
    for process in Engine.get_default().template_context_processors:
        known.update(process(request))
    return HttpResponse(_function_of(name, here())(known | dict(context)))


@cache
def _function_of(name: str, _language: str | None) -> Draw:
    """Of a template in the language of the request, which is here so that each is kept apart."""
    return compiled(get_template(name).template)  # type: ignore[attr-defined]
