"""Advice during a game: where it is allowed, what it says, its quota, and the dialogs that show it."""

from dataclasses import dataclass

import pytest

from scoville_client.reviews import advice, background
from scoville_client.reviews.explanation import bot_moves
from scoville_client.session.coach_quota import QUESTIONS, SECONDS, CoachQuota, allows_coach
from scoville_client.session.start_options import Start
from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.coach.advice import AdviceDialog
from scoville_client.tui.screens.coach.explanation import ExplanationDialog
from scoville_client.tui.screens.coach.review import ReviewDialog
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import TableSettings
from tests.client.plain.test_conversation import conversation
from tests.client.replays.test_replay_screen import replaying
from tests.support.exports import exported
from tests.support.instant_pool import InstantPool
from tests.support.screens import NARROW, at_the_screen, practice


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> InstantPool:
    instant = InstantPool()
    for module in (advice, background):
        monkeypatch.setattr(module, "shared_pool", lambda: instant)
    return instant


@dataclass
class Described:
    game: str
    settings: TableSettings


@dataclass
class Somewhere:
    info: Described


def unwrapped(screen: str) -> str:
    """Join the rows of a dialog, without its frame and scroll bar."""
    return " ".join(screen.replace("│", " ").replace("█", " ").split())


def at_a_table(*, coach: bool) -> Somewhere:
    return Somewhere(Described("no_thanks", TableSettings(coach=coach)))


def test_others_tables_have_to_allow_it() -> None:
    assert allows_coach(at_a_table(coach=False), multiplayer=False)  # type: ignore[arg-type]
    assert not allows_coach(at_a_table(coach=False), multiplayer=True)  # type: ignore[arg-type]
    assert allows_coach(at_a_table(coach=True), multiplayer=True)  # type: ignore[arg-type]


def test_a_quota_of_questions() -> None:
    now = 0.0
    quota = CoachQuota(lambda: now)
    for _ in range(QUESTIONS):
        quota.count_question()
    with pytest.raises(ScovilleError, match="61 s"):
        quota.count_question()
    now = SECONDS
    quota.count_question()


async def test_one_key_asks_the_coach_and_the_next_closes_it(pool: InstantPool) -> None:
    async with at_the_screen(practice(game="no_thanks"), size=NARROW) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        await player.until(lambda: board.at.my_turn)
        await player.press("h")
        assert isinstance(player.app.screen, AdviceDialog)
        await player.sees("take the card: wins")
        await player.press("pagedown", "pagedown")
        await player.sees("Figures assume")
        await player.press("escape")
        assert player.where == "play"
        assert len(pool.asked) == 1


async def test_a_key_explains_the_latest_moves_of_bots(pool: InstantPool) -> None:
    async with at_the_screen(practice(game="no_thanks"), size=NARROW) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        await player.until(lambda: board.at.my_turn)
        await player.press("n")
        await player.until(lambda: bool(bot_moves(board.at)) and board.at.my_turn)
        await player.press("x")
        assert isinstance(player.app.screen, ExplanationDialog)
        names = [board.at.names[move.seat] for move in bot_moves(board.at)]
        await player.until(lambda: f"{names[0]} played it" in unwrapped(player.text))
        await player.press("pagedown", "pagedown")
        await player.sees("everybody at the table")
        if len(names) > 1:
            await player.press("right")
            await player.sees(f"{names[1]}'s move")
        await player.press("x")
        assert player.where == "play"


async def test_line_mode_explains_a_bots_move_from_public_knowledge(pool: InstantPool) -> None:
    _, said = await conversation(Start(kind="practice", seed=bytes(32), name="Anna"), "explain", "92", "explain")
    assert "No bot of that name has made a move that everybody saw yet." in said
    played = [line for line in said if "played it" in line]
    assert len(played) == 1
    assert ": wins " in played[0]
    assert any(line.startswith("These figures use only what everybody at the table knows") for line in said)


async def test_a_key_of_the_replay_explains_the_move(pool: InstantPool) -> None:
    async with replaying(exported("no_thanks")) as viewer:
        await viewer.press("x")
        await viewer.sees("Nobody has moved yet.")
        await viewer.press("right", "x")
        assert isinstance(viewer.app.screen, ExplanationDialog)
        await viewer.sees("could know then")


async def test_line_mode_gives_the_same_advice(pool: InstantPool) -> None:
    _, said = await conversation(Start(kind="practice", seed=bytes(32), name="Anna"), "coach")
    assert any(line.startswith("7: wins ") for line in said)
    assert any(line.startswith("Figures assume:") for line in said)
    assert len(pool.asked) == 1


async def test_a_line_of_the_review_leads_to_its_moment(pool: InstantPool) -> None:
    async with replaying(exported("no_thanks")) as viewer:
        await viewer.press("h")
        assert isinstance(viewer.app.screen, ReviewDialog)
        await viewer.sees("The moments that decided")
        await viewer.press("enter")
        await viewer.until(lambda: not isinstance(viewer.app.screen, ReviewDialog))
        assert viewer.playback.position > 0
        assert len(set(pool.asked)) == 1
