"""Templates as functions, for the parts of pages that have hundreds of rows.

Django walks through the nodes of a template each time that it is drawn, and looks for every name
again. Here a template of ours becomes a function once for each language, with the templates that it
includes and the sentences of that language put in, and draws what Django would have drawn. What
such templates are made of is known: text, variables with filters, `if`, `for`, `with`, `include`,
`translate`, `blocktranslate`, `url` and tags of ours that do not ask for the context. A template
that holds anything else is refused when its function is made, so that none is drawn otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from typing import Any

from django.conf import settings
from django.template import Context, Node, Template, Variable
from django.template.base import FilterExpression, TextNode, VariableNode
from django.template.defaulttags import (
    ForNode,
    IfNode,
    LoadNode,
    TemplateLiteral,
    URLNode,
    WithNode,
)
from django.template.library import SimpleNode
from django.template.loader import get_template, render_to_string
from django.template.loader_tags import IncludeNode
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from audit.web import drawing
from audit.web.language import here

Draw = Callable[[Mapping[str, Any]], str]

_PLACE = re.compile(r"%(?:\((\w+)\)s|(%))")
# What Django compares by, and may answer without an error whatever the two are.
_COMPARED = frozenset(("==", "!=", "is", "is not"))


class NotCompilable(Exception):
    """A template holds something that no function is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What stands in the source for each name that the template itself has given.

    `is_alone`: nothing else is known here, as in what is included with `only`. `is_branch`: what is
    written here may be passed over.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    is_alone: bool = False
    is_branch: bool = False

    def with_names(self, names: Mapping[str, str]) -> Scope:
        return replace(self, names={**self.names, **names}, is_branch=False)


def compiled(template: Template) -> Draw:
    """The function that draws a template in the language at hand.

    Raises: NotCompilable.
    """
    writer = _Writer(template)
    writer.nodes(template.nodelist, Scope())
    space = {**vars(drawing), **writer.values}
    # The source is made of templates of ours alone; what they print comes in when it runs.
    exec(compile(writer.source(), f"<{template.name}>", "exec"), space)  # noqa: S102
    draw: Draw = space["draw"]
    return draw


