"""Votes on a kick in a running game; nobody gains rating by one."""

from collections.abc import Sequence

import pytest

from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.enter import Enter
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause
from scoville_server.tables.actions.restart import Restart
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actions.transfer_host import TransferHost
from scoville_server.tables.actions.vote import VOTE_MS, VOTE_WAIT_MS, ExpireVote, Vote
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import decide, pack_record, unpack_record
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import Kicked, TableSettings, Voted, VoteEnded, VoteInfo
from tests.support.tables import (
    NOON,
    carry_out,
    join_as,
    latest_event,
    new_table,
    play_out,
    records_of,
    refusal_of,
    start_rated,
    start_table,
    user_of,
)

PEOPLE = ("Anna", "Ben", "Cleo", "Dora", "Emil", "Ida")


def votes(by: str, against: int = 1, *, agree: bool = True) -> Vote:
    return Vote(user=user_of(by), against=against, agree=agree)


def against_ben(*agreeing: str, users: int = 3) -> Table:
    return carry_out(start_table(*PEOPLE[:users], game="heap"), *map(votes, agreeing))


def test_two_of_three_kick_the_third_and_everybody_sees_who() -> None:
    opened = against_ben("Cleo")
    vote = VoteInfo(against=1, agreed=[2], refused=[], needed=2, ends_in_ms=VOTE_MS)
    assert latest_event(opened) == Voted(seq=opened.seq, seat=2, agree=True, vote=vote)
    kicked = carry_out(opened, votes("Anna"))
    voted, gone = (recorded.event for recorded in kicked.events_after(opened.seq))
    assert isinstance(voted, Voted)
    assert voted.vote.agreed == [2, 0]
    assert gone == Kicked(seq=kicked.seq, seat=1, name="Ben", reason=None, host=0, voted=True)
    assert kicked.ballot is None


def test_a_kicked_players_game_stays_rated() -> None:
    table = carry_out(start_rated(*PEOPLE[:3], game="heap"), votes("Anna"))
    assert table.rated
    kicked = carry_out(table, votes("Cleo"))
    assert (kicked.rated, kicked.voters, kicked.voted_out) == (True, {0, 2}, {1})
    assert kicked.names[1] == "Ben"
    assert not kicked.seats[1].human
    assert (kicked.kept_for(user_of("Ben")), kicked.owned_seat(user_of("Ben"))) == (None, None)
    assert refusal_of(kicked, join_as("Ben")) == "kicked"


@pytest.mark.parametrize(("users", "needed"), [(3, 2), (4, 2), (5, 3), (6, 3)])
def test_a_majority_of_at_least_two_must_agree(users: int, needed: int) -> None:
    table = start_table(*PEOPLE[:users], game="heap")
    others = [name for name in PEOPLE[:users] if name != "Ben"]
    for number, name in enumerate(others[:needed], 1):
        table = carry_out(table, votes(name))
        assert (user_of("Ben") in table.kicked) == (number == needed)


def test_of_two_players_nobody_kicks_the_other_nor_among_bots() -> None:
    assert refusal_of(start_table("Anna", "Ben"), votes("Anna")) == "too_few_voters"
    assert refusal_of(start_table("Anna", "Ben", seats=4, game="heap"), votes("Anna")) == "too_few_voters"
    left = carry_out(start_table("Anna", "Ben", "Cleo"), Leave(user=user_of("Cleo")))
    assert refusal_of(left, votes("Anna")) == "too_few_voters"


def test_votes_are_single_and_about_other_users() -> None:
    table = against_ben("Anna")
    assert refusal_of(table, votes("Anna")) == "already_voted"
    assert refusal_of(table, votes("Anna", agree=False)) == "already_voted"
    assert refusal_of(table, votes("Ben")) == "no_vote"
    assert refusal_of(table, votes("Zoe")) == "not_seated"
    assert refusal_of(table, votes("Cleo", 0)) == "vote_running"
    begun = start_table("Anna", "Ben", "Cleo", seats=4, game="heap")
    assert refusal_of(begun, votes("Anna", 3)) == "bad_seats"
    assert refusal_of(begun, votes("Anna", 9)) == "bad_seats"
    assert refusal_of(begun, votes("Anna", 0)) == "no_vote"
    assert refusal_of(begun, votes("Anna", agree=False)) == "no_vote"


def test_there_is_no_vote_before_and_after_the_game() -> None:
    waiting = carry_out(new_table(), join_as("Anna"), join_as("Ben"), join_as("Cleo"))
    assert refusal_of(waiting, votes("Anna")) == "not_started"
    over = play_out(against_ben("Anna"))
    assert over.ballot is None
    assert refusal_of(over, votes("Cleo")) == "game_over"


def test_a_vote_that_cannot_succeed_any_more_ends_at_once() -> None:
    table = carry_out(against_ben("Anna"), votes("Cleo", agree=False))
    assert latest_event(table) == VoteEnded(seq=table.seq, against=1, reason="rejected")
    assert table.ballot is None
    assert user_of("Ben") not in table.kicked


def test_it_ends_when_its_time_is_over() -> None:
    table = against_ben("Anna")
    assert carry_out(table, ExpireVote(), seconds=VOTE_MS / 1000 - 0.001) is table
    ended = carry_out(table, ExpireVote(), seconds=VOTE_MS / 1000)
    assert latest_event(ended) == VoteEnded(seq=ended.seq, against=1, reason="expired")
    assert ended.voters == frozenset(), "they only tried"


