"""A client continues with the newest token that it could store, and reports that another program used it."""

from pathlib import Path

import pytest

from scoville_client.session.changes import AccountWarned, Change
from scoville_client.session.identity.tokens import Slot, StoredIdentity, by_address, by_keys, own_slot, take_slot
from scoville_client.session.session import Session
from scoville_shared.protocol.messages import (
    AccountWarnedNotice,
    AccountWarning,
    HelloRequest,
)
from tests.support.client import HurriedClock, ScriptedLink, game_info, make_welcome
from tests.support.server import until


def answer(link: ScriptedLink, token: str, *, resumed: bool = True, reused: bool = False) -> None:
    link.answers[HelloRequest] = make_welcome(token=token, games=[game_info()], resumed=resumed, token_reused=reused)


def shown(link: ScriptedLink) -> list[str]:
    return [asked.token for asked in link.asked if isinstance(asked, HelloRequest)]


async def reconnected(session: Session, link: ScriptedLink) -> None:
    link.fail()
    await until(lambda: session.connection.online)


async def test_each_connection_shows_the_token_of_the_one_before() -> None:
    link, session = ScriptedLink(), Session(clock=HurriedClock().clock)
    stored = []
    session.connection.store_token = lambda token, name, again: not stored.append((token, name, again))
    for number in range(3):
        answer(link, f"token {number}")
        await (session.connect(link) if number == 0 else reconnected(session, link))
    assert shown(link) == [None, "token 0", "token 1"]
    assert stored == [("token 0", "Anna", False), ("token 1", "Anna", True), ("token 2", "Anna", True)]


async def test_a_token_that_could_not_be_stored_is_not_used() -> None:
    link, session = ScriptedLink(), Session(clock=HurriedClock().clock)
    session.connection.token = "stored"
    session.connection.store_token = lambda *_: False
    for number in range(2):
        answer(link, f"token {number}")
        await (session.connect(link) if number == 0 else reconnected(session, link))
    assert shown(link) == ["stored", "stored"]
    answer(link, "somebody else's", resumed=False)
    await reconnected(session, link)
    assert session.connection.token == "somebody else's"


async def test_a_client_whose_token_was_used_up_says_so() -> None:
    link, session = ScriptedLink(), Session(clock=HurriedClock().clock)
    changes: list[Change] = []
    session.subscribe(changes.append)
    answer(link, "new", resumed=False, reused=True)
    await session.connect(link)
    [warned] = [change for change in changes if isinstance(change, AccountWarned)]
    assert "you are a guest" in warned.sentence.text


@pytest.mark.parametrize(("kind", "said"), [("token_reused", "was used"), ("of a newer server", "warns you")])
async def test_a_warning_is_a_sentence(kind: str, said: str) -> None:
    link, session = ScriptedLink(), Session(clock=HurriedClock().clock)
    changes: list[Change] = []
    session.subscribe(changes.append)
    await session.connect(link)
    link.say(AccountWarnedNotice(warning=AccountWarning(kind=kind, at_ms=1, client="scoville 1.0")))
    [warned] = [change for change in changes if isinstance(change, AccountWarned)]
    assert said in warned.sentence.text


def test_a_slot_says_whether_it_could_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slot = own_slot(tmp_path)
    assert isinstance(slot, Slot)
    assert slot.store_identity("first", "Anna", "")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("scoville_client.session.identity.tokens.os.write", full)
    assert not slot.store_identity("second", "Anna", "")
    assert slot.token == "first"


def stored_identity(session: Session, folder: Path, requested: str = "") -> StoredIdentity:
    environment = {"XDG_STATE_HOME": str(folder)}
    found: list[Slot] = []
    return StoredIdentity(
        session.connection,
        requested,
        lambda keys: take_slot(by_keys(keys) or by_address("s", 1), requested, environment),
        found.append,
    )


async def once(folder: Path, key: str, token: str) -> list[str | None]:
    """Connect once to a server with a key, which gives a token; returns the tokens that were shown."""
    link, session = ScriptedLink(), Session(clock=HurriedClock().clock)
    link.server_keys = (key,) if key else ()
    stored = stored_identity(session, folder)
    answer(link, token)
    await session.connect(link)
    await session.close()
    stored.release_slot()
    return shown(link)


async def test_a_token_is_shown_only_to_its_key(tmp_path: Path) -> None:
    real, evil = "5c" * 32, "e1" * 32
    assert await once(tmp_path, real, "real 1") == [None]
    assert await once(tmp_path, evil, "evil 1") == [None]
    assert await once(tmp_path, "", "plain 1") == [None]
    assert await once(tmp_path, real, "real 2") == ["real 1"]
    assert await once(tmp_path, evil, "evil 2") == ["evil 1"]
    assert await once(tmp_path, "", "plain 2") == ["plain 1"]


async def test_a_changed_key_after_a_loss_gets_no_token(tmp_path: Path) -> None:
    link, session = ScriptedLink(), Session(clock=HurriedClock().clock)
    link.server_keys = ("5c" * 32,)
    stored = stored_identity(session, tmp_path)
    answer(link, "secret")
    await session.connect(link)
    link.server_keys = ("e1" * 32,)
    await reconnected(session, link)
    link.server_keys = ()
    await reconnected(session, link)
    assert shown(link) == [None, None, None]
    stored.release_slot()


async def test_a_server_that_has_replaced_its_key_knows_its_user(tmp_path: Path) -> None:
    link, session = ScriptedLink(), Session(clock=HurriedClock().clock)
    link.server_keys = ("5c" * 32,)
    stored = stored_identity(session, tmp_path, "Anna")
    answer(link, "secret")
    await session.connect(link, "Anna")
    link.server_keys = ("7d" * 32, "5c" * 32)
    await reconnected(session, link)
    assert shown(link) == [None, "secret"]
    stored.release_slot()
