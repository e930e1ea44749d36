"""Revisions to hand in, and people to do it."""

from __future__ import annotations

from typing import Any

import replay
from audit.models import Role
from audit.selectors.access import Access, access_of
from audit.services.rulesets import add_ruleset, approve_ruleset
from tests.access import with_roles
from tests.audit.reauditing import NAMED, OTHER

__all__ = ["NAMED", "OTHER", "access_for", "add", "publish", "revision"]


def access_for(users: Any, name: str, *roles: Role, source: str | None = None) -> Access:
    """An account of this name with these roles; made where there is none."""
    user = users.objects.filter(username=name).first() or users.objects.create_user(name)
    return access_of(with_roles(user, *roles, source=source))


def revision(number: int = 2, *, of: str = NAMED, more: str = "", **options: str) -> bytes:
    """A revision of a shipped ruleset with other options, as they stand in the file."""
    shipped = replay.load_rulesets().get(of)
    assert shipped is not None
    lines = []
    for line in shipped.content.decode().splitlines():
        key = line.partition("=")[0].strip()
        if key == "revision":
            lines.append(f"revision = {number}")
        elif key in options:
            lines.append(f"{key} = {options.pop(key)}")
        else:
            lines.append(line)
    assert not options
    return ("\n".join(lines) + "\n" + more).encode()


def add(author: Access, content: bytes | None = None, reason: str = "rake goes up") -> int:
    content = revision(rake_rate='"0.06"') if content is None else content
    return add_ruleset(access=author, content=content, reason=reason)


def publish(author: Access, approver: Access, content: bytes | None = None) -> int:
    """Hand in and publish without a rehearsal; gives the revision's key."""
    key = add(author, content)
    approve_ruleset(access=approver, revision_pk=key, reason="agreed", unrehearsed_reason="a test")
    return key
