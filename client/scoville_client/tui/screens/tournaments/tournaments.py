"""Tournament dialogs: what there is, one with its standings and tables, and the draft of one that is called."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from textual.binding import Binding, BindingType

from scoville_client.i18n import tournament_text
from scoville_client.i18n.language import tr
from scoville_client.session.changes import Change, EntrantsChanged, TournamentNews
from scoville_client.session.commands.clubs import count_members
from scoville_client.session.commands.tournaments import split_partners
from scoville_client.session.new_table.options import Line
from scoville_client.session.new_table.tournament_draft import TournamentDraft
from scoville_client.session.tournaments import OF_CLUBS, Tournaments
from scoville_client.tui.drawing.canvas import fit_text
from scoville_client.tui.request import Submission
from scoville_client.tui.screens.dialogs.dialog import AnswerDialog
from scoville_client.tui.screens.dialogs.draft import DraftDialog
from scoville_client.tui.screens.dialogs.form import Field, FormDialog, Values
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_hints import Hint
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.protocol.messages import (
    SHORT_CHARACTERS,
    ClubInfo,
    ShowTournamentReply,
    TournamentInfo,
    TournamentStanding,
)
from scoville_shared.replay import read_game

_NAME: Final = 20
_MOST_TABLES: Final = 24
_NARROW: Final = 60
"""Characters of a reason that the server takes."""
_EVERYBODY: Final = "everybody"
_STANDING: Final = "standing"
_TABLE: Final = "table"


class CallTournamentDialog(DraftDialog[bool]):
    """Calls a tournament, for all users or for the members of a club; returns whether it has."""

    def __init__(self, shell: Shell, club: ClubInfo | None = None) -> None:
        games = shell.session.games
        self._club = club
        self._called = TournamentDraft(games, games[0].slug if games else "", club)
        self._submission = Submission()
        super().__init__(self._called)

    def heading_text(self) -> str:
        if self._club is None:
            return tr("Call a tournament")
        return tr("Call a tournament of {club}", club=self._club.club_name)

    def word_for_enter(self) -> str:
        return tr("call")

    def write_value(self, line: Line) -> str:
        """Write a value between the arrows that change it; a name is only typed."""
        return f"{line.value}_" if line.id == "name" else super().write_value(line)

    def accept_draft(self) -> None:
        call = partial(self.shell.session.tournaments.call_tournament, self._called.fields)
        self._submission.start_request(self, call, lambda _: self.dismiss(True), self.explain_marked)


class TournamentsDialog(AnswerDialog[None]):
    """Lists the tournaments; Enter opens one, n calls one."""

    LABEL_WIDTH = _NAME
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,E", "back", show=False),
        Binding("n", "call", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def on_mount(self) -> None:
        self.fill_menu()

    def on_screen_resume(self) -> None:
        """Ask for the list, when the dialog is opened too."""
        self.send_request(self._tournaments.list_tournaments(), lambda _: self.fill_menu())

    def session_changed(self, change: Change) -> None:
        if isinstance(change, TournamentNews | EntrantsChanged):
            self.fill_menu()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        self.shell.open_dialog(TournamentDialog(message.item))

    def action_call(self) -> None:
        """Ask for the draft of a new tournament, and a leader of a club whether it is for the club."""
        if OF_CLUBS in self.shell.session.connection.features:
            self.send_request(self.shell.session.clubs.list_clubs(), self._ask_for_club)
        else:
            self._ask_for_terms(None)

    def _ask_for_club(self, clubs: Sequence[ClubInfo]) -> None:
        led = {club.club: club for club in clubs if club.leads and club.closed_by is None}
        if not led:
            self._ask_for_terms(None)
            return

        def on_pick(picked: str | None) -> None:
            if picked is not None:
                self._ask_for_terms(led.get(picked))

        items = [
            Item(_EVERYBODY, tr("Everybody here")),
            *(Item(club.club, club.club_name, count_members(club.member_count)) for club in led.values()),
        ]
        about = tr("A tournament of a club is seen and entered by its members alone.")
        self.shell.open_dialog(
            PickDialog(tr("Who is the tournament for?"), lambda: items, tr("choose"), about=about), on_pick
        )

    def _ask_for_terms(self, club: ClubInfo | None) -> None:
        self.shell.open_dialog(CallTournamentDialog(self.shell, club))

    def action_back(self) -> None:
        self.dismiss(None)

    @property
    def _tournaments(self) -> Tournaments:
        return self.shell.session.tournaments

    def heading_text(self) -> str:
        return tr("Tournaments")

    def about_text(self) -> str:
        if self._tournaments.listed:
            return ""
        return tr("There are none. Press n to call one: everybody here sees it.")

    def list_items(self) -> list[Item]:
        return [self._make_item(info) for info in self._tournaments.listed]

    def _make_item(self, info: TournamentInfo) -> Item:
        line = tournament_text.describe_tournament(info, self.shell.session.games)
        return Item(info.id, fit_text(info.name, _NAME), line.removeprefix(f"{info.name}: "))

    def list_hints(self) -> Sequence[Hint]:
        return ((tr("Enter"), tr("open")), ("n", tr("call one")), (tr("Esc"), tr("close")))


class TournamentDialog(AnswerDialog[None]):
    """Shows a tournament: who leads, and its tables; Enter watches one, or shows a player."""

    LABEL_WIDTH = _NAME + 4
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("e", "enter_or_withdraw", show=False),
        Binding("p", "play", show=False),
        Binding("b", "begin", show=False),
        Binding("x", "cancel", show=False),
        Binding("y", "share", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, number: str) -> None:
        super().__init__()
        self._number = number
        self._shown: ShowTournamentReply | None = None

    def on_mount(self) -> None:
        self.fill_menu()
        self._request_standings()

    def _request_standings(self) -> None:
        self.send_request(self._tournaments.show_tournament(self._number), self._show)

    def _show(self, shown: ShowTournamentReply) -> None:
        self._shown = shown
        self.fill_menu()

    def session_changed(self, change: Change) -> None:
        if isinstance(change, TournamentNews) and change.info.id == self._number:
            self._request_standings()
        elif isinstance(change, EntrantsChanged) and self._shown is not None:
            counts = {info.id: info.entrant_count for info in self._tournaments.listed}
            if counts.get(self._number) != self._shown.tournament_info.entrant_count:
                self._request_standings()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        kind, _, which = message.item.partition(" ")
        if kind == _TABLE and self._is_duplicate:
            self.send_request(self._tournaments.replay_table(which), self._show_replay)
        elif kind == _TABLE:
            self.shell.navigation.watch_tournament_table(which)
        elif which:
            self.shell.navigation.open_profile(which)

    def action_enter_or_withdraw(self) -> None:
        """Enter the tournament, or withdraw from it."""
        if self._info is None:
            return
        if self._info.team_size is not None and self._info.stage == "announced" and not self._info.entered:
            self._ask_partners(self._info.team_size)
            return
        change = (
            self._tournaments.withdraw_from_tournament if self._info.entered else self._tournaments.enter_tournament
        )
        self.submit_change(partial(change, self._number), lambda _: self._request_standings())

    def _ask_partners(self, size: int) -> None:
        async def submit(values: Values) -> None:
            await self._tournaments.enter_tournament(self._number, split_partners(values["partners"]))
            self._request_standings()

        form = FormDialog(
            tr("Take part"),
            tr("Teams of up to {n}. Your partners must name you as well. Without names you play alone.", n=size),
            [Field("partners", tr("Partners, with commas"))],
            tr("take part"),
            submit,
        )
        self.shell.open_dialog(form)

    def _show_replay(self, lines: list[str]) -> None:
        from scoville_client.replays.playback import Playback
        from scoville_client.replays.reel import Reel

        self.dismiss(None)
        self.shell.navigation.open_replay(0, Playback(Reel(read_game(lines)), None))

    def action_play(self) -> None:
        """Go to the table that waits for the user."""
        if self._info is not None and self._info.your_table is not None:
            self.shell.navigation.open_tournament_table(self._number)
        else:
            self.show_notice(tr("No table of a tournament waits for you."))

    def action_begin(self) -> None:
        """Ask first: the tournament then takes place without those who come at its time."""
        if self._directs and self._info is not None and self._info.stage == "announced":
            about = tr("It begins at once, for those who are here, and not at its time.")
            heading = tr("Begin {name} now?", name=self._info.name)
            self._confirm_act(heading, about, tr("begin"), lambda: self._tournaments.begin_tournament(self._number))

    def action_cancel(self) -> None:
        """Ask for a reason, and then whether to cancel the tournament for good."""
        if not self._directs or self._info is None:
            return
        heading = tr("Cancel {name}?", name=self._info.name)
        about = tr("Everybody can read the reason; you can leave it empty.")

        def on_reason(reason: str | None) -> None:
            if reason is not None:
                warning = tr("The tournament ends for everybody. This cannot be undone.")
                cancel = partial(self._tournaments.cancel_tournament, self._number, reason.strip())
                self._confirm_act(heading, warning, tr("cancel it"), cancel)

        line = TextLine(tr("reason"), max_length=SHORT_CHARACTERS)
        self.shell.open_dialog(PromptDialog(heading, about, tr("next"), line), on_reason)

    def _confirm_act(self, heading: str, about: str, word: str, act: Callable[[], Awaitable[object]]) -> None:
        """Ask first, then do an act and show the tournament as it is now."""

        def on_answer(yes: bool | None) -> None:
            if yes:
                # Asked for again, not computed: others enter and leave at the same time.
                self.submit_change(act, lambda _: self._request_standings())

        self.shell.open_dialog(ConfirmDialog(heading, about, word), on_answer)

    def action_share(self) -> None:
        """Copy three lines about the standings."""
        if self._shown is not None:
            self.show_notice(self.shell.copy_text(tournament_text.summary_text(self._shown)))

    def action_back(self) -> None:
        self.dismiss(None)

    @property
    def _tournaments(self) -> Tournaments:
        return self.shell.session.tournaments

    @property
    def _info(self) -> TournamentInfo | None:
        return None if self._shown is None else self._shown.tournament_info

    @property
    def _directs(self) -> bool:
        return self._info is not None and self._info.may_direct

    def heading_text(self) -> str:
        return tr("Tournament") if self._info is None else self._info.name

    def about_text(self) -> str:
        if self._info is None:
            return tr("The standings are being fetched.")
        return "\n".join(tournament_text.about_lines(self._info, self.shell.session.games))

    def list_items(self) -> list[Item]:
        if self._shown is None:
            return []
        standings = [
            Item(
                f"{_STANDING} {each.name or ''}" if each.name else f"{_STANDING} ",
                fit_text(self._name_standing(each), self.LABEL_WIDTH),
                tournament_text.standing_text(each, self._shown.tournament_info, short=self.size.width < _NARROW),
            )
            for each in self._shown.standings
        ]
        teams = [
            Item(
                f"{_STANDING} ",
                fit_text(tr("Team"), self.LABEL_WIDTH),
                tournament_text.team_text(each, self._shown.tournament_info),
            )
            for each in self._shown.teams
        ]
        tables = [
            Item(
                f"{_TABLE} {each.table}",
                fit_text(tr("Table"), self.LABEL_WIDTH),
                tournament_text.table_text(each, self._shown.tournament_info),
            )
            for each in self._shown.pairings[:_MOST_TABLES]
        ]
        return [*standings, *teams, *tables]

    @property
    def _is_duplicate(self) -> bool:
        return self._info is not None and self._info.format == "duplicate"

    def _name_standing(self, standing: TournamentStanding) -> str:
        name = tournament_text.standing_name(standing)
        return name if self._info is None or self._info.stage == "announced" else f"{standing.place}. {name}"

    def list_hints(self) -> Sequence[Hint]:
        info = self._info
        hints: list[Hint] = [(tr("Enter"), tr("replay") if self._is_duplicate else tr("watch"))]
        if info is not None and info.your_table is not None:
            hints.append(("p", tr("play")))
        if info is not None and info.stage in ("announced", "running") and (info.entered or info.admits):
            hints.append(("e", tr("withdraw") if info.entered else tr("take part")))
        if self._directs and info is not None:
            hints += ([("b", tr("begin now"))] if info.stage == "announced" else []) + [("x", tr("cancel it"))]
        return [*hints, ("y", tr("copy")), (tr("Esc"), tr("close"))]
