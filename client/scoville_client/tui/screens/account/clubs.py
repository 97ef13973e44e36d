"""Club dialogs: the user's clubs, a club with its members, and what can be done with a member."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from textual.binding import Binding, BindingType

from scoville_client.i18n import club_text, tournament_text
from scoville_client.i18n.clock_text import day_text
from scoville_client.i18n.language import InputError, choose_texts, tr
from scoville_client.i18n.table_text import may_sit
from scoville_client.session.changes import Change, ClubChanged, TournamentNews
from scoville_client.session.chat_channels import channel_of_club
from scoville_client.session.clubs import BOARDS, Clubs
from scoville_client.session.commands.clubs import describe_club, parse_date
from scoville_client.session.commands.command import Misuse
from scoville_client.session.conversations import Conversation
from scoville_client.session.tournaments import OF_CLUBS
from scoville_client.tui.screens.dialogs.dialog import AnswerDialog
from scoville_client.tui.screens.dialogs.form import Field, FormDialog, Values
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.screens.tournaments.tournaments import CallTournamentDialog
from scoville_client.tui.widgets.key_hints import Hint
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.protocol.messages import (
    NAME_CHARACTERS,
    SHORT_CHARACTERS,
    ClubBan,
    ClubBoardReply,
    ClubInfo,
    ClubMember,
    ClubReply,
)

_CREATE, _INVITED, _MEMBER, _BAN, _DATE, _TOURNAMENT = "create", "invited:", "member:", "ban:", "date:", "tournament:"
"""Ids of rows, or what they begin with; the name follows."""
_LABEL: Final = 18
_BINDINGS: Final[list[BindingType]] = [
    Binding("escape,q", "close", show=False),
    Binding("L,f2", "do('language')", show=False),
]


class ClubsDialog(AnswerDialog[None]):
    """Lists the user's clubs and invitations; Enter opens one."""

    LABEL_WIDTH = _LABEL
    BINDINGS: ClassVar[list[BindingType]] = _BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._clubs: Sequence[ClubInfo] | None = None

    def on_mount(self) -> None:
        self._fetch_clubs()

    def session_changed(self, change: Change) -> None:
        if isinstance(change, ClubChanged):
            self._fetch_clubs()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        found = next((club for club in self._clubs or () if club.club == message.item), None)
        if message.item == _CREATE:
            self._ask_for_name()
        elif found is not None and found.invited_by is not None:
            self.shell.open_dialog(ClubInvitationDialog(found), lambda _: self._fetch_clubs())
        elif found is not None:
            self.shell.open_dialog(ClubDialog(found), lambda _: self._fetch_clubs())

    def _ask_for_name(self) -> None:
        async def create(values: Values) -> None:
            await self.shell.session.clubs.create_club(values["name"].strip())

        about = tr("Only its members and those you invite learn of it.")
        fields = [Field("name", tr("Name"), max_length=NAME_CHARACTERS)]
        form = FormDialog(tr("Create a club"), about, fields, tr("create"), create)
        self.shell.open_dialog(form, lambda _: self._fetch_clubs())

    def _fetch_clubs(self) -> None:
        self.send_request(self.shell.session.clubs.list_clubs(), self._show_clubs)

    def _show_clubs(self, clubs: Sequence[ClubInfo]) -> None:
        self._clubs = clubs
        self.fill_menu()

    def heading_text(self) -> str:
        return tr("Clubs")

    def about_text(self) -> str:
        if self._clubs:
            return ""
        return tr("A club has a chat of its own, and calls its members when a table opens.")

    def list_items(self) -> list[Item]:
        if self._clubs is None:
            return []
        items = [Item(club.club, club.club_name, describe_club(club)) for club in self._clubs]
        return [*items, Item(_CREATE, tr("Create a club"))]

    def list_hints(self) -> Sequence[Hint]:
        return ((tr("Enter"), tr("choose")), (tr("Esc"), tr("close")))


