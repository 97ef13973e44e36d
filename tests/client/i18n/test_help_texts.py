"""Help of commands and keys: it is read as one list, so it has one grammatical form in each language."""

import re

import pytest

from scoville_client.i18n.language import load_catalog
from scoville_client.plain import command_table
from scoville_client.session.commands import registry
from scoville_client.tui.actions import ACTIONS

HELP = sorted(
    {command.help.text for command in (*command_table.COMMANDS, *registry.COMMANDS)}
    | {action.help for action in ACTIONS if action.help}
)
INFINITIVE = re.compile(r"(Ne (pas|plus) )?([TSMN]\u2019|Te |Se |Me )?\w+(er|ir|re)\b")


@pytest.mark.parametrize("text", HELP)
def test_help_in_french_begins_with_an_infinitive(text: str) -> None:
    assert INFINITIVE.match(load_catalog("fr").gettext(text)), "as in: Lister les tables."


@pytest.mark.parametrize("text", HELP)
def test_help_in_german_begins_with_no_finite_verb(text: str) -> None:
    """As in: Die Tische auflisten. Not: Listet die Tische auf."""
    first = load_catalog("de").gettext(text).split()[0]
    assert first in ("Doppelt", "Mit", "Nicht", "Sofort") or not re.fullmatch(r"[A-ZÄÖÜ]\w*t", first)
