"""Contestants of the arena as typed on the command line."""

import pytest

from scoville_client.arena.match import parse_contestants


def test_words_name_bots_and_paths_name_programs() -> None:
    bot, program = parse_contestants("dicht_dran", ["greedy", "python bots/mine.py --fast"])
    assert (bot.level, bot.command) == ("sensible", ())
    assert (program.label, program.command) == ("mine", ("python", "bots/mine.py", "--fast"))


def test_contestants_that_play_twice_are_distinguished() -> None:
    assert [each.label for each in parse_contestants("no_thanks", ["sensible", "./a.py", "sensible"])] == [
        "sensible 1",
        "a",
        "sensible 2",
    ]


def test_unknown_strengths_are_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match="clever is not a bot of this game; the bots are random, easy, casual, sensible"
    ):
        parse_contestants("dicht_dran", ["clever"])


def test_a_broken_command_is_reported() -> None:
    with pytest.raises(ValueError, match="quotation mark"):
        parse_contestants("dicht_dran", ['python "mine.py'])


def test_levels_can_be_mixed_and_published_rules_are_contestants_too() -> None:
    mixed, rule = parse_contestants("no_thanks", ["easy+greedy", "raggedr"])
    assert (mixed.label, mixed.mixed) == ("easy+sensible", ("easy", "sensible"))
    assert (rule.label, rule.level, rule.mixed) == ("raggedr", "raggedr", ())
    with pytest.raises(ValueError, match="clever is not a bot"):
        parse_contestants("no_thanks", ["easy+clever"])
