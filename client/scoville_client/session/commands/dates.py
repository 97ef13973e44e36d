"""Command of the user's next dates."""

from collections.abc import Sequence

from scoville_client.i18n.dates_text import NextDate
from scoville_client.i18n.language import tr
from scoville_client.session import clubs, daily, tournaments
from scoville_client.session.commands.command import ONLINE, Caller, Command
from scoville_client.session.news import list_next_dates
from scoville_runtime.clock import SYSTEM
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    ListClubsRequest,
    ListTournamentsRequest,
    ShowClubRequest,
)


async def _list_dates(to: Caller) -> Sequence[str]:
    session = to.session
    features = session.connection.features
    if tournaments.FEATURE in features:
        await session.tournaments.list_tournaments()
    if clubs.FEATURE in features:
        await session.clubs.list_clubs()
        await session.clubs.list_dates()
    if daily.FEATURE in features:
        await session.daily.show_deals()
    now_ms = SYSTEM.date_ms()
    dates = list_next_dates(session, SYSTEM)
    lines = [
        tr("{n}. {when}: {what}. Type {command}", n=n, when=date.when_text(now_ms), what=date.what, command=command)
        for n, date in enumerate(dates, 1)
        for command in [f"{to.mark}{_command_of(to, date)}"]
    ]
    return lines or [tr("You have no dates.")]


def _command_of(to: Caller, date: NextDate) -> str:
    """Return what goes to a date."""
    match date.kind:
        case "turn":
            return "next"
        case "tournament" if date.is_waiting:
            return "tournament play"
        case "tournament":
            return f"tournament show {to.session.tournaments.numbered.index(date.where) + 1}"
        case "club":
            return f"club {to.session.clubs.name_of(date.where)}"
        case _:
            return "daily play"


COMMANDS = (
    Command(
        ("dates", "my dates", "next dates"),
        (),
        Phrase("List your next dates: moves by correspondence, tournaments, clubs, the daily deal."),
        _list_dates,
        sends=(ListTournamentsRequest, ListClubsRequest, ShowClubRequest),
        contexts=ONLINE,
    ),
)
