"""Commands for the user's own games: list, read, review, save and delete them, and make mistakes again."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from scoville_client.i18n.clock_text import day_and_time
from scoville_client.i18n.language import render, tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.commands.coach import review_reel
from scoville_client.plain.commands.playing import read_log
from scoville_client.plain.later_answers import Say
from scoville_client.replays.known_games import KnownGame, game_text, list_finished_games, title_of
from scoville_client.replays.playback import Playback
from scoville_client.reviews.advice_text import answer_lines
from scoville_client.reviews.decisions import OwnMistakes, summarize_games, summary_sentences
from scoville_client.reviews.explanation import explain_move
from scoville_client.reviews.same_deal import play_same_deal, same_deal_sentences
from scoville_client.reviews.sentences import split_sentences
from scoville_client.session.commands.command import Argument, Command, Context, Misuse, parse_number, split_words
from scoville_client.session.my_games import GameFolder, users_games
from scoville_client.session.table.move_input import are_numbered, match_moves
from scoville_shared.coach.registry import has_coach
from scoville_shared.coach.sample import Figures
from scoville_shared.coach.study import is_right
from scoville_shared.engine.phrases import Phrase

LISTED = 9
"""Games of a list: more are not remembered while they are heard."""
LATEST = 4
"""Lines of the log that stand before a decision that is made again."""


def _open_folder(app: LineModeApp) -> GameFolder:
    """Return the folder of the user's games. Raises Misuse for a user without a home folder, such as one of a door."""
    if app.is_hosted:
        raise Misuse(tr("No games are kept here: there is no home folder."))
    try:
        return users_games()
    except OSError as error:
        raise Misuse(tr("No games are kept here: there is no home folder.")) from error


def _list_games(app: LineModeApp) -> list[KnownGame]:
    """List all games that are known. Raises Misuse if there is none."""
    games = list_finished_games(_open_folder(app))
    if not games:
        if app.context == "menu":
            raise Misuse(tr("You have not finished a game here yet. Type practice for one against bots."))
        raise Misuse(tr("You have not finished a game here yet."))
    return games


def _find_game(app: LineModeApp, words: Sequence[str]) -> tuple[int, KnownGame]:
    """Return the game of a number in the list, and the number. Raises Misuse."""
    games, number = _list_games(app), parse_number(words[0])
    if not 0 < number <= len(games):
        raise Misuse(tr("There is no game {number}; you have {count}.", number=number, count=len(games)))
    return number, games[number - 1]


