"""Announcements of the line mode: of the table (its log, the deal, moves, the result), and notices beside it."""

from collections.abc import Iterable, Sequence
from typing import Any

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.errors import announcement_text
from scoville_client.i18n.event_text import standing_phrases
from scoville_client.i18n.game_text import game_tagline
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.option_text import STARTS
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.i18n.table_text import game_title, may_sit
from scoville_client.i18n.tournament_text import describe_tournament
from scoville_client.plain.output import TextOutput, write_line_of
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
from scoville_client.session.daily import is_daily
from scoville_client.session.lobby import sits_at
from scoville_client.session.session import Session
from scoville_client.session.table.deal_record import DealVerdict
from scoville_client.session.table.move_input import are_numbered, has_notation, list_moves, name_move
from scoville_client.session.table.points import explain_scores, find_remark
from scoville_client.session.table.table import AtTable
from scoville_client.session.table.table_text import describe_seen_table, describe_table
from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import MessageInfo, TableInfo, TournamentInfo

TOGETHER_SECONDS = 1.0
"""How long a sentence such as "Bea has chosen." waits for others like it, so that three of them are one."""
CONFIRM_SECONDS = 0.2
"""The same of a sentence about the user's own move: bots have answered by then, and nobody waits to be understood."""
_RESULT = -1
"""Marks, in place of a move's number, that the result has been announced."""


