"""The result screen: winners, shared places, the parts of the game."""

from types import SimpleNamespace
from typing import Any

import pytest

from scoville_client.session.table.deal_record import DealRecord
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.course import Costly
from scoville_client.tui.screens.table.course import rows_of_costly
from scoville_client.tui.screens.table.result import Result
from scoville_client.tui.screens.table.table import TableScreen
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.registry import load_game
from scoville_shared.protocol.messages import Finished, SeatInfo, TableInfo
from tests.support.screens import at_the_screen, start_practice

NAMES = ["Anna", "Paul", "Max", "Linus"]


def drawn(
    slug: str, scores: list[int], places: list[int], *, seat: int | None = 0, width: int = 80, **board: Any
) -> str:
    """Draw the result of a game whose board ended with these fields."""
    game = load_game(slug)
    view = game.view(game.setup(game.codec.decode_options({}), len(scores), Dice(bytes(32))), None)
    plain = game.codec.encode_plain(view)
    plain["board"].update(board)
    info = TableInfo(
        table="t",
        game=slug,
        rules_version=1,
        options={},
        seats=[SeatInfo()] * len(scores),
        host=0,
        status="finished",
        commitment="",
    )
    result = Finished(seq=9, scores=scores, places=places, reason="", server_seed="")
    at = SimpleNamespace(
        game=game,
        info=info,
        names=NAMES,
        seat=seat,
        result=result,
        view=game.codec.decode_view(plain),
        deal=DealRecord(),
        by_sentences=None,
    )
    return str(Result(at).draw(width, 23 if width > 60 else 18))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [80, 46])
def test_every_cycle_and_the_sum_are_shown(width: int) -> None:
    text = drawn("dicht_dran", [12, -3, 5, 8], [1, 4, 3, 2], cycles=[[5, -4, 2, 8], [7, 1, 3, 0]], width=width)
    assert "Anna wins with 12." in text
    assert "You win!" in text
    row = next(line for line in text.splitlines() if "Anna " in line and "1." in line)
    assert row.split()[:6] == ["▸", "1.", "Anna", "+5", "+7", "+12"]
    order = [name for line in text.splitlines() for name in NAMES if f". {name} " in line and "wins" not in line]
    assert order == ["Anna", "Linus", "Max", "Paul"]


def test_five_cycles_and_whole_names_fit_the_narrowest_window() -> None:
    text = drawn("dicht_dran", [11, 1, -5, -25], [1, 2, 3, 4], cycles=[[3, 1, -10, -13]] * 5, width=46)
    assert all(name in text for name in NAMES)
    row = next(line for line in text.splitlines() if ". Linus" in line)
    assert row.split() == ["4.", "Linus", *["−13"] * 5, "−25"]


def test_bars_are_drawn_around_zero() -> None:
    rows = drawn("dicht_dran", [12, -3, 5, -9], [1, 3, 2, 4]).splitlines()
    bars = {name: next(row for row in rows if f". {name} " in row and "wins" not in row) for name in NAMES}
    zero = bars["Anna"].index("█")
    assert bars["Max"].index("█") == zero
    for name in ("Paul", "Linus"):
        assert "█" not in bars[name]
        assert bars[name].rindex("▒") == zero - 1
        assert bars[name][zero] == "│"
    assert bars["Linus"].count("▒") == pytest.approx(3 * bars["Paul"].count("▒"), abs=2)
    assert bars["Anna"].count("█") == pytest.approx(4 * bars["Paul"].count("▒"), abs=2)


async def test_enter_held_down_does_not_skip_the_result() -> None:
    async with at_the_screen(start_practice(options={"cycles": 1})) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        while player.where != "result":
            await player.press("enter")
            await player.until(lambda: player.where == "result" or player.app.screen.query_one(Board).at.my_turn)
        screen = player.app.screen
        assert isinstance(screen, TableScreen)
        screen._keys._pace = 1.0
        screen._keys.wait_for_release()
        for _ in range(20):
            player.clock.advance(0.3)
            await player.press("enter")
            assert player.where == "result"
        player.clock.advance(0.6)
        await player.press("enter")
        await player.until(lambda: player.where == "play")


def test_a_tie_shares_the_win() -> None:
    text = drawn("chilli_chase", [5, 5, 1], [1, 1, 3])
    assert "Anna, Paul share the win with 5." in text
    assert "You share the win!" in text
    assert text.count("▸") == 2
    assert "3." in text


def test_fewest_points_win_is_said_where_it_is_so() -> None:
    text = drawn("no_thanks", [30, 12, 44], [2, 1, 3], rounds=[[30, 12, 44]])
    assert "Paul wins with 12." in text
    assert "The fewest points win." in text
    assert "Your rank: 2 of 3." in text
    assert "+" not in text


def test_a_spectator_has_no_place() -> None:
    assert "Your rank" not in drawn("chilli_chase", [5, 2], [1, 2], seat=None)


@pytest.mark.parametrize(
    ("deal", "said"), [(None, "Your worst moment (c shows it): the 63"), ("daily-1", "Your worst moment: the 63")]
)
def test_a_sealed_deal_offers_no_replay_of_the_costliest_move(deal: str | None, said: str) -> None:
    at = SimpleNamespace(info=SimpleNamespace(deal=deal, tournament=None), names=NAMES)
    costliest = Costly(3, 21, Phrase("the {card}", {"card": 63}))
    assert rows_of_costly(at, costliest, 80) == [said]  # type: ignore[arg-type]
    assert rows_of_costly(at, None, 80) == []  # type: ignore[arg-type]
