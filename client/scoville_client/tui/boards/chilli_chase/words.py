"""Texts of the board beside the game's own sentences and refusals."""

from collections.abc import Sequence

from scoville_client.tui.boards.chilli_chase.picker import is_free
from scoville_client.tui.drawing.status import BoardStatus
from scoville_shared.engine.phrases import Fields, Phrase, Who, write_signed
from scoville_shared.games.chilli_chase.arithmetic import Reach, list_reaches
from scoville_shared.games.chilli_chase.state import Board, Play, View
from scoville_shared.ids import Seat

SCORE = Phrase("Chilli Score")
CHOOSE = Phrase("Choose a card with ← →, a result with ↑ ↓, or type a formula such as {total}+3.")
CHOOSE_SHORT = Phrase("← → a card, ↑ ↓ a result, or type a formula")
TYPING = Phrase("Enter plays the formula, Esc clears it.")
CHOOSE_FIRST = Phrase("Choose a result first, with ↑ or ↓, or type a formula.")
CHOOSE_FIRST_SHORT = Phrase("First a result: ↑ ↓, or type a formula")
WANT_FIRST = Phrase("Type your new Chilli Score first, or press k to keep your old one.")
ROLLING = Phrase("Each player rolls the die for their Chilli Score.")

KeyWord = tuple[Phrase, Phrase]
"""A key, and its present effect."""

SCORE_KEY: KeyWord = (Phrase("0-9"), Phrase("new score"))
KEEP_KEY: KeyWord = (Phrase("k"), Phrase("keep"))
RESULT_KEY: KeyWord = (Phrase("↑ ↓"), Phrase("result"))


def name_keys(board: Board, *, mine: bool) -> tuple[KeyWord, ...]:
    """Name the keys that decide something, if it is the user's turn."""
    if not mine:
        return ()
    return (SCORE_KEY, KEEP_KEY) if board.choosing else (RESULT_KEY,)


_NOBODYS = Phrase("{formulas}: nobody gets a point.")
_YOURS = Phrase("{formulas}: a point for you!")
_YOURS_WINS = Phrase("{formulas}: your last point, you win!")
_THEIRS = Phrase("{formulas}: a point for {who}; you may change your Chilli Score.")
_THEIRS_WINS = Phrase("{formulas}: the last point for {who}, who wins the game.")


def count_turn(board: Board) -> Phrase:
    """Show the turn and the turn limit."""
    return Phrase("turn {turn} of {limit}", {"turn": board.turn, "limit": board.options.turn_limit})


def count_turn_in_full(board: Board) -> Phrase:
    """Show the turn, and the rule of the turn limit."""
    fields: Fields = {"turn": board.turn, "limit": board.options.turn_limit}
    return Phrase("turn {turn} of {limit}, then most points win", fields)


def explain_total(formula: str) -> Phrase:
    """Describe how the total of the Hot Pile came about."""
    return Phrase("Hot Pile: {formula}", {"formula": formula})


def count_turn_short(board: Board) -> Phrase:
    """Count the turns in few cells."""
    return Phrase("turn {turn}/{limit}", {"turn": board.turn, "limit": board.options.turn_limit})


def count_piles(board: Board) -> Phrase:
    """Count the cards that are left, and those that have been played."""
    return Phrase("deck {deck}  Hot Pile {hot}", {"deck": board.deck, "hot": len(board.hot)})


def count_piles_short(board: Board) -> Phrase:
    """Count the same in few cells."""
    return Phrase("deck {deck} pile {hot}", {"deck": board.deck, "hot": len(board.hot)})


def name_target(board: Board) -> Phrase:
    """Name the points needed to win."""
    return Phrase("first to {n}", {"n": board.options.points})


def name_opening(board: Board) -> Phrase:
    """Name the opening card."""
    return Phrase("opening card {card}", {"card": board.hot[0]})


def announce_beginning(board: Board) -> Phrase:
    """Name the opening card, and who begins."""
    return Phrase("The opening card is {card}. {who} begins.", {"card": board.total, "who": Who(board.mover)})


