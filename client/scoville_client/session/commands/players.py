"""Commands about users: profiles, leaderboards, the account and reports. Front ends have those with passwords."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

import msgspec

from scoville_client.i18n.clock_text import day_and_time, day_text
from scoville_client.i18n.daily_text import points_text
from scoville_client.i18n.language import format_number, render, render_count, tr
from scoville_client.i18n.tournament_text import describe_tournament
from scoville_client.session.commands.command import (
    ANY_NAME,
    GAME,
    NAME,
    ONLINE,
    TEXT,
    Argument,
    Caller,
    Command,
    Misuse,
    split_number,
    split_text,
    split_word,
)
from scoville_client.session.identity.account import origin_text
from scoville_client.session.identity.warnings import warning_text
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    MOST_VACATION_DAYS,
    AccountReply,
    BecomeAdminRequest,
    BeginVacationRequest,
    CalendarReply,
    ClearDigestRequest,
    CloseCalendarRequest,
    ClubMembership,
    CreateWebCodeRequest,
    DigestReply,
    EndSessionRequest,
    EndVacationRequest,
    ExportAccountReply,
    ExportAccountRequest,
    GameInfo,
    KeyInfo,
    LeaderboardEntry,
    LeaderboardRequest,
    LoginByWebCodeRequest,
    LogoutRequest,
    MessageInfo,
    OpenCalendarRequest,
    PastDaily,
    PastGame,
    PastPuzzle,
    PastVacation,
    ProfileReply,
    ProfileRequest,
    Rating,
    ReportRequest,
    SessionInfo,
    SetDigestRequest,
    ShowAccountRequest,
    ShowCalendarRequest,
    ShowDigestRequest,
    ShowVacationRequest,
    TryDigestRequest,
    VacationReply,
)

_GAMES = Phrase("{n} game", many="{n} games")
MOST_RECENT = 5
"""Latest games of a profile."""


async def _show_profile(to: Caller, name: str) -> Sequence[str]:
    profile = await to.session.account.request_profile(name)
    lines = [render(phrase) for phrase in profile_facts(profile)]
    role = role_sentence(profile)
    if role:
        lines.insert(1, role)
    return lines


async def _show_leaders(to: Caller, game: str) -> Sequence[str]:
    leaders = await to.session.account.request_leaders(game)
    return [render(leader_line(leader)) for leader in leaders] or [tr("Nobody is ranked in this game yet.")]


async def _show_account(to: Caller) -> Sequence[str]:
    return account_lines(await to.session.account.show_account())


def account_lines(account: AccountReply | ExportAccountReply) -> list[str]:
    """Describe the user's account: name, credentials, sessions and warnings."""
    if account.claimed:
        lines = [tr("You are {name} and have claimed that name.", name=account.name)]
    else:
        lines = [tr("You are {name}, a guest. Claim the name to keep it.", name=account.name)]
    if account.has_password:
        lines.append(tr("You can log in with a password."))
    lines += map(key_line, account.keys)
    lines += map(_session_line, account.sessions)
    for warning in account.warnings:
        lines.append(tr("{day}: {text}", day=day_text(warning.at_ms), text=render(warning_text(warning))))
    return lines


_AS_TEXT: Final = "text"


async def _export_data(to: Caller, form: str) -> Sequence[str]:
    if form not in ("", _AS_TEXT):
        text, command = f"{to.mark}account export {_AS_TEXT}", f"{to.mark}account export"
        raise Misuse(tr("Type {text}, or {command} for JSON.", text=text, command=command))
    data = await to.session.account.export_data()
    if form == _AS_TEXT:
        return export_lines(data, to.session.games)
    return msgspec.json.format(msgspec.json.encode(data), indent=1).decode().split("\n")


