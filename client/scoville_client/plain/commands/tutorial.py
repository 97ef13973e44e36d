"""Guided rounds in the line mode: what matters in plain sentences, then the user's move, and what the bots do."""

from collections.abc import Sequence

from scoville_client.i18n.language import tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.commands.playing import find_move
from scoville_client.plain.input.move_input import are_numbered, has_notation, list_moves, name_move
from scoville_client.session.start_options import DEFAULT_GAME
from scoville_client.session.table.table import AtTable
from scoville_client.tutorial.guided_game import GuidedGame
from scoville_client.tutorial.lesson import games_with_lessons
from scoville_shared.engine.phrases import Phrase


async def play_tutorial(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    """Play the guided rounds of a game; an empty line or `quit` ends them. Raises ValueError for an unknown game."""
    slug, known = "_".join(words) or DEFAULT_GAME, games_with_lessons()
    if slug not in known:
        raise ValueError(tr("There is no tutorial of {game}; there are those of {games}.", game=slug, games=known))
    game = GuidedGame(slug, app.start.name)
    at, written, described = game.at, 0, -1
    app.output.say("{game}, two guided rounds. Type quit to end them.", game=game.game.info.title)
    while True:
        entries = [entry.phrase for entry in at.log]
        app.output.write(at.game.text.condensed(entries[written:]), at.names)
        written = len(entries)
        if described < game.rounds:
            described = game.rounds
            app.output.write([callout.text for callout in game.lesson.callouts(at.view, game.rounds)], at.names)
        if game.is_over:
            return [tr("Type practice {game} for a whole game.", game=slug)]
        _describe_turn(app, at)
        if not await _play_typed(app, game):
            return [tr("The guided rounds are over.")]


def _describe_turn(app: LineModeApp, at: AtTable) -> None:
    """Write what the user decides about, and the legal moves."""
    app.output.write(at.game.text.turn(at.view), at.names)
    if has_notation(at.game):
        app.output.write([Phrase("Your turn.")])
        return
    moves = list_moves(at.legal_moves())
    names = [name_move(at.game, move) for move in moves]
    if are_numbered(at.game, moves):
        names = [f"{number} {name}" for number, name in enumerate(names, 1)]
    app.output.say("Your turn. You can play: {moves}.", moves=names)


async def _play_typed(app: LineModeApp, game: GuidedGame) -> bool:
    """Play the next move that is typed; returns False when the user ends the guided rounds."""
    while True:
        line = await app.read_line()
        typed = "" if line is None else line.strip()
        if typed.casefold() in ("", "quit", "q"):
            return False
        try:
            move = find_move(game.at, typed)
        except ValueError as error:
            app.output.error(error)
            continue
        for _ in game.play_move(move):
            pass
        return True
