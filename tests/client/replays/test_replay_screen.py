"""A replay by keys alone, on the real boards, at both sizes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ReplayPlatform, ScovilleApp
from scoville_client.tui.screens.replay import replay
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_client.tui.screens.table.result import Result
from scoville_shared.ids import Seat
from scoville_shared.replay import ExportedGame
from tests.support.clock import FakeClock
from tests.support.exports import SHORT, play_exported_game
from tests.support.screens import NARROW, WIDE, Player

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])
every_game = pytest.mark.parametrize("slug", SHORT)
FOREVER = 3600.0


class Viewer(Player):
    """A test driver for the replay screen."""

    @property
    def screen(self) -> ReplayScreen:
        found = next(screen for screen in self.app.screen_stack if isinstance(screen, ReplayScreen))
        assert isinstance(found, ReplayScreen)
        return found

    @property
    def playback(self) -> Playback:
        return self.screen.playback


@asynccontextmanager
async def replaying(
    game: ExportedGame, size: tuple[int, int] = WIDE, *, seat: Seat | None = None, pace: float = FOREVER
) -> AsyncIterator[Viewer]:
    clock = FakeClock()
    platform = ReplayPlatform(Playback(Reel(game), seat), pace)
    app = ScovilleApp(Start(), platform, pace=pace, clock=clock.clock)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Viewer(app, pilot, clock)


@sizes
@every_game
async def test_a_whole_game_is_stepped_through_and_back(slug: str, size: tuple[int, int]) -> None:
    async with replaying(play_exported_game(slug), size, seat=Seat(0)) as viewer:
        reel = viewer.playback.reel
        await viewer.sees("verified")
        await viewer.sees("as Anna")
        for _ in range(6):
            await viewer.press("right")
        assert viewer.playback.position or viewer.screen.board.animating
        await viewer.press("end")
        await viewer.until(lambda: viewer.screen.query(Result))
        await viewer.sees(f"{reel.moves}/{reel.moves}")
        await viewer.press("left")
        await viewer.until(lambda: not viewer.screen.query(Result) and viewer.screen.board.display)
        assert viewer.playback.position == reel.moves
        await viewer.press("home")
        await viewer.sees(f" 0/{reel.moves}")


@sizes
async def test_rounds_are_jumped_to_by_keys_and_by_number(size: tuple[int, int]) -> None:
    async with replaying(play_exported_game("dicht_dran"), size) as viewer:
        await viewer.press("pagedown", "pagedown")
        await viewer.sees("round 3")
        await viewer.press("pageup")
        await viewer.sees("round 2")
        await viewer.press("5")
        await viewer.sees("Go to: 5_")
        await viewer.press("enter")
        await viewer.sees("round 5")
        assert viewer.playback.at.view.board.round == 5
        await viewer.press("7", "m")
        assert viewer.playback.position == 7
        await viewer.press("7", "escape")
        assert "Go to" not in viewer.text


async def test_the_story_of_a_round_is_shown_frame_by_frame() -> None:
    async with replaying(play_exported_game("dicht_dran")) as viewer:
        await viewer.press("right", "right", "right")
        await viewer.sees("1st action")
        await viewer.press("right")
        await viewer.sees("2nd action")
        assert viewer.playback.position == 3
        await viewer.press("left")
        assert not viewer.screen.board.animating
        assert viewer.playback.position == 2


async def test_only_the_hand_of_whose_eyes_they_are_is_drawn() -> None:
    async with replaying(play_exported_game("dicht_dran"), seat=Seat(0)) as viewer:
        hands = [
            viewer.playback.reel.game.view(viewer.playback.reel.moment_at(0).state, Seat(n)).hand for n in range(3)
        ]
        for seat in (0, 1, 2):
            await viewer.sees(f"as {('Anna', 'Paul', 'Max')[seat]}")
            assert viewer.screen.board.at.view.hand == hands[seat]
            await viewer.press("tab")
        await viewer.sees("spectator")
        assert viewer.screen.board.at.view.hand == ()


@sizes
@every_game
async def test_a_replay_names_the_mover_and_asks_nothing(slug: str, size: tuple[int, int]) -> None:
    async with replaying(play_exported_game(slug), size, seat=Seat(0)) as viewer:
        await viewer.sees("Anna's view.")
        assert "your" not in viewer.text.lower()
        assert viewer.screen.board.keys == ()
        assert viewer.playback.at.legal_moves() == ()


async def test_a_game_plays_by_itself_until_it_is_stopped() -> None:
    async with replaying(play_exported_game("chilli_chase"), pace=1) as viewer:
        await viewer.press("space")
        while viewer.playback.position < 2:
            await viewer.clock.elapse(1)
        await viewer.press("space")
        stood = viewer.playback.position
        await viewer.clock.elapse(60)
        assert viewer.playback.position == stood
        await viewer.press("plus", "space")
        while viewer.playback.position < viewer.playback.reel.last:
            await viewer.clock.elapse(60)
        await viewer.sees("■ ×2")


async def test_at_the_end_playing_begins_anew() -> None:
    async with replaying(play_exported_game("chilli_chase")) as viewer:
        await viewer.press("end", "space")
        assert viewer.playback.position == 0
        await viewer.sees("▶")


async def test_failed_check_is_shown_above_the_board() -> None:
    game = play_exported_game("no_thanks")
    header = replace(game.header, commitment="00" * 32)
    async with replaying(replace(game, header=header)) as viewer:
        await viewer.sees("NOT verified")
        await viewer.sees("The seed, the game or its options do not")


async def test_a_replay_cannot_be_played_in() -> None:
    async with replaying(play_exported_game("no_thanks"), seat=Seat(0)) as viewer:
        await viewer.press("t", "p", "n", "up", "down")
        assert viewer.playback.position == 0


@pytest.mark.parametrize("key", ["q", "escape"])
async def test_a_replay_is_left_at_once(key: str) -> None:
    async with replaying(play_exported_game("no_thanks")) as viewer:
        await viewer.press(key)
        await viewer.until(lambda: viewer.app.return_code == 0)


async def test_a_game_without_a_coach_has_no_keys_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "has_coach", lambda _: False)
    async with replaying(play_exported_game("no_thanks"), WIDE) as viewer:
        await viewer.sees("play/pause")
        assert "h review" not in viewer.text
        await viewer.press("h", "x")
        assert viewer.app.screen is viewer.screen
