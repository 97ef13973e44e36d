"""Settings as a file: every setting with its reason and bounds, and clear errors for values that cannot be used."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from scoville_server.limits.throttle import Rate
from scoville_server.settings.derived import setting_for
from scoville_server.settings.description import all_settings
from scoville_server.settings.files import read_settings
from scoville_server.settings.model import BadSettings, Settings
from scoville_server.settings.pages import settings_page

from .settings_doc import PAGE
from .settings_doc import page as documented

USUAL = Settings(port=5757, default_tables=("no_thanks",))


def written(path: Path, text: str) -> Path:
    file = path / "scoville.toml"
    file.write_text(text, encoding="utf-8")
    return file


MOST_SETTINGS = 45
"""More than these nobody reads: what is not for hosts derives from their settings, or is the same everywhere."""


def everything(settings: Settings) -> list[str]:
    """Name every setting that a file may hold."""
    return [setting.key for setting in all_settings(settings) if not setting.is_table]


def bounds(settings: Struct, within: str = "") -> Iterator[str]:
    """Name every field of the settings that no file may hold."""
    known = everything(USUAL)
    for name in settings.__struct_fields__:
        part = getattr(settings, name)
        if isinstance(part, Struct) and not part.__struct_config__.array_like:
            yield from bounds(part, f"{within}{name}.")
        elif f"{within}{name}" not in known and (within or name not in OF_ONE_RUN):
            yield f"{within}{name}"


OF_ONE_RUN = ("seed", "opening", "leave_out_damaged", "game_options", "offered")


def page() -> list[str]:
    return "\n".join(settings_page(USUAL)).split("\n")


def listed() -> dict[str, str]:
    """Find each setting of the page, and the line above it."""
    rows, within, found = page(), "", {}
    for above, row in pairwise(rows):
        if row.startswith("["):
            within = f"{row[1:-1]}."
        elif row.startswith("# ") and " = " in row and row.split(" = ")[0][2:].isidentifier():
            found[within + row.split(" = ")[0][2:]] = above
    return found


def test_the_page_holds_every_setting_under_its_reason() -> None:
    found = listed()
    assert sorted(found) == sorted(everything(USUAL))
    assert [name for name, above in found.items() if not above.startswith("# ")] == []


def test_the_page_read_as_it_is_changes_nothing(tmp_path: Path) -> None:
    assert read_settings(written(tmp_path, "\n".join(page())), USUAL) == USUAL


def test_commented_settings_are_usable_uncommented(tmp_path: Path) -> None:
    wanted = [name for name in everything(USUAL) if "." not in name and name != "data"]
    rows = [row[2:] for row in page() if any(row.startswith(f"# {name} = ") for name in wanted)]
    assert read_settings(written(tmp_path, "\n".join(rows)), USUAL) == USUAL


def test_what_a_file_says_goes_before_what_is_usual(tmp_path: Path) -> None:
    file = written(tmp_path, 'admins = ["Anna"]\ntables = 7\ndata = "/srv/scoville"\n[chat]\nlobby = 10\n')
    settings = read_settings(file, USUAL)
    assert (settings.admins, settings.tables, settings.data) == (("Anna",), 7, Path("/srv/scoville"))
    assert (settings.chat.lobby, settings.chat.table) == (10, USUAL.chat.table)
    assert (settings.port, settings.default_tables) == (5757, ("no_thanks",))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tabels = 7", "there is no setting tabels"),
        ("[chat]\nlobbby = 1", "there is no setting chat.lobbby"),
        ('seed = "c0ffee"', "there is no setting seed"),
        ("[accounts.hashing]\nworker = 1", "there is no setting accounts.hashing.worker"),
        ('tables = "many"', r"tables: expected int \(got 'many'\)"),
        ("tables = ", "is not valid TOML"),
        ("tables = -1", r"tables: expected int >= 0 \(got -1\)"),
        ("port = 65536", r"port: expected int <= 65535 \(got 65536\)"),
        ("idle_seconds = nan", r"idle_seconds: expected float >= 0.0 \(got nan\)"),
        ("idle_seconds = inf", r"idle_seconds: expected float <= .* \(got inf\)"),
        ("[limits]\nper_user = 1001", r"limits.per_user: expected float <= 1000.0 \(got 1001\)"),
        ("[limits]\nmemory_mib = 191", r"limits.memory_mib: expected int >= 192 \(got 191\)"),
        ("[accounts.hashing]\nworkers = 0", r"accounts.hashing.workers: expected int >= 1 \(got 0\)"),
        ("[moderation]", "there is no setting moderation"),
        ("[host]\nname = 7", r"host: expected str"),
        ("[chat]\nmuted = 7\nlines = 7", "chat.muted is no longer a setting: it is 100 .* no setting chat.lines"),
        ("chat = 7", r"chat: expected object \(got 7\)"),
        ('proxies = ["10.0.0.0/8", "haproxy"]', r"proxies: expected an address or a network .* \(got 'haproxy'\)"),
        ("quick_move_seconds = 604801", r"quick_move_seconds: expected int <= 604800 \(got 604801\)"),
        ("quick_bank_seconds = 604801", r"quick_bank_seconds: expected int <= 604800 \(got 604801\)"),
        ("bot_fill_seconds = 3601", r"bot_fill_seconds: expected int <= 3600 \(got 3601\)"),
        ("admins = [7]", r"admins\[0\]: expected str \(got 7\)"),
        ('data = "x"\nguests = [[]]', r"guests: expected int \(got \[\[\]\]\)"),
    ],
)
def test_unusable_settings_name_file_setting_and_bound(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BadSettings, match=why) as refused:
        read_settings(written(tmp_path, text), USUAL)
    assert "scoville.toml" in refused.value.message


@pytest.mark.parametrize("bound", sorted(bounds(USUAL)))
def test_former_setting_is_refused_with_what_replaces_it(tmp_path: Path, bound: str) -> None:
    with pytest.raises(BadSettings) as refused:
        read_settings(written(tmp_path, f"{bound} = 7\n"), USUAL)
    name = re.escape(bound)
    assert re.search(rf"{name} is no longer a setting: it is \S.*(set that instead|remove it)", refused.value.message)


def test_hosts_see_few_settings() -> None:
    assert len(everything(USUAL)) <= MOST_SETTINGS


def value_of(settings: object, key: str) -> Any:
    for name in key.split("."):
        settings = getattr(settings, name)
    return settings


def read(tmp_path: Path, text: str) -> Settings:
    return read_settings(written(tmp_path, text), USUAL)


def changed(settings: Settings, key: str) -> float:
    """Return how many times as large as usual a bound is; of rates how often they allow something."""

    def size(value: Any) -> float:
        if isinstance(value, tuple):
            return sum(map(size, value))
        return float(value.allowed if isinstance(value, Rate) else value)

    return size(value_of(settings, key)) / size(value_of(USUAL, key))


@pytest.mark.parametrize("factor", [2, 2.5, 10])
def test_scales_change_what_derives_from_them(tmp_path: Path, factor: float) -> None:
    scaled = {
        "limits.per_user": f"[limits]\nper_user = {factor}",
        "limits.per_address": f"[limits]\nper_address = {factor}",
    }
    for setting, text in scaled.items():
        settings = read(tmp_path, text)
        derived = [bound for bound in bounds(USUAL) if setting_for(bound) == setting]
        assert len(derived) >= 8
        for bound in derived:
            if "waiting_per_address" not in bound:
                assert changed(settings, bound) == pytest.approx(factor, rel=0.1), bound
        same = [bound for bound in bounds(USUAL) if setting_for(bound) != setting]
        assert [bound for bound in same if changed(settings, bound) != 1] == []


def test_small_scales_leave_something(tmp_path: Path) -> None:
    settings = read(tmp_path, "[limits]\nper_user = 0.01\nper_address = 0.01")
    assert (settings.table_creations, settings.moderation.reports_per_address) == (1, 1)
    assert [rate.allowed for rate in settings.chat.messages] == [1, 1]


def test_no_limit_per_address_leaves_queues_their_bound(tmp_path: Path) -> None:
    settings = read(tmp_path, "[limits]\nper_address = 0")
    assert settings.connections.per_address == settings.table_creations_per_address == 0
    assert settings.connections.handshake_rate.allowed == settings.accounts.claims_per_hour == 0
    assert settings.accounts.hashing.waiting_per_address == USUAL.accounts.hashing.waiting
    assert settings.guesses == USUAL.guesses


def test_memory_scales_what_is_kept_unless_it_is_set(tmp_path: Path) -> None:
    settings = read(tmp_path, "[limits]\nmemory_mib = 1280")
    assert (settings.guests, settings.tables, settings.connections.total) == (30_000, 3_000, 6_144)
    assert (settings.accounts.claims, settings.pending_writes, settings.polls) == (30_000, 30_000, 24_576)
    settings = read(tmp_path, "tables = 10\n[limits]\nmemory_mib = 1280\n[connections]\ntotal = 100")
    assert (settings.guests, settings.tables, settings.connections.total) == (30_000, 10, 100)
    assert (settings.pending_writes, settings.polls, settings.connections.handshakes) == (100, 400, 25)


def test_no_tables_still_leave_room_for_writes(tmp_path: Path) -> None:
    assert read(tmp_path, "tables = 0").pending_writes == 100


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="cannot be read: No such file"):
        read_settings(tmp_path / "none.toml", USUAL)


def test_every_setting_has_a_reason_and_every_number_bounds() -> None:
    settings = [setting for setting in all_settings(USUAL) if not setting.is_table]
    assert [setting.key for setting in settings if not setting.reason] == []
    numbers = [setting for setting in settings if type(setting.value) in (int, float)]
    assert [setting.key for setting in numbers if not setting.bounds] == []


def test_the_page_of_settings_is_what_the_types_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == documented(), (
        "python -m tests.server.settings.settings_doc writes it anew"
    )
