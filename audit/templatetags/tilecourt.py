"""What a template needs to print the shapes of the core: thin names for `audit.web.markup`."""

from django import template

import replay
from audit.web import markup

register = template.Library()

register.simple_tag(markup.tile, name="tile")
register.simple_tag(markup.tiles, name="tiles")
register.simple_tag(markup.tile_back, name="tile_back")
register.simple_tag(markup.die, name="die")
register.simple_tag(markup.icon, name="icon")
register.simple_tag(markup.seal, name="seal")
register.simple_tag(markup.sprite, name="sprite")
register.simple_tag(markup.rule_link, name="rule_link")
register.simple_tag(markup.confidence_mark, name="confidence_mark")
register.filter("chinese", markup.chinese)
register.filter("minus", markup.minus)
register.filter("thousands", markup.thousands)
register.filter("grouped", markup.grouped)
register.filter("code_title", markup.code_title)


@register.simple_tag
def engine() -> str:
    """The version of the engine that this process runs."""
    return replay.ENGINE


@register.filter
def add_float(number: float, more: float) -> float:
    """A coordinate a little further on; the filter `add` knows whole numbers only."""
    return round(number + more, 1)
