"""`manage.py census`: what stands in the store, for comparing it with its copy."""

from typing import Any

from django.core.management.base import BaseCommand

from audit.selectors.census import take_census


class Command(BaseCommand):
    """Prints a line a table; two stores with equal lines hold the same."""

    help = "Count the rows of each table and sum over their content, to compare two stores."

    def handle(self, *_: Any, **__: Any) -> None:
        for table in take_census():
            self.stdout.write(f"{table.table} {table.rows} {table.checksum}")
