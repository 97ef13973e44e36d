"""Commands for puzzles: what there is, and one after the other until an empty line."""

from collections.abc import Sequence

from scoville_client.i18n.language import tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.commands.menu import describe_turn
from scoville_client.plain.commands.playing import find_move
from scoville_client.puzzles.layout import lay_out_puzzle
from scoville_client.puzzles.practice import users_puzzles
from scoville_client.puzzles.sentences import (
    chance_sentences,
    change_text,
    count_sentences,
    daily_sentence,
    question_text,
    reason_text,
    source_text,
    verdict_text,
)
from scoville_client.puzzles.server import ServerPuzzles
from scoville_client.puzzles.source import PuzzleSource
from scoville_client.session.commands.command import Argument, Command, Misuse, split_words
from scoville_client.session.daily import PUZZLES
from scoville_client.session.new_table.typed_table import name_game
from scoville_client.session.table.table import AtTable
from scoville_outside.guard import load_game
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AnswerPuzzleRequest,
    PosePuzzleRequest,
    PuzzleAnswer,
    ShowPuzzlesRequest,
)
from scoville_shared.values import Plain

_LATEST = 4
"""Lines of the log that stand before the question; log repeats all."""
_SHOWN = 3
"""Choices whose chances stand in the answer."""


def _find_source(app: LineModeApp, *, daily: bool = False) -> PuzzleSource:
    """Return the server's puzzles, or those of this client without a server. Raises Misuse where there are none."""
    connection = app.session.connection
    if app.context == "menu" and not app.is_hosted:
        if daily:
            raise Misuse(tr("Servers have a puzzle of the day: join one first."))
        return users_puzzles()
    if PUZZLES not in connection.features:
        raise Misuse(tr("This server has no puzzles."))
    return ServerPuzzles(connection.send_request, daily=daily)


async def _list_puzzles(app: LineModeApp) -> Sequence[str]:
    source = _find_source(app)
    said = [*count_sentences(await source.list_counts(), await source.read_rating())]
    if isinstance(source, ServerPuzzles):
        shown = await source.show()
        if shown.daily_state == "open":
            return [daily_sentence(shown), *said, tr("Type puzzle daily for the puzzle of the day.")]
        return [daily_sentence(shown), *said, tr("Type puzzle for the next one.")]
    return [*said, tr("Type puzzle for the next one.")]


async def _solve_puzzles(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    """Pose puzzles until an empty line. Raises Misuse for a game without any."""
    wanted = name_game(" ".join(words))
    source = _find_source(app, daily=wanted == "daily")
    game = "" if wanted == "daily" else wanted
    games = [count.game for count in await source.list_counts()]
    if game and game not in games:
        titles, typed = [load_game(each).info.title for each in games], " ".join(words)
        raise Misuse(tr("There are no puzzles of {game}; there are those of {games}.", game=typed, games=titles))
    app.output.say("An empty line ends this; log repeats the game so far.")
    return await solve_from(app, source, game)


async def solve_from(app: LineModeApp, source: PuzzleSource, game: str) -> Sequence[str]:
    """Pose the puzzles of a source, one after the other, until an empty line."""
    besides = ""
    while (posed := await source.pose_next(game, besides)) is not None:
        at, besides = lay_out_puzzle(posed, app.start.name), posed.id
        app.output.write([entry.phrase for entry in at.log][-_LATEST:], at.names)
        table = list(at.game.text.describe_table(at.view))
        app.output.write(table, at.names)
        describe_turn(app, at, table)
        app.output.say("{message}", message=question_text(at))
        move = await _read_answer(app, at)
        if move is None:
            return [tr("You have left the puzzles.")]
        for sentence in answer_sentences(at, await source.answer(posed, move)):
            app.output.say("{message}", message=sentence)
    return [tr("You have solved all of these puzzles.")]


def answer_sentences(at: AtTable, answer: PuzzleAnswer) -> list[str]:
    """Return the sentences that follow an attempt."""
    return [
        verdict_text(at, answer),
        reason_text(answer),
        *(f"{each}." for each in chance_sentences(at, answer, _SHOWN)),
        source_text(answer),
        change_text(answer),
    ]


async def _read_answer(app: LineModeApp, at: AtTable) -> Plain | None:
    """Return the move that the user types, as plain data; None if they end this."""
    while (typed := ((await app.read_line()) or "").strip()) and typed.casefold() not in ("quit", "q"):
        if typed.casefold() == "log":
            app.output.write([entry.phrase for entry in at.log], at.names)
            continue
        try:
            move = find_move(at, typed)
        except ValueError as error:
            app.output.write_error(error)
            continue
        plain: Plain = at.game.codec.encode_plain(move)
        return plain
    return None


COMMANDS = (
    Command(
        ("puzzles",),
        (),
        Phrase("Say how many puzzles you have solved, and your rating."),
        _list_puzzles,
        ("menu", "lobby"),
        sends=(ShowPuzzlesRequest,),
    ),
    Command(
        ("puzzle",),
        (Argument("[GAME or daily]", split_words, default=[]),),
        Phrase("Find the one best move in positions of real games."),
        _solve_puzzles,
        ("menu", "lobby"),
        sends=(PosePuzzleRequest, AnswerPuzzleRequest),
        more=(Phrase("Your first attempt at each one is rated; one you missed comes again when all are tried."),),
    ),
)
