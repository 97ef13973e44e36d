"""A game that this client does not have, or whose package fails here, is played on the screen by its sentences."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoville_client.i18n.language import load_catalog, set_language
from scoville_client.session import playable
from scoville_client.session.playable import MISSING_GAME
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.screens.table.table import TableScreen
from scoville_shared.errors import ScovilleError
from tests.outside.faulty_games import on_path, with_fault, write_package
from tests.support.screens import Player, at_the_screen, start_practice

MISSING = "This client does not have the game."


@pytest.fixture
def without_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client have no game."""

    def refuse(*_: object, **__: object) -> None:
        raise ScovilleError(MISSING_GAME, MISSING)

    monkeypatch.setattr(playable, "load_playable", refuse)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    set_language("en")
    load_catalog.cache_clear()


def screen_of(player: Player) -> TableScreen:
    assert isinstance(player.app.screen, TableScreen)
    return player.app.screen


async def play_to_the_end(player: Player) -> None:
    """Play the selected move at each turn until the game is over."""
    screen = screen_of(player)
    while player.where != "result":
        await player.until(lambda: player.where == "result" or screen.at.my_turn)
        if player.where == "result":
            break
        played = screen.at.played
        await player.press("enter")
        await player.until(lambda played=played: player.where == "result" or screen.at.played != played)


async def test_a_missing_game_is_played_on_the_screen(without_games: None) -> None:
    async with at_the_screen(start_practice(game="no_thanks", players=3)) as player:
        await player.until(lambda: player.where == "play")
        assert type(screen_of(player)._board) is SentencesBoard
        await player.sees(MISSING)
        assert not screen_of(player).at.has_coach
        await play_to_the_end(player)
        await player.sees("The game is over.")
        await player.until(lambda: screen_of(player).at.deal.verdict is not None)
        verdict = screen_of(player).at.deal.verdict
        assert verdict is not None
        assert verdict.standing is DealStanding.OPEN
        allowed = [each for each in ("save", "review", "costliest") if screen_of(player).allows_action(each)]
        assert allowed == ["save"]


async def test_the_server_follows_the_users_language(without_games: None) -> None:
    async with at_the_screen(start_practice(game="no_thanks", players=3)) as player:
        await player.until(lambda: player.where == "play" and screen_of(player).at.my_turn)
        await player.press("enter")
        await player.until(lambda: len(screen_of(player).at.log) > 1)
        english = list(screen_of(player).at.view.table_lines)
        log = [line.phrase.render(()) for line in screen_of(player).at.log if line.phrase.fields.get("sentence")]
        await player.press("L")
        await player.until(lambda: screen_of(player).at.view.table_lines != english)
        game = screen_of(player).at.by_sentences
        assert game is not None
        assert game.language == "de"
        again = [line.phrase.render(()) for line in screen_of(player).at.log if line.phrase.fields.get("sentence")]
        assert again[: len(log)] != log
        assert len(again) >= len(log)


@pytest.mark.parametrize("method", ["imagine", "moves", "describe_table"])
async def test_a_package_that_fails_is_replaced_by_sentences(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server runs the same faulty package here, so that its moves are those that can be had."""
    write_package(tmp_path, "faulty", with_fault(method, "        raise ValueError('boom')\n"))
    with on_path(monkeypatch, tmp_path):
        async with at_the_screen(start_practice(game="faulty", players=2)) as player:
            await player.until(lambda: player.where == "play")
            assert type(screen_of(player)._board) is SentencesBoard
            await player.until(lambda: "faulty 1.0" in " ".join(player.text.split()))
            if method != "moves":
                await play_to_the_end(player)
                await player.sees("The game is over.")
