"""Settings as a file: every setting with its reason and bounds, and clear errors for values that cannot be used."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import Struct

from scoville_server.config import BadSettings, Settings
from scoville_server.settings_file import all_settings, read_settings, settings_page

from .settings_doc import PAGE
from .settings_doc import page as documented

USUAL = Settings(port=5757, default_tables=("no_thanks",))


def written(path: Path, text: str) -> Path:
    file = path / "scoville.toml"
    file.write_text(text, encoding="utf-8")
    return file


def everything(settings: Struct, within: str = "") -> Iterator[str]:
    """Name every field of the settings that a file may hold."""
    for name in settings.__struct_fields__:
        part = getattr(settings, name)
        if isinstance(part, Struct) and not part.__struct_config__.array_like:
            yield from everything(part, f"{within}{name}.")
        elif within or name not in ("seed", "opening", "leave_out_damaged", "game_options", "offered"):
            yield f"{within}{name}"


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


def test_most_of_it_can_be_used_by_taking_the_comment_signs_away(tmp_path: Path) -> None:
    wanted = [name for name in everything(USUAL) if "." not in name and name != "data"]
    rows = [row[2:] for row in page() if any(row.startswith(f"# {name} = ") for name in wanted)]
    assert read_settings(written(tmp_path, "\n".join(rows)), USUAL) == USUAL


def test_what_a_file_says_goes_before_what_is_usual(tmp_path: Path) -> None:
    file = written(
        tmp_path, 'admins = ["Anna"]\ntables = 7\ndata = "/srv/scoville"\n[chat]\nlobby = 10\nrepeats = [1, 5.0]\n'
    )
    settings = read_settings(file, USUAL)
    assert (settings.admins, settings.tables, settings.data) == (("Anna",), 7, Path("/srv/scoville"))
    assert (settings.chat.lobby, settings.chat.repeats.allowed, settings.chat.table) == (10, 1, USUAL.chat.table)
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
        ("[connections]\nshare_busy = 1.5", r"connections.share_busy: expected float <= 1.0 \(got 1.5\)"),
        ("[accounts.hashing]\nworkers = 0", r"accounts.hashing.workers: expected int >= 1 \(got 0\)"),
        ("[chat]\nrepeats = [2, -1.0]", r"chat.repeats\[1\]: expected float >= 0.0 \(got -1.0\)"),
        ("[chat]\nrepeats = [2, 1.0, 3]", r"chat.repeats: expected array of at most length 2"),
        ("chat = 7", r"chat: expected object \(got 7\)"),
        ('proxies = ["10.0.0.0/8", "haproxy"]', r"proxies: expected an address or a network .* \(got 'haproxy'\)"),
        ("quick_move_seconds = 604801", r"quick_move_seconds: expected int <= 604800 \(got 604801\)"),
        ("quick_bank_seconds = 604801", r"quick_bank_seconds: expected int <= 604800 \(got 604801\)"),
        ("bot_fill_seconds = 3601", r"bot_fill_seconds: expected int <= 3600 \(got 3601\)"),
        ("admins = [7]", r"admins\[0\]: expected str \(got 7\)"),
        ('data = "x"\nguests = [[]]', r"guests: expected int \(got \[\[\]\]\)"),
    ],
)
def test_what_cannot_be_used_is_refused_with_file_setting_and_bound(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BadSettings, match=why) as refused:
        read_settings(written(tmp_path, text), USUAL)
    assert "scoville.toml" in refused.value.message


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="cannot be read: No such file"):
        read_settings(tmp_path / "none.toml", USUAL)


def test_every_setting_has_a_reason_and_every_number_bounds() -> None:
    settings = [setting for setting in all_settings(USUAL) if not setting.is_table]
    assert [setting.key for setting in settings if not setting.reason] == []
    numbers = [setting for setting in settings if type(setting.value) in (int, float)]
    assert [setting.key for setting in numbers if not setting.bounds] == []


def test_the_page_of_settings_is_what_the_types_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == documented(), "python -m tests.server.settings_doc writes it anew"
