"""Commands of clubs. Each means the club that was shown last, or the user's only one."""

from collections.abc import Awaitable, Callable, Sequence

from scoville_client.i18n.clock_text import day_text
from scoville_client.i18n.club_text import board_lines, date_text
from scoville_client.i18n.language import choose_texts, render, tr
from scoville_client.i18n.tournament_text import describe_tournament
from scoville_client.session.chat_channels import channel_of_club
from scoville_client.session.clubs import Clubs
from scoville_client.session.commands.chat import message_rows
from scoville_client.session.commands.command import (
    AT_TABLE,
    NAME,
    NUMBER,
    TEXT,
    WHOLE_NAME,
    Argument,
    Caller,
    Command,
    Misuse,
    pick_numbered,
    split_text,
    split_word,
    split_words,
)
from scoville_client.session.commands.tournaments import CALLED, call_typed_tournament, read_typed_time
from scoville_client.session.tournaments import OF_CLUBS
from scoville_runtime.clock import SYSTEM
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AcceptClubRequest,
    AddDateRequest,
    BanFromClubRequest,
    CallClubRequest,
    CallTournamentRequest,
    CloseClubRequest,
    ClubInfo,
    ClubReply,
    CreateClubRequest,
    DeclineClubRequest,
    DemoteLeaderRequest,
    InviteToClubRequest,
    LeaveClubRequest,
    ListClubsRequest,
    PromoteMemberRequest,
    ReadChatRequest,
    RemoveDateRequest,
    ReportClubRequest,
    SayRequest,
    SetCallsRequest,
    ShowClubBoardRequest,
    ShowClubRequest,
    UnbanFromClubRequest,
)

_MEMBERS = Phrase("{n} member", many="{n} members")
_LINES = 20
"""Earlier messages that are shown."""


def count_members(n: int) -> str:
    """Return a number of members in words."""
    return render(_MEMBERS.with_fields({"n": n}, n))


def describe_club(club: ClubInfo) -> str:
    """Return a user's role in a club."""
    if club.invited_by is not None:
        return tr("{name} invites you", name=club.invited_by)
    # First what matters most: in a narrow list the rest is cut.
    facts = [tr("closed by {name}", name=club.closed_by)] if club.closed_by is not None else []
    facts.append(count_members(club.member_count))
    facts += choose_texts({tr("you lead it"): club.leads, tr("no calls"): not club.calls and club.closed_by is None})
    return ", ".join(facts)


def club_lines(reply: ClubReply) -> list[str]:
    """Return a club with its members, who is invited, and who is banned."""
    club = reply.info_of_club
    lines = [f"{club.club_name}: {describe_club(club)}"]
    for member in reply.members:
        facts = choose_texts({tr("leader"): member.leads, tr("online"): member.connected})
        facts.append(tr("since {day}", day=day_text(member.since_ms)))
        lines.append(f"{member.name}: {', '.join(facts)}")
    if reply.invited_names:
        lines.append(tr("Invited: {names}", names=reply.invited_names))
    lines += [f"{n}. {date.name}: {date_text(date)}" for n, date in enumerate(reply.club_dates, 1)]
    if club.closed_reason:
        lines.append(tr("Reason: {reason}", reason=club.closed_reason))
    for ban in reply.club_bans:
        why = f" {ban.reason}" if ban.reason else ""
        lines.append(tr("{name} is banned, by {by}.", name=ban.name, by=ban.by) + why)
    return lines


async def _list_clubs(to: Caller) -> Sequence[str]:
    clubs = await to.session.clubs.list_clubs()
    if not clubs:
        return [tr("You are in no club."), tr("Type {command} to create one.", command=f"{to.mark}club create NAME")]
    return [f"{club.club_name}: {describe_club(club)}" for club in clubs]


