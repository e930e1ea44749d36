"""`manage.py ruleset`: check, hand in, rehearse, publish, list, and put in force."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser

import replay
from audit import selectors
from audit.selectors.access import Access, access_of
from audit.selectors.rulesets_force import list_periods
from audit.selectors.rulesets_revisions import (
    RevisionRow,
    find_revision,
    list_revisions,
    option_changes,
    previous_of,
    written,
)
from audit.services import ReauditRefused
from audit.services.rulesets import (
    RulesetRefused,
    add_ruleset,
    approve_ruleset,
    check_new_ruleset,
    retire_ruleset,
    withdraw_ruleset,
)
from audit.services.rulesets_force import put_in_force, read_effective_at
from audit.services.rulesets_rehearsing import NEWEST, rehearse_ruleset

EXIT_REFUSED, EXIT_USAGE = 1, 64


class Command(BaseCommand):
    """Exit status: 0 done, 1 refused with the reason and its place, 64 wrong usage."""

    help = (
        "Rulesets: check a file, hand it in as a draft, rehearse it on stored hands, publish it as"
        " a second person, list all, say what is in force at a source."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        check = acts.add_parser("check", help="whether a file could be handed in")
        check.add_argument("file", type=Path)
        add = acts.add_parser("add", help="keep a file as a draft")
        add.add_argument("file", type=Path)
        rehearse = acts.add_parser("rehearse", help="judge the latest hands under it, beside")
        rehearse.add_argument("name")
        rehearse.add_argument("--newest", type=int, default=NEWEST, metavar="COUNT")
        rehearse.add_argument("--whole-game", action="store_true", help="all hands of its game")
        approve = acts.add_parser("approve", help="publish a draft")
        approve.add_argument("name")
        approve.add_argument(
            "--without-rehearsal",
            default="",
            metavar="WHY",
            help="why none is needed, or one of fewer hands than are wanted is enough",
        )
        for act in ("withdraw", "retire"):
            acts.add_parser(act).add_argument("name")
        force = acts.add_parser("in-force", help="say that it is in force at a source")
        force.add_argument("name")
        force.add_argument("--source", required=True)
        force.add_argument("--from", required=True, dest="since", metavar="TIME")
        for parsed in acts.choices.values():
            if parsed is not check:
                parsed.add_argument("--by", required=True, metavar="ACCOUNT")
                parsed.add_argument("--reason", required=True)
        acts.add_parser("list", help="every ruleset with its state, and what is in force where")

    def handle(self, *_: Any, act: str, **options: Any) -> None:
        try:
            getattr(self, f"do_{act.replace('-', '_')}")(options)
        except (RulesetRefused, ReauditRefused, selectors.BadQuery, selectors.NotFound) as error:
            self.stderr.write(str(error))
            for problem in getattr(error, "problems", ()):
                self.stderr.write(f"{_place(options['file'], problem)}: {problem.reason}")
            sys.exit(EXIT_REFUSED)

    def do_check(self, options: dict[str, Any]) -> None:
        ruleset = check_new_ruleset(self.bytes_of(options["file"]))
        self.stdout.write(f"{ruleset.name} {ruleset.sha256}: nothing is wrong with it.")
        self.differences(ruleset)

    def differences(self, ruleset: replay.Ruleset) -> None:
        previous = previous_of(ruleset)
        if previous is None:
            self.stdout.write("It is the first revision of its id.")
            return
        changes = option_changes(previous, ruleset)
        self.stdout.write(f"Against {previous.name}: {len(changes)} options change.")
        for one in changes:
            rule = f" ({one.rule})" if one.rule else ""
            self.stdout.write(f"  {one.option}{rule}: {written(one.before)} → {written(one.after)}")

    def do_add(self, options: dict[str, Any]) -> None:
        content = self.bytes_of(options["file"])
        ruleset = check_new_ruleset(content)
        add_ruleset(access=self.access(options), content=content, reason=options["reason"])
        self.stdout.write(f"{ruleset.name} {ruleset.sha256} is a draft now.")
        self.differences(ruleset)

    def do_rehearse(self, options: dict[str, Any]) -> None:
        reaudit = rehearse_ruleset(
            access=self.access(options),
            name=options["name"],
            reason=options["reason"],
            newest=options["newest"],
            is_whole_game=options["whole_game"],
        )
        self.stdout.write(
            f"Rehearsal {reaudit} is under way: manage.py reaudit --stop {reaudit} stops it."
        )

    def do_approve(self, options: dict[str, Any]) -> None:
        row = self.stored(options["name"])
        publication = approve_ruleset(
            access=self.access(options),
            revision_pk=row.pk or 0,
            reason=options["reason"],
            unrehearsed_reason=options["without_rehearsal"],
        )
        self.stdout.write(f"{row.name} is published (number {publication}).")

    def do_withdraw(self, options: dict[str, Any]) -> None:
        row = self.stored(options["name"])
        withdraw_ruleset(
            access=self.access(options), revision_pk=row.pk or 0, reason=options["reason"]
        )
        self.stdout.write(f"{row.name} is withdrawn.")

    def do_retire(self, options: dict[str, Any]) -> None:
        row = self.stored(options["name"])
        retire_ruleset(
            access=self.access(options), revision_pk=row.pk or 0, reason=options["reason"]
        )
        self.stdout.write(f"{row.name} is retired.")

    def do_in_force(self, options: dict[str, Any]) -> None:
        effective_at = read_effective_at(options["since"])
        put_in_force(
            access=self.access(options),
            source=options["source"],
            ruleset=options["name"],
            effective_at=effective_at,
            reason=options["reason"],
        )
        self.stdout.write(
            f"{options['name']} is in force at {options['source']} from {effective_at.isoformat()}."
        )

    def do_list(self, _: dict[str, Any]) -> None:
        for row in list_revisions():
            by = f" by {row.author}" if row.author else ""
            if row.published_by:
                by += f", published by {row.published_by}"
            self.stdout.write(f"{row.name} {row.sha256[:16]} {row.state}{by}")
        for one in list_periods(sources=None):
            until = "" if one.ends_at is None else f" to {one.ends_at.isoformat()}"
            self.stdout.write(
                f"{one.source}: {one.ruleset} from {one.starts_at.isoformat()}{until}"
            )

    def stored(self, name: str) -> RevisionRow:
        row = find_revision(name)
        if row.pk is None:
            raise RulesetRefused(f"{name} comes out of a file of the service and stays as it is.")
        return row

    def bytes_of(self, file: Path) -> bytes:
        try:
            with file.open("rb") as stream:
                return stream.read(replay.RULESET_BYTES_MAX + 1)
        except OSError as error:
            self.refuse(f"{file}: {error.strerror}")

    def access(self, options: dict[str, Any]) -> Access:
        user = selectors.find_account(options["by"])
        if user is None:
            self.refuse(f"There is no active account {options['by']}.")
        return access_of(user)

    def refuse(self, sentence: str) -> NoReturn:
        self.stderr.write(sentence)
        sys.exit(EXIT_USAGE)


def _place(file: Path, problem: replay.RulesetProblem) -> str:
    """Where, as compilers say it: file:line:column, the path, the rule."""
    at = str(file)
    if problem.line is not None:
        at += f":{problem.line}"
        if problem.column is not None:
            at += f":{problem.column}"
    return f"{at}: {problem.path}{f' ({problem.rule})' if problem.rule else ''}"
