"""Announcements about the table: its log, the deal, the moves of this player, and the result."""

from collections.abc import Iterable, Sequence

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.event_text import standing_phrases
from scoville_client.i18n.language import render
from scoville_client.i18n.option_text import STARTS
from scoville_client.plain.input.move_input import are_numbered, has_notation, list_moves, name_move
from scoville_client.plain.output import TextOutput
from scoville_client.session.table.deal_record import DealVerdict
from scoville_client.session.table.table import AtTable
from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat

TOGETHER_SECONDS = 1.0
"""How long a sentence such as "Bea has chosen." waits for others like it, so that three of them are one."""
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

    def announce_changes(self, at: AtTable) -> None:
        """Announce changes of a table since the last call."""
        if at is not self._table:
            self._arrive(at)
        self._write_log(at, [line.phrase for line in at.log[self._lines :]])
        if self._seated and at.seat is None and at.result is None and at.info.status == "playing":
            self._output.say("A bot plays in your place. Type join to take your seat back.")
        self._seated = at.seat is not None
        self._lines = len(at.log)
        self._ask_for_vote(at)
        if at.next is not None and self._next != at.next:
            self._output.say("Type follow to join the rematch.")
        self._next = at.next
        deals = at.view is not None and not self._dealt
        if deals:
            self._dealt = True
            self.write_phrases(at, at.game.text.describe_table(at.view))
        self._ask(at, described=deals)
        self._say_verdict(at)

    def _arrive(self, at: AtTable) -> None:
        """Begin at another table: a waiting table's log is announced whole, a running game's only on request."""
        self.release_held()
        self._table, self._asked, self._dealt, self._seated, self._listed = at, None, False, False, []
        self._lines, self._next = 0 if at.view is None else len(at.log), at.next
        if at.info.status == "waiting" and not self.practice:
            self._say_terms(at)

    def _say_terms(self, at: AtTable) -> None:
        """Announce how the game begins, and its time limits."""
        start = at.info.settings.start
        if at.hosting and start == "host":
            self._output.say("You host this table. Type start to start the game; bots take the free seats.")
        elif start != "host":
            self._output.say("The game starts {when}.", when=STARTS[start])
        if (start == "ready" or at.info.settings.hostless) and at.seat is not None:
            self._output.say("Type ready when you are ready.")
        for sentence in waiting_terms(at.info.clock):
            self._output.say("{message}", message=sentence)

    def _write_log(self, at: AtTable, news: Sequence[Phrase]) -> None:
        """Write news of the log; those that say the same of one seat after the other wait for each other."""
        for phrase in news:
            own = at.seat is not None and Who(at.seat) in phrase.fields.values()
            together = list(at.game.text.condense_log([*self._held, phrase]))
            # A sentence unlike those that wait, or about this user, ends the wait: the order stays that of the log.
            if len(together) > 1 or own:
                self.release_held()
            self._held.append(phrase)
            # A sentence that joins no other has nothing to wait for.
            if own or len(list(at.game.text.condense_log([phrase, phrase]))) > 1:
                self.release_held()
        if self._held and self._release is None:
            self._release = self._clock.call_later(TOGETHER_SECONDS, self.release_held)

    def release_held(self) -> None:
        """Write what waits for sentences like it."""
        if self._release is not None:
            self._release.cancel()
            self._release = None
        held, self._held = self._held, []
        if held and self._table is not None:
            self._output.write(self._table.game.text.condense_log(held), self._table.names)

    def _ask(self, at: AtTable, *, described: bool) -> None:
        """Announce the moves of each turn once, and the result once; `described` if the whole table just was."""
        if at.result is not None and self._asked != _RESULT:
            self._asked = _RESULT
            self.write_phrases(at, standing_phrases(at.result))
            self._output.say("Type rematch to play again, leave to go back to the lobby, or quit.")
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
        if at.my_turn and has_notation(at.game):
            self._output.say("Your turn.")
            self.write_phrases(
                at, at.game.text.describe_hand(at.view) if described else at.game.text.describe_turn(at.view)
            )
        elif at.my_turn:
            if not described:
                sentences = [render(sentence, at.names) for sentence in at.game.text.describe_turn(at.view)]
                self._output.copy([" ".join(sentences)] if sentences else [])
            numbered = are_numbered(at.game, choices)
            shown = [f"{number} {name}" for number, name in enumerate(moves, 1)] if numbered else moves
            if briefly and numbered and shown == self._listed:
                self._output.say("Your turn.")
            else:
                self._output.say("Your turn. You can play: {moves}.", moves=shown)
            self._listed = shown
        elif moves:
            self._output.say("You have played; you can still play: {moves}.", moves=moves)
        else:
            self.write_phrases(at, [_waiting_for(at)])


def _waiting_for(at: AtTable) -> Phrase:
    if not at.pending:
        return Phrase("You cannot play anything now.")
    return Phrase("Waiting for {players}.", {"players": [Who(Seat(seat)) for seat in sorted(at.pending)]})