class _ActsDialog(AnswerDialog[None]):
    """A list of acts, each done by Enter; `then` follows once one is done."""

    LABEL_WIDTH = _LABEL
    BINDINGS: ClassVar[list[BindingType]] = _BINDINGS

    @property
    def clubs(self) -> Clubs:
        """The requests for clubs."""
        return self.shell.session.clubs

    def list_hints(self) -> Sequence[Hint]:
        return ((tr("Enter"), tr("choose")), (tr("Esc"), tr("back")))

    def about_text(self) -> str:
        return ""

    @property
    def has_boards(self) -> bool:
        """Whether the server has boards, dates and reports of clubs."""
        return BOARDS in self.shell.session.connection.features

    def ask_to_report(self, club: ClubInfo) -> None:
        """Ask for the reason of a report on a club, and send it."""

        async def report(values: Values) -> None:
            if not values["text"].strip():
                raise InputError(tr("The text is missing."))
            await self.clubs.report_club(club.club, values["text"].strip())

        about = tr("The admins see the name of the club and your text, but not its chat.")
        form = FormDialog(tr("Report the club"), about, [Field("text", tr("What is wrong"))], tr("report"), report)
        reported = tr("The club {club} is reported to the admins.", club=club.club_name)
        self.shell.open_dialog(form, lambda done: self.show_notice(reported) if done else None)

    def submit_and_close(self, act: Callable[[], Awaitable[None]]) -> None:
        """Do an act, and close the dialog once it is done."""
        self.submit_change(act, lambda _: self.dismiss(None))

    def confirm_and_close(self, heading: str, about: str, word: str, act: Callable[[], Awaitable[None]]) -> None:
        """Ask first, then do an act and close the dialog."""

        def on_answer(yes: bool | None) -> None:
            if yes:
                self.submit_and_close(act)

        self.shell.open_dialog(ConfirmDialog(heading, about, word), on_answer)


class ClubInvitationDialog(_ActsDialog):
    """Accepts or declines an invitation."""

    def __init__(self, club: ClubInfo) -> None:
        super().__init__()
        self._club = club

    def on_mount(self) -> None:
        self.fill_menu()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        if message.item == "report":
            self.ask_to_report(self._club)
            return
        act = self.clubs.accept_invitation if message.item == "accept" else self.clubs.decline_invitation
        self.submit_and_close(partial(act, self._club.club))

    def heading_text(self) -> str:
        return self._club.club_name

    def about_text(self) -> str:
        return tr("{name} invites you", name=self._club.invited_by or "")

    def list_items(self) -> list[Item]:
        items = [Item("accept", tr("Accept")), Item("decline", tr("Decline"))]
        return [*items, Item("report", tr("Report the club"))] if self.has_boards else items