def test_a_vote_ends_with_its_participants() -> None:
    table = carry_out(against_ben("Anna"), Leave(user=user_of("Ben")))
    assert latest_event(table) == VoteEnded(seq=table.seq, against=1, reason="left")
    table = carry_out(against_ben("Anna"), Leave(user=user_of("Anna")))
    assert latest_event(table) == VoteEnded(seq=table.seq, against=1, reason="rejected")
    four = carry_out(against_ben("Anna", users=5), Leave(user=user_of("Anna")), votes("Cleo"), votes("Dora"))
    assert four.ballot is not None, "the vote of a player who left does not count"


def test_a_failed_vote_protects_and_delays() -> None:
    failed = carry_out(against_ben("Anna", users=4), ExpireVote(), seconds=60)
    late = 60 + VOTE_WAIT_MS / 1000
    assert refusal_of(failed, votes("Anna")) == "slow_down"
    assert refusal_of(failed, votes("Cleo")) == "slow_down"
    assert refusal_of(failed, votes("Anna", 2)) == "slow_down"
    assert carry_out(failed, votes("Cleo", 3), seconds=61).ballot is not None
    assert carry_out(failed, votes("Ben", 0), seconds=61).ballot is not None, "nobody shields themselves by a vote"
    assert carry_out(failed, votes("Anna"), seconds=late).ballot is not None


def test_a_vote_survives_pauses_and_restarts() -> None:
    table = carry_out(
        start_table("Anna", "Ben", "Cleo"), *(Pause(user=user_of(name)) for name in ("Anna", "Ben", "Cleo"))
    )
    assert carry_out(table, votes("Anna"), votes("Cleo")).kicked == {user_of("Ben"): ""}
    again = carry_out(against_ben("Anna"), Restart(), seconds=1_000)
    assert again.ballot is not None
    assert again.ballot.until_ms == NOON + 1_000_000 + VOTE_MS


def test_a_closed_table_has_no_vote() -> None:
    assert carry_out(against_ben("Anna"), Close(reason="Good night.")).ballot is None


def test_the_host_can_be_kicked_and_the_role_continues() -> None:
    table = carry_out(start_table("Anna", "Ben", "Cleo"), votes("Ben", 0), votes("Cleo", 0))
    assert table.kicked == {user_of("Anna"): ""}
    assert table.host == 1


def test_its_records_are_kept_as_they_are() -> None:
    table = against_ben("Anna")
    records = [*records_of(start_table("Anna", "Ben", "Cleo"), votes("Anna")), *records_of(table, votes("Cleo"))]
    ended = records_of(table, ExpireVote(), NOON + VOTE_MS)
    assert len(records) == 3
    assert [unpack_record(pack_record(record)) for record in (*records, *ended)] == [*records, *ended]


# --- a private table has a new code -------------------------------------------------------------------


def private(*names: str) -> Table:
    table = new_table(seats=4, settings=TableSettings(private=True, commentary=True), code="brave-otter", game="heap")
    entered: Sequence[Enter | Join] = [
        *(Enter(user=user_of(name)) for name in (*names, "Zoe", "Yves")),
        *map(join_as, names),
    ]
    return carry_out(table, *entered)


def kick_ben(*present: str) -> Kick:
    here = frozenset(map(user_of, present))
    return Kick(user=user_of("Anna"), whom=user_of("Ben"), name="Ben", code="calm-owl", present=here)


def test_a_private_kick_renews_the_code() -> None:
    table = carry_out(private("Anna", "Ben", "Cleo"), kick_ben("Anna", "Ben", "Cleo", "Zoe"))
    assert table.opened.code == "calm-owl"
    event = latest_event(table)
    assert isinstance(event, Kicked)
    assert event.code_changed
    assert table.admits_user(user_of("Cleo"))
    assert table.admits_user(user_of("Zoe")), "who watches stays"
    assert not table.admits_user(user_of("Yves")), "an invitation that nobody has followed is void"
    assert refusal_of(table, Enter(user=user_of("Ben"))) == "kicked"


def test_a_vote_changes_the_code_with_the_vote_that_decides() -> None:
    table = carry_out(private("Anna", "Ben", "Cleo"), Start(user=user_of("Anna"), strength="random"))
    here = frozenset(map(user_of, ("Anna", "Ben", "Cleo")))
    first, second = (Vote(user=user_of(name), against=1, code=f"new-{name}", present=here) for name in ("Anna", "Cleo"))
    opened = carry_out(table, first)
    assert opened.opened.code == "brave-otter"
    assert carry_out(opened, second).opened.code == "new-Cleo"


def test_a_public_table_keeps_its_code_and_guests() -> None:
    table = carry_out(new_table(code="brave-otter", password=b"hash"), *(Enter(user=user_of(name)) for name in PEOPLE))
    table = carry_out(table, join_as("Anna"), join_as("Ben"), kick_ben())
    assert (table.opened.code, len(table.admitted)) == ("brave-otter", 4)
    assert isinstance(event := latest_event(table), Kicked)
    assert not event.code_changed


def test_a_rematch_bars_whom_the_players_kicked() -> None:
    table = play_out(carry_out(start_table("Anna", "Ben", "Cleo"), votes("Anna"), votes("Cleo")))
    assert isinstance(decide(table, join_as("Ben"), NOON), Refused)
    assert refusal_of(table, TransferHost(user=UserId("ben"), seat=0)) == "not_seated"
