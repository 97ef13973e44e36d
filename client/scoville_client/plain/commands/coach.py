"""The commands `coach` and `explain`: advice and explanations where they are allowed, and the review of a game."""

from scoville_client.i18n.language import tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import Command
from scoville_client.replays.after_game import reel_of_finished_game
from scoville_client.reviews.advice import advise
from scoville_client.reviews.advice_text import advice_lines, explanation_lines
from scoville_client.reviews.background import review_of
from scoville_client.reviews.explanation import bot_moves, explain_bot, explain_move
from scoville_client.reviews.report_lines import review_lines
from scoville_client.session.coach_quota import allows_coach
from scoville_shared.coach.registry import has_coach

PARTS = 4
"""How often a review reports its progress."""


def _check_coach(app: LineModeApp) -> None:
    """Check whether the coach may be asked at the table. Raises ValueError with the reason."""
    if not has_coach(app.table.info.game):
        raise ValueError(tr("There is no coach for {game}.", game=app.table.game.info.title))
    if not allows_coach(app.table, multiplayer=not app.practising):
        raise ValueError(tr("This table does not allow the coach."))


async def _coach(app: LineModeApp, _: list[str]) -> None:
    if app.context == "finished":
        await _review(app)
        return
    at = app.table
    _check_coach(app)
    app.session.coach_quota.take()
    app.output.say("The coach thinks …")
    advice = await advise(at, at.seq + 1, f"advice {at.id} {at.seat}")
    for line in advice_lines(advice):
        app.output.say("{line}", line=line)


async def _explain(app: LineModeApp, words: list[str]) -> None:
    asker = f"advice {app.table.id} {app.table.seat}"
    if app.context == "finished":
        reel = (await reel_of_finished_game(app.session)).reel
        position = int(words[0]) if words and words[0].isdecimal() else reel.moves
        app.session.coach_quota.take()
        app.output.say("The coach thinks …")
        explanation = await explain_move(reel, position, asker)
    else:
        at = app.table
        _check_coach(app)
        wanted = " ".join(words).casefold()
        made = [move for move in bot_moves(at) if at.names[move.seat].casefold().startswith(wanted)]
        if not made:
            raise ValueError(tr("No bot of that name has made a move that everybody saw yet."))
        app.session.coach_quota.take()
        app.output.say("The coach thinks …")
        explanation = await explain_bot(at, made[0], asker)
    for line in explanation_lines(explanation):
        app.output.say("{line}", line=line)


async def _review(app: LineModeApp) -> None:
    app.session.coach_quota.take()
    app.output.say("The coach reviews the game …")
    told = 0

    def progress(done: int, total: int) -> None:
        nonlocal told
        if done * PARTS >= (told + 1) * total:
            told += 1
            app.output.say("{percent} % done.", percent=100 * told // PARTS)

    playback = await reel_of_finished_game(app.session)
    review = await review_of(playback.reel, f"review {id(app)}", progress)
    for line in review_lines(review):
        app.output.say("{line}", line=line.text)


COMMANDS: tuple[Command, ...] = (
    Command(
        ("coach",), "", "what every move is worth; after the game, its errors and luck", ("playing", "finished"), _coach
    ),
    Command(
        ("explain",),
        "[NAME]",
        "explain a bot's latest move; after the game, explain NUMBER explains a move",
        ("playing", "finished"),
        _explain,
    ),
)
