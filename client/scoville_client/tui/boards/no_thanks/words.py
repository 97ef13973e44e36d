"""Texts of the board beside the game's own: headings, the two answers, whose turn it is, the scoring."""

from scoville_client.tui.drawing.status import BoardStatus
from scoville_shared.engine.phrases import Fields, Phrase, Who, write_signed
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import RoundScored
from scoville_shared.games.no_thanks.runs import Taking, written_run
from scoville_shared.games.no_thanks.state import Action, Board, Move, View
from scoville_shared.ids import Seat

TITLE = GAME.info.title
CHIPS = Phrase("chips")
POINTS = Phrase("points")
SCORE = Phrase("score")
TOTAL = Phrase("total")
TAKE = Phrase("Take")
PASS = Phrase("No thanks")
PASSED = Phrase("no thanks!")
NO_CHIP = Phrase("no chips to pay with")
HIDDEN = Phrase("?: hidden chips")
OPEN_CHIPS = Phrase("open chips")
TACTICAL = Phrase("tactical")
LAST_CARD = Phrase("last card")
COUNTED = Phrase("All cards are taken. In a run only the lowest card counts.")
LESS_CHIPS = Phrase("Each chip takes one point off.")


_COSTLY = 10
"""Points from which on a card is costly, its chips deducted."""


def warn_of_cost(view: View) -> Phrase | None:
    """Return why taking the card costs a lot, if there is a chip to decline with."""
    weighed = None if view.seat is None else view.board.weigh_taking(view.seat)
    if weighed is None or not view.chips or weighed.change < _COSTLY:
        return None
    fields: Fields = {"card": view.board.card_up, "n": weighed.change}
    return Phrase(
        "The {card} makes your score {n} point worse.",
        fields,
        "The {card} makes your score {n} points worse.",
        weighed.change,
    )


def name_chosen_answer(move: Move, card: int) -> Phrase:
    """Name the answer that was chosen ahead."""
    fields: Fields = {"card": card}
    if move.action is Action.TAKE:
        return Phrase("You will take the {card}; Esc takes that back.", fields)
    return Phrase("You will decline the {card}; Esc takes that back.", fields)


def number_round(board: Board) -> Phrase:
    """Number the round."""
    return Phrase("round {round} of {rounds}", {"round": board.round, "rounds": board.options.rounds})


def count_left(board: Board) -> Phrase | None:
    """Count the cards that are face down; None once the last one is taken."""
    if board.left:
        return Phrase("{left} left", {"left": board.left})
    return None if board.card is None else LAST_CARD


def count_left_in_full(board: Board) -> Phrase:
    """Count the cards that are face down, in the header."""
    return Phrase("{left} card left", {"left": board.left}, "{left} cards left", board.left)


def count_chips(count: int) -> Phrase:
    """Count chips."""
    return Phrase("{n} chip", {"n": count}, "{n} chips", count)


def name_turn(view: View) -> Phrase:
    """Name the seat that decides."""
    board = view.board
    if board.over:
        return Phrase("The game is over.")
    if view.seat == board.mover:
        return Phrase("Your turn: do you take the {card}?", {"card": board.card_up})
    if view.seat is None:
        return Phrase("You are watching. {who} decides.", {"who": Who(board.mover)})
    return Phrase("{who} decides.", {"who": Who(board.mover)})


def name_point_of_view(view: View, status: BoardStatus) -> Phrase:
    """Name a spectator's point of view, and the seat that decides."""
    board = view.board
    if board.over:
        return Phrase("The game is over.")
    return status.for_viewer(Phrase("{who} decides.", {"who": Who(board.mover)}))


def describe_taking(weighed: Taking) -> Phrase:
    """Describe the effect of taking on the cards: the run it joins, and their points before and after."""
    fields: Fields = {"run": written_run(weighed.run), "before": weighed.before, "after": weighed.after}
    if len(weighed.run) == 1:
        return Phrase("a single card, points {before} to {after}", fields)
    return Phrase("run {run}, points {before} to {after}", fields)


def describe_taking_in_short(weighed: Taking) -> Phrase:
    """Describe the same with the chips of the card, in few words."""
    fields: Fields = {
        "run": written_run(weighed.run),
        "before": weighed.before,
        "after": weighed.after,
        "chips": weighed.chips,
    }
    if len(weighed.run) == 1:
        return Phrase(
            "alone: {before} to {after}, {chips} chip",
            fields,
            "alone: {before} to {after}, {chips} chips",
            weighed.chips,
        )
    return Phrase(
        "run {run}: {before} to {after}, {chips} chip",
        fields,
        "run {run}: {before} to {after}, {chips} chips",
        weighed.chips,
    )


def count_won_chips(weighed: Taking) -> Phrase:
    """Count the chips that come with the card."""
    return Phrase("{n} chip gained", {"n": weighed.chips}, "{n} chips gained", weighed.chips)


def describe_paying(chips_left: int) -> Phrase:
    """Describe the cost of passing."""
    return Phrase("pay a chip, {n} left", {"n": chips_left})


def name_score(score: int, points: int, chips: int) -> Phrase:
    """Name a score, and how it comes about."""
    fields: Fields = {"score": write_signed(score), "points": points, "chips": chips}
    return Phrase(
        "Your score: {score} ({points} − {chips} chip)", fields, "Your score: {score} ({points} − {chips} chips)", chips
    )


def name_taken_chips(count: int) -> Phrase:
    """Name the chips that come with the card."""
    return Phrase("takes it, {n} chip", {"n": count}, "takes it, {n} chips", count)


def name_leader(scored: RoundScored) -> Phrase:
    """Name the players with the fewest points so far."""
    best = min(scored.totals)
    seats = [Who(Seat(seat)) for seat, total in enumerate(scored.totals) if total == best]
    return Phrase(
        "{who} has the fewest points: {best}.",
        {"who": seats, "best": best},
        "{who} have the fewest points: {best}.",
        len(seats),
    )


def list_removed(scored: RoundScored) -> Phrase:
    """List the cards that were out of the round (B9)."""
    return Phrase("Removed in this round: {cards}.", {"cards": scored.removed})
