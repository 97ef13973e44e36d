"""Clubs as values: never without a leader, bans hold, closed is closed, whatever is tried in whatever order."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.clubs.model import club as model
from scoville_server.clubs.model.club import Ban, Club, Member, create_club
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId

USERS = [UserId(name) for name in ("anna", "ben", "carl", "dora")]
ANNA, BEN, CARL, DORA = USERS
BAN = Ban(by="Anna", at_ms=1, reason="noise")

Act = Callable[[Club, UserId, UserId, int], Club]
ACTS: dict[str, Act] = {
    "invite": lambda club, by, whom, _: model.invite_user(club, by, by, whom),
    "accept": lambda club, by, _, now: model.accept_invitation(club, by, now),
    "decline": lambda club, by, _, __: model.decline_invitation(club, by),
    "leave": lambda club, by, _, now: model.leave_club(club, by, by, now),
    "promote": lambda club, by, whom, _: model.promote_member(club, by, whom),
    "demote": lambda club, by, whom, _: model.demote_leader(club, by, whom),
    "ban": lambda club, by, whom, _: model.ban_user(club, by, whom, BAN),
    "unban": lambda club, by, whom, _: model.unban_user(club, by, whom),
    "close": lambda club, by, _, now: model.close_club(club, by, by, now),
    "calls": lambda club, by, _, now: model.set_calls(club, by, calls=bool(now % 2)),
    "forget": lambda club, by, _, now: model.forget_user(club, by, by, now),
    "server ban": lambda club, by, _, __: model.ensure_leader(club, lambda user: user == by),
}
USE = st.tuples(st.sampled_from([*ACTS]), st.sampled_from(USERS), st.sampled_from(USERS))


@given(st.lists(USE, max_size=40))
def test_no_order_of_acts_breaks_a_club(uses: list[tuple[str, UserId, UserId]]) -> None:
    club = create_club("Peppers", ANNA, 1)
    for now, (act, by, whom) in enumerate(uses, 2):
        before = club
        with suppress(ScovilleError):
            club = ACTS[act](before, by, whom, now)
        if club.is_open:
            assert any(member.leads for member in club.members.values()), "never without a leader"
        assert not club.banned.keys() & (club.members.keys() | club.invited.keys()), "bans hold"
        assert not club.members.keys() & club.invited.keys()
        if not before.is_open:
            assert (club.closed_ms, club.closed_by, club.banned.keys() - before.banned.keys()) == (
                before.closed_ms, before.closed_by, set(),
            ), "closed is closed"  # fmt: skip
            assert club.members.items() <= before.members.items(), "members may only leave it"
            assert not club.invited
        gained = {user for user in club.members if club.is_led_by(user) and not before.is_led_by(user)}
        assert act in {"promote", "leave", "forget", "server ban"} or not gained, "nobody raises themselves"
        if act in {"invite", "promote", "demote", "ban", "unban", "close"} and not before.is_led_by(by):
            assert club is before, "only leaders lead"
        new = club.members.keys() - before.members.keys()
        assert new <= before.invited.keys(), "nobody comes in without an invitation"


def of_four() -> Club:
    members = {user: Member(since_ms=n, leads=user == DORA) for n, user in enumerate((BEN, ANNA, CARL, DORA))}
    return Club(name="Peppers", since_ms=0, members=members)


def test_the_longest_member_leads_after_the_last_leader() -> None:
    club = model.leave_club(of_four(), DORA, "Dora", 9)
    assert [user for user in club.members if club.is_led_by(user)] == [BEN]


def test_a_club_that_everybody_has_left_is_closed() -> None:
    club = model.leave_club(create_club("Peppers", ANNA, 1), ANNA, "Anna", 9)
    assert (club.closed_ms, club.closed_by) == (9, "Anna")


def test_a_leader_who_is_banned_from_the_server_gets_company() -> None:
    club = model.ensure_leader(of_four(), lambda user: user in {DORA, BEN})
    assert [user for user in club.members if club.is_led_by(user)] == [ANNA, DORA]
    assert model.ensure_leader(of_four(), lambda _: False) == of_four()


def test_a_banned_user_comes_back_by_an_invitation_alone() -> None:
    club = model.ban_user(of_four(), DORA, BEN, BAN)
    for attempt in (lambda: model.invite_user(club, DORA, "Dora", BEN), lambda: model.accept_invitation(club, BEN, 9)):
        with pytest.raises(ScovilleError):
            attempt()
    free = model.unban_user(club, DORA, BEN)
    with pytest.raises(ScovilleError) as refused:
        model.accept_invitation(free, BEN, 9)
    assert refused.value.code == Code.UNKNOWN_CLUB
    assert BEN in model.accept_invitation(model.invite_user(free, DORA, "Dora", BEN), BEN, 9).members


@pytest.mark.parametrize("act", ["invite", "ban"])
def test_lists_have_bounds(act: str) -> None:
    crowd = [UserId(str(n)) for n in range(model.MOST_BANNED)]
    full = Club(
        name="Peppers",
        since_ms=0,
        members={ANNA: Member(since_ms=0, leads=True)},
        invited=dict.fromkeys(crowd[: model.MOST_INVITED], "Anna") if act == "invite" else {},
        banned=dict.fromkeys(crowd, BAN) if act == "ban" else {},
    )
    with pytest.raises(ScovilleError) as refused:
        ACTS[act](full, ANNA, BEN, 1)
    assert refused.value.code == Code.CLUB_FULL


def test_no_more_members_than_a_club_has_room_for() -> None:
    members = {UserId(str(n)): Member(since_ms=n, leads=not n) for n in range(model.MOST_MEMBERS)}
    club = Club(name="P", since_ms=0, members=members, invited={ANNA: "0"})
    with pytest.raises(ScovilleError) as refused:
        model.accept_invitation(club, ANNA, 200)
    assert refused.value.code == Code.CLUB_FULL