async def _show_club(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club(name)
    lines = club_lines(await to.session.clubs.show_club(club.club))
    if OF_CLUBS not in to.session.connection.features:
        return lines
    listed = await to.session.tournaments.list_tournaments()
    return [
        *lines,
        *(
            tr("Tournament {n}: {line}", n=n, line=describe_tournament(info, to.session.games))
            for n, info in enumerate(listed, 1)
            if info.club == club.club
        ),
    ]


async def _call_tournament(to: Caller, words: Sequence[str]) -> Sequence[str]:
    if OF_CLUBS not in to.session.connection.features:
        raise Misuse(tr("On this server clubs have no tournaments."))
    club = await to.session.clubs.find_club()
    return await call_typed_tournament(to, words, club.club)


async def _create_club(to: Caller, name: str) -> Sequence[str]:
    return club_lines(await to.session.clubs.create_club(name))


async def _invite_user(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club()
    await to.session.clubs.invite_user(club.club, name)
    return [tr("{name} is invited to the club {club}.", name=name, club=club.club_name)]


async def _accept_invitation(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club(name, invited=True)
    await to.session.clubs.accept_invitation(club.club)
    return club_lines(await to.session.clubs.show_club(club.club))


async def _decline_invitation(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club(name, invited=True)
    await to.session.clubs.decline_invitation(club.club)
    return [tr("You have declined the invitation to the club {club}.", club=club.club_name)]


async def _leave_club(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club(name)
    await to.session.clubs.leave_club(club.club)
    return [tr("You have left the club {club}.", club=club.club_name)]


def _change_user(act: Callable[[Clubs, str, str], Awaitable[None]]) -> Callable[..., Awaitable[Sequence[str]]]:
    """Return a command that changes the role of a user in the chosen club, and then shows the club."""

    async def change_and_show(to: Caller, name: str) -> Sequence[str]:
        clubs = to.session.clubs
        club = await clubs.find_club()
        await act(clubs, club.club, name)
        return club_lines(await clubs.show_club(club.club))

    return change_and_show


async def _ban_user(to: Caller, name: str, reason: str) -> Sequence[str]:
    club = await to.session.clubs.find_club()
    await to.session.clubs.ban_user(club.club, name, reason)
    return club_lines(await to.session.clubs.show_club(club.club))


async def _close_club(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club(name)
    # By its whole name: the beginning of one is enough elsewhere, but this is for good.
    if name.casefold() != club.club_name.casefold():
        raise Misuse(tr("Type {command} to close the club for good.", command=f"{to.mark}club close {club.club_name}"))
    await to.session.clubs.close_club(club.club)
    return [tr("The club {club} is closed; it can be read for 30 days.", club=club.club_name)]


async def _call_club(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club(name)
    await to.session.clubs.call_club(club.club, to.session.current_table.id)
    return [tr("The club {club} is called to this table.", club=club.club_name)]


async def _set_calls(to: Caller, word: str) -> Sequence[str]:
    wanted = {"on": True, "off": False}.get(word.casefold())
    if wanted is None:
        raise Misuse(tr("Type {command}", command=f"{to.mark}club calls on, {to.mark}club calls off"))
    club = await to.session.clubs.find_club()
    await to.session.clubs.set_calls(club.club, calls=wanted)
    if wanted:
        return [tr("The club {club} may call you to its tables.", club=club.club_name)]
    return [tr("The club {club} does not call you any more.", club=club.club_name)]


async def _send_message(to: Caller, text: str) -> Sequence[str]:
    club = await to.session.clubs.find_club()
    await to.session.chat.send_message(text, club=club.club)
    return ()


async def _read_messages(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club(name)
    lines = await to.session.chat.read_channel(channel_of_club(club.club))
    return message_rows(lines[-_LINES:], to.session.name)


async def _show_board(to: Caller, name: str) -> Sequence[str]:
    club = await to.session.clubs.find_club(name)
    return board_lines(await to.session.clubs.show_board(club.club), to.session.games)


def parse_date(words: Sequence[str], now_ms: int | None = None) -> tuple[int, bool, str]:
    """Parse a time such as 20:30 or 2026-12-24T20:30, perhaps `weekly`, and a name. Raises Misuse.

    Returns how long until then in milliseconds, whether it is each week, and the name.
    """
    starts_in_ms = read_typed_time(words[0] if words else "", SYSTEM.date_ms() if now_ms is None else now_ms)
    weekly = words[1:2] == ["weekly"]
    name = " ".join(words[1 + weekly :])
    if not name:
        raise Misuse(tr("The name is missing."))
    return starts_in_ms, weekly, name


async def _add_date(to: Caller, words: Sequence[str]) -> Sequence[str]:
    starts_in_ms, weekly, name = parse_date(words)
    club = await to.session.clubs.find_club()
    return club_lines(await to.session.clubs.add_date(club.club, name, starts_in_ms, weekly=weekly))


async def _remove_date(to: Caller, number: int) -> Sequence[str]:
    club = await to.session.clubs.find_club()
    dates = (await to.session.clubs.show_club(club.club)).club_dates
    missing = tr("There is no such date; type {command} to see them.", command=f"{to.mark}club")
    date = pick_numbered(dates, number, missing)
    return club_lines(await to.session.clubs.remove_date(club.club, date.date_id))


async def _report_club(to: Caller, text: str) -> Sequence[str]:
    clubs = to.session.clubs
    await clubs.list_clubs()
    # Users who see a club's name for the first time have mostly been invited to it.
    club = await clubs.find_club(invited=not clubs.own_clubs)
    await clubs.report_club(club.club, text)
    return [tr("The club {club} is reported to the admins.", club=club.club_name)]


_CLUB = Argument("[CLUB]", split_text)

COMMANDS = (
    Command(
        ("clubs",), (), Phrase("List your clubs and invitations to clubs."), _list_clubs, sends=(ListClubsRequest,)
    ),
    Command(
        ("club", "club show", "club dates"),
        (_CLUB,),
        Phrase("Show a club with its members; the commands of clubs mean the one shown last."),
        _show_club,
        sends=(ShowClubRequest,),
    ),
    Command(
        ("club create",),
        (Argument("NAME", split_text, Phrase("The name of the club is missing.")),),
        Phrase("Create a club, which you lead."),
        _create_club,
        sends=(CreateClubRequest,),
    ),
    Command(
        ("club invite",),
        (WHOLE_NAME,),
        Phrase("Invite a user to your club."),
        _invite_user,
        sends=(InviteToClubRequest,),
    ),
    Command(
        ("club accept",),
        (_CLUB,),
        Phrase("Accept the invitation to a club."),
        _accept_invitation,
        sends=(AcceptClubRequest,),
    ),
    Command(
        ("club decline",),
        (_CLUB,),
        Phrase("Decline the invitation to a club."),
        _decline_invitation,
        sends=(DeclineClubRequest,),
    ),
    Command(
        ("club leave",),
        (_CLUB,),
        Phrase("Leave a club; after its last leader, the member of longest standing leads it."),
        _leave_club,
        sends=(LeaveClubRequest,),
    ),
    Command(
        ("club say",),
        (TEXT,),
        Phrase("Send a message to the members of your club."),
        _send_message,
        sends=(SayRequest,),
    ),
    Command(
        ("club chat",), (_CLUB,), Phrase("Show earlier messages of a club."), _read_messages, sends=(ReadChatRequest,)
    ),
    Command(
        ("club call",),
        (_CLUB,),
        Phrase("Call a club to your table; its members may enter it."),
        _call_club,
        AT_TABLE,
        sends=(CallClubRequest,),
    ),
    Command(
        ("club calls",),
        (Argument("on or off", split_word, Phrase("Say whether the club may call you: on or off.")),),
        Phrase("Say whether your club may call you to its tables."),
        _set_calls,
        sends=(SetCallsRequest,),
    ),
    Command(
        ("club promote",),
        (WHOLE_NAME,),
        Phrase("Make a member of your club a leader."),
        _change_user(Clubs.promote_member),
        sends=(PromoteMemberRequest,),
    ),
    Command(
        ("club demote",),
        (WHOLE_NAME,),
        Phrase("Make a leader of your club an ordinary member."),
        _change_user(Clubs.demote_leader),
        sends=(DemoteLeaderRequest,),
    ),
    Command(
        ("club ban",),
        (NAME, Argument("[REASON]", split_text)),
        Phrase("Ban a user from your club."),
        _ban_user,
        sends=(BanFromClubRequest,),
    ),
    Command(
        ("club unban",),
        (WHOLE_NAME,),
        Phrase("Lift a ban from your club."),
        _change_user(Clubs.unban_user),
        sends=(UnbanFromClubRequest,),
    ),
    Command(
        ("club board",),
        (_CLUB,),
        Phrase("Show the tables of a club's members, its season, and who is best."),
        _show_board,
        sends=(ShowClubBoardRequest,),
        more=(Phrase("The better third of a division goes up after two weeks, the last third goes down."),),
    ),
    Command(
        ("club date",),
        (Argument("TIME [weekly] NAME", split_words, Phrase("The time is missing, such as 20:30.")),),
        Phrase("Add a date to your club; members are reminded ten minutes before."),
        _add_date,
        sends=(AddDateRequest,),
        more=(Phrase("Such as: club date 2026-12-24T20:30 weekly Friday night."),),
    ),
    Command(
        ("club undate",),
        (NUMBER,),
        Phrase("Remove a date of your club, by its number."),
        _remove_date,
        sends=(RemoveDateRequest,),
    ),
    Command(
        ("club tournament",),
        (CALLED,),
        Phrase("Call a tournament of your club, for its members alone."),
        _call_tournament,
        sends=(CallTournamentRequest,),
        more=(Phrase("Everything is as for tournament call; all leaders of the club direct it."),),
    ),
    Command(
        ("club report",),
        (TEXT,),
        Phrase("Report a club to the admins, such as for its name."),
        _report_club,
        sends=(ReportClubRequest,),
    ),
    Command(
        ("club close",),
        (Argument("CLUB", split_text, Phrase("Type the name of the club that you want to close.")),),
        Phrase("Close a club for good; it can be read for 30 days."),
        _close_club,
        sends=(CloseClubRequest,),
    ),
)
