"""The same deal by master: what the strongest bot makes of a finished game's cards, in the user's seat."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from scoville_client.i18n.language import render, tr
from scoville_client.replays.reel import Reel
from scoville_client.reviews.coaches import think_about
from scoville_outside.guard import GuardedGame
from scoville_shared.bots.counted import CountedGame, Decided
from scoville_shared.bots.registry import USUAL, list_levels
from scoville_shared.bots.search import Thought
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.replay import ExportedGame, Header, MoveLine, RecordedOutcome

LEVEL: Final = "master"
_SECONDS_A_MOVE: Final = 2
"""How much later each move of master's game is dated: nobody waits for it."""


class SameDeal(NamedTuple):
    """A game of the same cards, in which master had a seat.

    `parted` are the positions before the first decisions of the seat that differ, in the user's game and in master's;
    None where master plays the whole game alike.
    """

    mine: Reel
    master: Reel
    seat: Seat
    parted: tuple[int, int] | None


def has_master(reel: Reel) -> bool:
    """Whether a finished game can be played again by master."""
    return reel.ending is not None and not isinstance(reel.game, GuardedGame) and LEVEL in list_levels(reel.header.game)


async def play_same_deal(reel: Reel, seat: Seat, asker: str, report: Callable[[int], object]) -> SameDeal:
    """Deal a finished game once more, and let master play a seat of it; `report` receives the number of each move.

    Other bots play at their levels, and so do people at the usual one. The same deal has the same answer each time.
    Raises ScovilleError for a game without that level.
    """
    if not has_master(reel):
        raise ScovilleError("no_master", tr("No bot of the level master can play this game."))
    header = _seat_master(reel.header, seat)
    levels = [sitter.level or USUAL for sitter in header.seats]
    played = CountedGame(reel.game, reel.moments[0].state, levels, bytes.fromhex(header.server_seed))
    moves: list[MoveLine] = []

    while pending := played.pending:
        mover = min(pending)
        decided = await asyncio.to_thread(played.decide, mover)
        if isinstance(decided, Decided):
            move = decided.move
        else:
            thought = await think_about(decided, asker, reel.game)
            assert isinstance(thought, Thought), "a search finds a move"
            move = thought.move
        played.play_move(mover, move)
        number = len(moves) + 1
        at_ms = 1000 * _SECONDS_A_MOVE * number
        moves.append(MoveLine(n=number, seat=mover, move=move, mover="bot", at_ms=at_ms))
        report(number)

    outcome = played.game.outcome(played.state)
    assert outcome is not None, "nobody owes a move any more"
    ending = RecordedOutcome(scores=[*outcome.scores], places=[*outcome.places], reason=outcome.reason)
    master = Reel(ExportedGame(header=header, moves=moves, outcome=ending), is_record=False)
    return SameDeal(reel, master, seat, _find_parting(reel, master, seat))


def _seat_master(header: Header, seat: Seat) -> Header:
    """Return the header of a game in which bots have all seats; no server has signed it."""
    sitters = [
        replace(sitter, kind="bot", level=sitter.level or USUAL, claimed=UNSET)
        if number != seat
        else replace(sitter, name=tr("Master"), kind="bot", level=LEVEL, claimed=UNSET)
        for number, sitter in enumerate(header.seats)
    ]
    # Without signatures: the deal is the server's, the game is not, and nobody must take it for one that was played.
    return replace(header, seats=sitters, server_key=UNSET, commitment_signature=UNSET)


def _find_parting(mine: Reel, master: Reel, seat: Seat) -> tuple[int, int] | None:
    """Return the positions before the first decisions of a seat that differ."""
    own, its = ([position for position, line in _list_moves(reel) if line.seat == seat] for reel in (mine, master))
    for one, other in zip(own, its, strict=False):
        if _line_at(mine, one).move != _line_at(master, other).move:
            return one - 1, other - 1
    return None


def _list_moves(reel: Reel) -> Iterator[tuple[int, MoveLine]]:
    for position, moment in enumerate(reel.moments):
        if moment.line is not None:
            yield position, moment.line


def _line_at(reel: Reel, position: int) -> MoveLine:
    line = reel.moments[position].line
    assert line is not None, "only the deal comes about without a move"
    return line


def same_deal_sentences(same: SameDeal) -> Iterator[str]:
    """Compare master's result at the deal with the user's, and name the move at which their games parted."""
    for reel in (same.master, same.mine):
        assert reel.ending is not None, "only finished games are played again"
        yield tr(
            "{name}: rank {n} of {players}, points: {points}.",
            name=reel.header.seats[same.seat].name,
            n=reel.ending.places[same.seat],
            players=len(reel.header.seats),
            points=reel.ending.scores[same.seat],
        )
    if same.parted is None:
        yield tr("Master decides each time as you did.")
    else:
        mine, its = same.parted
        yield tr(
            "Your ways part at move {position}: you chose {move}, master chooses {other}.",
            position=mine + 1,
            move=_name_move(same.mine, mine + 1),
            other=_name_move(same.master, its + 1),
        )
    yield tr("All others play as their level does, people as bots of the usual one; luck counts in a single deal.")


def _name_move(reel: Reel, position: int) -> str:
    phrase = reel.describe_move_at(position, _line_at(reel, position).move)
    return render(phrase, [sitter.name for sitter in reel.header.seats])
