"""Commands during a game; any other typed line is a move."""

from collections.abc import Sequence
from typing import Any

from scoville_client.i18n.event_text import standing_phrases
from scoville_client.i18n.language import render, tr
from scoville_client.plain.announcer import place_of_own_move
from scoville_client.plain.app import LineModeApp
from scoville_client.replays.after_game import save_file
from scoville_client.session.commands.command import (
    AT_TABLE,
    WITH_VIEW,
    Argument,
    Command,
    parse_number,
    split_text,
    split_words,
)
from scoville_client.session.table.move_input import are_numbered, list_moves, match_moves, name_move, refuse_typed
from scoville_client.session.table.points import explain_scores, list_gains
from scoville_client.session.table.remaining_time import clock_face
from scoville_client.session.table.table import AtTable
from scoville_client.session.table.table_text import describe_seen_hand, describe_seen_table
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import ExportRequest

LOG_LINES = 20


async def play_typed(app: LineModeApp, typed: str, *, due: bool = False) -> None:
    """Play the typed move, or keep it until its turn; `due` for one that was kept.

    Raises ValueError with a sentence when the text means no move, or several.
    """
    at = app.table
    if not due and (app.ahead or (app.must_wait and not matching_moves(at, typed))):
        app.ahead.keep_move(typed)
        app.output.say("It is not your turn yet. Saved for your turn: {move}", move=typed)
    else:
        await _play_now(app, at, typed)


async def _play_now(app: LineModeApp, at: AtTable, typed: str) -> None:
    # The notation comes first: a move in it may look like the name of another one.
    move = await _read_by_server(app, typed) or find_move(at, typed)
    if move is not None:
        await app.play_move(move)
    else:
        app.output.say(
            "{typed} is neither a command nor a legal move now. Type help for a list of commands.", typed=typed
        )
        app.announcer.announce_moves(app.table)


async def _read_by_server(app: LineModeApp, typed: str) -> Any:
    """Let the server read a move in the notation of a game that this client does not have; None for other texts."""
    at = app.table
    # The server is asked only for words that nothing here can read: each question is a request.
    if at.by_sentences is None or at.view is None or not at.view.has_notation or matching_moves(at, typed):
        return None
    return await app.session.table_actions.read_move(typed)


def find_move(at: AtTable, typed: str) -> Any:
    """Return the move that a text means; None if it means none and none is due.

    Raises ValueError with a sentence when the text means no move, or several.
    """
    found = [written] if (written := _in_notation(at, typed)) else matching_moves(at, typed)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(name_move(at.game, move, at.names) for move in found)
        raise ValueError(tr("That could be {moves}. Type a few more letters.", moves=names))
    # The game's own reason, such as "you have no chips", says more than that this is no legal move.
    if at.seat is not None and (refusal := refuse_typed(at.game, at.view, at.seat, typed)):
        raise ValueError(render(at.game.text.describe_refusal(refusal), at.names))
    if at.my_turn:
        raise ValueError(tr("{typed} is neither a command nor a move. Type moves or help.", typed=typed))
    return None


def matching_moves(at: AtTable, typed: str) -> list[Any]:
    """Return the moves that a text may mean, by number in the list or by name."""
    moves = list_moves(at.legal_moves())
    if at.my_turn and typed in map(str, range(1, len(moves) + 1)) and are_numbered(at.game, moves):
        return [moves[int(typed) - 1]]
    return match_moves(at.game, moves, typed, at.names)


def _in_notation(at: AtTable, typed: str) -> Any:
    """Parse a move in the game's notation; None if the text is not in it. Raises ValueError for a wrong one."""
    read = None if at.view is None else at.game.text.read_move(typed, at.view)
    if isinstance(read, Refusal):
        raise ValueError(render(at.game.text.describe_refusal(read), at.names))
    return read


async def _describe_table(app: LineModeApp) -> Sequence[str]:
    app.write_phrases(describe_seen_table(app.table))
    return ()


async def _describe_hand(app: LineModeApp) -> Sequence[str]:
    app.write_phrases(describe_seen_hand(app.table))
    return ()


