"""`manage.py api_token`: what a program shows to the API."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import services


class Command(BaseCommand):
    """Makes a token and prints it this once, or revokes one."""

    help = "Make a token for the API and print it, this once; with --revoke end it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="by which people know the token")
        parser.add_argument("--days", type=int, default=90, help="how long it is good (90)")
        parser.add_argument("--account", help="the account that it acts for")
        parser.add_argument("--revoke", action="store_true", help="end the token of this name")

    def handle(self, *_: Any, **options: Any) -> None:
        name = options["name"]
        try:
            if options["revoke"]:
                services.revoke_token(name=name)
                self.stdout.write(f"The token {name} is good no more.")
                return
            made = services.create_token(
                name=name, days=options["days"], account=options["account"]
            )
        except services.TokenRefused as error:
            raise CommandError(str(error)) from None
        self.stdout.write(made.token)
        self.stderr.write(
            f"The token {name} ({made.prefix}…) acts for {made.account} until"
            f" {made.expires_at:%Y-%m-%d %H:%M} UTC. It is shown only now."
        )