def export_lines(data: ExportAccountReply, games: Sequence[GameInfo]) -> list[str]:
    """Return everything that the server keeps about the user, in sentences."""
    lines = account_lines(data)
    lines.append(tr("Known since {day}: {record}", day=day_text(data.since_ms), record=render(_record_phrase(data))))
    lines += [tr("An admin of this server.")] if data.admin else []
    lines += [render(_rating_phrase(rating)) for rating in data.ratings]
    lines += _export_part(_PAST_GAMES, [render(_past_game(game)) for game in data.recent])
    lines += _export_part(_TABLES, data.table_ids)
    lines += _export_part(_DAILY_DEALS, [_past_daily_text(deal) for deal in data.past_daily])
    lines += _export_part(_DAILY_DAYS, [str(_FIRST_DAY + timedelta(day)) for day in data.daily_days])
    lines += _export_part(_PUZZLES, [_past_puzzle_text(attempt) for attempt in data.past_puzzles])
    lines += _export_part(_TOURNAMENTS, [describe_tournament(each, games) for each in data.tournaments])
    lines += _export_part(_CLUBS, [_membership_text(club) for club in data.memberships])
    lines += _export_part(_MESSAGES, [_message_text(message) for message in data.messages])
    lines += _export_part(_REPORTS, [f"{day_text(each.at_ms)}, {each.name}: {each.text}" for each in data.reports])
    lines += _export_part(_IGNORED, data.ignored_names)
    lines += _export_part(_VACATIONS, [_vacation_text(vacation) for vacation in data.vacations])
    if data.calendar_since_ms is not None:
        lines.append(tr("Your calendar exists since {day}.", day=day_text(data.calendar_since_ms)))
    if data.digest_url is not None:
        lines.append(tr("Your digest goes to {url}.", url=data.digest_url))
    if data.client_settings is not None:
        lines.append(tr("Settings of your client: {names}", names=", ".join(sorted(data.client_settings))))
    return lines


_PAST_GAMES: Final = Phrase("{n} latest game:", many="{n} latest games:")
_TABLES: Final = Phrase("You sit at {n} table:", many="You sit at {n} tables:")
_DAILY_DEALS: Final = Phrase("{n} daily deal:", many="{n} daily deals:")
_DAILY_DAYS: Final = Phrase("You finished a daily deal on {n} day:", many="You finished a daily deal on {n} days:")
_FIRST_DAY: Final = date(1970, 1, 1)
"""Day 0 of the server, wherever the user is."""
_PUZZLES: Final = Phrase("{n} attempt at a puzzle:", many="{n} attempts at puzzles:")
_TOURNAMENTS: Final = Phrase("{n} tournament:", many="{n} tournaments:")
_CLUBS: Final = Phrase("{n} club:", many="{n} clubs:")
_MESSAGES: Final = Phrase("{n} message that is kept:", many="{n} messages that are kept:")
_REPORTS: Final = Phrase("{n} open report of yours:", many="{n} open reports of yours:")
_IGNORED: Final = Phrase("You ignore {n} user:", many="You ignore {n} users:")
_VACATIONS: Final = Phrase("{n} vacation within a year:", many="{n} vacations within a year:")


def _export_part(title: Phrase, lines: Sequence[str]) -> list[str]:
    return [render(title.with_fields({"n": len(lines)}, len(lines))), *(f"  {line}" for line in lines)] if lines else []


def _past_daily_text(deal: PastDaily) -> str:
    day = day_text(deal.begun_ms)
    if deal.place is None or deal.score is None:
        return tr("{day}, {deal}: not finished", day=day, deal=deal.deal)
    return tr(
        "{day}, {deal}: rank {place}, {points}",
        day=day,
        deal=deal.deal,
        place=deal.place,
        points=points_text(deal.score),
    )


def _past_puzzle_text(attempt: PastPuzzle) -> str:
    fields = {"day": day_text(attempt.at_ms), "puzzle": attempt.puzzle}
    sentence = _SOLVED if attempt.right else _NOT_SOLVED
    return render(sentence.with_fields({**fields, "before": attempt.before, "after": attempt.after}))


_SOLVED: Final = Phrase("{day}, {puzzle}: solved, rating {before} to {after}")
_NOT_SOLVED: Final = Phrase("{day}, {puzzle}: not solved, rating {before} to {after}")


def _membership_text(club: ClubMembership) -> str:
    fields = {"club": club.club_name, "day": day_text(club.since_ms)}
    return tr("{club}, since {day}; you lead it", **fields) if club.leads else tr("{club}, since {day}", **fields)


