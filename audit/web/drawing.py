"""What functions made of templates draw with (`audit.web.compiling`): names, filters, sentences.

Each answers as Django's own nodes do; what is not plain is asked of Django itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache, lru_cache, partial
from html import escape
from typing import Any

from django.template import Context, Template, Variable, VariableDoesNotExist
from django.template.base import render_value_in_context
from django.template.defaulttags import CsrfTokenNode
from django.urls import reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeData, SafeString
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]
from django.utils.translation import ngettext

__all__ = [
    "MISSING",
    "as_filter",
    "csrf_field",
    "in_number",
    "is_more",
    "listed",
    "look",
    "or_empty",
    "or_none",
    "reverse",
    "shown",
    "with_token",
]


class _Missing:
    """Stands for a name that is not there; it is as false as nothing."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


MISSING = _Missing()
_CONTEXT = Context()
# Types whose values have no items: a name behind a point is an attribute of them.
_bare: set[type] = {_Missing}


def look(value: Any, name: str) -> Any:
    """What stands behind a point in a template; MISSING where there is nothing."""
    kind = type(value)
    if kind not in _bare:
        if hasattr(kind, "__getitem__"):
            return _looked_up(value, name)
        _bare.add(kind)
    found = getattr(value, name, MISSING)
    return _looked_up(value, name) if callable(found) else found


def _looked_up(value: Any, name: str) -> Any:
    context = Context({"value": value})
    # Where it asks what stands for nothing.
    context.template = _template()
    try:
        return _behind(name).resolve(context)
    except VariableDoesNotExist:
        return MISSING


@cache
def _template() -> Template:
    return Template("")


@lru_cache(maxsize=512)
def _behind(name: str) -> Variable:
    return Variable(f"value.{name}")


def shown(value: Any) -> str:
    """A value as a page prints it, escaped unless it is safe."""
    kind = type(value)
    if kind is SafeString:
        return value  # type: ignore[no-any-return]
    if kind is str:
        return escape(value)
    if kind is int:
        return str(value)
    if isinstance(value, str):
        return str(conditional_escape(value))
    return "" if value is MISSING else str(render_value_in_context(value, _CONTEXT))


def or_empty(value: Any) -> Any:
    return "" if value is MISSING else value


def or_none(value: Any) -> Any:
    return None if value is MISSING else value


def listed(value: Any) -> Collection[Any]:
    """What a loop goes through, and how long it is."""
    if value is None or value is MISSING:
        return ()
    return value if hasattr(value, "__len__") else list(value)


def csrf_field(node: CsrfTokenNode, token: Any) -> str:
    return str(node.render(Context({"csrf_token": or_none(token)})))


def with_token(made: Mapping[str, Any], context: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a tag draws its template of: what it has made, and the token for a form."""
    token = context.get("csrf_token")
    return made if token is None else {**made, "csrf_token": token}


def is_more(one: Any, other: Any) -> bool:
    """Whether one is more than the other; not, where they cannot be compared."""
    try:
        return bool(or_none(one) > or_none(other))
    except TypeError:
        return False


def in_number(one: str, many: str, number: int, given: Mapping[str, str]) -> str:
    """A sentence about so many things, with its places filled."""
    try:
        return ngettext(one, many, number) % given
    except (KeyError, ValueError):
        # A sentence that was translated with other places is told as it was written.
        return (one if number == 1 else many) % given


def as_filter(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that is called with the value and what stands behind its colon, and nothing else."""
    if getattr(function, "needs_autoescape", False):
        function = partial(function, autoescape=True)
    is_safe = getattr(function, "is_safe", False)
    is_local = getattr(function, "expects_localtime", False)
    if not (is_safe or is_local):
        return function

    def call(value: Any, *given: Any) -> Any:
        if is_local:
            value = template_localtime(value)
        found = function(value, *given)
        return SafeString(found) if is_safe and isinstance(value, SafeData) else found

    return call