class TableAnnouncer:
    """Writes each news about the table once.

    Args:
        output: Where the sentences go.
        clock: How long a sentence waits for others like it.
        practice: Whether a game begins at once, so that how it begins is not worth a sentence.
    """

    def __init__(self, output: TextOutput, clock: Clock = SYSTEM) -> None:
        self.practice = False
        self._clock = clock
        self._held: list[Phrase] = []
        """Sentences of the log that the next ones may say again of another seat."""
        self._release: Alarm | None = None
        self._output = output
        self._table: AtTable | None = None
        self._lines = 0
        self._seated = False
        self._dealt = False
        self._asked: int | None = None
        self._next: str | None = None
        self._listed: list[str] = []
        """The moves that were listed last."""
        self._voting: Seat | None = None
        self._judged: tuple[str, DealVerdict] | None = None
        self._heard: dict[str, int] = {}
        """By the id of a table, the number of the last event that was announced there."""
        self._aims: set[str] = set()
        """Games whose aim has been said."""

    def note_aim(self, game: str) -> None:
        """Note that the aim of a game has been said."""
        self._aims.add(game)

    def announce_changes(self, at: AtTable) -> None:
        """Announce changes of a table since the last call."""
        if at is not self._table:
            self._begin_table(at)
        self._write_log(at, [line.phrase for line in at.log[self._lines :]])
        if self._seated and at.seat is None and at.result is None and at.info.status == "playing":
            self._output.say("A bot plays in your place. Type join to take your seat back.")
        self._seated = at.seat is not None
        self._lines = len(at.log)
        if at.log:
            self._heard[at.id] = at.log[-1].seq
        self._ask_for_vote(at)
        opened_it = at.seat is not None and at.names[at.seat] == at.notes.opened_by  # they go there without a word
        if at.notes.next is not None and self._next != at.notes.next and not opened_it:
            self._output.say("Type follow to join the rematch.")
        self._next = at.notes.next
        deals = at.view is not None and not self._dealt
        if deals:
            self._dealt = True
            self._describe_dealt(at)
        self._announce_news(at, described=deals)
        self._say_verdict(at)

    def _describe_dealt(self, at: AtTable) -> None:
        """Announce the table as it was dealt, without a hand that the sentences about the user's turn name too."""
        self.release_held()
        said = self._render_phrases(at, describe_seen_table(at))
        if at.my_turn and not has_notation(at.game):
            told = _words_of(" ".join(self._list_opening(at)))
            names = [name_move(at.game, move, at.names) for move in list_moves(at.legal_moves())]
            is_told = bool(told) and told.issuperset(names)
            hand = self._render_phrases(at, at.game.text.describe_hand(at.view)) if is_told else []
            said = [line for line in said if line not in hand]
        self._output.copy(said)

    def _list_opening(self, at: AtTable) -> list[str]:
        """List the parts of the turn's description that the table's lacks."""
        said = set(self._render_phrases(at, at.game.text.describe_table(at.view)))
        return [line for line in self._render_phrases(at, at.game.text.describe_turn(at.view)) if line not in said]

    def _begin_table(self, at: AtTable) -> None:
        """Begin at another table: a waiting table's log is announced whole, a running game's only on request."""
        self.release_held()
        self._table, self._asked, self._dealt, self._seated, self._listed = at, None, False, False, []
        self._lines, self._next = 0 if at.view is None else len(at.log), at.notes.next
        if at.seat is not None and at.result is None:
            self._say_aim(at)
        if at.info.status == "waiting" and not self.practice:
            self._say_terms(at)
        elif at.seat is not None and at.result is None and not self.practice:
            self._write_log(at, self._list_unheard(at))

    def _say_aim(self, at: AtTable) -> None:
        """Say what a game is about, before the user plays it for the first time since the start."""
        aim = game_tagline(at.info.game)
        if aim and at.info.game not in self._aims:
            self._output.say("{game}: {aim} Type rules for the rules.", game=at.game.info.title, aim=aim)
        self._aims.add(at.info.game)

    def _list_unheard(self, at: AtTable) -> list[Phrase]:
        """List the events while the user was elsewhere, the latest lines if there are many."""
        heard = self._heard.get(at.id)
        if heard is None and at.log:
            heard = at.log[place_of_own_move(at)].seq
        return [line.phrase for line in at.log if heard is not None and line.seq > heard][-_MOST_UNHEARD:]

    def _say_terms(self, at: AtTable) -> None:
        """Announce how the game begins, and its time limits."""
        start = at.info.settings.start
        if at.hosting and start == "host":
            self._output.say("You host this table. Type start to start the game; bots take the free seats.")
        elif start != "host":
            self._output.say("The game starts {when}.", when=STARTS[start])
        elif at.info.host is not None and at.seat is not None:
            host = at.names[at.info.host]
            self._output.say("The game starts {when}. {host} is the host.", when=STARTS[start], host=host)
        if (start == "ready" or at.info.settings.hostless) and at.seat is not None:
            self._output.say("Type ready when you are ready.")
        for sentence in waiting_terms(at.info.clock):
            self._output.say("{message}", message=sentence)

    def _write_log(self, at: AtTable, news: Sequence[Phrase]) -> None:
        """Write news of the log; the last ones wait while others may join them, such as those who also pass."""
        self._held += news
        condense = at.game.text.condense_log
        # A sentence that joins no other has nothing to wait for, and those before it stand in the order of the log.
        settled = max((n for n, each in enumerate(self._held, 1) if len(list(condense([each, each]))) > 1), default=0)
        if settled:
            waiting = self._held[settled:]
            del self._held[settled:]
            self.release_held()
            self._held = waiting
        own = at.seat is not None and any(Who(at.seat) in phrase.fields.values() for phrase in self._held)
        if self._release is not None and (own or not self._held):
            self._release.cancel()
            self._release = None
        # While the user thinks about a move nobody is waited for: others who choose at the same time are said after it.
        if self._held and self._release is None and (own or not at.my_turn):
            seconds = CONFIRM_SECONDS if own else TOGETHER_SECONDS
            self._release = self._clock.call_later(seconds, self.release_held)

    def release_held(self) -> None:
        """Write the sentences that wait for others like them."""
        if self._release is not None:
            self._release.cancel()
            self._release = None
        held, self._held = self._held, []
        if held and self._table is not None:
            self._output.write(self._table.game.text.condense_log(held), self._table.names)

    def _announce_news(self, at: AtTable, *, described: bool) -> None:
        """Announce the moves of each turn once, and the result once; `described` if the whole table just was."""
        if at.result is not None and self._asked != _RESULT:
            self._asked = _RESULT
            remark = find_remark(at)
            said = [] if remark is None else [remark]
            self.write_phrases(at, [*standing_phrases(at.result, explain_scores(at)), *said])
            if is_daily(at.info):
                self._output.say("Type daily results to compare the results, leave to go back to the lobby, or quit.")
            elif at.info.tournament is None:
                self._output.say("Type rematch to play again, leave to go back to the lobby, or quit.")
            else:
                self._output.say(
                    "Type tournament show to see who leads; if another table waits for you, it is announced."
                )
        # The number of the user's moves tells one turn from the next.
        elif at.seat is not None and at.my_turn and self._asked != at.played[at.seat]:
            self._asked = at.played[at.seat]
            self.announce_moves(at, described=described, briefly=True)

    def _ask_for_vote(self, at: AtTable) -> None:
        """Announce once how this player votes in an open vote."""
        against = None if at.vote is None or not at.vote.waits_for(at.seat) else at.vote.against
        if against is not None and against != self._voting:
            self._output.say("Type vote yes or vote no.")
        self._voting = against

    def _say_verdict(self, at: AtTable) -> None:
        """Announce the verdict on the deal after the result; not again when the table is shown from another seat."""
        verdict = at.deal.verdict
        if verdict is not None and self._judged != (at.id, verdict):
            self._judged = at.id, verdict
            self.write_phrases(at, verdict.phrases)

    def write_phrases(self, at: AtTable, phrases: Iterable[Phrase]) -> None:
        """Write phrases about a table, in which seats are called by their names."""
        self.release_held()
        self._output.write(phrases, at.names)

    def announce_moves(self, at: AtTable, *, described: bool = False, briefly: bool = False) -> None:
        """Announce the turn and its legal moves, or the players for whom the table waits.

        A list that is the same at every turn is read once: `briefly` leaves out one that was the last.
        """
        self.release_held()
        choices = list_moves(at.legal_moves())
        moves = [name_move(at.game, move, at.names) for move in choices]
        if at.my_turn:
            self._announce_turn(at, choices, moves, described=described, briefly=briefly)
        elif moves:
            self._output.say("You have played; you can still play: {moves}.", moves=moves)
        else:
            self.write_phrases(at, [_waiting_for(at)])

    def _announce_turn(
        self, at: AtTable, choices: Sequence[Any], moves: Sequence[str], *, described: bool, briefly: bool
    ) -> None:
        text, view = at.game.text, at.view
        if has_notation(at.game):
            whole = described or not briefly
            lines = self._render_phrases(at, text.describe_hand(view) if whole else text.describe_turn(view))
            # The hand repeats the table, which was said a moment ago.
            said = set(self._render_phrases(at, text.describe_table(view))) if described else set[str]()
            lines = [line for line in lines if line not in said]
            self._output.copy(_turn_lines(lines, apart=whole))
            return
        numbered = are_numbered(at.game, choices)
        shown = [f"{number} {name}" for number, name in enumerate(moves, 1)] if numbered else list(moves)
        told = " ".join(self._list_opening(at) if described else self._render_phrases(at, text.describe_turn(view)))
        # A list of numbers that stays the same is read once, and so are names that the description has.
        known = shown == self._listed if numbered else bool(told) and all(name in _words_of(told) for name in moves)
        if briefly and known:
            self._output.copy(_turn_lines([told] if told else [], apart=False))
        else:
            self._output.copy([told] if told else [])
            self._output.say("Your turn. You can play: {moves}.", moves=shown)
        self._listed = shown

    @staticmethod
    def _render_phrases(at: AtTable, phrases: Iterable[Phrase]) -> list[str]:
        return [write_line_of(phrase, at.names) for phrase in phrases]