async def _show_games(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    """Write how the user did, and the next nine games."""
    games = _list_games(app)
    first = max(1, min(parse_number(words[0]), len(games))) if words else 1
    lines = [] if words else _list_results(app, games)
    for number, game in enumerate(games[first - 1 : first - 1 + LISTED], first):
        lines.append(f"{number}. {game_text(game)}; {day_and_time(game.at_ms)}")
    last = min(first - 1 + LISTED, len(games))
    if last < len(games):
        lines.append(tr("Type my games {next} for the next ones, of {count}.", next=last + 1, count=len(games)))
    elif not words:
        lines.append(tr("Type review or coach and a number, such as: coach 1"))
    return lines


def _list_results(app: LineModeApp, games: Sequence[KnownGame]) -> list[str]:
    played = [game.played for game in games if game.played is not None]
    return [line for each in summarize_games(_open_folder(app), played) for line in summary_sentences(each)]


async def _read_game(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    """Write the next lines of a game; from a line, or all of it, when that is typed."""
    number, game = _find_game(app, words)
    # In a thread: to replay a long game takes a second, and input is read meanwhile.
    playback = await asyncio.to_thread(game.open_playback)
    playback.go_to(playback.last)
    more = tr("Type review {number} for the next ones.", number=number)
    return read_log(app, playback.at, str(game.path), words[1:], more)


async def _review_game(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    _, game = _find_game(app, words)
    if not has_coach(game.header.game):
        raise Misuse(tr("There is no coach for {game}.", game=title_of(game.header.game)))
    app.later.begin_answer(partial(_review_known, app, game), lasts=True)
    return ()


async def _review_known(app: LineModeApp, game: KnownGame, say: Say) -> Sequence[str]:
    playback = await asyncio.to_thread(game.open_playback)
    return await review_reel(app, playback.reel, playback.seat, say)


async def _play_same_deal(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    game = _find_game(app, words)[1]
    app.later.begin_answer(partial(_play_master, app, game), lasts=True)
    return ()


async def _play_master(app: LineModeApp, game: KnownGame, say: Say) -> Sequence[str]:
    playback = await asyncio.to_thread(game.open_playback)
    assert playback.seat is not None, "a game is opened as a player saw it"
    say("Master plays the same deal …")
    same = await play_same_deal(playback.reel, playback.seat, f"master {id(app)}", lambda _: None)
    return [sentence for said in same_deal_sentences(same) for sentence in split_sentences(said)]


async def _save_game(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    game = _find_game(app, words)[1]
    return [tr("Game saved as: {path}", path=str(game.export_copy()))]


async def _delete_game(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    """Delete a game, if the same one is named a second time."""
    number, game = _find_game(app, words)
    if game.played is None:
        raise Misuse(tr("Only games of this list's own folder can be deleted here."))
    # By its file: numbers move when another game ends in between.
    if app.doomed != game.path:
        app.doomed = game.path
        return [f"{number}. {game_text(game)}", tr("Type it again to delete this game for good.")]
    app.doomed = None
    try:
        _open_folder(app).remove_game(game.path)
    except OSError as error:
        reason = error.strerror or str(error)
        return [tr("The game could not be deleted: {reason}.", reason=reason)]
    return [tr("The game is deleted.")]


async def _make_mistakes_again(app: LineModeApp) -> Sequence[str]:
    """Let the user make their own mistakes again, until an empty line."""
    mistakes = OwnMistakes(_open_folder(app))
    if not mistakes.count:
        return [tr("There are no mistakes to retry: type coach and the number of a game first.")]
    app.output.say("An empty line ends this.")
    while (playback := await asyncio.to_thread(mistakes.open_game)) is not None:
        title = playback.reel.game.info.title
        app.output.say("Mistake {n} of {count}: {game}.", n=mistakes.number, count=mistakes.count, game=title)
        chosen = await _choose_again(app, playback)
        if chosen is None:
            return [tr("You have left your mistakes.")]
        mistakes.note_answer(right=is_right(chosen))
    return [tr("These were all of your mistakes. Reviews of further games bring new ones.")]


async def _choose_again(app: LineModeApp, playback: Playback) -> Figures | None:
    """Let the user decide again, and write the coach's answer; returns None if they type nothing."""
    app.output.say("The coach thinks …")
    explained = await explain_move(playback.reel, playback.position + 1, f"choose {id(app)}")
    at, game = playback.at, playback.reel.game
    app.output.write([line.phrase for line in at.log][-LATEST:], at.names)
    app.output.write(game.text.describe_table(at.view), at.names)
    figures = explained.study.sample.figures_of_moves()
    moves = [game.codec.decode_move(each.move) for each in figures]
    labels = [render(game.text.describe_move(move), at.names) for move in moves]

    # Where names of moves have digits, the numbers of a list would be mistaken for them.
    numbered = are_numbered(game, moves)
    listed = [f"{number} {label}" for number, label in enumerate(labels, 1)] if numbered else labels
    app.output.say("What do you play? {moves}", moves=listed)
    while (typed := ((await app.read_line()) or "").strip()) and typed.casefold() not in ("quit", "q"):
        if numbered and typed.isdecimal() and 0 < int(typed) <= len(moves):
            found = [moves[int(typed) - 1]]
        else:
            found = match_moves(game, moves, typed, at.names)
        if len(found) == 1:
            chosen = figures[moves.index(found[0])]
            # As the reasons call it: a name to type says nothing of the table, such as the total.
            made = render(playback.reel.describe_move_at(playback.position + 1, chosen.move), at.names)
            for line in answer_lines(explained, chosen, made):
                for sentence in split_sentences(line):
                    app.output.say("{message}", message=sentence)
            return chosen
        app.output.say("Type one of these: {moves}", moves=listed)
    return None


_WHERE: Final[tuple[Context, ...]] = ("menu", "lobby")
_NUMBER = Phrase("The number of a game is missing; type my games for the list.")
_GAME = Argument("NUMBER", split_words, _NUMBER)
COMMANDS = (
    Command(
        ("my games",),
        (Argument("[NUMBER]", split_words, default=[]),),
        Phrase("List the games that you have finished, nine at a time."),
        _show_games,
        _WHERE,
    ),
    Command(
        ("review",),
        (Argument("NUMBER [LINE or all]", split_words, _NUMBER),),
        Phrase("Read a game of your list, twenty lines at a time."),
        _read_game,
        _WHERE,
    ),
    Command(("coach",), (_GAME,), Phrase("Review a game of your list: its errors and luck."), _review_game, _WHERE),
    Command(
        ("my mistakes",),
        (),
        Phrase("Retry your own mistakes, the costliest first."),
        _make_mistakes_again,
        _WHERE,
    ),
    Command(("master",), (_GAME,), Phrase("Let master play the same deal in your seat."), _play_same_deal, _WHERE),
    Command(("save",), (_GAME,), Phrase("Save a game of your list as a new file."), _save_game, _WHERE),
    # Not in the lobby, where the same word deletes the account.
    Command(("delete",), (_GAME,), Phrase("Delete a game of your list."), _delete_game, ("menu",)),
)
