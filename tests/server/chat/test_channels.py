"""Messages by channel: numbered without gaps, bounded, and the same after a restart."""

from itertools import count

from scoville_server.chat.model.channels import Changes, Channels, Plan
from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.chat.model.messages import LOBBY, ChatMessage, NewMessage, at_table, whispers_of
from scoville_shared.ids import UserId

SMALL = ChatLimits(lobby=3, table=2, whispers=2, whisper_users=2)
ANNA, BEN = UserId("anna"), UserId("ben")


def sent(*channels: str, text: str = "hi", by: UserId = ANNA) -> NewMessage:
    return NewMessage(at_ms=0, channels=channels, by=by, name=by.title(), text=text)


def put(channels: Channels, *messages: NewMessage) -> Changes:
    """Plan and take, as if it had been written in between."""
    return put_plan(channels, *messages).changes


def put_plan(channels: Channels, *messages: NewMessage) -> Plan:
    plan = channels.plan_messages(messages)
    for message in (message for numbered in plan.messages for message in numbered):
        assert channels.add_message(message)
    return plan


def numbers(channels: Channels, channel: str, since: int = 0) -> list[int]:
    return [message.n for message in channels.messages_since(channel, since)]


def test_each_channel_counts_for_itself() -> None:
    channels = Channels(SMALL)
    changes = put(channels, sent(LOBBY), sent(at_table("t")), sent(LOBBY), sent(whispers_of(BEN)))
    assert [*changes] == ["lobby/1", "table/t/1", "lobby/2", "whisper/ben/1"]
    assert numbers(channels, LOBBY) == [1, 2]
    assert numbers(channels, at_table("u")) == []


def test_a_plan_changes_nothing() -> None:
    channels = Channels(SMALL)
    assert (
        [*channels.plan_messages([sent(LOBBY)]).changes]
        == [*channels.plan_messages([sent(LOBBY)]).changes]
        == ["lobby/1"]
    )
    assert LOBBY not in channels


def test_the_oldest_makes_room() -> None:
    channels = Channels(SMALL)
    put(channels, *(sent(LOBBY) for _ in range(3)))
    changes = put(channels, sent(LOBBY))
    assert changes["lobby/1"] is None
    assert numbers(channels, LOBBY) == [2, 3, 4]
    assert numbers(channels, LOBBY, since=3) == [4]


def test_more_at_once_than_there_is_room_for() -> None:
    channels = Channels(SMALL)
    plan = put_plan(channels, *(sent(at_table("t")) for _ in range(5)))
    assert [key for key, message in plan.changes.items() if message is not None] == [
        f"table/t/{n}" for n in range(1, 6)
    ]
    # Each is a row first, which other nodes follow, and goes then.
    assert plan.surplus == {"table/t/1": None, "table/t/2": None, "table/t/3": None}
    assert numbers(channels, at_table("t")) == [4, 5]


def test_written_values_exist_in_the_next_run() -> None:
    channels, book = Channels(SMALL), dict[str, ChatMessage]()
    for number in range(9):
        for key, message in put(channels, sent(LOBBY, text=f"{number}"), sent(at_table("t"))).items():
            if message is None:
                book.pop(key, None)
            else:
                book[key] = message
    again = Channels(SMALL)
    for message in book.values():
        assert again.add_message(message)
    assert again.messages_since(LOBBY) == channels.messages_since(LOBBY)
    assert [*put(again, sent(LOBBY))] == ["lobby/10", "lobby/7"]


def test_a_whisper_is_numbered_in_two_channels() -> None:
    channels = Channels(SMALL)
    put(channels, sent(whispers_of(BEN)))
    plan = channels.plan_messages([sent(whispers_of(ANNA), whispers_of(BEN))])
    assert [message.key for message in plan.messages[0]] == ["whisper/anna/1", "whisper/ben/2"]


def test_whose_latest_whisper_is_the_oldest_makes_room_for_others() -> None:
    channels, users = Channels(SMALL), count()
    put(channels, sent(LOBBY), *(sent(whispers_of(UserId(f"{next(users)}"))) for _ in range(3)))
    put(channels, sent(whispers_of(UserId("0"))))
    assert channels.crowded_out() == ["whisper/1"]
    assert channels.clear_channel("whisper/1") == {"whisper/1/1": None}
    assert channels.crowded_out() == []
