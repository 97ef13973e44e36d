"""Identities stored between runs, each used by one client at a time."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from scoville_client.session.identity.tokens import Slot, by_address, by_keys, own_slot, take_slot


class Home:
    """A user's state folder, and the clients that use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment = {"XDG_STATE_HOME": str(folder)}

    @property
    def files(self) -> list[Path]:
        return sorted((self.folder / "scoville" / "tokens").iterdir())

    def run(self, name: str = "", host: str = "pepper.example", places: Sequence[str] = ()) -> Slot:
        slot = take_slot(places or by_address(host, 5757), name, self._environment)
        assert slot is not None
        return slot

    def ran(self, token: str, name: str, requested: str = "", places: Sequence[str] = ()) -> None:
        slot = self.run(requested or name, places=places)
        slot.store_identity(token, name, requested)
        slot.unlock_slot()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_client_that_is_gone_is_come_back_to(home: Home) -> None:
    home.ran("secret", "Caro")
    for name in ("Caro", "caro", ""):
        slot = home.run(name)
        assert slot.token == "secret"
        slot.unlock_slot()


def test_the_token_is_for_its_owner_alone(home: Home) -> None:
    home.ran("secret", "Caro")
    (file,) = home.files
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_clients_that_run_side_by_side_are_several_users(home: Home) -> None:
    slots = [home.run("Caro") for _ in range(4)]
    for number, slot in enumerate(slots):
        slot.store_identity(f"secret {number}", "Caro" if number == 0 else f"Caro {number + 1}", "Caro")
    slots[2].unlock_slot()
    assert home.run("Caro").token == "secret 2"
    assert home.run("Caro").token == ""


def test_another_name_is_another_user(home: Home) -> None:
    home.ran("secret", "Caro")
    assert home.run("Max").token == ""
    assert home.run().token == "secret"


def test_each_server_knows_its_own_users(home: Home) -> None:
    home.ran("secret", "Caro")
    assert home.run("Caro", "../other::1%eth0").token == ""
    assert home.run("Caro", "PEPPER.example").token == "secret"


def test_a_token_belongs_to_a_key(home: Home) -> None:
    real, evil = by_keys(["5c" * 32]), by_keys(["e1" * 32])
    slot = home.run("Caro", places=real)
    slot.store_identity("secret", "Caro", "Caro")
    slot.unlock_slot()
    assert home.run("Caro", places=evil).token == ""
    assert home.run("Caro").token == "", "without encryption nothing is shown that encryption protected"
    assert home.run("Caro", places=real).token == "secret"


def test_a_token_of_an_unencrypted_connection_stays_there(home: Home) -> None:
    home.ran("secret", "Caro")
    assert home.run("Caro", places=by_keys(["5c" * 32])).token == ""


def test_a_token_follows_its_servers_key_change(home: Home) -> None:
    old, new = "5c" * 32, "7d" * 32
    slot = home.run("Caro", places=by_keys([old]))
    slot.store_identity("secret", "Caro", "Caro")
    slot.pledges.write_text("pledged")
    slot.unlock_slot()
    moved = home.run("Caro", places=by_keys([new, old]))
    assert (moved.token, moved.pledges.read_text()) == ("secret", "pledged")
    moved.unlock_slot()
    assert home.run("Caro", places=by_keys([old])).token == ""
    assert home.run("Caro", places=by_keys([new])).token == "secret"


@pytest.mark.parametrize(
    "garbage",
    [b"", b"{", b"\xff\x00", b"[1, 2]", b'{"token": 7}', b"1" * 100_000],
    ids=["empty", "cut", "no text", "a list", "a number", "long"],
)
def test_a_damaged_file_is_set_aside_and_named(home: Home, garbage: bytes) -> None:
    home.ran("secret", "Caro")
    home.files[0].write_bytes(garbage)
    slot = home.run("Caro")
    assert slot.token == ""
    assert slot.damaged is not None
    assert slot.damaged.read_bytes() == garbage
    slot.store_identity("fresh", "Caro", "Caro")
    slot.unlock_slot()
    again = home.run("Caro")
    assert (again.token, again.damaged) == ("fresh", None)


