"""Sentences about puzzles, the same for screens and line mode."""

from collections.abc import Iterator, Sequence

from scoville_client.i18n.language import format_number, render, tr, with_sign
from scoville_client.puzzles.source import PuzzleCount
from scoville_client.session.table.table import AtTable
from scoville_outside.guard import load_game
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import PuzzleAnswer, ShowPuzzlesReply
from scoville_shared.puzzles.rating import PuzzleSkill


def question_text(at: AtTable) -> str:
    return tr("{game}, {players} players: you are {name}. What is the one best move?", game=at.game.info.title,
              players=len(at.names), name=at.names[at.seat or 0])  # fmt: skip


def verdict_text(at: AtTable, answer: PuzzleAnswer) -> str:
    """Say whether the attempt was right, and which move is."""
    best = _name_choice(at, answer, 0)
    return (
        tr("Right, the best move is {move}.", move=best)
        if answer.place == 0
        else tr("No, the best move is {move}.", move=best)
    )


def reason_text(answer: PuzzleAnswer) -> str:
    """Say in a few words why the right move is right."""
    # A server could send a text with fields, which nobody fills in.
    return answer.reason if "{" in answer.reason else render(Phrase(answer.reason))


def chance_sentences(at: AtTable, answer: PuzzleAnswer, most: int) -> Iterator[str]:
    """State the chances to win of the best choices and of the chosen one."""
    places = dict.fromkeys([*range(min(most, len(answer.choices))), answer.place])
    for place in places:
        percent = format_number(answer.choices[place].win / 10, 0)
        yield tr("{move}: wins {percent} %", move=_name_choice(at, answer, place), percent=percent)


def source_text(answer: PuzzleAnswer) -> str:
    """Say how sure the figures are."""
    return tr("Solved exactly.") if answer.exact else tr("Found by many sampled games.")


def change_text(answer: PuzzleAnswer) -> str:
    """Describe the effect of the attempt on the user's rating."""
    if not answer.rated:
        return tr("Your rating stays {rating}: you have tried this one before.", rating=answer.after)
    change = with_sign(answer.after - answer.before)
    return tr("Your rating: {rating} ({change}); the puzzle's: {puzzle}.", rating=answer.after, change=change,
              puzzle=answer.puzzle_rating)  # fmt: skip


def rating_text(skill: PuzzleSkill) -> str:
    """Return a rating, with a question mark as long as it is provisional."""
    return f"{skill.rating}{'' if skill.certain else '?'}"


def count_sentences(counts: Sequence[PuzzleCount], skill: PuzzleSkill) -> Iterator[str]:
    """Say how many puzzles of each game the user has solved, and their rating."""
    for count in counts:
        yield tr("{game}: {solved} of {puzzles} solved, {tried} tried.", game=load_game(count.game).info.title,
                 solved=count.solved, puzzles=count.puzzles, tried=count.tried)  # fmt: skip
    yield tr("Your puzzle rating: {rating}.", rating=rating_text(skill))


_SOLVED_BY = Phrase("Solved by {solved} of {tried} player.", many="Solved by {solved} of {tried} players.")


def daily_sentence(shown: ShowPuzzlesReply) -> str:
    """Describe the user's result at the puzzle of the day."""
    game = load_game(shown.daily_game).info.title
    if shown.daily_state == "open":
        return tr("Puzzle of the day: {game}, not tried yet.", game=game)
    solved, tried = shown.daily_solved_count, shown.daily_tried_count
    if not tried:  # only guests have tried it
        return tr("Puzzle of the day: {game}, tried.", game=game)
    state = (
        tr("Puzzle of the day: {game}, solved.", game=game)
        if shown.daily_state == "solved"
        else tr("Puzzle of the day: {game}, missed.", game=game)
    )
    return f"{state} {render(_SOLVED_BY.with_fields({'solved': solved, 'tried': tried}, tried))}"


def _name_choice(at: AtTable, answer: PuzzleAnswer, place: int) -> str:
    move = at.game.codec.decode_move(answer.choices[place].moves[0])
    return render(at.game.text.describe_move_at(at.view, move), at.names)