class ClubDialog(_ActsDialog):
    """Shows a club: what the user can do in it, its members, invitations and bans."""

    def __init__(self, club: ClubInfo) -> None:
        super().__init__()
        self._club = club
        self._shown: ClubReply | None = None

    def on_mount(self) -> None:
        self._fetch_club()

    def session_changed(self, change: Change) -> None:
        if isinstance(change, ClubChanged) and change.club == self._club.club:
            self._fetch_club()
        elif isinstance(change, TournamentNews):
            self.fill_menu()

    def _fetch_club(self) -> None:
        self.send_request(self._request_club(), self._show_club)

    async def _request_club(self) -> ClubReply:
        # Before the club, so that the list is filled once, and no line moves under the user's mark.
        if self._has_tournaments:
            await self.shell.session.tournaments.list_tournaments()
        return await self.clubs.show_club(self._club.club)

    @property
    def _has_tournaments(self) -> bool:
        return OF_CLUBS in self.shell.session.connection.features

    def _show_club(self, reply: ClubReply) -> None:
        self._shown, self._club = reply, reply.info_of_club
        self.fill_menu()

    def heading_text(self) -> str:
        return self._club.club_name

    def about_text(self) -> str:
        return describe_club(self._club)

    def list_items(self) -> list[Item]:
        if self._shown is None:
            return []
        is_open, leads = self._club.closed_by is None, self._club.leads
        at = self.shell.session.table

        items = [Item("board", tr("Board"), tr("tables, season, best"))] if self.has_boards else []
        items.append(Item("chat", tr("Chat")))
        if is_open and at is not None and at.seat is not None and at.info.status == "waiting":
            items.append(Item("call", tr("Call to this table")))
        if is_open and leads:
            items.append(Item("invite", tr("Invite a user")))

        items += [
            Item(f"{_DATE}{date.date_id}", date.name, club_text.date_text(date)) for date in self._shown.club_dates
        ]
        if is_open and leads and self.has_boards:
            items.append(Item("date", tr("Add a date")))

        items += [
            Item(f"{_TOURNAMENT}{each.id}", each.name, tournament_text.stage_text(each))
            for each in self.shell.session.tournaments.listed
            if each.club == self._club.club
        ]
        if is_open and leads and self._has_tournaments:
            items.append(Item("tournament", tr("New tournament"), tr("for members alone")))

        items += [Item(f"{_MEMBER}{each.name}", each.name, _describe_member(each)) for each in self._shown.members]
        items += [Item(f"{_INVITED}{name}", name, tr("invited")) for name in self._shown.invited_names]
        items += [Item(f"{_BAN}{each.name}", each.name, _describe_ban(each)) for each in self._shown.club_bans]

        if is_open:
            items.append(Item("calls", tr("Calls to tables"), tr("on") if self._club.calls else tr("off")))
        if is_open and self.has_boards:
            items.append(Item("report", tr("Report the club")))
        items.append(Item("leave", tr("Leave the club")))
        if is_open and leads:
            items.append(Item("close", tr("Close the club")))
        return items

    def on_menu_taken(self, message: Menu.Taken) -> None:
        kind, _, name = message.item.partition(":")
        if name and kind == "member":
            self._open_member(name)
        elif name and kind == "ban" and self._club.leads:
            self._ask_to_unban(name)
        elif name and kind == "date" and self._club.leads:
            self._ask_to_remove(name)
        elif name and kind == "tournament":
            self.shell.navigation.open_tournaments(name)
        elif not name:
            self._acts[kind]()

    @property
    def _acts(self) -> dict[str, Callable[[], None]]:
        return {
            "board": self._open_board,
            "date": self._ask_for_date,
            "tournament": self._call_tournament,
            "report": lambda: self.ask_to_report(self._club),
            "chat": self._open_chat,
            "call": self._call_club,
            "invite": self._ask_whom_to_invite,
            "calls": self._switch_calls,
            "leave": self._leave_club,
            "close": self._close_club,
        }

    def _open_member(self, name: str) -> None:
        member = next((each for each in self._shown.members if each.name == name), None) if self._shown else None
        if member is not None and self._club.leads and self._club.closed_by is None:
            self.shell.open_dialog(MemberDialog(self._club, member), lambda _: self._fetch_club())
        else:
            self.shell.navigation.open_profile(name)

    def _ask_to_unban(self, name: str) -> None:
        heading = tr("Lift the ban of {name}?", name=name)
        about = tr("To come back they need an invitation.")
        self._confirm_and_fetch(heading, about, tr("lift it"), lambda: self.clubs.unban_user(self._club.club, name))

    def _confirm_and_fetch(self, heading: str, about: str, word: str, act: Callable[[], Awaitable[object]]) -> None:
        """Ask first, then do an act and show the club as it is now."""

        def on_answer(yes: bool | None) -> None:
            if yes:
                self.submit_change(act, lambda _: self._fetch_club())

        self.shell.open_dialog(ConfirmDialog(heading, about, word), on_answer)

    def _open_board(self) -> None:
        self.shell.open_dialog(ClubBoardDialog(self._club), lambda _: self._fetch_club())

    def _ask_for_date(self) -> None:
        async def add(values: Values) -> None:
            is_weekly = values["weekly"].strip().casefold() in ("1", "y", "yes", tr("yes").casefold())
            weekly = ["weekly"] if is_weekly else []
            try:
                starts_in_ms, each_week, name = parse_date([values["time"].strip(), *weekly, values["name"].strip()])
            except Misuse as error:
                raise InputError(str(error)) from None
            await self.clubs.add_date(self._club.club, name, starts_in_ms, weekly=each_week)

        fields = [
            Field("name", tr("Name"), max_length=SHORT_CHARACTERS),
            Field("time", tr("Time: 20:30 or 2026-12-24T20:30"), "20:00"),
            Field("weekly", tr("Each week"), tr("yes")),
        ]
        about = tr("Members are reminded ten minutes before.")
        form = FormDialog(tr("Add a date"), about, fields, tr("add"), add)
        self.shell.open_dialog(form, lambda _: self._fetch_club())

    def _call_tournament(self) -> None:
        self.shell.open_dialog(CallTournamentDialog(self.shell, self._club), lambda _: self._fetch_club())

    def _ask_to_remove(self, date_id: str) -> None:
        name = (
            next((date.name for date in self._shown.club_dates if date.date_id == date_id), "") if self._shown else ""
        )
        heading = tr("Remove the date {name}?", name=name)
        about = tr("Nobody is reminded of it any more.")
        self._confirm_and_fetch(heading, about, tr("remove"), lambda: self.clubs.remove_date(self._club.club, date_id))

    def _open_chat(self) -> None:
        self.dismiss(None)
        # Once this dialog is gone, over which the chat would open.
        self.shell.call_later(self.shell.navigation.open_chat, Conversation(channel_of_club(self._club.club)))

    def _call_club(self) -> None:
        at = self.shell.session.table
        if at is not None:
            called = partial(
                self.show_notice, tr("The club {club} is called to this table.", club=self._club.club_name)
            )
            self.submit_change(partial(self.clubs.call_club, self._club.club, at.id), lambda _: called())

    def _ask_whom_to_invite(self) -> None:
        async def invite(values: Values) -> None:
            if not values["name"].strip():
                raise InputError(tr("Type a name."))
            await self.clubs.invite_user(self._club.club, values["name"].strip())

        fields = [Field("name", tr("Name"), max_length=NAME_CHARACTERS)]
        about = tr("Users who own their name can be members.")
        form = FormDialog(tr("Invite a user"), about, fields, tr("invite"), invite)
        self.shell.open_dialog(form, lambda _: self._fetch_club())

    def _switch_calls(self) -> None:
        switch = partial(self.clubs.set_calls, self._club.club, calls=not self._club.calls)
        self.submit_change(switch, lambda _: self._fetch_club())

    def _leave_club(self) -> None:
        about = tr("To come back you need an invitation. After the last leader the longest member leads.")
        heading = tr("Leave the club {club}?", club=self._club.club_name)
        self.confirm_and_close(heading, about, tr("leave"), lambda: self.clubs.leave_club(self._club.club))

    def _close_club(self) -> None:
        about = tr("It can be read for 30 days; then it is gone. This cannot be undone.")
        heading = tr("Close the club {club}?", club=self._club.club_name)
        self.confirm_and_close(heading, about, tr("close it"), lambda: self.clubs.close_club(self._club.club))


