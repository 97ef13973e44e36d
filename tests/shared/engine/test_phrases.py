"""Phrases with names, numbers, plurals and parts, in English and a translation."""

from gettext import NullTranslations

from scoville_shared.engine.phrases import Phrase, Who

NAMES = ["Anna", "Paul"]


class Upside(NullTranslations):
    """A catalog that knows three words."""

    def gettext(self, message):
        return {"{who} takes {card}.": "{card} geht an {who}.", "{who} {card}": "{card} von {who}"}.get(
            message, message
        )

    def ngettext(self, singular, plural, n):
        return "{count} Karte" if n == 1 else "{count} Karten"


def test_seats_are_written_as_names():
    assert Phrase("{who} takes {card}.", {"who": Who(1), "card": 67}).render(NAMES) == "Paul takes 67."


def test_a_phrase_without_fields_is_its_text():
    assert Phrase("The game is over.").render(NAMES) == "The game is over."


def test_the_number_chooses_singular_or_plural():
    one, two = (Phrase("{count} card", {"count": n}, many="{count} cards", number=n) for n in (1, 2))
    assert (one.render(NAMES), two.render(NAMES)) == ("1 card", "2 cards")


def test_sequences_are_written_with_commas():
    assert Phrase("You draw {cards}.", {"cards": [4, 32, Who(0)]}).render(NAMES) == "You draw 4, 32, Anna."


def test_parts_are_phrases_themselves():
    parts = [Phrase("{who} {card}", {"who": Who(seat), "card": card}) for seat, card in enumerate((4, 32))]
    assert Phrase("Shown: {parts}.", {"parts": parts}).render(NAMES) == "Shown: Anna 4, Paul 32."


def test_a_catalog_translates_the_sentence_its_plural_and_its_parts():
    assert Phrase("{who} takes {card}.", {"who": Who(0), "card": 7}).render(NAMES, Upside()) == "7 geht an Anna."
    assert Phrase("{count} card", {"count": 2}, many="{count} cards", number=2).render(NAMES, Upside()) == "2 Karten"
    part = Phrase("{who} {card}", {"who": Who(0), "card": 7})
    assert Phrase("Shown: {part}.", {"part": part}).render(NAMES, Upside()) == "Shown: 7 von Anna."


def test_a_format_of_a_field_is_not_followed():
    """A wrong one would fill the memory of every client."""
    huge = Phrase("{who} takes {card:>100000000}.", {"who": Who(0), "card": 7})
    assert huge.render(NAMES) == "Anna takes {card:>100000000}."


def test_braces_in_a_name_are_only_a_name():
    assert Phrase("{who} waits.", {"who": Who(0)}).render(["{card}"]) == "{card} waits."
