"""Notices and snapshots for one watcher, built only from the game's View of their seat and the facts addressed to it.

A `seat` of None is a spectator. The server decides which seat a connection sees, never the client.
"""

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any, Final, NamedTuple, cast

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from scoville_outside.guard import GameFailed
from scoville_server.tables.actions.start import deal_game
from scoville_server.tables.actions.vote import describe_ballot
from scoville_server.tables.model import clock
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import (
    RecordedEvent,
    Table,
    describe_seat,
    replay_states,
    table_for_spectators,
    tables_between,
)
from scoville_server.tables.watching.audience import Sight
from scoville_server.tables.watching.sentences import (
    ask_in_time,
    describe_facts,
    describe_refusal,
    describe_terms,
    describe_view,
    read_typed_move,
)
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.play import play_move
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Closed,
    EventNotice,
    Joined,
    Kicked,
    Left,
    LookBackReply,
    MoveSentence,
    PastView,
    Played,
    SeatInfo,
    Started,
    TableInfo,
    TableSentences,
    TableSnapshot,
)
from scoville_shared.values import Plain

IsHere = Callable[[UserId], bool]
"""Whether a user has an open connection."""

_NO_MEMBER: Final = "You are no longer a member of its club."

MOST_LISTED: Final = 1_000
"""Most legal moves in one reply; a game with more moves puts the most useful ones first."""

PAGE_SIZE: Final = 600
"""Most events and facts in one reply, of some 40 bytes each: enough for a usual game.

Bigger pages would hold up everybody: building one with 2,000 takes the loop longer than a ping may wait."""

SENTENCE_SIZE: Final = 80
"""Characters of sentences that count as much as a fact in a reply."""

MOST_REPLAYED: Final = 500
"""Moves of a game that is played again at most: 9 ms in the slowest game; the usual games have 200."""

VIEWS_PAGE: Final = 40
"""Views in one reply at most, of some 700 bytes each."""


def project_change(before: Table, after: Table, sight: Sight, former: Sight | None = None) -> list[EventNotice]:
    """Build the notices for a watcher when `before` becomes `after`.

    A watcher who had another `former` sight gets the events before that of the change with it: a move and the loss of
    the seat may be one decision, and a client that still has its seat expects the View of that seat.
    """
    if sight.live:
        listed = project_events(after, before.seq, sight.seat, sight.language, is_own=sight.is_own)
        if former is None or former == sight or not former.live:
            return listed
        kinds, seats = (Joined, Left, Kicked), (former.seat, sight.seat)
        changes = (n for n, each in enumerate(listed) if isinstance(each.event, kinds) and each.event.seat in seats)
        change = next(changes, 0)
        earlier = project_events(after, before.seq, former.seat, former.language, is_own=former.is_own)
        return [*earlier[:change], *listed[change:]]
    return [
        notice
        for one, next_one in pairwise(tables_between(before, after))
        for notice in _of_rounds(one, next_one, sight.language)
    ]


def project_events(
    table: Table, since: int, seat: Seat | None, language: str | None = None, *, is_own: bool = True
) -> list[EventNotice]:
    """Build the notices of the events after `since`, with the View of `seat` as it is now.

    `is_own` says whether the reader sits there.
    """
    view, left = _show_state(table, table.state, seat, language, is_own=is_own), list_time_left(table)
    return [
        EventNotice(table=table.id, event=event, view=view.plain, left_ms=left, sentences=view.sentences)
        for event in list_events(table, since, seat, language, is_own=is_own)
    ]


def _of_rounds(before: Table, after: Table, language: str | None) -> Iterator[EventNotice]:
    """Build a spectator's notices up to the end of a round, with the View after each event."""
    left = list_time_left(after)
    events = list_events(after, before.seq, None, language)
    for event, state in zip(events, replay_states(before, after), strict=True):
        view = _show_state(after, state, None, language)
        yield EventNotice(table=after.id, event=event, view=view.plain, left_ms=left, sentences=view.sentences)


def final_notices(before: Table, after: Table, sight: Sight) -> list[EventNotice]:
    """Build the last notices for a watcher, up to the event that removed them.

    A former member of a club may no longer watch its tournaments: no event of the table says so, so they get one of
    their own. For a spectator who sees the game in rounds, the last notice has the number after the last one they know:
    they may not learn how much has happened since.
    """
    listed = project_events(after, before.seq, None, sight.language)
    if not listed:
        seq = (before if sight.live else table_for_spectators(before)).seq + 1
        listed = [EventNotice(table=after.id, event=Closed(seq=seq, reason=_NO_MEMBER, cause="not_member"), view=None)]
    end = next((n for n, notice in enumerate(listed) if isinstance(notice.event, Kicked)), len(listed) - 1)
    if sight.live:
        return listed[: end + 1]
    seen = table_for_spectators(before)
    # Renumbered, since the true number would say how many events the watcher has not seen.
    last = replace(listed[end].event, seq=seen.seq + 1)
    view = _show_state(seen, seen.state, None, sight.language)
    left = list_time_left(seen)
    return [EventNotice(table=seen.id, event=last, view=view.plain, left_ms=left, sentences=view.sentences)]