class _Writer:
    """Writes the source of a function. `values` are the objects that it names."""

    def __init__(self, template: Template) -> None:
        self.engine = template.engine
        self.values: dict[str, Any] = {}
        self._free: dict[str, str] = {}
        self._lines: list[str] = []
        self._pieces: list[tuple[bool, str]] = []
        self._depth = 1
        self._numbers = count()

    def source(self) -> str:
        self._flush()
        given = [f" {name} = given({word!r}, MISSING)" for word, name in self._free.items()]
        head = ["def draw(context):", " given = context.get", *given, " out = []"]
        return "\n".join((*head, *self._lines, ' return "".join(out)'))

    def nodes(self, nodes: Iterable[Node], scope: Scope) -> None:
        """One behind the other; a name that `translate … as` gives holds from there on."""
        for node in nodes:
            write = _WRITERS.get(type(node))
            if write is None:
                raise NotCompilable(f"{node!r} is nothing that a function is made of.")
            scope = write(self, node, scope) or scope

    def text(self, text: str) -> None:
        if self._pieces and self._pieces[-1][0]:
            text = self._pieces.pop()[1] + text
        self._pieces.append((True, text))

    def raw(self, expression: str) -> None:
        """What an expression gives, as it is."""
        self._pieces.append((False, expression))

    def printed(self, expression: str) -> None:
        self.raw(f"shown({expression})")

    def line(self, line: str) -> None:
        self._flush()
        self._lines.append(" " * self._depth + line)

    def block(self, head: str, nodes: Iterable[Node], scope: Scope) -> None:
        self.line(head)
        self._depth += 1
        self.line("pass")
        self.nodes(nodes, scope)
        self._flush()
        self._depth -= 1

    def _flush(self) -> None:
        pieces = [repr(text) if is_text else text for is_text, text in self._pieces]
        self._pieces.clear()
        if pieces:
            self._lines.append(" " * self._depth + f"out += ({', '.join(pieces)},)")

    def name(self) -> str:
        return f"v{next(self._numbers)}"

    def value(self, value: Any) -> str:
        """A name for an object that the source needs."""
        name = self.name()
        self.values[name] = value
        return name

    def bound(self, expression: str) -> str:
        """A name for what an expression gives here."""
        name = self.name()
        self.line(f"{name} = {expression}")
        return name

    def looked_up(self, variable: Variable, scope: Scope) -> str:
        """What a variable stands for, MISSING where there is none."""
        if variable.lookups is None:
            value = variable.resolve({})
            # A sentence for a filter or for what is included, in the language at hand.
            return self.value(SafeString(value) if variable.translate else value)
        first, *bits = variable.lookups
        if first == "forloop":
            if bits != ["counter"] or first not in scope.names:
                raise NotCompilable(f"{variable} is not counted.")
            return scope.names[first]
        found = scope.names.get(first)
        if found is None:
            found = "MISSING" if scope.is_alone else self._free.setdefault(first, f"c_{first}")
        for bit in bits:
            found = f"look({found}, {bit!r})"
        return found

    def expression(self, one: FilterExpression, scope: Scope, missing: str = "or_empty") -> str:
        """A variable or a constant with its filters; without any it may be MISSING, with some they
        get what `missing` makes of it."""
        found = self.looked_up(one.var, scope) if one.is_var else self.value(one.var)
        if one.is_var and one.filters:
            found = f"{missing}({found})"
        filters: Any = one.filters
        for function, arguments in filters:
            given = [
                f"or_empty({self.looked_up(argument, scope)})"
                if is_variable
                else self.value(SafeString(argument) if isinstance(argument, str) else argument)
                for is_variable, argument in arguments
            ]
            found = f"{self.value(drawing.as_filter(function))}({', '.join((found, *given))})"
        return found

    def filled(self, one: FilterExpression, scope: Scope) -> str:
        """The same, with nothing where it is MISSING."""
        return f"or_empty({self.expression(one, scope)})"

    def filled_names(self, given: Mapping[str, FilterExpression], scope: Scope) -> dict[str, str]:
        """Names for what is given, each looked up in the scope outside."""
        return {name: self.bound(self.filled(one, scope)) for name, one in given.items()}

    def condition(self, one: Any, scope: Scope) -> str:
        if isinstance(one, TemplateLiteral):
            value: Any = one.value
            return self.expression(value, scope, "or_none")
        if one.id == "not":
            return f"(not {self.condition(one.first, scope)})"
        first, second = self.condition(one.first, scope), self.condition(one.second, scope)
        if one.id in ("and", "or"):
            return f"({first} {one.id} {second})"
        if one.id in _COMPARED:
            return f"(or_none({first}) {one.id} or_none({second}))"
        if one.id == ">":
            return f"is_more({first}, {second})"
        raise NotCompilable(f"Nothing is compared by {one.id}.")


def _text(writer: _Writer, node: TextNode, _: Scope) -> None:
    writer.text(node.s)


def _nothing(_writer: _Writer, _node: LoadNode, _scope: Scope) -> None:
    """What `load` brings is in the nodes already."""


def _variable(writer: _Writer, node: VariableNode, scope: Scope) -> None:
    writer.printed(writer.expression(node.filter_expression, scope))


def _simple(writer: _Writer, node: SimpleNode, scope: Scope) -> None:
    if node.takes_context or node.target_var is not None:
        raise NotCompilable(f"{node.func.__name__} reads the context or writes into it.")
    given = [writer.filled(one, scope) for one in node.args]
    given += [f"{name}={writer.filled(one, scope)}" for name, one in node.kwargs.items()]
    writer.printed(f"{writer.value(node.func)}({', '.join(given)})")


def _url(writer: _Writer, node: Any, scope: Scope) -> None:
    if node.kwargs or node.asvar is not None:
        raise NotCompilable(f"{node!r} is more than a name and its numbers.")
    given = "".join(f"{writer.filled(one, scope)}, " for one in node.args)
    writer.printed(f"reverse({writer.filled(node.view_name, scope)}, args=({given}))")


def _if(writer: _Writer, node: IfNode, scope: Scope) -> None:
    head = "if"
    for condition, nodes in node.conditions_nodelists:
        asked = "else:" if condition is None else f"{head} {writer.condition(condition, scope)}:"
        writer.block(asked, nodes, replace(scope, is_branch=True))
        head = "elif"