def test_a_token_with_another_letter_is_damaged(home: Home) -> None:
    home.ran("secret", "Caro")
    (file,) = home.files
    file.write_bytes(file.read_bytes().replace(b"secret", b"sacred"))
    slot = home.run("Caro")
    assert (slot.token, slot.damaged is None) == ("", False)


def test_a_slot_that_nobody_used_is_whole(home: Home) -> None:
    home.run("Caro").unlock_slot()
    slot = home.run("Ben")
    assert (slot.token, slot.damaged) == ("", None)


def test_a_slot_is_made_without_links(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    slot = home.run("Caro")
    assert [file.stat().st_mode & 0o777 for file in home.files] == [0o600]
    slot.store_identity("secret", "Caro", "Caro")
    slot.unlock_slot()
    assert home.run("Caro").token == "secret"


def test_a_full_disk_leaves_no_empty_slot(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(AssertionError):
        home.run("Caro")
    monkeypatch.undo()
    assert home.files == []
    assert home.run("Caro").damaged is None


def test_a_moved_identity_leaves_a_damaged_slot_as_it_is(home: Home) -> None:
    old, new = "0a" * 32, "0b" * 32
    home.ran("another", "Ben", places=by_keys([new]))
    (damaged,) = home.files
    damaged.write_bytes(b"")
    home.ran("secret", "Caro", places=by_keys([old]))
    slot = home.run("Caro", places=by_keys([new, old]))
    assert (slot.token, damaged.read_bytes()) == ("secret", b"")


def test_a_damaged_identity_of_a_host_is_named(tmp_path: Path) -> None:
    slot = own_slot(tmp_path)
    assert slot is not None
    slot.store_identity("secret", "Caro", "Caro")
    slot.unlock_slot()
    (tmp_path / "host.json").write_bytes(b"\x00")
    slot = own_slot(tmp_path)
    assert slot is not None
    assert slot.damaged == tmp_path / "host.damaged"


def test_a_new_token_replaces_the_former(home: Home) -> None:
    home.ran("a long one that was before", "Caro")
    home.ran("short", "Caro")
    assert home.run("Caro").token == "short"


def test_a_place_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert take_slot(by_address("localhost", 5757), "Caro", {"XDG_STATE_HOME": str(tmp_path / "file")}) is None


class Killed(BaseException):
    """The client is killed here."""


STEPS = ["open", "write", "dup", "fsync", "close"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("after", [0, 1])
def test_a_kill_while_writing_leaves_a_whole_token(
    home: Home, monkeypatch: pytest.MonkeyPatch, step: str, after: int
) -> None:
    home.ran("old secret", "Caro")
    slot = home.run("Caro")
    real = getattr(os, step)

    def killed(*arguments: object) -> object:
        if after:
            real(*arguments)
        raise Killed

    monkeypatch.setattr(f"scoville_client.session.identity.tokens.os.{step}", killed)
    with pytest.raises(Killed):
        slot.store_identity("new secret", "Caro", "")
    monkeypatch.undo()
    contents = [msgspec.json.decode(file.read_bytes()) for file in home.files if file.suffix == ".json"]
    assert [content["token"] for content in contents] in (["old secret"], ["new secret"])


def test_a_full_disk_keeps_the_old_token(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.ran("old secret", "Caro")
    slot = home.run("Caro")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("scoville_client.session.identity.tokens.os.write", full)
    slot.store_identity("new secret", "Caro", "")
    monkeypatch.undo()
    (file,) = home.files
    assert msgspec.json.decode(file.read_bytes())["token"] == "old secret"
    slot.store_identity("new secret", "Caro", "")
    slot.unlock_slot()
    assert home.run("Caro").token == "new secret"


def test_a_slot_stays_held_while_its_file_is_replaced(home: Home) -> None:
    slot = home.run("Caro")
    for number in range(5):
        slot.store_identity(f"secret {number}", "Caro", "")
        other = home.run("Caro")
        assert other.token == ""
        other.unlock_slot()
    slot.unlock_slot()
    assert home.run("Caro").token == "secret 4"
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in home.files)
