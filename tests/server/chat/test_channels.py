"""Lines by place: numbered without gaps, bounded, and the same after a restart."""

from itertools import count

from scoville_server.chat.model.channels import Changes, Channels
from scoville_server.chat.model.limits import ChatLimits
from scoville_server.chat.model.messages import LOBBY, ChatMessage, Saying, at_table, whispers_of
from scoville_shared.ids import UserId

SMALL = ChatLimits(lobby=3, table=2, whispers=2, whisper_users=2)
ANNA, BEN = UserId("anna"), UserId("ben")


def said(*places: str, text: str = "hi", by: UserId = ANNA) -> Saying:
    return Saying(at_ms=0, places=places, by=by, name=by.title(), text=text)


def put(rooms: Channels, *sayings: Saying) -> Changes:
    """Plan and take, as if it had been written in between."""
    plan = rooms.plan(sayings)
    for lines in plan.lines:
        rooms.take(lines)
    return plan.changes


def numbers(rooms: Channels, place: str, since: int = 0) -> list[int]:
    return [line.n for line in rooms.since(place, since)]


def test_each_place_counts_for_itself() -> None:
    rooms = Channels(SMALL)
    changes = put(rooms, said(LOBBY), said(at_table("t")), said(LOBBY), said(whispers_of(BEN)))
    assert [*changes] == ["lobby/1", "table/t/1", "lobby/2", "whisper/ben/1"]
    assert numbers(rooms, LOBBY) == [1, 2]
    assert numbers(rooms, at_table("u")) == []


def test_a_plan_changes_nothing() -> None:
    rooms = Channels(SMALL)
    assert [*rooms.plan([said(LOBBY)]).changes] == [*rooms.plan([said(LOBBY)]).changes] == ["lobby/1"]
    assert LOBBY not in rooms


def test_the_oldest_makes_room() -> None:
    rooms = Channels(SMALL)
    put(rooms, *(said(LOBBY) for _ in range(3)))
    changes = put(rooms, said(LOBBY))
    assert changes["lobby/1"] is None
    assert numbers(rooms, LOBBY) == [2, 3, 4]
    assert numbers(rooms, LOBBY, since=3) == [4]


def test_more_at_once_than_there_is_room_for() -> None:
    rooms = Channels(SMALL)
    changes = put(rooms, *(said(at_table("t")) for _ in range(5)))
    assert [key for key, line in changes.items() if line is not None] == ["table/t/4", "table/t/5"]
    assert numbers(rooms, at_table("t")) == [4, 5]


def test_what_is_written_is_what_there_is_in_the_next_run() -> None:
    rooms, book = Channels(SMALL), dict[str, ChatMessage]()
    for number in range(9):
        for key, line in put(rooms, said(LOBBY, text=f"{number}"), said(at_table("t"))).items():
            if line is None:
                book.pop(key, None)
            else:
                book[key] = line
    again = Channels(SMALL)
    again.take(book.values())
    assert again.since(LOBBY) == rooms.since(LOBBY)
    assert [*put(again, said(LOBBY))] == ["lobby/10", "lobby/7"]


def test_a_whisper_stands_in_two_places_under_numbers_of_their_own() -> None:
    rooms = Channels(SMALL)
    put(rooms, said(whispers_of(BEN)))
    plan = rooms.plan([said(whispers_of(ANNA), whispers_of(BEN))])
    assert [line.key for line in plan.lines[0]] == ["whisper/anna/1", "whisper/ben/2"]


def test_whose_latest_whisper_is_the_oldest_makes_room_for_others() -> None:
    rooms, people = Channels(SMALL), count()
    put(rooms, said(LOBBY), *(said(whispers_of(UserId(f"{next(people)}"))) for _ in range(3)))
    put(rooms, said(whispers_of(UserId("0"))))
    assert rooms.crowded_out() == ["whisper/1"]
    assert rooms.clear("whisper/1") == {"whisper/1/1": None}
    assert rooms.crowded_out() == []
