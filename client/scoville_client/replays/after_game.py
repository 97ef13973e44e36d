"""Actions after a game: watch it again, save it."""

from collections.abc import Callable

from scoville_client.i18n.language import tr
from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.replays.saving import file_name, save_as, save_game
from scoville_client.session.session import Session
from scoville_shared.replay import read


async def reel_of_finished_game(session: Session) -> Playback:
    """Fetch the finished game of the session's table. Raises ScovilleError and LinkError."""
    seat = None if session.table is None else session.table.seat
    return Playback(Reel(read(await session.table_actions.export_game())), seat)


async def offer_file(
    session: Session, hand_over: Callable[[str, str], object], report: Callable[[str], object]
) -> None:
    """Offer the finished game as a file by its name and text, and report that. Raises ScovilleError and LinkError."""
    at = session.table
    lines = await session.table_actions.export_game()
    assert at is not None, "what was exported is a table's"
    name = file_name(at.info.game, at.id)
    hand_over(name, "".join(f"{line}\n" for line in lines))
    report(tr("Your browser gets the game as {file}.", file=name))


async def save_file(session: Session, report: Callable[[str], object], name: str = "") -> None:
    """Save the finished game as file `name`, else under a name of its own, and report where.

    Raises ScovilleError and LinkError.
    """
    at = session.table
    lines = await session.table_actions.export_game()
    assert at is not None, "what was exported is a table's"
    path = save_as(lines, name) if name else save_game(lines, at.info.game, at.id)
    report(tr("Game saved as {path}.", path=str(path)))
