"""Announcements on the local network are hostile input: malformed ones are refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_shared.announcement import Announcement, read_entries, write_entries

PIN = "ABCDEFGHIJKLMNOP2345"
FULL = Announcement(
    protocol=1, pin=PIN, game="no_thanks", taken=2, seats=4, locked=True, playing=True, name="Zoë Müller-Łukasz"
)


def sent(announcement: Announcement = FULL, **changed: bytes | None) -> dict[bytes, bytes | None]:
    """Write a record as the network carries it, with some entries changed."""
    entries: dict[bytes, bytes | None] = {
        key.encode(): value.encode() for key, value in write_entries(announcement).items()
    }
    return entries | {key.encode(): value for key, value in changed.items()}


@pytest.mark.parametrize("announcement", [FULL, Announcement(protocol=1, pin=PIN)])
def test_written_announcement_is_read_back(announcement: Announcement) -> None:
    assert read_entries(sent(announcement)) == announcement


def test_a_server_without_a_public_table_names_none() -> None:
    assert set(write_entries(Announcement(protocol=1, pin=PIN))) == {"txtvers", "proto", "pin"}


def test_entries_of_later_versions_are_ignored() -> None:
    assert read_entries(sent(ssh=b"2222", empty=None)) == FULL


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"txtvers": b"2"}, "another version"),
        ({"txtvers": None}, "another version"),
        ({"pin": b""}, "no pin"),
        ({"pin": PIN.lower().encode()}, "no pin"),
        ({"pin": f"{PIN}A".encode()}, "no pin"),
        ({"game": b"No Thanks!"}, "game"),
        ({"game": b"x" * 33}, "game"),
        ({"game": b""}, "seats"),
        ({"seats": b""}, "seats"),
        ({"taken": b"5"}, "seats"),
        ({"seats": b"100"}, "seats"),
        ({"seats": b"-4"}, "number"),
        ({"seats": "٤".encode()}, "number"),
        ({"proto": b"99999"}, "number"),
        ({"name": b"\xff"}, "UTF-8"),
        ({"name": b"A" * 97}, "too long"),
        ({"name": b"A" * 25}, "name"),
        ({"name": b"Anna\x1b[2J"}, "name"),
        ({"name": "Anna\u202e".encode()}, "name"),
        ({"name": b" Anna"}, "name"),
        ({"later": b"x" * 97}, "too long"),
        ({f"key{n}": b"" for n in range(30)}, "entries"),
    ],
)
def test_absurd_records_are_refused_with_a_reason(changed: dict[str, bytes | None], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_entries(sent(**changed))


@given(st.dictionaries(st.binary(max_size=12), st.none() | st.binary(max_size=120), max_size=30))
def test_no_record_does_more_than_be_refused(entries: dict[bytes, Any]) -> None:
    for record in (entries, sent() | entries):
        try:
            found = read_entries(record)
        except ValueError:
            continue
        assert 0 <= found.taken <= found.seats <= 99
        assert len(found.name) <= 24
