"""The table of addresses in docs/access.md, and what the code itself says of each address."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from audit.api.permissions import Needed
from audit.web.access import act_of_view

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "access.md"
# What stands in the table where no act is asked for.
NOT_TAKEN = "–"
ANYBODY = "anybody"
LINK = "whoever has the link"
MACHINE = "this machine, or the token"
PUBLIC: Mapping[str, str] = {
    "login": ANYBODY,
    "language": ANYBODY,
    "sign-in-code": "whoever gave the password",
    "healthz": ANYBODY,
    "readyz": ANYBODY,
    "metrics": MACHINE,
    "shared": LINK,
    "shared-steps": LINK,
    "shared-step": LINK,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An address; `looking` and `sending` are an act, NOT_TAKEN, or words for what is public.

    Where a form says what it does, `sending` holds each with its act: `take: work-cases`.
    """

    route: str
    name: str
    looking: str
    sending: str

    @property
    def is_api(self) -> bool:
        return self.route.startswith("/api/")

    @property
    def is_public(self) -> bool:
        return self.name in PUBLIC

    @property
    def sent(self) -> dict[str, str]:
        """The acts by what a form says that it does; under "" where it can do one thing."""
        if ":" not in self.sending:
            return {"": self.sending}
        return dict(part.split(": ", 1) for part in self.sending.split(", "))


def written() -> list[Row]:
    """The rows of the document."""
    text = DOCUMENT.read_text().partition("## Addresses")[2].partition("\n## ")[0]
    found = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| (.+?) \| (.+?) \|$", text, re.M)
    return [
        Row(route=route, name=name, looking=looking, sending=sending)
        for route, name, looking, sending in found
    ]


def patterns(
    resolver: URLResolver | None = None, front: str = "/"
) -> Iterator[tuple[str, URLPattern]]:
    """Every address of the site, as the document writes it."""
    for one in (resolver or get_resolver()).url_patterns:
        route = front + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from patterns(one, route)
        else:
            shown = re.sub(r"\^?(api)\(\?:/.*\)\?\\Z", r"\1/…", route)
            yield re.sub(r"<\w+:(\w+)>", r"<\1>", shown), one


def declared(callback: Any) -> dict[str, str] | None:
    """What a view asks for: by GET, by POST, and by what its form does; None for public ones."""
    acts = act_of_view(callback)
    if acts is not None:
        return {key: act.value for key, act in acts.items()}
    classes = getattr(getattr(callback, "cls", None), "permission_classes", [])
    for one in classes:
        if isinstance(one, type) and issubclass(one, Needed):
            return {"GET": one.act.value, "POST": (one.write or one.act).value}
    return None


def said_of(route: str, pattern: URLPattern, looks: bool, takes: bool) -> Row:
    """The row that an address must have; `looks` and `takes` say whether it answers GET and
    POST."""
    name = pattern.name or ""
    if name in PUBLIC:
        words = PUBLIC[name]
        return Row(
            route=route, name=name,
            looking=words if looks else NOT_TAKEN, sending=words if takes else NOT_TAKEN,
        )  # fmt: skip
    acts = declared(pattern.callback)
    assert acts is not None, f"{name} lets in whoever comes: `@needs` is missing"
    forms = {key: act for key, act in acts.items() if key not in ("GET", "POST")}
    sending = ", ".join(f"{key}: {act}" for key, act in forms.items()) or acts["POST"]
    return Row(
        route=route,
        name=name,
        looking=acts["GET"] if looks else NOT_TAKEN,
        sending=sending if takes else NOT_TAKEN,
    )
