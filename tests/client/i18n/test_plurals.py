"""A number before a noun has a singular: no text says "1 games"."""

import re
from collections.abc import Iterator
from itertools import chain

from babel.messages.catalog import Message

from tests.client.i18n.catalogs import TRANSLATED, read
from tests.client.i18n.sources import texts

_COUNTED = re.compile(r"\{(\w+)\}[ \u00a0\u202f](?:(?:other|more|unseen|open|latest) )?([^\W\d_]+)")
_OTHER_NOUNS = frozenset(
    {"alerts", "bans", "bytes", "cells", "characters", "checks", "dates", "entrants", "keys", "lines", "matches"}
    | {"results", "times", "tournaments", "votes"}
)
"""Nouns of which no text has a singular yet."""
_NO_NOUNS = frozenset({"are", "fit", "have", "share", "them", "were", "win"})
"""Words that differ in the plural without being nouns."""
_VERBS = {"who": {"starts", "votes"}, "club": {"starts"}}
"""Words that look like a counted noun, by the field before them."""
_BOUNDS = frozenset({"most", "least", "expected"})
"""Fields that are bounds, all of them above one."""

MORE_THAN_ONE = {
    "{names} did not join within {seconds} seconds.": "ARRIVAL_SECONDS",
    "{text} is too long; a name can have at most {n} characters.": "the longest name",
    "A kick needs the votes of {needed} other players.": "FEWEST_VOTES",
    "The pause is over: a rated game is paused for {n} minutes at most.": "MOST_PAUSED_MS",
    "All {total} checks passed in {n} s.": "a package has many checks",
    "The QR code needs {size} cells. Enlarge the terminal, or make its font smaller.": "21 cells or more",
    "{time} minutes": "written 5:00",
    "{taken} of {seats} seats": "a table has two seats or more",
    "{n} seats": "a table has two seats or more",
    "equally strong with {n} players: {levels}": "a game has two players or more",
    "{game}, {players} players: you are {name}. What is the one best move?": "a game has two players or more",
    "{n} moves are already waiting; {move} is not saved.": "the most that wait",
    "Code {code}: it logs you in once, within {seconds} seconds.": "as long as a code is valid",
    "{typed} is more than {n} days from now.": "MOST_DAYS",
    "A plan has at most {lines} lines and makes 1 to {moves} moves.": "the bounds of a plan",
    "Vote to kick {player}: {agreed} of {needed} votes.": "FEWEST_VOTES",
    "{name} must be a text of at most {n} characters (got {value}).": "the bound of a setting",
    "The server at {place} has not answered for {seconds} seconds.": "a time limit",
    "{n} of {deals} deals played": "a tournament has two rounds or more",
    "Nobody wants this card: it costs the player who takes it {card} points.": "cards count from three",
    "{count} unseen cards beat it: wins the target in {wins} %": "more than FEW",
    "A card of yours brought me one of my {p} points: compare totals with our scores.": "said from two points on",
    "Your cards brought me {g} of my {p} points: compare each total with our scores.": "said from two points on",
    "You changed your score to {new}: it brought {n} of your {p} points.": "said from two points on",
    "Your hand cost {minus} peppers at the end, more than the {plus} you won.": "more than one that was won",
    "You drew {m} cards for what fell outside the gap; I drew only {k}.": "said from two cards on",
    "You drew {m} cards for what fell outside the gap; I drew none.": "said from two cards on",
    "I held the {card} from the start; in round {round} it won {peppers} peppers.": "said from two peppers on",
    "You have changed your choice {limit} times in this round; this one stays.": "the rules allow several",
    "Your {chips} chips decided it: without them you would not have won.": "said from two chips on",
    "{who} decline the {card}; {pot} chips are beside it.": "several have paid",
    "{points} points in cards": "cards count from three",
}
"""Texts without a singular, and why their number is never one."""


def counted_nouns() -> set[str]:
    """Return the nouns that some text counts, as they are in the plural."""
    pairs = [(text.one, text.many) for text in texts() if text.many]
    nouns = (_words_after_fields(many) - _words_after_fields(one) for one, many in pairs)
    return set(chain.from_iterable(nouns)) - _NO_NOUNS | _OTHER_NOUNS


def _words_after_fields(text: str) -> set[str]:
    return {word for _, word in _COUNTED.findall(text)}


def uncounted_texts() -> Iterator[str]:
    """Yield the texts that count something and have one form only."""
    nouns = counted_nouns()
    for text in texts():
        if not text.many and any(
            noun in nouns and field not in _BOUNDS and noun not in _VERBS.get(field, ())
            for field, noun in _COUNTED.findall(text.one)
        ):
            yield text.one


def test_what_is_counted_has_a_singular() -> None:
    assert "points" in counted_nouns()
    found = set(uncounted_texts())
    assert found - MORE_THAN_ONE.keys() == set(), "give these a plural (many=…), or say why their number is never one"
    assert MORE_THAN_ONE.keys() - found == set(), "no such text any more"


def test_both_forms_of_a_plural_differ_where_the_source_does() -> None:
    """A singular that was copied from the plural would say "1 Punkte"."""
    alike = {"de": {"Spieler", "Zuschauer", "Benutzer", "Chili", "Byte", "versucht"}, "fr": {"fois"}}
    for code in TRANSLATED:
        for message in read(code):
            if _is_plural(message) and message.string[0] == message.string[1]:
                assert any(noun in message.string[0] for noun in alike[code]), message.id


def _is_plural(message: Message) -> bool:
    return isinstance(message.id, tuple) and bool(message.id[0])