def project_snapshot(
    table: Table,
    since: int,
    seat: Seat | None,
    is_here: IsHere,
    now_ms: int | None = None,
    language: str | None = None,
    *,
    is_own: bool = True,
) -> TableSnapshot:
    """Build the snapshot of a whole table at `now_ms`, for a watcher who knows the events up to `since`.

    If there are more events than fit, it has the first ones; `seq` is then the number of the last of them, and
    `latest` the number of the table's latest event.
    """
    listed = list_page(table, since, seat, language, is_own=is_own)
    view = _show_state(table, table.state, seat, language, is_own=is_own)
    last = listed[-1].seq if listed else table.seq
    return TableSnapshot(
        info=describe_table(table, is_here, now_ms),
        seq=last,
        latest=None if last == table.seq else table.seq,
        seat=seat,
        view=view.plain,
        sentences=view.sentences,
        pending=[*table.pending],
        move_counts=[*table.played],
        events=listed,
        left_ms=list_time_left(table, now_ms),
        vote=None if table.ballot is None or now_ms is None else describe_ballot(table.ballot, now_ms),
    )


def list_events(
    table: Table, since: int, seat: Seat | None, language: str | None = None, *, is_own: bool = True
) -> list[AnyTableEvent]:
    """List the events after `since` with the facts that `seat` may know."""
    return _list_in_time(
        table,
        language,
        lambda: [_event_for_seat(table, each, seat, language, is_own=is_own) for each in table.events_after(since)],
    )


def list_page(
    table: Table, since: int, seat: Seat | None, language: str | None = None, *, is_own: bool = True
) -> list[AnyTableEvent]:
    """List the events after `since`, as many as fit into one reply."""

    def list_fitting() -> list[AnyTableEvent]:
        listed: list[AnyTableEvent] = []
        size = 0
        for recorded in table.iterate_events_after(since):
            event = _event_for_seat(table, recorded, seat, language, is_own=is_own)
            size += 1 + len(recorded.facts)
            if isinstance(event, Played) and event.fact_sentences is not UNSET:
                size += sum(map(len, event.fact_sentences)) // SENTENCE_SIZE
            # At least one, however many facts it has, or a client would ask for the same page for ever.
            if size > PAGE_SIZE and listed:
                break
            listed.append(event)
        return listed

    return _list_in_time(table, language, list_fitting)


def _list_in_time(
    table: Table, language: str | None, list_all: Callable[[], list[AnyTableEvent]]
) -> list[AnyTableEvent]:
    """List events, with one time for the sentences of all; a text that takes too long is not asked the second time."""
    return list_all() if language is None else ask_in_time(table.game, list_all, list_all)


def list_time_left(table: Table, now_ms: int | None = None) -> list[int] | None:
    """List the thinking time left per seat in milliseconds, at `now_ms` or after the last event.

    Where the clock runs, it is the time until a bot moves, with the nights before that. None without a clock.
    """
    if table.clocks is None:
        return None
    clocks = table.clocks if now_ms is None else clock.let_time_pass(table.clocks, now_ms)
    return [clock.until_end_ms(clocks, Seat(seat)) for seat in range(len(table.seats))]


class _SeenState(NamedTuple):
    """A watcher's sight of a state: the View as plain data, and in sentences if they have requested those."""

    plain: Plain | None
    sentences: TableSentences | UnsetType = UNSET


def view_of(table: Table, seat: Seat | None) -> Plain | None:
    """Return the View of a seat, or of a spectator for None; None until the game starts."""
    return _show_state(table, table.state, seat, None).plain


def _show_state(
    table: Table, state: Any, seat: Seat | None, language: str | None, *, is_own: bool = True
) -> _SeenState:
    if state is None:
        options = table.opened.options
        return _SeenState(None, UNSET if language is None else describe_terms(table.game, options, language))
    try:
        view = table.game.view(state, seat)
        plain = table.game.codec.encode_plain(view)
    except GameFailed:
        if table.closed is None or table.status == "finished":
            raise
        # The game that failed is why the table is closed: its watchers are sent that, without a View.
        return _SeenState(None, UNSET if language is None else TableSentences(table_lines=[]))
    if language is None:
        return _SeenState(plain)
    playing = table.status == "playing"
    must_move = playing and is_own and seat is not None and seat in table.pending
    sentences = describe_view(
        table.game,
        view,
        seat,
        must_move=must_move,
        playing=playing,
        names=table.names,
        language=language,
        is_own=is_own,
    )
    return _SeenState(plain, sentences)


