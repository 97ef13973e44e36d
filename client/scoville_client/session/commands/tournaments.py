"""Commands of tournaments: list, enter, go to the table, compare, and direct one; and the user's next dates."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from scoville_client.i18n import tournament_text
from scoville_client.i18n.dates_text import NextDate
from scoville_client.i18n.language import tr
from scoville_client.session.clubs import FEATURE as CLUBS
from scoville_client.session.commands.command import (
    NUMBER,
    ONLINE,
    Argument,
    Caller,
    Command,
    Misuse,
    pick_numbered,
    split_name,
    split_number,
    split_text,
    split_words,
)
from scoville_client.session.daily import FEATURE as DAILY
from scoville_client.session.new_table.option_input import read_time_until
from scoville_client.session.new_table.typed_table import TypedTable, check_options, parse_table
from scoville_client.session.news import list_next_dates
from scoville_client.session.start_options import find_usual_players
from scoville_client.session.tournaments import FEATURE as TOURNAMENTS
from scoville_runtime.clock import SYSTEM
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    ARENA_MS,
    MOST_TEAM,
    TOURNAMENT_ROUNDS,
    BeginTournamentRequest,
    CallTournamentRequest,
    CancelTournamentRequest,
    EnterTournamentRequest,
    ExportTournamentRequest,
    GameInfo,
    ListClubsRequest,
    ListTournamentsRequest,
    RemoveEntrantRequest,
    ShowClubRequest,
    ShowTournamentRequest,
    TakeSeatRequest,
    TournamentInfo,
    WithdrawFromTournamentRequest,
)

_FORMATS: Final = {
    "arena": "arena",
    "swiss": "swiss",
    "rounds": "swiss",
    "knockout": "knockout",
    "knock-out": "knockout",
    "cup": "knockout",
    "duplicate": "duplicate",
}
"""Formats as people call them."""

_OWN_WORDS: Final = ("at", "in", "rounds", "deals", "minutes", "teams")
"""Words with a value that are of a tournament and not of its tables."""

_TABLE_WORDS: Final = ("bots", "clock")
"""Words with a value that are of its tables, beside the number of players and the options of the game."""

_MINUTE_MS: Final = 60_000
_SOON: Final = 15
"""Minutes until a tournament starts where no time is typed: long enough to call others."""

_TABLES_SHOWN: Final = 8
_NO_NUMBER: Final = 0
"""Stands for a number that was not typed."""


async def list_tournaments(to: Caller) -> Sequence[str]:
    """Return a numbered list of the tournaments."""
    listed = await to.session.tournaments.list_tournaments()
    rows = [
        f"{number}. {tournament_text.describe_tournament(info, to.session.games)}"
        for number, info in enumerate(listed, 1)
    ]
    call = f"{to.mark}tournament call"
    return rows or [tr("There are no tournaments. Type {command} to call one.", command=call)]


async def _find_id(to: Caller, number: int, fits: Callable[[TournamentInfo], bool] | None = None) -> str:
    """Find the id of a tournament by its number in the latest list, or the one that is meant without a number.

    Args:
        to: Who typed it.
        number: The typed number; `_NO_NUMBER` without a number.
        fits: Which tournament is meant without one; by default, and where none fits, the first.

    Raises:
        Misuse: There is no such number.
    """
    tournaments = to.session.tournaments
    if number == _NO_NUMBER:
        # Asked again: the numbers of an older list may have become those of others.
        listed = await tournaments.list_tournaments()
        number = next((n for n, info in enumerate(listed, 1) if fits is not None and fits(info)), 1)
    if not tournaments.numbered:
        await tournaments.list_tournaments()
    command = f"{to.mark}tournaments"
    missing = tr("There is no tournament number {n}; type {command}.", n=number, command=command)
    return pick_numbered(tournaments.numbered, number, missing)


async def _show_tournament(to: Caller, number: int) -> Sequence[str]:
    found = await _find_id(to, number, lambda info: info.entered and info.stage == "running")
    shown = await to.session.tournaments.show_tournament(found)
    info = shown.tournament_info
    standings = [
        f"{each.place}. {tournament_text.standing_name(each)}: {tournament_text.standing_text(each, info)}"
        for each in shown.standings
    ]
    teams = [tr("Team {team}", team=tournament_text.team_text(each, info)) for each in shown.teams]
    tables = [tournament_text.table_text(each, info) for each in shown.pairings[:_TABLES_SHOWN]]
    return [info.name, *tournament_text.about_lines(info, to.session.games), *standings, *teams, *tables]


async def _enter_tournament(to: Caller, number: int, partners: str = "") -> Sequence[str]:
    found = await _find_id(to, number, lambda info: info.admits and not info.entered)
    info = await to.session.tournaments.enter_tournament(found, split_partners(partners))
    return [tr("You take part in {name}; {start}.", name=info.name, start=tournament_text.stage_text(info))]


def split_partners(typed: str) -> list[str]:
    """Return the names that are typed of partners, with commas between them."""
    return [name.strip() for name in typed.split(",") if name.strip()]


async def _withdraw_from_tournament(to: Caller, number: int) -> Sequence[str]:
    found = await _find_id(to, number, lambda info: info.entered and info.stage in ("announced", "running"))
    info = await to.session.tournaments.withdraw_from_tournament(found)
    return [tr("You no longer take part in {name}.", name=info.name)]


async def _go_to_table(to: Caller) -> Sequence[str]:
    tournaments = to.session.tournaments
    waiting = tournaments.waiting
    if waiting is None:
        waiting = next((info for info in await tournaments.list_tournaments() if info.your_table is not None), None)
    if waiting is None:
        return [tr("No table of a tournament waits for you.")]
    await tournaments.take_seat(waiting.id)
    return ()


async def _call_tournament(to: Caller, words: Sequence[str]) -> Sequence[str]:
    return await call_typed_tournament(to, words)


async def call_typed_tournament(to: Caller, words: Sequence[str], club: str | None = None) -> Sequence[str]:
    """Call a tournament that is typed, of a club or for all users; returns the answer to show. Raises Misuse."""
    fields = parse_tournament(words, to.session.games)
    info = await to.session.tournaments.call_tournament(fields if club is None else {**fields, "club": club})
    numbered = to.session.tournaments.numbered
    numbered.append(info.id)
    return [
        tournament_text.describe_tournament(info, to.session.games),
        tr("Type {command} to take part yourself.", command=f"{to.mark}tournament enter {len(numbered)}"),
    ]


def parse_tournament(words: Sequence[str], games: Sequence[GameInfo], now_ms: int | None = None) -> dict[str, Any]:
    """Parse the typed words of a new tournament into the fields of its request. Raises Misuse and ValueError.

    The words may stand in any order: a format, `at=20:30` or `in=15`, `rounds=4`, `minutes=45`, `teams=2`, and those of
    a new table; all after `name=` is its name.
    """
    named = next((n for n, word in enumerate(words) if word.startswith("name=")), len(words))
    name = " ".join(words[named:]).removeprefix("name=").strip()
    fields: dict[str, Any] = {"starts_in_ms": _SOON * _MINUTE_MS}
    rest: list[str] = []
    for word in words[:named]:
        fields |= _parse_word(word, SYSTEM.date_ms() if now_ms is None else now_ms) or {}
        if not _is_own_word(word):
            rest.append(word)
    if "format" not in fields:
        raise Misuse(tr("The format is missing: arena, swiss, knockout or duplicate."))
    table = parse_table(rest)
    _check_table(table, games)
    level = table.settings.get("bot_level")
    return {
        **fields,
        "game": table.game,
        "options": table.options,
        "seat_count": table.players or find_usual_players(games, table.game),
        "name": name or tr("Tournament"),
        **({} if level is None else {"level": level}),
        **({"clock": table.clock} if table.clock else {}),
    }


def _check_table(table: TypedTable, games: Sequence[GameInfo]) -> None:
    """Refuse settings that the tables of a tournament do not have. Raises ValueError."""
    own_words = (*_TABLE_WORDS, *_OWN_WORDS, "name")
    check_options(table, games, own_words)
    if table.password != "" or table.settings.keys() - {"bot_level"}:
        raise Misuse(
            tr(
                "The tables of a tournament have fewer settings than other tables: {settings}, and the options of the "
                "game.",
                settings=", ".join(("players", *own_words)),
            )
        )


def _is_own_word(word: str) -> bool:
    return word.casefold() in _FORMATS or word.partition("=")[0] in _OWN_WORDS


def _parse_word(word: str, now_ms: int) -> dict[str, Any] | None:
    """Return the field that a word sets; None for one of the table's."""
    if word.casefold() in _FORMATS:
        return {"format": _FORMATS[word.casefold()]}
    name, _, value = word.partition("=")
    match name:
        case "at":
            return {"starts_in_ms": read_typed_time(value, now_ms)}
        case "in":
            return {"starts_in_ms": _read_number_between(value, 0, 60 * 24 * 60) * _MINUTE_MS}
        case "rounds" | "deals":
            return {"round_count": _read_number_between(value, *TOURNAMENT_ROUNDS)}
        case "teams":
            return {"team_size": _read_number_between(value, 2, MOST_TEAM)}
        case "minutes":
            least, most = ARENA_MS
            return {"lasts_ms": _read_number_between(value, least // _MINUTE_MS, most // _MINUTE_MS) * _MINUTE_MS}
    return None


def _read_number_between(typed: str, least: int, most: int) -> int:
    if not typed.isdecimal() or not least <= int(typed) <= most:
        raise Misuse(tr("{typed} is not a number from {least} to {most}.", typed=repr(typed), least=least, most=most))
    return int(typed)


def read_typed_time(typed: str, now_ms: int) -> int:
    """Return the milliseconds until a time that is typed. Raises Misuse."""
    try:
        return read_time_until(typed, now_ms)
    except ValueError as error:
        raise Misuse(str(error)) from None


async def _begin_tournament(to: Caller, number: int) -> Sequence[str]:
    info = await to.session.tournaments.begin_tournament(await _find_id(to, number))
    # The server sends the entrants a notice.
    return [] if info.entered else [tr("{name}: {stage}.", name=info.name, stage=tournament_text.stage_text(info))]


async def _cancel_tournament(to: Caller, number: int, reason: str) -> Sequence[str]:
    info = await to.session.tournaments.cancel_tournament(await _find_id(to, number), reason)
    return [] if info.entered else [tr("{name} is cancelled.", name=info.name)]


async def _remove_entrant(to: Caller, number: int, name: str) -> Sequence[str]:
    info = await to.session.tournaments.remove_entrant(await _find_id(to, number), name)
    return [tr("{name} is excluded from {tournament}.", name=name, tournament=info.name)]


async def _export_tournament(to: Caller, number: int) -> Sequence[str]:
    return await to.session.tournaments.export_tournament(await _find_id(to, number))


async def _list_dates(to: Caller) -> Sequence[str]:
    session = to.session
    features = session.connection.features
    if TOURNAMENTS in features:
        await session.tournaments.list_tournaments()
    if CLUBS in features:
        await session.clubs.list_clubs()
        await session.clubs.list_dates()
    if DAILY in features:
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
    """Return the function that goes to a date."""
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


CALLED = Argument(
    "FORMAT GAME [PLAYERS] [at=20:30] [rounds=4] [minutes=45] [teams=2] [name=...]",
    split_words,
    Phrase("The format is missing: arena, swiss, knockout or duplicate."),
)
_NUMBER = Argument("[NUMBER]", split_number, default=_NO_NUMBER)
_ENTRANT = Argument("NAME", split_name, Phrase("The name is missing."))

COMMANDS = (
    Command(
        ("tournaments", "tournament"),
        (),
        Phrase("List the tournaments."),
        list_tournaments,
        ONLINE,
        sends=(ListTournamentsRequest,),
        more=(Phrase("The commands that begin with tournament take the number of one in this list."),),
    ),
    Command(
        ("tournament show",),
        (_NUMBER,),
        Phrase("Show who leads a tournament, and who plays whom."),
        _show_tournament,
        ONLINE,
        sends=(ShowTournamentRequest,),
    ),
    Command(
        ("tournament enter", "enter tournament"),
        (_NUMBER, Argument("[PARTNERS]", split_text, default="")),
        Phrase("Take part in a tournament."),
        _enter_tournament,
        ONLINE,
        sends=(EnterTournamentRequest,),
        more=(Phrase("In one for teams name your partners, with commas. They must name you as well."),),
    ),
    Command(
        ("tournament withdraw",),
        (_NUMBER,),
        Phrase("Take part no longer; a game that you are playing counts."),
        _withdraw_from_tournament,
        ONLINE,
        sends=(WithdrawFromTournamentRequest,),
    ),
    Command(
        ("tournament play", "play tournament"),
        (),
        Phrase("Go to the table of a tournament that waits for you."),
        _go_to_table,
        ONLINE,
        sends=(TakeSeatRequest,),
    ),
    Command(
        ("tournament call", "call tournament"),
        (CALLED,),
        Phrase("Call a tournament, which you direct."),
        _call_tournament,
        ONLINE,
        sends=(CallTournamentRequest,),
        more=(
            Phrase(
                "An arena lasts some minutes: free players get the next table; swiss has rounds; in a knockout "
                "half the players stay."
            ),
            Phrase("In a duplicate all tables play the same deals, and results are compared seat by seat."),
            Phrase("Everything else is as for create: options, bots=LEVEL, clock=30."),
        ),
    ),
    Command(
        ("tournament begin",),
        (NUMBER,),
        Phrase("Begin a tournament that you direct before its time."),
        _begin_tournament,
        ONLINE,
        sends=(BeginTournamentRequest,),
    ),
    Command(
        ("tournament cancel",),
        (NUMBER, Argument("[REASON]", split_text)),
        Phrase("Cancel a tournament that you direct."),
        _cancel_tournament,
        ONLINE,
        sends=(CancelTournamentRequest,),
    ),
    Command(
        ("tournament remove",),
        (NUMBER, _ENTRANT),
        Phrase("Exclude a user from a tournament that you direct, before it starts."),
        _remove_entrant,
        ONLINE,
        sends=(RemoveEntrantRequest,),
    ),
    Command(
        ("tournament export",),
        (NUMBER,),
        Phrase("Write out everything that decides a tournament, as JSON."),
        _export_tournament,
        ONLINE,
        sends=(ExportTournamentRequest,),
    ),
    Command(
        ("dates", "my dates", "next dates"),
        (),
        Phrase("List your next dates: moves by correspondence, tournaments, clubs, the daily deal."),
        _list_dates,
        sends=(ListTournamentsRequest, ListClubsRequest, ShowClubRequest),
        contexts=ONLINE,
    ),
)
