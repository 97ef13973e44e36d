"""The command `scoville verify`: checks exported games by replaying them."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from scoville_client.cli.exit_status import FAILED, SUCCESS, UNCHECKED
from scoville_client.i18n.clock_text import day_and_time
from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import render_count, tr
from scoville_client.output import complain, write_line
from scoville_client.replays.reel import finding_text
from scoville_client.replays.source import NoGame, open_game, source_title
from scoville_client.session.daily import users_notes
from scoville_outside import guard
from scoville_outside.guard import GameFailed
from scoville_shared.bots.counted import DAILY, SharedDeal, find_other_answers
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.replay import ExportedGame, Verdict, is_signed_game, verify_game

_OK, _WRONG, _MISSING = Phrase("ok"), Phrase("failed"), Phrase("not checked")
_MOVES = Phrase("{n} move", many="{n} moves")


def run_verify(names: Iterable[str]) -> int:
    """Check each game; return SUCCESS only if all of them are complete and correct, FAILED if any is not."""
    statuses = [_check_game(name, write_line, complain) for name in names]
    return FAILED if FAILED in statuses else max(statuses, default=SUCCESS)


def report_verdict(name: str, exported: ExportedGame, verdict: Verdict) -> Iterator[str]:
    """Return the result of the check of one game."""
    yield f"{source_title(name)}: {_summarize_verdict(verdict)} {describe_game(exported)}"
    for finding in verdict.findings:
        check = _OK if finding.held else _MISSING if finding.unchecked else _WRONG
        yield "  " + tr("{check}: {what}", check=check, what=finding_text(finding, exported))
    yield from check_bots(exported, verdict)
    yield from compare_notes(exported)
    yield "  " + tr("Commitment: {commitment}", commitment=exported.header.commitment)
    if exported.digest:
        yield "  " + tr("Signed result: {digest}", digest=exported.digest.hex())
    if not is_signed_game(exported):
        yield "  " + tr("The file is not signed: it does not prove which server dealt.")
    yield "  " + tr("Times and names come from the file and cannot be checked.")


def check_bots(exported: ExportedGame, verdict: Verdict) -> Iterator[str]:
    """Check the bots of a daily deal, whose answers are a pure function of deal, seat and history."""
    header = exported.header
    levels = tuple("" if seat.kind == "human" else seat.level or "" for seat in header.seats)
    if not header.table.startswith(DAILY) or verdict.unchecked or levels.count("") != 1:
        return
    deal = SharedDeal(header.table, bytes.fromhex(header.server_seed), header.game, header.options, levels)
    moves = [(Seat(line.seat), line.move) for line in exported.moves]
    try:
        other = next(find_other_answers(deal, moves), None)
    except ValueError:  # an illegal move, which the verdict names
        return
    check, what = (
        (_OK, tr("Every bot answered as this version of Scoville does."))
        if other is None
        else (_MISSING, tr("The bots of this version of Scoville answer otherwise, first at move {n}.", n=other))
    )
    yield "  " + tr("{check}: {what}", check=check, what=what)


def compare_notes(exported: ExportedGame) -> Iterator[str]:
    """Say since when this computer knows the commitment to a daily deal, which has to be before its day."""
    header = exported.header
    if not header.table.startswith(DAILY):
        return
    try:
        seen_ms = users_notes().first_seen_ms(header.commitment)
        begins_ms = 1000 * int(datetime.fromisoformat(f"{header.table.removeprefix(DAILY)[:10]}T00:00Z").timestamp())
    except (OSError, ValueError):  # without a home folder, or with a name that is no day's
        seen_ms = begins_ms = None
    if seen_ms is None or begins_ms is None:
        check, what = (
            _MISSING,
            tr("This computer has not noted the commitment: compare it with a player whose computer has."),
        )
    elif seen_ms < begins_ms:
        check, what = _OK, tr("This computer has known the commitment since {time}.", time=day_and_time(seen_ms))
    else:
        check = _MISSING
        what = tr(
            "This computer first saw the commitment at {time}, when the day had begun.", time=day_and_time(seen_ms)
        )
    yield "  " + tr("{check}: {what}", check=check, what=what)


def describe_game(exported: ExportedGame) -> str:
    """Return which game was played, when and by whom."""
    header = exported.header
    return tr(
        "{game}, table {table}, {day}, {moves}: {names}.",
        game=header.game,
        table=header.table,
        day=f"{header.started:%Y-%m-%d}",
        moves=render_count(_MOVES, len(exported.moves)),
        names=[sitter.name for sitter in header.seats],
    )


def _summarize_verdict(verdict: Verdict) -> str:
    if verdict.verified:
        return tr("verified.")
    if verdict.unchecked:
        return tr("cannot be checked here: the game or this version of its rules is not installed.")
    return tr("correct so far, but not finished.") if verdict.unfinished else tr("NOT verified.")


def _check_game(name: str, write: Callable[[str], object], complain: Callable[[str], object]) -> int:
    try:
        exported = open_game(name)
    except NoGame as error:
        complain(error.message)
        return FAILED
    try:
        verdict = verify_game(exported, guard.load_game)
    except GameFailed as failed:
        complain(error_text(failed))
        return UNCHECKED
    for line in report_verdict(name, exported, verdict):
        write(line)
    return UNCHECKED if verdict.unchecked else SUCCESS if verdict.verified else FAILED