def _message_text(message: MessageInfo) -> str:
    fields = {"time": day_and_time(message.at_ms), "name": message.name, "text": message.text}
    if message.to is not None:
        return tr("{time}, {name} to {other}: {text}", other=message.to, **fields)
    return tr("{time}, {name}: {text}", **fields)


def _vacation_text(vacation: PastVacation) -> str:
    return tr("{day}: {days}", day=day_text(vacation.begun_ms), days=render_count(_DAYS, vacation.days))


_DAYS: Final = Phrase("{n} day", many="{n} days")


async def _end_session(to: Caller, which: str) -> Sequence[str]:
    await to.session.account.end_session("" if which == "all" else which)
    return [tr("The sessions have been ended.") if which == "all" else tr("The session has been ended.")]


async def _web_code(to: Caller, code: str) -> Sequence[str]:
    actions = to.session.account
    if code:
        await to.session.connection.switch_user(actions.log_in_by_web_code("".join(code.split())))
        return ()
    made = await actions.create_web_code()
    seconds = made.valid_ms // 1000
    return [tr("Code {code}: it logs you in once, within {seconds} seconds.", code=made.code, seconds=seconds)]


async def _log_out(to: Caller) -> Sequence[str]:
    await to.session.connection.switch_user(to.session.account.log_out(), to_guest=True)
    return ()


async def _report_user(to: Caller, name: str, text: str) -> Sequence[str]:
    at = to.session.table
    await to.session.account.report_user(name, text, "" if at is None else at.id)
    return [
        tr("The admins will read your report. To hide the messages, type {command}.", command=f"{to.mark}ignore {name}")
    ]


async def _become_admin(to: Caller, code: str) -> Sequence[str]:
    await to.session.account.become_admin("".join(code.split()))
    return [tr("You are now an admin of this server.")]


def key_line(key: KeyInfo) -> str:
    """Return a sentence about an SSH key of the account."""
    return tr("You can log in with the SSH key {key} {comment}", key=key.fingerprint, comment=key.comment or "")


def _session_line(session: SessionInfo) -> str:
    fields = {
        "id": session.id,
        "client": session.client or "",
        "day": day_text(session.used_ms),
        "origin": origin_text(session),
    }
    if session.current:
        return tr("Session {id}, this one: {client}, {origin}", **fields)
    return tr("Session {id}: {client}, {origin}, last used {day}", **fields)


def role_sentence(profile: ProfileReply) -> str:
    """Say that a user moderates this server; empty for most."""
    if profile.admin:
        return tr("An admin of this server.")
    return tr("A moderator of this server.") if profile.moderator else ""


def profile_facts(profile: ProfileReply) -> Iterator[Phrase]:
    """Yield the facts of a profile: reliability, ratings, last games."""
    yield Phrase("{name} (claimed name):" if profile.claimed else "{name} (guest):", {"name": profile.name})
    if not profile.begun:
        yield Phrase("No games without bots yet.")
    else:
        yield _record_phrase(profile)
    for rating in profile.ratings:
        yield _rating_phrase(rating)
    for game in profile.recent[:MOST_RECENT]:
        yield _past_game(game)


def leader_line(leader: LeaderboardEntry) -> Phrase:
    return Phrase(
        "{place}. {name}: {rating} ± {sigma}, {games}",
        {
            "place": leader.place,
            "name": leader.name,
            "rating": format_number(leader.rating),
            "sigma": format_number(leader.sigma),
            "games": _count_games(leader.game_count),
        },
    )


def _record_phrase(profile: ProfileReply | ExportAccountReply) -> Phrase:
    facts = {"finished": profile.finished, "begun": profile.begun, "won": profile.won}
    if profile.median_pick_ms is None:
        return Phrase("finished {finished} of {begun}, won {won}.", facts)
    seconds = round(profile.median_pick_ms / 1000)
    return Phrase(
        "finished {finished} of {begun}, won {won}, median time per move {seconds} s.",
        {**facts, "seconds": seconds},
    )


def _rating_phrase(rating: Rating) -> Phrase:
    ranked = tr("rank {place}", place=rating.rank) if rating.rank is not None else tr("not ranked yet")
    return Phrase(
        "{game}: rating {mu} ± {sigma} after {games}; {ranked}.",
        {
            "game": rating.game,
            "mu": format_number(rating.mu),
            "sigma": format_number(rating.sigma),
            "games": _count_games(rating.game_count),
            "ranked": ranked,
        },
    )


