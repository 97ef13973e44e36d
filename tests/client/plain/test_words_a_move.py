"""How much the line mode says: at most 25 words for one's own turn, and for a move of anybody, in each language."""

from random import Random
from typing import Any, NamedTuple

import pytest

from scoville_client.i18n.language import LANGUAGES, set_language, tr
from scoville_client.plain.announcer import TableAnnouncer
from scoville_client.plain.output import TextOutput
from scoville_client.session.hosting import begin_session
from scoville_client.session.start_options import Start
from scoville_client.session.table.table import AtTable
from scoville_shared.games.no_thanks.state import PASS
from tests.support.clock import FakeClock
from tests.support.line_mode import has_pictures
from tests.support.recording_session import RecordingSession

MOST_WORDS = 25
GAMES = {"dicht_dran": {"cycles": 1}, "no_thanks": {"rounds": 1}, "chilli_chase": {"points": 3, "turn_limit": 80}}
PASSES = 0.8
"""How often a card is declined: usual players pay most of their chips."""


class Turn(NamedTuple):
    """What is said from one own move to the next one, and which of it is about the turn itself."""

    lines: list[str]
    own: list[str]

    @property
    def words(self) -> int:
        """The words that are about the turn itself."""
        return count_words(self.own)


class Heard(NamedTuple):
    """All turns of a game but the first, before which the whole table is described; and how many moves they had."""

    turns: list[Turn]
    moves: int


def count_words(lines: list[str]) -> int:
    return sum(len(line.split(" ")) for line in lines)  # the narrow blank of French parts no words


async def hear_game(game: str, seed: int, players: int = 4) -> Heard:
    """Play a whole game against bots, and gather what the line mode says of it."""
    session, said = RecordingSession(), []
    announcer = TableAnnouncer(TextOutput(said.append), FakeClock().clock)
    announcer.practice = True
    start = Start(
        kind="practice", game=game, players=players, options=GAMES[game], seed=bytes([seed] * 32), name="Anna"
    )
    session.subscribe(lambda _: session.table is not None and announcer.announce_changes(session.table))
    chance, turns = Random(seed), []
    running = await begin_session(session, start)
    try:
        while True:
            await session.until(lambda: session.at.result is not None or session.at.my_turn)
            turns.append(split_turn(said))
            said.clear()
            if session.at.result is not None:
                break
            await session.play_move(choose_move(session.at, chance))
        return Heard(turns[1:-1], sum(session.at.played))
    finally:
        await running.close()


def choose_move(at: AtTable, chance: Random) -> Any:
    moves = list(at.legal_moves())
    return PASS if PASS in moves and chance.random() < PASSES else chance.choice(moves)


def split_turn(said: list[str]) -> Turn:
    """Find the lines from "Your turn" on."""
    begin = tr("Your turn.")
    first = next((number for number, line in enumerate(said) if line.startswith(begin)), len(said))
    return Turn(list(said), said[first:])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
async def test_a_turn_has_at_most_25_words(game: str, language: str) -> None:
    set_language(language)
    # With few players each move has more of what is said once for all of them.
    heard = [await hear_game(game, seed, players) for seed, players in ((3, 3), (4, 4))]
    turns = [turn for each in heard for turn in each.turns]
    assert len(turns) > 8
    average = sum(turn.words for turn in turns) / len(turns)
    worst = max(turns, key=lambda turn: turn.words)
    assert average <= MOST_WORDS, f"{average:.1f} words a turn; the worst: {worst.own}"
    assert worst.words <= 2 * MOST_WORDS, worst.own
    for each in heard:
        said = sum(count_words(turn.lines) for turn in each.turns) / each.moves
        assert said <= MOST_WORDS, f"{said:.1f} words for a move of anybody"
    assert not [line for turn in turns for line in turn.lines if has_pictures(line)]


@pytest.mark.parametrize("game", GAMES)
async def test_nothing_is_said_twice_in_a_turn(game: str) -> None:
    for turn in (await hear_game(game, 5)).turns:
        sentences = [sentence for line in turn.lines for sentence in line.split(". ")]
        assert len(sentences) == len(set(sentences)), turn.lines
