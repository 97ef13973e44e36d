"""The client's lobby: notices applied in order."""

from types import SimpleNamespace
from typing import Any

import pytest

from scoville_client.plain.announcer import Notices
from scoville_client.session.changes import Announced, Change, Invited, TablesChanged, UsersChanged
from scoville_client.session.lobby import MOST_INVITATIONS, Lobby
from scoville_client.session.new_table.adaptive_bots import AdaptiveBots
from scoville_shared.protocol.messages import (
    AnnouncedNotice,
    InvitedNotice,
    LobbyChangedNotice,
    LobbySnapshot,
    SeatInfo,
    TableInfo,
    UserInfo,
    WatchLobbyRequest,
)


def table(number: str, **fields: Any) -> TableInfo:
    anna = SeatInfo(name="Anna", kind="human", connected=True)
    usual: dict[str, Any] = {
        "game": "heap",
        "rules_version": 1,
        "options": {},
        "seats": [anna],
        "host": None,
        "status": "waiting",
    }
    return TableInfo(table=number, commitment="", **{**usual, **fields})


ANNA, BEN = UserInfo(name="Anna"), UserInfo(name="Ben", claimed=True)


class Recorded:
    """A scripted server with one lobby, and a recorder of changes."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.changes: list[Change] = []
        self.lobby = Lobby(self.answer, self.changes.append, AdaptiveBots(list, set))

    async def answer(self, params: Any, kind: Any) -> Any:
        self.asked.append(params)
        return LobbySnapshot(tables=[table("a"), table("b")], users=[ANNA], online=1)

    def ids(self) -> list[str]:
        return [each.table for each in self.lobby.tables]


async def watched() -> Recorded:
    recorded = Recorded()
    await recorded.lobby.watch_lobby()
    recorded.changes.clear()
    return recorded


async def test_lobby_watcher_sees_tables_and_users() -> None:
    recorded = Recorded()
    await recorded.lobby.watch_lobby()
    assert recorded.asked == [WatchLobbyRequest()]
    assert recorded.ids() == ["a", "b"]
    assert (recorded.lobby.users, recorded.lobby.here, recorded.lobby.watched) == ({"Anna": ANNA}, 1, True)


async def test_tables_come_change_in_their_place_and_go() -> None:
    recorded = await watched()
    recorded.lobby.on_notice(
        LobbyChangedNotice(tables=[table("a", status="playing"), table("c")], removed=["b"], online=1)
    )
    assert recorded.ids() == ["a", "c"]
    assert recorded.lobby.tables[0].status == "playing"
    changed = (table("a", status="playing"), table("c"))
    assert recorded.changes == [TablesChanged(changed, ("b",))]


async def test_users_come_and_go() -> None:
    recorded = await watched()
    recorded.lobby.on_notice(LobbyChangedNotice(arrived=[BEN], departed=["Anna"], online=7))
    assert (recorded.lobby.users, recorded.lobby.here) == ({"Ben": BEN}, 7)
    assert recorded.changes == [UsersChanged()]


async def test_users_without_listed_names_are_counted() -> None:
    recorded = await watched()
    recorded.lobby.on_notice(LobbyChangedNotice(online=300))
    assert recorded.changes == [UsersChanged()]
    recorded.lobby.on_notice(LobbyChangedNotice(online=300))
    assert recorded.changes == [UsersChanged()]


async def test_the_tables_that_wait_for_me_are_found() -> None:
    recorded = await watched()
    recorded.lobby.on_notice(LobbyChangedNotice(tables=[table("b", your_turn=True, your_seat=0)], online=1))
    assert [each.table for each in recorded.lobby.waiting_for_me] == ["b"]


async def test_an_invitation_lists_its_table_while_it_exists() -> None:
    recorded = await watched()
    recorded.lobby.on_notice(InvitedNotice(info=table("secret"), by="Ben"))
    assert recorded.ids() == ["a", "b", "secret"]
    assert Invited(table("secret"), "Ben") in recorded.changes
    recorded.lobby.on_notice(LobbyChangedNotice(removed=["secret"], online=1))
    assert recorded.lobby.invitations == []


async def test_invitations_are_single_per_table_and_bounded() -> None:
    recorded = await watched()
    for number in range(2 * MOST_INVITATIONS):
        recorded.lobby.on_notice(InvitedNotice(info=table(str(number // 2)), by=f"Ben {number}"))
    assert [each.info.table for each in recorded.lobby.invitations] == [str(n) for n in range(MOST_INVITATIONS)]
    recorded.lobby.decline_invitation("0")
    assert len(recorded.lobby.invitations) == MOST_INVITATIONS - 1


async def test_an_announcement_is_reported() -> None:
    recorded = await watched()
    recorded.lobby.on_notice(AnnouncedNotice(text="Down for a minute at nine."))
    assert recorded.changes == [Announced("Down for a minute at nine.")]


async def test_a_change_of_the_lobby_costs_what_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = await watched()
    for number in range(500):
        recorded.lobby.on_notice(LobbyChangedNotice(tables=[table(f"t{number}", your_turn=number == 7)], online=1))

    def count_all(_: Lobby) -> list[TableInfo]:
        raise AssertionError("all tables were looked at")

    monkeypatch.setattr(Lobby, "tables", property(count_all))
    session = SimpleNamespace(lobby=recorded.lobby, table=None, name="Anna", tables=None)
    notices = Notices(session, SimpleNamespace(say=lambda *_, **__: None))  # type: ignore[arg-type]
    notices._known = set()
    recorded.lobby.on_notice(LobbyChangedNotice(tables=[table("t3", status="playing")], removed=["t4"], online=1))
    notices.on_change(recorded.changes[-1])
    assert recorded.changes[-1] == TablesChanged((table("t3", status="playing"),), ("t4",))
    assert recorded.lobby.find_table("t4") is None


async def test_no_more_tables_are_kept_than_a_server_has(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = await watched()
    monkeypatch.setattr("scoville_client.session.lobby.MOST_TABLES", 10)
    for number in range(50):
        recorded.lobby.on_notice(LobbyChangedNotice(tables=[table(str(number), your_turn=True, your_seat=0)], online=1))
    assert recorded.ids() == [str(number) for number in range(40, 50)]
    assert len(recorded.lobby.waiting_for_me) == 10