def _past_game(game: PastGame) -> Phrase:
    ranked = sorted(range(len(game.places)), key=lambda seat: (game.places[seat], seat))
    results = [f"{game.places[seat]}. {game.names[seat]} {game.scores[seat]}" for seat in ranked]
    fields = {"day": day_text(game.ended_ms), "game": game.game, "results": results}
    return Phrase("{day}, {game}, rated: {results}" if game.rated else "{day}, {game}: {results}", fields)


def _count_games(n: int) -> str:
    return render(_GAMES.with_fields({"n": n}, n))


_DAYS_LEFT = Phrase("You have {n} day of vacation left.", many="You have {n} days of vacation left.")


def vacation_lines(vacation: VacationReply) -> list[str]:
    """Return until when a user is on vacation, and the days that are left."""
    left = render(_DAYS_LEFT.with_fields({"n": vacation.days_left}, vacation.days_left))
    if vacation.until_ms is None:
        return [tr("You are not on vacation."), left]
    day = day_and_time(vacation.until_ms)
    return [tr("You are on vacation until {day}; your clocks by correspondence rest.", day=day), left]


async def _show_or_begin_vacation(to: Caller, days: int | None) -> Sequence[str]:
    if days is None:
        return vacation_lines(await to.session.account.show_vacation())
    return await _begin_vacation(to, days)


async def _begin_vacation(to: Caller, days: int) -> Sequence[str]:
    if not 1 <= days <= MOST_VACATION_DAYS:
        raise Misuse(tr("A vacation has {least} to {most} days.", least=1, most=MOST_VACATION_DAYS))
    return vacation_lines(await to.session.account.begin_vacation(days))


async def _end_vacation(to: Caller) -> Sequence[str]:
    return vacation_lines(await to.session.account.end_vacation())


def calendar_lines(calendar: CalendarReply) -> list[str]:
    """Return whether a user has a calendar, and its address where that is known."""
    if calendar.path is not None:
        return [
            tr("Your calendar: the address of this server's page in a browser, followed by {path}", path=calendar.path),
            tr("Anyone who has it can see your deadlines. It is shown only once."),
        ]
    if calendar.since_ms is None:
        return [tr("You have no calendar. It shows your deadlines by correspondence in other programs.")]
    return [
        tr("You have had a calendar since {day}; a new address ends the one you know.", day=day_text(calendar.since_ms))
    ]


async def _show_calendar(to: Caller) -> Sequence[str]:
    return calendar_lines(await to.session.account.show_calendar())


async def _open_calendar(to: Caller) -> Sequence[str]:
    return calendar_lines(await to.session.account.open_calendar())


async def _close_calendar(to: Caller) -> Sequence[str]:
    return calendar_lines(await to.session.account.close_calendar())


def digest_lines(digest: DigestReply) -> list[str]:
    """Return where a user's digest goes, and the key of its signatures where that is known."""
    if digest.url is None:
        return [
            tr("You have no digest. Once a day it sends your deadlines by correspondence to an address on the web."),
        ]
    lines = [tr("Your digest goes to {url}, once a day at most while you are away.", url=digest.url)]
    if digest.signing_key is not None:
        lines.append(tr("Key of its signatures, shown only once: {key}", key=digest.signing_key))
    if digest.failed_days:
        lines.append(render(_FAILED_DAYS.with_fields({"n": digest.failed_days}, digest.failed_days)))
    return lines


_FAILED_DAYS = Phrase(
    "It could not be sent on {n} day; after 7 in a row it stops until a test succeeds.",
    many="It could not be sent on {n} days in a row; after 7 it stops until a test succeeds.",
)


async def _show_digest(to: Caller) -> Sequence[str]:
    return digest_lines(await to.session.account.show_digest())


async def _set_digest(to: Caller, url: str) -> Sequence[str]:
    return digest_lines(await to.session.account.set_digest(url))


async def _clear_digest(to: Caller) -> Sequence[str]:
    return digest_lines(await to.session.account.clear_digest())


