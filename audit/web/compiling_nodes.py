"""How each node of a template is written into the source of its function."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.template import Context, Node, Variable
from django.template.base import TextNode, VariableNode
from django.template.defaulttags import (
    CsrfTokenNode,
    ForNode,
    IfNode,
    LoadNode,
    URLNode,
    WithNode,
)
from django.template.library import InclusionNode, SimpleNode
from django.template.loader_tags import BlockNode, ExtendsNode, IncludeNode
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.templatetags.static import StaticNode
from django.utils.translation import gettext

from audit.web.compiling_writer import NotCompilable, Scope, WriteNode, Writer

_PLACE = re.compile(r"%(?:\((\w+)\)s|(%))")


def _text(writer: Writer, node: TextNode, _: Scope) -> None:
    writer.text(node.s)


def _nothing(_writer: Writer, _node: LoadNode, _scope: Scope) -> None:
    """What `load` brings is in the nodes already."""


def _variable(writer: Writer, node: VariableNode, scope: Scope) -> None:
    writer.printed(writer.expression(node.filter_expression, scope))


def _simple(writer: Writer, node: SimpleNode, scope: Scope) -> None:
    if node.takes_context or node.target_var is not None:
        raise NotCompilable(f"{node.func.__name__} reads the context or writes into it.")
    given = [writer.filled(one, scope) for one in node.args]
    given += [f"{name}={writer.filled(one, scope)}" for name, one in node.kwargs.items()]
    writer.printed(f"{writer.value(node.func)}({', '.join(given)})")


def _url(writer: Writer, node: Any, scope: Scope) -> None:
    if node.kwargs or node.asvar is not None:
        raise NotCompilable(f"{node!r} is more than a name and its numbers.")
    given = "".join(f"{writer.filled(one, scope)}, " for one in node.args)
    writer.printed(f"reverse({writer.filled(node.view_name, scope)}, args=({given}))")


def _if(writer: Writer, node: IfNode, scope: Scope) -> None:
    head = "if"
    for condition, nodes in node.conditions_nodelists:
        asked = "else:" if condition is None else f"{head} {writer.condition(condition, scope)}:"
        writer.block(asked, nodes, replace(scope, is_branch=True))
        head = "elif"


def _for(writer: Writer, node: Any, scope: Scope) -> None:
    if node.is_reversed or node.nodelist_empty:
        raise NotCompilable(f"{node!r} is more than a name and a list.")
    number, *names = [writer.name() for _ in ("number", *node.loopvars)]
    values = writer.bound(f"listed({writer.expression(node.sequence, scope, 'or_none')})")
    target = names[0] if len(names) == 1 else f"({', '.join(names)})"
    told = {"forloop.counter": number, "forloop.last": f"({number} == len({values}))"}
    given = {**told, **dict(zip(node.loopvars, names, strict=True))}
    writer.block(
        f"for {number}, {target} in enumerate({values}, 1):",
        node.nodelist_loop,
        scope.with_names(given),
    )


def _with(writer: Writer, node: WithNode, scope: Scope) -> None:
    names = writer.filled_names(node.extra_context, scope)
    writer.nodes(node.nodelist, scope.with_names(names))


def _include(writer: Writer, node: IncludeNode, scope: Scope) -> None:
    name = node.template.var
    if node.template.is_var or node.template.filters:
        raise NotCompilable(f"What is included by {name} is not told.")
    names = writer.filled_names(node.extra_context, scope)
    inner = Scope(within="{}") if node.isolated_context else scope
    writer.nodes(writer.engine.get_template(name).nodelist, inner.with_names(names))


def _static(writer: Writer, node: StaticNode, _: Scope) -> None:
    if node.varname is not None or node.path.is_var:
        raise NotCompilable(f"{node!r} is not always the same file.")
    writer.text(node.render(Context()))


def _token(writer: Writer, node: CsrfTokenNode, scope: Scope) -> None:
    writer.raw(f"csrf_field({writer.value(node)}, {writer.given('csrf_token', scope)})")


def _extends(writer: Writer, node: Any, scope: Scope) -> None:
    if node.parent_name.is_var or node.parent_name.filters:
        raise NotCompilable(f"{node!r} is not told by its name.")
    parent = writer.engine.get_template(node.parent_name.var)
    for name, block in node.blocks.items():
        writer.blocks.setdefault(name, block.nodelist)
    writer.nodes(parent.nodelist, scope)


def _block(writer: Writer, node: BlockNode, scope: Scope) -> None:
    writer.nodes(writer.blocks.get(node.name, node.nodelist), scope.with_names({}))


def _inclusion(writer: Writer, node: InclusionNode, scope: Scope) -> None:
    """A tag that draws a template of its own, of what its function makes of the context."""
    if not isinstance(node.filename, str) or scope.names or scope.within is not None:
        raise NotCompilable(f"{node.func.__name__} would see names that the template has given.")
    given = ["context"] if node.takes_context else []
    given += [writer.filled(one, scope) for one in node.args]
    given += [f"{name}={writer.filled(one, scope)}" for name, one in node.kwargs.items()]
    made = writer.bound(f"with_token({writer.value(node.func)}({', '.join(given)}), context)")
    writer.nodes(writer.engine.get_template(node.filename).nodelist, Scope(within=made))


def _translate(writer: Writer, node: TranslateNode, scope: Scope) -> Scope | None:
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


def _block_translate(writer: Writer, node: Any, scope: Scope) -> None:
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


def _sentence(writer: Writer, words: str, places: list[str], scope: Scope) -> None:
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


WRITERS: Mapping[type[Node], WriteNode] = {
    BlockNode: _block,
    BlockTranslateNode: _block_translate,
    CsrfTokenNode: _token,
    ExtendsNode: _extends,
    ForNode: _for,
    IfNode: _if,
    IncludeNode: _include,
    InclusionNode: _inclusion,
    LoadNode: _nothing,
    SimpleNode: _simple,
    StaticNode: _static,
    TextNode: _text,
    TranslateNode: _translate,
    URLNode: _url,
    VariableNode: _variable,
    WithNode: _with,
}
