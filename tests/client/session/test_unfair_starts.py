"""The verdict on a server that requests nonces twice, makes starts void at will, or replaces moves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack

import pytest
from msgspec.structs import replace

from scoville_client.i18n.own_words import FULL
from scoville_client.session.table.deal_check import (
    CHANGED,
    FROM_THE_DEAL,
    NOT_TAKEN,
    OTHER_GAME,
    OTHER_MOVE,
    UNFAIR_START,
    VOID_STARTS,
    check_deal,
)
from scoville_client.session.table.deal_record import DealStanding, Observed
from scoville_client.session.table.start_record import Entry, Revealed
from scoville_client.session.table.table import AtTable
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Finished,
    Joined,
    Left,
    NoncesRequested,
    Played,
    SeatInfo,
    Started,
    StartVoided,
)
from tests.support.recording_session import play_game


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


def place(at: AtTable, kind: type[AnyTableEvent]) -> int:
    """Return the index of the first event of a kind."""
    return next(number for number, seen in enumerate(at.deal.events) if isinstance(seen.event, kind))


def insert(at: AtTable, number: int, events: Sequence[AnyTableEvent]) -> None:
    """Put events into what the client received, live and numbered without gaps."""
    seen = at.deal.events
    added = [Observed(event, at.seat, None) for event in events]
    together = [*seen[:number], *added, *seen[number:]]
    first = seen[0].event.seq
    at.deal.events = [each._replace(event=replace(each.event, seq=n)) for n, each in enumerate(together, first)]
    shifted = {seen[n].event.seq: first + n + (len(added) if n >= number else 0) for n in range(len(seen))}
    entries: list[Entry] = []
    for entry in at.deal.start.entries:
        if isinstance(entry, AnyTableEvent):
            if entry.seq == seen[number].event.seq:
                entries += [each.event for each in at.deal.events[number : number + len(added)]]
            entries.append(replace(entry, seq=shifted[entry.seq]))
        else:
            entries.append(entry)
    at.deal.start.entries = entries
    at.deal.accepted = {shifted[seq]: move for seq, move in at.deal.accepted.items()}
    assert at.started is not None
    assert at.result is not None
    at.started = replace(at.started, seq=shifted[at.started.seq])
    at.result = replace(at.result, seq=shifted[at.result.seq])
    at.seq += len(added)


def change(at: AtTable, number: int, **changes: object) -> None:
    seen = at.deal.events[number]
    event = replace(seen.event, **changes)
    at.deal.events[number] = seen._replace(event=event)
    at.deal.start.entries = [event if entry is seen.event else entry for entry in at.deal.start.entries]
    if isinstance(event, Started):
        at.started = event


def reveal_again(at: AtTable) -> None:
    """Let the client reveal the nonce for the latest request, which has the same hashes as the first one."""
    entries = at.deal.start.entries
    reveal = next(entry for entry in entries if isinstance(entry, Revealed))
    entries.insert(next(n for n, entry in enumerate(entries) if isinstance(entry, Started)), reveal)


def assert_unfair(at: AtTable, lines: list[str]) -> None:
    verdict = check_deal(at, lines)
    assert (verdict.fits, verdict.phrase.text) == (False, UNFAIR_START.text)


async def test_a_second_nonce_request_is_unfair(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    request = at.deal.events[place(at, NoncesRequested)].event
    insert(at, place(at, Started), [request])
    assert_unfair(at, lines)


async def test_a_request_for_nonces_after_the_deal_is_unfair(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    request = at.deal.events[place(at, NoncesRequested)].event
    insert(at, place(at, Finished), [request])
    assert_unfair(at, lines)


async def test_a_deal_with_other_hashes_is_unfair(stack: AsyncExitStack) -> None:
    """A server could make the start void, request again and deal before this client has drawn another nonce."""
    at, lines = await play_game(stack, "no_thanks")
    at.deal.start.entries = [
        Revealed(replace(entry.spent, hashes="55" * 32)) if isinstance(entry, Revealed) else entry
        for entry in at.deal.start.entries
    ]
    assert_unfair(at, lines)


@pytest.mark.parametrize("missing", [[], [0], [2]], ids=["nobody", "framed", "no hash"])
async def test_a_start_that_is_void_for_no_reason_is_unfair(stack: AsyncExitStack, missing: list[int]) -> None:
    """Seat 0 has revealed and its nonce was accepted; seat 2 has not committed to any."""
    at, lines = await play_game(stack, "no_thanks")
    request = at.deal.events[place(at, NoncesRequested)].event
    insert(at, place(at, Started), [StartVoided(seq=0, missing=missing, reason="missing"), request])
    assert_unfair(at, lines)


async def test_a_start_void_by_a_withheld_nonce_is_fair(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    request = at.deal.events[place(at, NoncesRequested)].event
    insert(at, place(at, Started), [StartVoided(seq=0, missing=[1], reason="missing"), request])
    reveal_again(at)
    void = VOID_STARTS.with_fields({"n": 1, "players": ["Ben"]}, 1)
    assert check_deal(at, lines) == (DealStanding.VERIFIED, FROM_THE_DEAL, (void,))


async def test_a_void_start_needs_the_player_who_left(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    void = StartVoided(seq=0, missing=[1], reason="left")
    left = Left(seq=0, seat=1, name="Ben", host=0, reason="left")
    request = at.deal.events[place(at, NoncesRequested)].event
    insert(at, place(at, Started), [void, left, request])
    reveal_again(at)
    note = VOID_STARTS.with_fields({"n": 1, "players": ["Ben"]}, 1)
    assert check_deal(at, lines) == (DealStanding.VERIFIED, FROM_THE_DEAL, (note,))
    insert(at, place(at, Started), [void, request])
    assert_unfair(at, lines)


async def test_a_second_deal_is_unfair(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    assert at.started is not None
    insert(at, place(at, Started) + 1, [at.started])
    assert_unfair(at, lines)


async def test_missing_seats_follow_from_hashes_and_nonces(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    change(at, place(at, Started), missing=[2])
    assert_unfair(at, lines)


async def test_hashes_in_the_file_are_those_that_were_published(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    request = at.deal.events[place(at, NoncesRequested)].event
    assert isinstance(request, NoncesRequested)
    change(at, place(at, NoncesRequested), nonce_hashes=[*request.nonce_hashes[:2], "66" * 32])
    assert_unfair(at, lines)


async def test_other_players_in_the_file_are_found_out(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    seats = at.started.seats if at.started else []
    change(at, place(at, Started), seats=[SeatInfo(name="Hanna", kind="human"), *seats[1:]])
    assert check_deal(at, lines).phrase.text == OTHER_GAME.text


async def test_a_player_recorded_as_bot_is_found(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    seats = at.started.seats if at.started else []
    change(at, place(at, Started), seats=[*seats[:2], replace(seats[2], kind="human")])
    assert check_deal(at, lines).phrase.text == OTHER_GAME.text


async def test_a_changed_claim_of_a_name_is_found_out(stack: AsyncExitStack) -> None:
    """A server could show a guest as the owner of a name; the file that it signs says whether it was so."""
    at, lines = await play_game(stack, "no_thanks")
    seats = at.started.seats if at.started else []
    change(at, place(at, Started), seats=[seats[0], replace(seats[1], claimed=True), seats[2]])
    assert check_deal(at, lines).phrase.text == OTHER_GAME.text


async def test_a_player_may_take_a_seat_back_under_another_name(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    seats = at.started.seats if at.started else []
    change(at, place(at, Started), seats=[seats[0], replace(seats[1], name="Benno"), seats[2]])
    assert not check_deal(at, lines).fits
    insert(at, place(at, Finished), [Joined(seq=0, seat=1, name="Ben", host=0, claimed=False)])
    assert check_deal(at, lines).fits


async def test_a_player_may_return_after_the_end_under_another_name(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    at.seq += 1
    at.deal.events.append(Observed(Joined(seq=at.seq, seat=1, name="Benno", host=0, claimed=True), at.seat, None))
    assert check_deal(at, lines).fits, "the file has the names of the end"
    seats = at.started.seats if at.started else []
    change(at, place(at, Started), seats=[seats[0], replace(seats[1], name="Benno", claimed=True), seats[2]])
    assert not check_deal(at, lines).fits
    at.deal.events[-1] = Observed(Joined(seq=at.seq, seat=1, name="Ben", host=0, claimed=False), at.seat, None)
    assert check_deal(at, lines).fits, "that of an older server has the names of its export"


async def test_a_view_before_the_deal_is_found_out(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    number = place(at, Started)
    at.deal.events[number - 1] = at.deal.events[number - 1]._replace(view=at.deal.events[number].view)
    assert check_deal(at, lines).phrase.text == OTHER_GAME.text


# --- what a client received first -----------------------------------------------------------------------


async def test_a_spectator_notices_another_commitment_than_the_first(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    assert at.deal.pinned is not None
    at.deal.pledge, at.seat = None, None
    at.deal.accepted.clear()
    terms, commitment = at.deal.pinned
    assert commitment == at.info.commitment
    at.deal.pinned = terms, "00" * 32
    assert check_deal(at, lines).phrase.text == CHANGED.text


async def test_a_player_without_commitment_has_no_share(stack: AsyncExitStack) -> None:
    """A server could describe a waiting table as running to a user who joins it."""
    at, lines = await play_game(stack, "no_thanks", nonces=False)
    at.deal.pledge = None
    assert check_deal(at, lines) == (DealStanding.OPEN, NOT_TAKEN, ())


# --- the moves of this client ---------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["chilli_chase", "dicht_dran"])
async def test_a_move_that_the_server_replaced_is_found_out(stack: AsyncExitStack, game: str) -> None:
    """The server may show the replaced move in every View: only the client knows that it made another one."""
    at, lines = await play_game(stack, game)
    own = [seen.event for seen in at.deal.events if isinstance(seen.event, Played) and seen.event.seat == at.seat]
    assert len(at.deal.accepted) >= len(own) - 1  # the reply to the last move may come after the check
    seq, made = next(iter(at.deal.accepted.items()))
    at.deal.accepted[seq] = {**made, "card": made["card"] % 6 + 1}
    verdict = check_deal(at, lines)
    assert (verdict.fits, verdict.phrase.text) == (False, OTHER_MOVE.text)
    assert verdict.phrase.fields["event"] == seq


async def test_a_move_that_this_client_never_sent_is_found_out(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "dicht_dran")
    at.deal.accepted.clear()
    assert check_deal(at, lines) == (DealStanding.VERIFIED, FULL, ())
    at.deal.sent.pop(0)
    assert check_deal(at, lines).phrase.text == OTHER_MOVE.text


async def test_an_accepted_move_that_was_never_played_is_found_out(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "dicht_dran")
    at.deal.accepted[at.seq] = at.deal.sent[0]
    assert check_deal(at, lines).phrase.text == OTHER_MOVE.text


async def test_moves_of_another_device_come_later_and_are_no_contradiction(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    at.deal.accepted.clear()
    at.deal.sent.clear()
    at.deal.events = [
        seen._replace(view=None) if isinstance(seen.event, Played) and seen.event.seat == at.seat else seen
        for seen in at.deal.events
    ]
    assert check_deal(at, lines).fits


async def test_moves_at_another_seat_are_not_this_clients(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    pledge = at.deal.pledge
    at.deal.accepted.clear()
    at.deal.sent.clear()
    at.deal.pledge, at.seat = None, None  # a commentator, who sees the Views of a seat
    at.deal.events = [seen._replace(seat=Seat(0)) for seen in at.deal.events]
    assert check_deal(at, lines) == (DealStanding.VERIFIED, FULL, ())
    assert pledge is not None
