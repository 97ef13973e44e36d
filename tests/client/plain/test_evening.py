"""A whole evening in line mode, without any screen: create, invite, play, talk, rematch, review, settings."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from scoville_client.settings.file import FILE_VARIABLE
from tests.client.plain.test_several_users import RESULT, private_table, users
from tests.support.line_mode import has_pictures
from tests.support.listener import Listener


async def plays_to_the_end(user: Listener) -> None:
    """Take every card as soon as it is one's turn."""
    while (await user.hear(rf"^Your turn\.|^{RESULT}")).group().startswith("Your turn"):
        user.type("1")


async def test_a_whole_evening_needs_no_screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "settings.toml"))
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        code = await private_table(anna, "create no_thanks 3 private")
        await anna.ask("invite Ben", r"^Ben has been invited\.")
        await ben.hear(f"^Anna invites you; type join {code} to accept: No Thanks!")
        await ben.ask(f"join {code}", "^Ben takes seat 2")
        await ben.ask("say Good evening", "^Ben says: Good evening")
        await anna.hear("^Ben says: Good evening")

        anna.type("start")
        await asyncio.gather(plays_to_the_end(anna), plays_to_the_end(ben))
        offers = [line for line in (*anna.said, *ben.said) if "taking it makes" in line]  # one may have taken them all
        assert any(" Card " in line and "You have " in line for line in offers)

        await anna.ask("review", "^The game starts: Anna, Ben, Bot Ada|^Anna takes seat 1")
        await anna.hear(r"^Lines 1 to 20 of \d+")
        await anna.hear("^Type review for the next ones")
        await anna.ask("review", r"^Lines 21 to \d+ of \d+")
        await anna.ask("review 3", r"^Lines 3 to 22 of \d+")
        file = tmp_path / "game.jsonl"
        await anna.ask(f"save {file}", "game.jsonl")
        assert file.stat().st_size > 1_000

        await ben.ask("react well", "^Ben reacts: well played")
        anna.type("rematch")
        await ben.hear("^Type follow to join the rematch")
        assert "Type follow to join the rematch." not in anna.said, "who opened it goes there without a word"
        await ben.ask("follow", "^Ben takes seat ")
        await anna.hear("^Ben takes seat ")

        await ben.ask("settings", "^theme = ")
        await ben.hear("^To change one type, for example, settings language=de")
        await ben.ask("settings theme=light", '^theme = "light": ')
        await ben.ask("settings theme=lihgt", "^theme must be one of ")
        await ben.ask("settings", '^theme = "light": ')
        await ben.ask("leave", "^You are back in the lobby")
        assert not [line for line in (*anna.said, *ben.said) if "\x1b" in line]
        assert not [line for line in (*anna.said, *ben.said) if has_pictures(line)]