def _for(writer: _Writer, node: Any, scope: Scope) -> None:
    if node.is_reversed or node.nodelist_empty:
        raise NotCompilable(f"{node!r} is more than a name and a list.")
    number, *names = [writer.name() for _ in ("number", *node.loopvars)]
    values = f"listed({writer.expression(node.sequence, scope, 'or_none')})"
    target = names[0] if len(names) == 1 else f"({', '.join(names)})"
    given = {"forloop": number, **dict(zip(node.loopvars, names, strict=True))}
    writer.block(
        f"for {number}, {target} in enumerate({values}, 1):",
        node.nodelist_loop,
        scope.with_names(given),
    )


def _with(writer: _Writer, node: WithNode, scope: Scope) -> None:
    names = writer.filled_names(node.extra_context, scope)
    writer.nodes(node.nodelist, scope.with_names(names))


def _include(writer: _Writer, node: IncludeNode, scope: Scope) -> None:
    name = node.template.var
    if node.template.is_var or node.template.filters:
        raise NotCompilable(f"What is included by {name} is not told.")
    names = writer.filled_names(node.extra_context, scope)
    inner = Scope(is_alone=True) if node.isolated_context else scope
    writer.nodes(writer.engine.get_template(name).nodelist, inner.with_names(names))


def _translate(writer: _Writer, node: TranslateNode, scope: Scope) -> Scope | None:
    variable = node.filter_expression.var
    if variable.lookups is not None or node.message_context is not None:
        raise NotCompilable("A sentence is told by its words.")
    given = Context()
    text = node.render(given)
    if node.asvar is None:
        writer.text(str(text))
        return None
    if scope.is_branch:
        raise NotCompilable(f"{node.asvar} is not always given.")
    return scope.with_names({node.asvar: writer.value(given[node.asvar])})


def _block_translate(writer: _Writer, node: Any, scope: Scope) -> None:
    if node.message_context is not None or node.asvar is not None or node.trimmed:
        raise NotCompilable(f"{node!r} is more than its words and their places.")
    given = {name: writer.filled(one, scope) for name, one in node.extra_context.items()}
    inner = scope.with_names(given)
    one, places = node.render_token_list(node.singular)
    if node.counter is None:
        _sentence(writer, one, places, inner)
        return
    number = writer.bound(writer.filled(node.counter, scope))
    inner = inner.with_names({node.countervar: number})
    many, more = node.render_token_list(node.plural)
    filled = ", ".join(
        f"{place!r}: shown({writer.looked_up(Variable(place), inner)})"
        for place in dict.fromkeys((*places, *more))
    )
    writer.raw(f"in_number({one!r}, {many!r}, {number}, {{{filled}}})")


def _sentence(writer: _Writer, words: str, places: list[str], scope: Scope) -> None:
    """A sentence in the language at hand, its places between its words."""
    told = gettext(words)
    try:
        told % dict.fromkeys(places, "")
    except (KeyError, ValueError):
        # One that was translated with other places is told as it was written.
        told = words
    end = 0
    for match in _PLACE.finditer(told):
        writer.text(told[end : match.start()])
        place = match[1]
        if place is None:
            writer.text("%")
        else:
            writer.printed(writer.looked_up(Variable(place), scope))
        end = match.end()
    writer.text(told[end:])


_WRITERS: Mapping[type[Node], Callable[[_Writer, Any, Scope], Scope | None]] = {
    BlockTranslateNode: _block_translate,
    ForNode: _for,
    IfNode: _if,
    IncludeNode: _include,
    LoadNode: _nothing,
    SimpleNode: _simple,
    TextNode: _text,
    TranslateNode: _translate,
    URLNode: _url,
    VariableNode: _variable,
    WithNode: _with,
}


def draw(name: str, context: Mapping[str, Any]) -> SafeString:
    """What a template draws of a context, without a request."""
    if settings.DEBUG:
        # Whoever works on a template sees at once what he changed, and where it breaks.
        return render_to_string(name, dict(context))
    return SafeString(_function_of(name, here())(context))


@cache
def _function_of(name: str, _language: str | None) -> Draw:
    """Of a template in the language of the request, which is here so that each is kept apart."""
    return compiled(get_template(name).template)  # type: ignore[attr-defined]
