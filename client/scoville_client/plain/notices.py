"""Notices beside the game, one line each: chat, invitations, new tables, turns at other tables."""

from scoville_client.i18n.errors import announcement_text
from scoville_client.i18n.language import render
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.i18n.table_text import game_title, may_sit
from scoville_client.i18n.tournament_text import describe_tournament
from scoville_client.plain.output import TextOutput
from scoville_client.session.changes import (
    AccountWarned,
    Announced,
    Change,
    ChatReceived,
    ClubChanged,
    DoorEnded,
    Invited,
    PlanEnded,
    PlaysBySentences,
    Reacted,
    ShutdownAnnounced,
    TablesChanged,
    TournamentNews,
)
from scoville_client.session.commands.chat import message_phrase
from scoville_client.session.session import Session
from scoville_client.session.table.table_text import describe_table
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import MessageInfo, TableInfo, TournamentInfo

MOST_IN_A_ROW = 3
"""New tables announced between two typed lines; one sentence announces the rest."""


class Notices:
    """Writes the notices that concern the user: those of the lobby only there, and not while `quiet`."""

    def __init__(self, session: Session, output: TextOutput) -> None:
        self.quiet = False
        self._session = session
        self._output = output
        self._known: set[str] | None = None
        self._turns: set[str] = set()
        self._in_a_row = 0

    def on_typed(self) -> None:
        """Note that the user has typed: more new tables can be announced."""
        self._in_a_row = 0

    def on_change(self, change: Change) -> None:
        match change:
            case TablesChanged():
                self._announce_tables(change)
            case Invited(info, by):
                self._write_invitation(info, by)
            case TournamentNews(info) if self._concerns_lobby(info):
                line = describe_tournament(info, self._session.games)
                self._output.say("New tournament: {tournament}. Type tournaments to list them.", tournament=line)
            case Announced(text, code, data):
                self._output.say("{announcement}", announcement=announcement_text(text, code, data))
            case (
                AccountWarned(sentence)
                | DoorEnded(sentence)
                | PlanEnded(sentence)
                | PlaysBySentences(sentence)
                | ShutdownAnnounced(sentence)
            ):
                self._output.write([sentence])
            case ClubChanged(sentence=Phrase() as sentence):
                self._output.write([sentence])
            case ChatReceived(line):
                self._write_message(line)
            case Reacted(table, name, reaction) if self._session.table is not None and table == self._session.table.id:
                self._output.say("{name} reacts: {reaction}", name=name, reaction=render(REACTIONS[reaction].name))

    def _concerns_lobby(self, info: TournamentInfo) -> bool:
        """Whether a tournament was called by another user; the one who called it has had an answer."""
        is_new = info.stage == "announced" and info.director != self._session.name
        return is_new and self._session.table is None and not self.quiet

    def _write_invitation(self, table: TableInfo, by: str) -> None:
        self._output.say(
            "{name} invites you; type join {code} to accept: {table}",
            name=by,
            code=table.code or table.table,
            table=describe_table(table, self._session.games),
        )

    def _write_message(self, line: MessageInfo) -> None:
        here = self._session.table
        if line.channel == "table":
            wanted = here is not None and line.table == here.id
        else:
            wanted = line.channel in ("whisper", "club") or (
                here is None and (not self.quiet or line.name == self._session.name)
            )
        if wanted:
            club = self._session.clubs.name_of(line.club or "")
            self._output.write([message_phrase(line, self._session.name, club)])

    def _announce_tables(self, change: TablesChanged) -> None:
        """Announce tables that were not known, and turns at other tables. Costs what has changed."""
        listed = self._session.lobby.tables if change.replaced else change.tables
        new = [] if self._known is None else [table for table in listed if table.table not in self._known]
        if self._session.lobby.watched:
            if change.replaced or self._known is None:
                self._known = {
                    table.table for table in self._session.lobby.tables
                }  # it may be the first change of many
            else:
                self._known.difference_update(change.removed)
                self._known.update(table.table for table in change.tables)
        if self._session.table is None and not self.quiet:
            for table in filter(self._is_open, new):
                self._new_table(table)
        self._my_turns()

    def _new_table(self, table: TableInfo) -> None:
        self._in_a_row += 1
        if self._in_a_row <= MOST_IN_A_ROW:
            self._output.say("New table: {table}", table=describe_table(table, self._session.games))
        elif self._in_a_row == MOST_IN_A_ROW + 1:
            self._output.say("There are more new tables; type tables to list them.")

    def _is_open(self, table: TableInfo) -> bool:
        """Whether a table of another user has an open seat, and no invitation has announced it."""
        invited = any(each.info.table == table.table for each in self._session.lobby.invitations)
        return may_sit(table) and table.creator != self._session.name and not invited

    def _my_turns(self) -> None:
        """Announce each other table where it becomes this user's turn."""
        here = self._session.table
        waiting = {table.table: table for table in self._session.lobby.waiting_for_me}
        for number, table in waiting.items():
            if number not in self._turns and (here is None or here.id != number):
                game = game_title(table.game, self._session.games)
                self._output.say("It is your turn at another table, {game}. Type next to go there.", game=game)
        self._turns = set(waiting)
