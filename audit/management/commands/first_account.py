"""`manage.py first_account`: a way in for a new installation."""

from typing import Any

from django.core.management.base import BaseCommand

from audit import services


class Command(BaseCommand):
    """Makes the account `auditor` when there is no account at all; else does and says nothing."""

    help = "Make the first account, if there is none, and print its password, this once."

    def handle(self, *_: Any, **__: Any) -> None:
        account = services.create_first_account()
        if account is not None:
            self.stdout.write(
                f"Log in as {account.name} with the password {account.password}"
                " (it is shown only now)."
            )