class ClubBoardDialog(_ActsDialog):
    """Shows the tables of a club's members, its season with a forecast, and its best; Enter goes to a table."""

    LABEL_WIDTH = _LABEL - 4

    def __init__(self, club: ClubInfo) -> None:
        super().__init__()
        self._club = club
        self._board: ClubBoardReply | None = None

    def on_mount(self) -> None:
        self._fetch_board()

    def session_changed(self, change: Change) -> None:
        if isinstance(change, ClubChanged) and change.club == self._club.club:
            self._fetch_board()

    def _fetch_board(self) -> None:
        self.send_request(self.clubs.show_board(self._club.club), self._show_board)

    def _show_board(self, board: ClubBoardReply) -> None:
        self._board = board
        self.fill_menu()

    def heading_text(self) -> str:
        return tr("Board of {club}", club=self._club.club_name)

    def about_text(self) -> str:
        if self._board is None:
            return ""
        return club_text.season_text(self._board.club_season)

    def list_items(self) -> list[Item]:
        if self._board is None:
            return []
        games = self.shell.session.games
        tables = [
            Item(f"table:{table.table}", *club_text.table_line(table, games).split(": ", 1))
            for table in self._board.tables
        ]
        standings = [
            Item(f"{_MEMBER}{each.name}", club_text.standing_name(each), club_text.standing_text(each))
            for each in self._board.club_season.club_standings
        ]
        best = [
            Item(f"best:{n}", *line.split(": ", 1)) for n, line in enumerate(club_text.leader_lines(self._board, games))
        ]
        return [*tables, *standings, *best]

    def on_menu_taken(self, message: Menu.Taken) -> None:
        kind, _, name = message.item.partition(":")
        if kind == "member":
            self.shell.navigation.open_profile(name)
        elif kind == "table" and self._board is not None:
            # The row was chosen from the shown ones; the board that has just come may lack it.
            table = next((each for each in self._board.tables if each.table == name), None)
            session = self.shell.session
            go = session.watch_table if table is None or not may_sit(table) else session.join_table
            self.submit_change(partial(go, name), lambda _: self._open_table())

    def _open_table(self) -> None:
        self.dismiss(None)
        self.shell.send_request(self.shell.navigation.open_table())


class MemberDialog(_ActsDialog):
    """Acts of a leader on a member."""

    def __init__(self, club: ClubInfo, member: ClubMember) -> None:
        super().__init__()
        self._club = club
        self._member = member

    def on_mount(self) -> None:
        self.fill_menu()

    def heading_text(self) -> str:
        return self._member.name

    def about_text(self) -> str:
        return _describe_member(self._member)

    def list_items(self) -> list[Item]:
        items = [Item("profile", tr("Profile"))]
        if self._member.leads:
            return [*items, Item("demote", tr("Make an ordinary member"))]
        return [*items, Item("promote", tr("Make a leader")), Item("ban", tr("Ban from the club"))]

    def on_menu_taken(self, message: Menu.Taken) -> None:
        club, name = self._club.club, self._member.name
        if message.item == "profile":
            self.shell.navigation.open_profile(name)
        elif message.item == "promote":
            self.submit_and_close(partial(self.clubs.promote_member, club, name))
        elif message.item == "demote":
            self.submit_and_close(partial(self.clubs.demote_leader, club, name))
        else:
            about = tr("They leave the club at once, and cannot be invited until a leader lifts the ban.")
            heading = tr("Ban {name} from the club?", name=name)
            self.confirm_and_close(heading, about, tr("ban"), lambda: self.clubs.ban_user(club, name))


def _describe_member(member: ClubMember) -> str:
    facts = choose_texts({tr("leader"): member.leads, tr("online"): member.connected})
    return ", ".join([*facts, tr("since {day}", day=day_text(member.since_ms))])


def _describe_ban(ban: ClubBan) -> str:
    why = f": {ban.reason}" if ban.reason else ""
    return tr("banned by {name}", name=ban.by) + why