def _turn_lines(lines: Sequence[str], *, apart: bool) -> list[str]:
    """Put "Your turn." before the sentences of a turn: in one line, or in lines of their own where they are long."""
    begin = tr("Your turn.")
    return [begin, *lines] if apart else [" ".join([begin, *lines])]


def _words_of(text: str) -> set[str]:
    return set(text.translate(_NO_SIGNS).split())


_NO_SIGNS = str.maketrans(dict.fromkeys("(),.;:", " "))


def _waiting_for(at: AtTable) -> Phrase:
    if not at.pending:
        return Phrase("You cannot play anything now.")
    return Phrase("Waiting for {players}.", {"players": [Who(Seat(seat)) for seat in sorted(at.pending)]})


# --- beside the table -------------------------------------------------------------------------------

LATEST_LINES = 5
"""Lines of the log that are said about a game in which the user has not moved yet."""
_MOST_UNHEARD = 20
"""Lines that are said about a game to which the user comes back."""
MOST_IN_A_ROW = 3
"""New tables announced between two typed lines; one sentence announces the rest."""


def place_of_own_move(at: AtTable) -> int:
    """Return the number of the log's line that begins with the user's last move; of a late one without it."""
    me = None if at.seat is None else Who(at.seat)
    begins = (n for n, line in enumerate(at.log) if n == 0 or at.log[n - 1].seq != line.seq)
    # The first sentence of an event says who has moved; later ones may be about anybody.
    own = [n for n in begins if at.log[n].phrase.fields.get("who") == me]
    return own[-1] if own else max(0, len(at.log) - LATEST_LINES)


