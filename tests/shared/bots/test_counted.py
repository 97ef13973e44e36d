"""Bots of shared deals: equal plays meet equal answers, whatever the machine and the order of those who choose."""

from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec
import pytest

from scoville_shared.bots.counted import CountedGame, SharedDeal, find_other_answers
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.ids import Seat
from scoville_shared.values import Plain
from scoville_thinking.machines import fastest_machine

SEED = bytes(range(32))
STRONG = ("strong", "", "strong")
LEVELS = {"no_thanks": STRONG, "dicht_dran": STRONG, "chilli_chase": STRONG}
MOVES = {"no_thanks": 15, "dicht_dran": 9, "chilli_chase": 5}
RECORDED = {
    "no_thanks": "8948ca908b639c3c",
    "dicht_dran": "d1dec54e6b0bd520",
    "chilli_chase": "7768f9f24f527c48",
}
"""Digests of moves. A change of a bot changes the answers of a day that has begun: it belongs into a release note."""


def deal_of(slug: str, levels: tuple[str, ...], **options: Any) -> SharedDeal:
    return SharedDeal("daily-2026-12-01-1", SEED, slug, options, levels)


def play(
    deal: SharedDeal, most: int, machine: Machine = INTERPRETED, *, player_first: bool = True
) -> list[tuple[Seat, Plain]]:
    """Play some moves, the player's by the fallback; where several may choose, the player does so first or last."""
    game = CountedGame.of_deal(deal)
    moves: list[tuple[Seat, Plain]] = []
    while game.pending and len(moves) < most:
        seat = min(game.pending, key=lambda seat: ((seat == deal.player) != player_first, seat))
        if seat == deal.player:
            move = game.game.codec.encode_plain(game.game.fallback(game.game.view(game.state, seat)))
        else:
            move = game.choose_move(seat, machine)
        game.play_move(seat, move)
        moves.append((seat, move))
    return moves


@pytest.mark.parametrize("slug", LEVELS)
def test_answers_are_the_same_on_every_machine(slug: str) -> None:
    deal = deal_of(slug, LEVELS[slug])
    plain = play(deal, MOVES[slug])
    assert sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()[:16] == RECORDED[slug], plain
    assert play(deal, MOVES[slug], fastest_machine()) == plain


@pytest.mark.parametrize("levels", [("sensible", "", "sensible", "casual"), ("strong", "", "easy")])
def test_the_order_of_simultaneous_choices_does_not_count(levels: tuple[str, ...]) -> None:
    deal = deal_of("dicht_dran", levels, cycles=1)
    first, last = (play(deal, 3 * len(levels), player_first=order) for order in (True, False))
    assert first != last
    for seat in map(Seat, range(len(levels))):
        assert [move for by, move in first if by == seat] == [move for by, move in last if by == seat]


def test_other_answers_are_found() -> None:
    deal = deal_of("no_thanks", ("sensible", "", "casual"))
    moves = play(deal, 60)
    assert [*find_other_answers(deal, moves)] == []
    number = next(n for n, (seat, move) in enumerate(moves) if seat != deal.player and move == {"action": "pass"})
    wrong = [*moves[:number], (moves[number][0], {"action": "take"})]
    assert [*islice(find_other_answers(deal, wrong), 1)] == [number + 1]