def write_prompt(
    view: View,
    chosen: Reach | None,
    wanted: int | None,
    *,
    short: bool,
    status: BoardStatus = BoardStatus(),  # noqa: B008
) -> Phrase:
    """Write the prompt for the user; `short` for few columns."""
    board = view.board
    if board.over:
        return Phrase("The game is over.")
    if status.place is not None:
        return status.for_viewer(name_player(view))
    if view.seat != board.mover:
        return _describe_waiting(view)
    if board.choosing:
        return _score_prompt(board, wanted)
    if chosen is not None:
        return describe_prospect(board, view.seat, chosen)
    return CHOOSE_SHORT if short else CHOOSE.with_fields({"total": board.total})


def describe_prospect(board: Board, me: Seat, way: Reach) -> Phrase:
    """Describe how a total would come about, who gets a point, and whether the user may then change the score."""
    scorer = board.find_holder(way.total)
    fields: Fields = {"formulas": way.write_formulas(board.total)}
    if scorer is None:
        return _NOBODYS.with_fields(fields)
    wins = board.points[scorer] + 1 == board.options.points
    outcome = (_YOURS_WINS, _YOURS) if scorer == me else (_THEIRS_WINS, _THEIRS)
    return outcome[not wins].with_fields({**fields, "who": Who(scorer)})


def warn_of_cost(view: View, play: Play) -> Phrase | None:
    """Return who would get a point by a play, if that is not the user."""
    ways = list_reaches(play.card, view.board.total, view.board.options)
    total = next((way.total for way in ways if play in way.plays), None)
    scorer = None if total is None else view.board.find_holder(total)
    if scorer is None or scorer == view.seat:
        return None
    return Phrase("That is a point for {who}.", {"who": Who(scorer)})


def list_taken_scores(board: Board) -> Phrase:
    """List the Chilli Scores of the others."""
    held: Sequence[Phrase] = [
        Phrase("{score} ({who})", {"score": write_signed(score), "who": Who(Seat(seat))})
        for seat, score in enumerate(board.scores)
        if seat != board.mover
    ]
    return Phrase("Taken: {held}.", {"held": held})


def list_hand(hand: tuple[int, ...]) -> Phrase:
    """List the cards in hand."""
    return Phrase("Your cards: {hand}.", {"hand": hand})


_MAY_CHOOSE = Phrase("{who} may choose a new Chilli Score.")
_WATCHED = Phrase("You are watching. {who} plays.")
_YOURS_CAN_MAKE = Phrase("{who} plays. Your cards can make:")
_PLAYS = Phrase("{who} plays.")
_CAN_MAKE = Phrase("{who} plays. The cards can make:")


def _describe_waiting(view: View) -> Phrase:
    return _describe_turn(view.board, _WATCHED if view.seat is None else _YOURS_CAN_MAKE)


def name_player(view: View) -> Phrase:
    """Name the player whose turn it is, for a spectator."""
    return _describe_turn(view.board, _PLAYS if view.seat is None else _CAN_MAKE)


def _describe_turn(board: Board, playing: Phrase) -> Phrase:
    """Describe the act of another player; `playing` says it where they play a card."""
    return (_MAY_CHOOSE if board.choosing else playing).with_fields({"who": Who(board.mover)})


def _score_prompt(board: Board, wanted: int | None) -> Phrase:
    mine = board.scores[board.mover]
    fields: Fields = {"mine": write_signed(mine), "wanted": "" if wanted is None else write_signed(wanted)}
    if wanted is None:
        return Phrase("Choose a new Chilli Score: type it, or press k to keep {mine}.", fields)
    if wanted == mine:
        return Phrase("Press Enter to keep your Chilli Score {mine}.", fields)
    if is_free(board, wanted):
        return Phrase("Press Enter to change your Chilli Score from {mine} to {wanted}.", fields)
    return Phrase("{wanted} cannot be your Chilli Score.", fields)
