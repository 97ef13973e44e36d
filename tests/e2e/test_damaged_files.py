"""Exported games, tokens, preferences and settings with random damage: an error sentence, never a traceback."""

from pathlib import Path
from random import Random

import pytest

from scoville_client.cli.exported_games import ReplayArguments
from scoville_client.cli.exported_games import run_replay as replay
from scoville_client.cli.exported_games import run_verify as verify
from scoville_client.session.identity import tokens
from scoville_client.settings.checks import BadSettings
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.preferences import Preferences
from scoville_server.settings.model import Settings
from scoville_server.settings.pages import full_page
from scoville_server.settings.sources import load_settings
from scoville_shared.errors import ScovilleError
from scoville_shared.games.registry import list_slugs
from tests.support.exports import play_exported_game, write_export

TRIALS = 60


def damaged(data: bytes, luck: Random) -> bytes:
    """Flip bits, cut off, wipe or overwrite."""
    changed, start = bytearray(data), luck.randrange(len(data))
    match luck.randrange(5):
        case 0:
            changed[start] ^= 1 << luck.randrange(8)
        case 1:
            for _ in range(5):
                changed[luck.randrange(len(data))] ^= 1 << luck.randrange(8)
        case 2:
            del changed[start:]
        case 3:
            changed[start : start + 30] = bytes(len(changed[start : start + 30]))
        case _:
            changed[start : start + 30] = luck.randbytes(30)
    return bytes(changed)


@pytest.mark.parametrize("slug", list_slugs())
def test_exported_games(slug: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged game is not verified, unless the damage hit what no check can know: names, times, spaces."""
    game = write_export(play_exported_game(slug), tmp_path / "whole.jsonl")
    whole = game.read_bytes()
    assert verify([str(game)]) == 0
    output = capsys.readouterr().out
    for seed in range(TRIALS):
        bad = tmp_path / "whole.jsonl"
        bad.write_bytes(damaged(whole, Random(seed)))
        verify([str(bad)])
        replay(ReplayArguments(game=str(bad), text=True))
        said = capsys.readouterr()
        assert said.out + said.err != output
        assert "Traceback" not in said.err


def test_settings(tmp_path: Path) -> None:
    usual = Settings(port=5757, default_tables=("no_thanks",))
    rows = [row.removeprefix("# ") for row in full_page(usual) if row.startswith("[") or " = " in row]
    page, read = "\n".join(rows).encode(), 0
    for seed in range(3 * TRIALS):
        file = tmp_path / "scoville.toml"
        file.write_bytes(damaged(page, Random(seed)))
        try:
            read += isinstance(load_settings(file, (), {}).settings, Settings)
        except ScovilleError as error:
            message = error.message
            assert str(file) in message
    assert 0 < read < 3 * TRIALS


@pytest.mark.parametrize("kept", ["tokens", "settings"])
def test_files_of_a_client(kept: str, tmp_path: Path) -> None:
    """Unreadable tokens count as none; an unreadable settings file is named."""
    environment = {"XDG_STATE_HOME": str(tmp_path)}

    def use() -> object:
        if kept == "settings":
            try:
                return SettingsFile(tmp_path / "settings.toml")
            except BadSettings as error:
                return error if "settings.toml" in str(error) else None
        slot = tokens.take_slot(tokens.by_address("host", 1), "", environment)
        assert slot is not None
        slot.unlock_slot()
        return slot.kept

    _fill(kept, environment)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size}
    assert files
    for seed in range(TRIALS):
        luck = Random(seed)
        for path, data in files.items():
            path.write_bytes(damaged(data, luck))
        assert use() is not None


def _fill(kept: str, environment: dict[str, str]) -> None:
    if kept == "settings":
        SettingsFile(Path(environment["XDG_STATE_HOME"]) / "settings.toml").save(Preferences(theme="light"))
        return
    slot = tokens.take_slot(tokens.by_address("host", 1), "", environment)
    assert slot is not None
    slot.store_identity("a" * 40, "Anna", "")
    slot.unlock_slot()