async def _try_digest(to: Caller) -> Sequence[str]:
    digest = await to.session.account.try_digest()
    return [tr("Your receiver has accepted the test."), *digest_lines(digest)]


COMMANDS = (
    Command(
        ("digest",),
        (),
        Phrase("Show where your daily digest of games by correspondence goes."),
        _show_digest,
        ONLINE,
        sends=(ShowDigestRequest,),
    ),
    Command(
        ("digest set",),
        (Argument("ADDRESS", split_word, Phrase("The address is missing, such as https://example.org/hook.")),),
        Phrase("Send your digest to an address on the web, with a new key."),
        _set_digest,
        ONLINE,
        sends=(SetDigestRequest,),
    ),
    Command(
        ("digest try",),
        (),
        Phrase("Send a test to the address of your digest."),
        _try_digest,
        ONLINE,
        sends=(TryDigestRequest,),
    ),
    Command(
        ("digest clear",),
        (),
        Phrase("End your digest."),
        _clear_digest,
        ONLINE,
        sends=(ClearDigestRequest,),
    ),
    Command(
        ("calendar",),
        (),
        Phrase("Show whether you have a calendar of your deadlines by correspondence."),
        _show_calendar,
        ONLINE,
        sends=(ShowCalendarRequest,),
    ),
    Command(
        ("calendar open",),
        (),
        Phrase("Open your calendar, or give it another secret address."),
        _open_calendar,
        ONLINE,
        sends=(OpenCalendarRequest,),
    ),
    Command(
        ("calendar close",),
        (),
        Phrase("End the address of your calendar."),
        _close_calendar,
        ONLINE,
        sends=(CloseCalendarRequest,),
    ),
    Command(
        ("vacation",),
        (Argument("[DAYS]", split_number, default=None),),
        Phrase("Show your vacation from games by correspondence and the days that are left, or begin one."),
        _show_or_begin_vacation,
        ONLINE,
        sends=(ShowVacationRequest, BeginVacationRequest),
    ),
    Command(
        ("vacation begin",),
        (Argument("DAYS", split_number, Phrase("The number of days is missing, such as 7.")),),
        Phrase("Let your clocks in all games by correspondence rest for so many days."),
        _begin_vacation,
        ONLINE,
        sends=(BeginVacationRequest,),
    ),
    Command(
        ("vacation end",),
        (),
        Phrase("Let your clocks run again; a day that has begun counts whole."),
        _end_vacation,
        ONLINE,
        sends=(EndVacationRequest,),
    ),
    Command(
        ("account export",),
        (Argument("[text]", split_word),),
        Phrase("Show everything that the server keeps about you, as JSON or as text."),
        _export_data,
        sends=(ExportAccountRequest,),
    ),
    Command(
        ("profile",),
        (ANY_NAME,),
        Phrase("Show your profile or that of another user."),
        _show_profile,
        sends=(ProfileRequest,),
    ),
    Command(
        ("leaders",), (GAME,), Phrase("Show the leaderboard of a game."), _show_leaders, sends=(LeaderboardRequest,)
    ),
    Command(
        ("account",),
        (),
        Phrase("Show your account and where you are logged in."),
        _show_account,
        sends=(ShowAccountRequest,),
    ),
    Command(
        ("end",),
        (Argument("ID", split_word, Phrase("The ID of a session is missing; the command account shows them.")),),
        Phrase("End a session, or all others with end all."),
        _end_session,
        sends=(EndSessionRequest,),
    ),
    Command(
        ("webcode",),
        (Argument("[CODE]", split_text),),
        Phrase("Show a code that logs you in in a browser, or log in with it."),
        _web_code,
        sends=(CreateWebCodeRequest, LoginByWebCodeRequest),
    ),
    Command(("logout",), (), Phrase("Log out and become a guest."), _log_out, sends=(LogoutRequest,)),
    Command(("report",), (NAME, TEXT), Phrase("Report a user to the admins."), _report_user, sends=(ReportRequest,)),
    Command(
        ("code",),
        (Argument("CODE", split_text, Phrase("The code is missing.")),),
        Phrase("Become an admin with the code that the server printed."),
        _become_admin,
        sends=(BecomeAdminRequest,),
    ),
)
