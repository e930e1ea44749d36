"""Writes the source of a function that draws what a template draws (`audit.web.compiling`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from django.template import Engine, Node, Variable
from django.template.base import FilterExpression
from django.template.defaulttags import TemplateLiteral
from django.utils.safestring import SafeString

from audit.web import drawing

# What Django compares by, and may answer without an error whatever the two are.
_COMPARED = frozenset(("==", "!=", "is", "is not"))


class NotCompilable(Exception):
    """A template holds something that no function is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What stands in the source for each name that the template itself has given.

    All other names are those of the context; `within`: of what stands for it here, as in what is
    included with `only`. `is_branch`: what is written here may be passed over.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    within: str | None = None
    is_branch: bool = False

    def with_names(self, names: Mapping[str, str]) -> Scope:
        return replace(self, names={**self.names, **names}, is_branch=False)


# Writes a node; gives the scope of those behind it where that is another.
WriteNode = Callable[["Writer", Any, Scope], Scope | None]


class Writer:
    """Writes the source of a function. `values` are the objects that it names."""

    def __init__(self, engine: Engine, writers: Mapping[type[Node], WriteNode]) -> None:
        self.engine = engine
        # The contents of each block, by whoever fills it last.
        self.blocks: dict[str, Iterable[Node]] = {}
        self._writers = writers
        self.values: dict[str, Any] = {}
        self._free: dict[str, str] = {}
        self._lines: list[str] = []
        self._pieces: list[tuple[bool, str]] = []
        self._depth = 1
        self._numbers = count()

    def source(self) -> str:
        """The whole function, `draw`, of a context."""
        self._flush()
        given = [f" {name} = given({word!r}, MISSING)" for word, name in self._free.items()]
        head = ["def draw(context):", " given = context.get", *given, " out = []"]
        return "\n".join((*head, *self._lines, ' return "".join(out)'))

    def nodes(self, nodes: Iterable[Node], scope: Scope) -> None:
        """One behind the other; a name that `translate … as` gives holds from there on."""
        for node in nodes:
            write = self._writers.get(type(node))
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

    def given(self, name: str, scope: Scope) -> str:
        """A name of the context, or of what stands for it."""
        if scope.within is None:
            return self._free.setdefault(name, f"c_{name}")
        return f"{scope.within}.get({name!r}, MISSING)"

    def looked_up(self, variable: Variable, scope: Scope) -> str:
        """What a variable stands for, MISSING where there is none."""
        if variable.lookups is None:
            value = variable.resolve({})
            # A sentence for a filter or for what is included, in the language at hand.
            return self.value(SafeString(value) if variable.translate else value)
        first, *bits = variable.lookups
        whole = str(variable.var)
        if first in ("forloop", "block"):
            if whole not in scope.names:
                raise NotCompilable(f"{whole} is not told.")
            return scope.names[whole]
        if whole in ("True", "False", "None"):
            return whole
        found = scope.names.get(first) or self.given(first, scope)
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