async def _list_scores(app: LineModeApp) -> Sequence[str]:
    at = app.table
    if at.result is None:
        app.write_phrases(at.game.text.describe_scores(at.view))
    else:
        app.write_phrases([*standing_phrases(at.result, explain_scores(at)), *list_gains(at)])
    return ()


async def _save_game(app: LineModeApp, file: str) -> Sequence[str]:
    if app.is_hosted:
        app.output.copy(await app.session.table_actions.export_game())
    else:
        await save_file(app.session, lambda sentence: app.output.say("{message}", message=sentence), file)
    return ()


async def _list_moves(app: LineModeApp) -> Sequence[str]:
    app.announcer.announce_moves(app.table)
    return ()


async def _repeat_log(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    phrases = [line.phrase for line in app.table.log]
    # The number counts from the end: the newest lines are read most.
    wanted = len(phrases) if words[:1] == ["all"] else parse_number(words[0]) if words else LOG_LINES
    app.write_phrases(phrases[max(0, len(phrases) - wanted) :])
    return ()


async def _repeat_latest(app: LineModeApp) -> Sequence[str]:
    """Write the events since this user's move before, gathered where several players did the same."""
    at = app.table
    phrases = [line.phrase for line in at.log]
    app.write_phrases(at.game.text.condense_log(phrases[place_of_own_move(at) :]))
    return () if phrases else [tr("Nothing has happened yet.")]


async def _describe_clock(app: LineModeApp) -> Sequence[str]:
    at, now = app.table, app.clock.seconds()
    left = [
        tr("{name}: {time} left.", name=at.names[seat], time=face)
        for seat, info in enumerate(at.info.seats)
        if info.kind == "human" and (face := clock_face(at, seat, now))
    ]
    return left or [tr("There is no clock at this table.")]


async def _read_game(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    """Write the next lines of the finished game; from a line, or all of it, when that is typed."""
    return read_log(app, app.table, app.table.id, words, tr("Type review for the next ones."))


def read_log(app: LineModeApp, at: AtTable, key: str, words: Sequence[str], more: str) -> Sequence[str]:
    """Write the next lines of the game that `key` names; from a line, or all of it, when that is typed.

    `more` says how to go on. Raises Misuse.
    """
    phrases = list(at.game.text.condense_log(line.phrase for line in at.log))
    if not phrases:  # of a game that was over before this client came, a server may send no events
        return [tr("Nothing has happened yet.")]
    if words[:1] == ["all"]:
        first, last = 0, len(phrases)
    else:
        # After the last line the first one comes again.
        read = app.reviewed[1] if app.reviewed[0] == key else 0
        first = min(max(parse_number(words[0]), 1), len(phrases)) - 1 if words else read % len(phrases)
        last = min(first + LOG_LINES, len(phrases))
    app.reviewed = (key, last)
    app.announcer.write_phrases(at, phrases[first:last])
    lines = [tr("Lines {first} to {last} of {all}.", first=first + 1, last=last, all=len(phrases))]
    return [*lines, more] if last < len(phrases) else lines


COMMANDS = (
    Command(("moves",), (), Phrase("List your legal moves."), _list_moves, ("playing",)),
    Command(("hand",), (), Phrase("Show your hand."), _describe_hand, WITH_VIEW),
    Command(("table",), (), Phrase("Describe the table."), _describe_table, WITH_VIEW),
    Command(("scores",), (), Phrase("Show the scores."), _list_scores, WITH_VIEW),
    Command(("last",), (), Phrase("Repeat what has happened since your move before."), _repeat_latest, WITH_VIEW),
    Command(("clock",), (), Phrase("Say how much thinking time is left."), _describe_clock, WITH_VIEW),
    Command(
        ("log",),
        (Argument("[NUMBER or all]", split_words, default=[]),),
        Phrase("Repeat the last 20 lines of the log, or more."),
        _repeat_log,
        AT_TABLE,
    ),
    Command(
        ("review",),
        (Argument("[LINE or all]", split_words, default=[]),),
        Phrase("Read the finished game from its first line."),
        _read_game,
        ("finished",),
    ),
    Command(
        ("save",),
        (Argument("[FILE]", split_text),),
        Phrase("Save the game as a new file; without a name, in this folder."),
        _save_game,
        ("finished",),
        sends=(ExportRequest,),
    ),
)