class Notices:
    """Writes the notices that concern the user: those of the lobby only there, and not while `quiet`."""

    def __init__(self, session: Session, output: TextOutput) -> None:
        self.quiet = False
        self._session = session
        self._output = output
        self._known: set[str] | None = None
        self._just_announced: set[str] = set()
        """Ids of the tables that were announced since the last typed line."""
        self._turns: set[str] = set()
        self._playing: set[str] = set()
        self._in_a_row = 0

    def on_typed(self) -> None:
        """Note that the user has typed: more new tables can be announced."""
        self._in_a_row = 0
        self._just_announced.clear()

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
        code = table.code or table.table
        # Most hosts open a table only to invite somebody: it was described a moment ago.
        if table.table in self._just_announced:
            game = game_title(table.game, self._session.games)
            self._output.say("{name} invites you to {game}; type join {code} to accept.", name=by, game=game, code=code)
            return
        self._output.say(
            "{name} invites you; type join {code} to accept: {table}",
            name=by,
            code=code,
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
        """Announce tables that were not known, and turns at other tables. The cost is that of the changes alone."""
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
        self._my_ends(change)

    def _new_table(self, table: TableInfo) -> None:
        self._in_a_row += 1
        if self._in_a_row <= MOST_IN_A_ROW:
            self._output.say("New table: {table}", table=describe_table(table, self._session.games))
            self._just_announced.add(table.table)
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

    def _my_ends(self, change: TablesChanged) -> None:
        """Announce each other table at which a game of this user has ended: nobody waits there for hours."""
        here, tables = self._session.table, change.tables
        if change.replaced:
            tables = tuple(self._session.lobby.tables)
            self._playing.intersection_update(table.table for table in tables)
        for table in tables:
            if sits_at(table) and table.status == "playing":
                self._playing.add(table.table)
            elif table.table in self._playing:
                self._playing.discard(table.table)
                if sits_at(table) and table.status == "finished" and (here is None or here.id != table.table):
                    others = ", ".join(s.name or "" for n, s in enumerate(table.seats) if n != table.your_seat)
                    self._output.say(
                        "Your game of {game} with {names} is over. Type join {code} to hear the result.",
                        game=game_title(table.game, self._session.games),
                        names=others,
                        code=table.code or table.table,
                    )
        self._playing.difference_update(change.removed)
