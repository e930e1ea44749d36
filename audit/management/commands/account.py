"""`manage.py account`: accounts and their roles without the pages."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import translation

from audit.models import Role
from audit.selectors.access import EVERYTHING
from audit.selectors.accounts import AccountRow, find_row, list_accounts
from audit.selectors.pages import NotFound
from audit.services.accounts import FirstAccount
from audit.services.granting import GrantRefused, end_grant, grant_everything, grant_role
from audit.services.second_step import remove_second_step
from audit.services.staff import (
    AccountRefused,
    close_account,
    open_account,
    reopen_account,
    reset_password,
    unlock_account,
)


class Command(BaseCommand):
    """Does one thing to one account; in the journal it stands as done by `tilecourt`."""

    help = "Open and close accounts, give and take roles, give first passwords, end a pause."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help="all accounts with their roles")
        opened = self._about(acts, "open", "open an account, and print its first password")
        opened.add_argument("--person", default="", help="who holds it")
        opened.add_argument("--title", default="", help="what they are")
        opened.add_argument("--role", action="append", choices=Role.values, default=[])
        opened.add_argument("--all-roles", action="store_true", help="every role, every source")
        opened.add_argument("--source", help="in this source (every source)")
        for act, words in (("grant", "give a role"), ("end", "take a role away")):
            changed = self._about(acts, act, words)
            changed.add_argument("role", choices=Role.values)
            changed.add_argument("--source", help="in this source (every source)")
        self._about(acts, "close", "close an account; its visits, roles, keys and links end")
        self._about(acts, "reopen", "open a closed account again, and print a first password")
        self._about(acts, "reset", "end visits and keys, and print a new first password")
        self._about(acts, "unlock", "end the pause after wrong tries")
        self._about(acts, "remove-second-step", "let a password alone be enough again")

    def _about(self, acts: Any, name: str, words: str) -> CommandParser:
        parser: CommandParser = acts.add_parser(name, help=words)
        parser.add_argument("name", metavar="NAME")
        return parser

    def handle(self, *_: Any, **options: Any) -> None:
        act = options["act"]
        with translation.override("en"):
            try:
                if act == "list":
                    self._list()
                elif act == "open":
                    self._open(options)
                else:
                    self._change(act, find_row(options["name"]), options)
            except (AccountRefused, GrantRefused, NotFound) as error:
                raise CommandError(str(error)) from None

    def _list(self) -> None:
        for row in list_accounts():
            roles = [f"{role.value} in {source or 'every source'}" for role, source in row.groups]
            standing = "" if row.is_open else " (closed)"
            self.stdout.write(f"{row.name}{standing}: {', '.join(roles) or 'no role'}")

    def _open(self, options: dict[str, Any]) -> None:
        made = open_account(
            access=EVERYTHING,
            name=options["name"],
            full_name=options["person"],
            title=options["title"],
        )
        account = find_row(made.name).id
        if options["all_roles"]:
            grant_everything(access=EVERYTHING, account_id=account)
        for role in dict.fromkeys(options["role"]):
            grant_role(
                access=EVERYTHING, account_id=account, role=Role(role), source=options["source"]
            )
        self._tell(made)

    def _change(self, act: str, row: AccountRow, options: dict[str, Any]) -> None:
        if act == "grant":
            role, source = Role(options["role"]), options["source"]
            grant_role(access=EVERYTHING, account_id=row.id, role=role, source=source)
        elif act == "end":
            self._end(row, Role(options["role"]), options["source"])
        elif act == "close":
            close_account(access=EVERYTHING, account_id=row.id)
        elif act == "reopen":
            self._tell(reopen_account(access=EVERYTHING, account_id=row.id))
            return
        elif act == "reset":
            self._tell(reset_password(access=EVERYTHING, account_id=row.id))
            return
        elif act == "unlock":
            unlock_account(access=EVERYTHING, account_id=row.id)
        elif not remove_second_step(access=EVERYTHING, account_id=row.id):
            raise CommandError(f"{row.name} has no second step.")
        self.stdout.write(f"Done for {row.name}.")

    def _end(self, row: AccountRow, role: Role, source: str | None) -> None:
        for grant in row.grants:
            if (grant.role, grant.source) == (role, source):
                end_grant(access=EVERYTHING, grant_id=grant.id)
                return
        where = "every source" if source is None else source
        raise CommandError(f"{row.name} does not hold {role.value} in {where}.")

    def _tell(self, made: FirstAccount) -> None:
        self.stdout.write(
            f"{made.name} signs in with the password {made.password} and then chooses another"
            " (it is shown only now)."
        )
