"""After a game: its deal is verified, it is saved, and replayed."""

from pathlib import Path

import pytest

from scoville_client.session.start_options import Start
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_shared.replay import ExportedGame, read_game, verify_game
from tests.support.screens import WIDE, Player, at_the_screen


def only_game_in(folder: Path) -> ExportedGame:
    (file,) = folder.glob("scoville-dicht_dran-*.jsonl")
    return read_game(file.read_text(encoding="utf-8").splitlines())


async def played_out(player: Player) -> None:
    """Play a short game to its end by Enter alone."""
    for _ in range(200):
        if player.where == "result":
            return
        await player.press("enter")
    raise AssertionError(f"the game did not end:\n{player.text}")


async def test_the_result_vouches_for_the_deal_and_keeps_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    start = Start(kind="practice", name="Anna", players=2, options={"cycles": 1})
    async with at_the_screen(start, size=WIDE) as player:
        await player.until(lambda: player.where == "play")
        await played_out(player)
        await player.sees("Verified: the server dealt as it had committed to")
        await player.press("s")
        await player.sees("Game saved as")
        assert verify_game(only_game_in(tmp_path)).verified
        await player.press("v")
        await player.until(lambda: isinstance(player.app.screen, ReplayScreen))
        await player.sees("as Anna")
        await player.press("escape")
        await player.until(lambda: player.where == "result")
