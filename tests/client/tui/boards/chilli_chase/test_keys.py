"""Chilli Chase by keys alone, with the real server inside the client."""

from typing import Any

import pytest

from scoville_client.tui.boards.chilli_chase.board import ChilliChaseBoard
from scoville_client.tui.screens.dialogs.leave import LeaveDialog
from scoville_shared.games.chilli_chase.arithmetic import list_choices
from tests.support.screens import NARROW, WIDE, Player, at_the_screen, start_practice

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])
TURNS = 60


def game(**more: Any) -> Any:
    return start_practice(game="chilli_chase", **more)


def board(player: Player) -> ChilliChaseBoard:
    return player.app.screen.query_one(ChilliChaseBoard)


def over(player: Player) -> bool:
    return player.where == "result"


async def my_turn(player: Player) -> ChilliChaseBoard:
    """Skip animations until it is my turn or the game is over."""
    await player.until(lambda: player.where == "play" and player.app.screen.query(ChilliChaseBoard))
    table = board(player)
    while not over(player) and not (table.at.my_turn and not table.animating):
        if table.animating:
            await player.press("escape")
        else:
            await player.until(lambda: over(player) or table.animating or table.at.my_turn)
    return table


async def moved(player: Player, table: ChilliChaseBoard, *keys: str) -> None:
    """Press keys that make a move, and wait until it is made."""
    before = table.at.seq
    await player.press(*keys)
    await player.until(lambda: table.at.seq > before or over(player))


async def select(player: Player, table: ChilliChaseBoard, card: int, total: int) -> None:
    """Choose a result by its card and arrows."""
    await player.press(str(card), "down")
    while table.selection.picker.chosen is not None and table.selection.picker.chosen.total != total:
        await player.press("down")


async def step(player: Player, table: ChilliChaseBoard) -> None:
    """Prefer my own score, else a change of it; take a new score when possible."""
    view = table.view
    if view.board.choosing:
        await moved(player, table, "right", "enter")
        return
    mine = view.board.scores[view.board.mover]
    hits = [(card, way.total) for card, way in list_choices(view) if way.total == mine]
    if hits:
        await select(player, table, *hits[0])
        await moved(player, table, "enter")
    else:
        await moved(player, table, "down", "enter")


async def test_a_whole_game_is_played_by_keys() -> None:
    async with at_the_screen(game(players=6, options={"turn_limit": 60}), size=NARROW) as player:
        table = await my_turn(player)
        for _ in range(TURNS):
            await step(player, table)
            await player.until(lambda: over(player) or table.at.my_turn)
            if over(player):
                break
        await player.sees("1.")
        assert over(player)


async def test_dice_and_turns_are_animated_and_skippable() -> None:
    async with at_the_screen(game(players=3), pace=60) as player:
        await player.sees("Each player rolls the die")
        await player.press("enter", "enter", "enter")
        await player.sees("The opening card is")
        table = await my_turn(player)
        await moved(player, table, "down", "enter")
        await player.until(lambda: table.animating or table.at.my_turn)
        await my_turn(player)
        assert not table.animating


async def test_a_formula_is_typed_and_played() -> None:
    async with at_the_screen(game()) as player:
        table = await my_turn(player)
        total, card = table.view.board.total, table.view.hand[0]
        formula = f"{total}+{card}"
        await player.press(*formula)
        await player.sees(f"{formula}_ {total} + {card} = {total + card}")
        assert table.selection.picker.chosen is not None
        await moved(player, table, "enter")
        assert any(f"{total} + {card} = {total + card}" in line for line in table.caption_lines(99))


async def test_a_wrong_sum_is_corrected_and_retyped() -> None:
    async with at_the_screen(game()) as player:
        table = await my_turn(player)
        total, card = table.view.board.total, table.view.hand[0]
        await player.press(*f"{total}+{card}=99", "enter")
        await player.sees(f"{total} + {card} = {total + card}, not 99.")
        seq = table.at.seq
        await player.press("backspace", "backspace", "backspace")
        assert table.selection.typed.text == f"{total}+{card}"
        assert table.at.seq == seq
        await player.press("escape")
        assert not table.selection.typed.text
        assert player.where == "play"


async def test_enter_does_nothing_before_a_result_is_chosen() -> None:
    async with at_the_screen(game()) as player:
        table = await my_turn(player)
        seq = table.at.seq
        await player.press("enter")
        await player.sees("Choose a result first")
        assert table.at.seq == seq


async def test_letters_stay_keys_while_only_a_card_is_chosen() -> None:
    async with at_the_screen(game()) as player:
        table = await my_turn(player)
        await player.press(str(table.view.hand[0]), "q")
        await player.until(lambda: isinstance(player.app.screen, LeaveDialog))


async def offered(player: Player) -> ChilliChaseBoard:
    """Play until I have hit an opponent's score."""
    table = await my_turn(player)
    for _ in range(TURNS):
        view = table.view
        hits = [
            (card, way.total)
            for card, way in list_choices(view)
            if view.board.find_holder(way.total) not in (None, view.board.mover)
        ]
        if hits:
            await select(player, table, *hits[0])
            await moved(player, table, "enter")
            return table
        await moved(player, table, "down", "enter")
        await my_turn(player)
    raise AssertionError("nobody's score came within reach")


async def test_after_hitting_an_opponent_i_type_a_new_score() -> None:
    async with at_the_screen(game(players=6, options={"points": 10})) as player:
        table = await offered(player)
        await player.sees("Choose a new Chilli Score")
        mine = table.view.board.mover
        await player.press("enter")
        await player.sees("Type your new Chilli Score first")
        await player.press("-", "7", "7")
        await player.sees("-77_ Press Enter to change your Chilli Score from 11 to −77.")
        await moved(player, table, "enter")
        assert table.view.board.scores[mine] == -77


async def test_a_taken_score_is_refused_and_the_old_kept() -> None:
    async with at_the_screen(game(players=6, options={"points": 10})) as player:
        table = await offered(player)
        board_before = table.view.board
        mine = board_before.mover
        held = board_before.scores[(mine + 1) % 6]
        await player.press(*str(held), "enter")
        await player.sees("is already the Chilli Score of")
        await moved(player, table, "k")
        assert table.view.board.scores[mine] == board_before.scores[mine]
