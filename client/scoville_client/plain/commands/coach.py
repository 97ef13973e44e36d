"""The commands `coach` and `explain`: advice and explanations where they are allowed, and the review of a game."""

from collections.abc import Iterable, Sequence
from functools import partial

from scoville_client.i18n.language import tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.later_answers import Say
from scoville_client.replays.after_game import reel_of_finished_game
from scoville_client.replays.reel import Reel
from scoville_client.reviews.advice import advise_player
from scoville_client.reviews.advice_text import advice_lines, explanation_lines
from scoville_client.reviews.background import review_of
from scoville_client.reviews.explanation import BotMove, bot_moves, explain_bot, explain_move
from scoville_client.reviews.report_lines import review_lines
from scoville_client.reviews.sentences import split_sentences
from scoville_client.session.coach_quota import allows_coach
from scoville_client.session.commands.command import ANYWHERE, WITH_VIEW, Argument, Command, split_text
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import ExportRequest

PARTS = 4
"""How often a review reports its progress."""


def _check_game(app: LineModeApp) -> None:
    """Check whether the game of the table has a coach. Raises ValueError with the reason."""
    if not app.table.has_coach:
        raise ValueError(tr("There is no coach for {game}.", game=app.table.game.info.title))


def _check_table(app: LineModeApp) -> None:
    """Check whether the coach may be asked during the game. Raises ValueError with the reason."""
    _check_game(app)
    if not allows_coach(app.table, multiplayer=not app.practising):
        raise ValueError(tr("This table does not allow the coach."))


async def _ask_coach(app: LineModeApp) -> Sequence[str]:
    if app.context == "finished":
        return await _review_game(app)
    _check_table(app)
    app.later.begin_answer(partial(_advise_player, app))
    return ()


async def _advise_player(app: LineModeApp, say: Say) -> Sequence[str]:
    at = app.table
    with app.session.coach_quota.ask_question():
        say("The coach thinks …")
        return _short_sentences(advice_lines(await advise_player(at, at.seq + 1, f"advice {at.id} {at.seat}")))


async def _explain_move(app: LineModeApp, typed: str) -> Sequence[str]:
    if app.context == "finished":
        _check_game(app)
        app.later.begin_answer(partial(_explain_played, app, typed), lasts=True)
        return ()
    _check_table(app)
    wanted = typed.casefold()
    made = [move for move in bot_moves(app.table) if app.table.names[move.seat].casefold().startswith(wanted)]
    if not made:
        if not wanted:
            raise ValueError(tr("No bot has made a move yet that everybody could see."))
        raise ValueError(tr("No bot of that name has made a move yet that everybody could see."))
    app.later.begin_answer(partial(_explain_bot, app, made[0]))
    return ()


async def _explain_played(app: LineModeApp, typed: str, say: Say) -> Sequence[str]:
    """Explain a move of a finished game, by its number or the last one."""
    asker = _name_asker(app)
    reel = (await reel_of_finished_game(app.session)).reel
    position = int(typed) if typed.isdecimal() else reel.moves
    with app.session.coach_quota.ask_question():
        say("The coach thinks …")
        return _short_sentences(explanation_lines(await explain_move(reel, position, asker)))


async def _explain_bot(app: LineModeApp, move: BotMove, say: Say) -> Sequence[str]:
    at, asker = app.table, _name_asker(app)
    with app.session.coach_quota.ask_question():
        say("The coach thinks …")
        return _short_sentences(explanation_lines(await explain_bot(at, move, asker)))


def _name_asker(app: LineModeApp) -> str:
    return f"advice {app.table.id} {app.table.seat}"


async def _review_game(app: LineModeApp) -> Sequence[str]:
    _check_game(app)
    app.later.begin_answer(partial(_review_finished, app), lasts=True)
    return ()


async def _tell_kept(app: LineModeApp) -> Sequence[str]:
    return app.later.take_kept()


async def _review_finished(app: LineModeApp, say: Say) -> Sequence[str]:
    at = app.session.table
    with app.session.coach_quota.ask_question():
        playback = await reel_of_finished_game(app.session)
        return await review_reel(app, playback.reel, None if at is None else at.seat, say)


async def review_reel(app: LineModeApp, reel: Reel, seat: Seat | None, say: Say) -> Sequence[str]:
    """Review a finished game, of a seat's decisions first; returns short sentences. Raises ScovilleError."""
    say("The coach reviews the game …")
    reported = 0

    def report_progress(done: int, total: int) -> None:
        nonlocal reported
        if done * PARTS >= (reported + 1) * total:
            reported += 1
            say("{percent} % done.", percent=100 * reported // PARTS)

    review = await review_of(reel, f"review {id(app)}", report_progress)
    return _short_sentences(line.text for line in review_lines(review, seat))


def _short_sentences(lines: Iterable[str]) -> list[str]:
    """Split lines into sentences that are easily understood when they are read aloud."""
    return [sentence for line in lines for sentence in split_sentences(line)]


COMMANDS = (
    Command(
        ("coach",),
        (),
        Phrase("Show what every move is worth; after the game, its errors and luck."),
        _ask_coach,
        WITH_VIEW,
        sends=(ExportRequest,),
    ),
    Command(
        ("explain",),
        (Argument("[NAME]", split_text),),
        Phrase("Explain a bot's latest move; after the game, explain NUMBER explains a move."),
        _explain_move,
        WITH_VIEW,
        sends=(ExportRequest,),
    ),
    Command(
        ("answer",),
        (),
        Phrase("Hear the coach's answer that came after you had left the game."),
        _tell_kept,
        ANYWHERE,
    ),
)