def read_move(table: Table, seat: Seat, typed: str, language: str) -> MoveSentence | Refused | None:
    """Read a move of a seat in the game's own notation; None if the text is not in it."""
    if table.status != "playing":
        return None
    found = read_typed_move(table.game, table.game.view(table.state, seat), typed, table.names, language)
    if isinstance(found, Refusal):
        return Refused(found.reason, describe_refusal(table.game, found, table.names, language), dict(found.data))
    return found


def in_language(table: Table, refused: Refused, language: str) -> Refused:
    """Return a refusal of the rules in the language of a watcher without the game; others have sentences there."""
    # Codes of the protocol are the table's own refusals; the reasons of a game's rules are not among them.
    if refused.code in set(Code):
        return refused
    reason = Refusal(cast("Any", refused.code), refused.data)
    return replace(refused, message=describe_refusal(table.game, reason, table.names, language))


def legal_moves(table: Table, seat: Seat) -> list[Plain]:
    """List the legal moves of a seat, at most `MOST_LISTED`; a seat that owes no move may be able to take one back."""
    if table.status != "playing":
        return []
    view = table.game.view(table.state, seat)
    return [table.game.codec.encode_plain(move) for move in islice(table.game.moves(view), MOST_LISTED)]


def describe_table(table: Table, is_here: IsHere, now_ms: int | None = None, reader: UserId | None = None) -> TableInfo:
    """Describe the table at `now_ms` as the lobby shows it.

    Only a `reader` who is admitted sees a private table's code.
    """
    opened = table.opened
    return TableInfo(
        table=table.id,
        game=opened.game,
        rules_version=opened.rules_version,
        options=opened.options,
        seats=[_describe_seat(table, seat, is_here) for seat in map(Seat, range(len(table.seats)))],
        host=table.host,
        status=table.status,
        commitment=opened.commitment,
        commitment_signature=opened.commitment_signature.hex() or None,
        clock=opened.clock,
        paused=table.paused,
        settings=opened.settings,
        code=code_of(table, reader) or None,
        locked=table.locked,
        creator=opened.creator or None,
        ready_seats=sorted(table.ready),
        starts_in_ms=ms_until(table.next_start_ms, now_ms),
        dealer=opened.dealer,
        rated=table.may_be_rated,
        deal=opened.deal or None,
        tournament=None if opened.reserved is UNSET else opened.reserved.tournament,
    )


def code_of(table: Table, reader: UserId | None) -> str:
    """Return a table's code for a reader who may know it, else an empty one."""
    known = not table.opened.settings.private or (reader is not None and table.admits_user(reader))
    return table.opened.code if known else ""


def ms_until(due_ms: int | None, now_ms: int | None) -> int | None:
    """Return the milliseconds from `now_ms` to `due_ms`, at least 0; None when either is unknown."""
    return None if due_ms is None or now_ms is None else max(0, due_ms - now_ms)


def _event_for_seat(
    table: Table, recorded: RecordedEvent, seat: Seat | None, language: str | None, *, is_own: bool
) -> AnyTableEvent:
    event = recorded.event
    if not isinstance(event, Played):
        return event
    # Facts are addressed when they are made: nothing here decides what is secret.
    facts = [fact for to, fact in recorded.facts if to is None or to == seat]
    if language is None:
        return replace(event, facts=facts)
    seen_from = None if is_own else seat
    return replace(
        event, facts=facts, fact_sentences=describe_facts(table.game, facts, table.names, language, seen_from)
    )


def _describe_seat(table: Table, seat: Seat, is_here: IsHere) -> SeatInfo:
    seat_state = table.seats[seat]
    if seat_state.human and seat_state.user is not None and not is_here(seat_state.user):
        return replace(seat_state.info, connected=False)
    return describe_seat(table, seat)


def look_back(table: Table, since: int, seat: Seat | None) -> LookBackReply:
    """Return the Views of a seat (None: a spectator's) after the deal and each move behind event `since`.

    They are of the table as it is passed: spectators who see rounds get the Views of the table that they see.
    """
    # A longer game would hold up the loop; its watchers get no look back.
    if table.state is None or len(table.moves) > MOST_REPLAYED:
        return LookBackReply(views=[])
    views: list[PastView] = []
    state, moves = None, iter(table.moves)
    for recorded in table.iterate_events_after(0):
        event = recorded.event
        if isinstance(event, Started):
            state = deal_game(table)
        elif isinstance(event, Played):
            made = next(moves)
            step = play_move(table.game, state, made.seat, table.game.codec.decode_move(made.move))
            assert not isinstance(step, Refusal), f"a move that was made is legal; this one was refused: {step}"
            state = step.state
        else:
            continue
        if event.seq <= since:
            continue
        # With `latest` the client knows that there is more, and asks for it.
        if len(views) == VIEWS_PAGE:
            return LookBackReply(views=views, latest=table.seq)
        views.append(PastView(seq=event.seq, view=table.game.codec.encode_plain(table.game.view(state, seat))))
    return LookBackReply(views=views)
