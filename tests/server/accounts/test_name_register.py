# ruff: noqa: RUF001 - letters that look like others are what this page is about
"""The register of names: lookalikes of present and claimed names are refused, and found without a scan."""

import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any

import msgspec
import pytest

from scoville_server.accounts.model.account import Account
from scoville_server.accounts.model.naming.permitted import bot_names, load_prototypes, looks_of
from scoville_server.accounts.name_register import Claims, NameRegister
from scoville_server.journal.base import Revision, Row
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import ClaimNameRequest, LoginRequest
from scoville_shared.text import clean_name
from tests.support.accounts import PASSWORD, connect_guest, connect_owner
from tests.support.core import code_of


@dataclass
class Bearer:
    name: str
    idle: bool = False

    @property
    def id(self) -> UserId:
        return UserId(self.name)


def register(*present: str, claimed: int = 0) -> NameRegister[Bearer]:
    """A register with some present users, and owners of the names Owner 0, Owner 1, …"""
    journal = MemoryJournal()
    accounts = {f"user{number}": Account(name=f"Owner {number}", since_ms=0) for number in range(claimed)}
    rows = {user: Row(msgspec.msgpack.encode(account), Revision(b"1")) for user, account in accounts.items()}
    journal._books["accounts"] = rows
    claims = Claims(journal, claimed + 10)
    names: NameRegister[Bearer] = NameRegister(claims, lambda bearer: bearer.idle)
    for name in present:
        names.add_bearer(Bearer(name))
    return names


def granted(names: NameRegister[Bearer], wanted: str) -> str:
    return names.choose_free_name(clean_name(wanted), lambda _: False)


@pytest.mark.parametrize("present", ["Martin", "Zoe Paulsen", "WILHELM 17", "quickfoxjumpdv"])
def test_no_confusable_character_imitates_a_present_name(present: str) -> None:
    names, imitations, tried = register(present), [], 0
    for at, letter in enumerate(present):
        cases = {letter.lower(), letter.upper()} - {" "}
        twins = {
            chr(p)
            for p, drawn in load_prototypes().items()
            for case in cases
            if drawn == load_prototypes().get(ord(case), case)
        }
        for twin in sorted(twins | cases):
            tried += 1
            name = granted(names, present[:at] + twin + present[at + 1 :])
            imitations += [name] if not set(looks_of(name)).isdisjoint(looks_of(present)) else []
    assert tried > 200
    assert imitations == []


@pytest.mark.parametrize(
    ("wanted", "name", "why"),
    [
        ("Zoe", "Zoe", None),
        ("martin", "martin 2", "taken"),
        ("Mart1n", "Mart1n 2", "lookalike"),
        ("M a r t i n", "M a r t i n 2", "lookalike"),
        ("Ｍａｒｔｉｎ", "Martin 2", "taken"),
        ("Martіn", "Paprika", "scripts"),
        ("ᴍartin", "Paprika", "characters"),
        ("System", "Paprika", "reserved"),
        ("", "Paprika", None),
    ],
)
def test_a_refused_name_is_replaced_with_a_reason(wanted: str, name: str, why: str | None) -> None:
    names = register("Martin")
    assert granted(names, wanted) == name
    assert names.check_name(clean_name(wanted)) == why


def test_the_number_makes_no_lookalike_either() -> None:
    assert granted(register("Martin", "Martin 2"), "Mart1n") == "Mart1n 3"


def test_an_idle_user_keeps_a_name_until_requested() -> None:
    names = register()
    old, new = Bearer("Martin", idle=True), Bearer("Mart1n")
    names.add_bearer(old)
    assert granted(names, "Mart1n") == "Mart1n"
    names.add_bearer(new)
    assert (names.find_bearer("martin"), names.find_bearer("mart1n")) == (old, new)
    names.drop_bearer(old)
    assert (names.find_bearer("martin"), names.is_taken("Martin")) == (None, True)
    names.drop_bearer(new)
    assert not names.is_taken("Martin")


def calls_of(names: NameRegister[Bearer], wanted: str) -> int:
    """Count the calls of functions, built-in ones too, while a name is judged."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    granted(names, wanted)
    sys.setprofile(counted)
    try:
        granted(names, wanted)
    finally:
        sys.setprofile(None)
    return count


def test_a_hundred_thousand_claimed_names_cost_no_more_than_none() -> None:
    few, many = register("Martin"), register("Martin", claimed=100_000)
    assert many.is_taken("0wner 99999")
    for wanted in ("Martin", "Mart1n", "Борис", "Paula"):
        assert calls_of(many, wanted) == calls_of(few, wanted)


async def test_the_greeting_says_why_a_name_was_refused(server: Server) -> None:
    martin = await connect_owner(server, "Martin")
    martin.hang_up()
    answers = {}
    for wanted in ("Martin", "Mart1n", "Martіn", "admin", "Bot Ada", "ᴍax", "Max"):
        caller = await connect_guest(server, wanted)
        answers[wanted] = (caller.welcome.name_refused, caller.welcome.name_claimed)
        assert set(looks_of(caller.welcome.name)).isdisjoint(looks_of("Martin"))
    assert answers == {
        "Martin": ("taken", True),
        "Mart1n": ("lookalike", True),
        "Martіn": ("scripts", True),
        "admin": ("reserved", False),
        "Bot Ada": ("reserved", False),
        "ᴍax": ("characters", False),
        "Max": (None, False),
    }


async def test_no_user_is_called_like_a_bot_at_any_table(server: Server) -> None:
    names = {(await connect_guest(server, bot)).welcome.name for bot in bot_names(12, [])}
    assert names.isdisjoint(bot_names(40, []))


async def test_a_name_of_ten_thousand_characters_is_a_short_one(server: Server) -> None:
    caller = await connect_guest(server, "Anna" * 2_500)
    assert len(caller.welcome.name) == 24
    await caller.call(ClaimNameRequest(password=PASSWORD))
    assert (
        await code_of(await connect_guest(server), LoginRequest(name="Anna" * 2_500, password="wrong one"))
        == "wrong_login"
    )
