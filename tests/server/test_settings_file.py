"""Settings as a file: every limit stands there with its reason, and what cannot be meant is told."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import Struct

from scoville_server.config import BadSettings, Settings
from scoville_server.settings_file import read_settings, settings_page

USUAL = Settings(port=5757, default_tables=("no_thanks",))


def written(path: Path, text: str) -> Path:
    file = path / "scoville.toml"
    file.write_text(text, encoding="utf-8")
    return file


def everything(settings: Struct, within: str = "") -> Iterator[str]:
    """Name every setting that a file may hold."""
    for name in settings.__struct_fields__:
        part = getattr(settings, name)
        if isinstance(part, Struct) and not part.__struct_config__.array_like:
            yield from everything(part, f"{within}{name}.")
        elif within or name not in ("seed", "opening", "leave_out_damaged", "peppers"):
            yield f"{within}{name}"


def page() -> list[str]:
    return "\n".join(settings_page(USUAL)).split("\n")


def told() -> dict[str, str]:
    """Find each setting of the page, and the line above it."""
    rows, within, found = page(), "", {}
    for above, row in pairwise(rows):
        if row.startswith("["):
            within = f"{row[1:-1]}."
        elif row.startswith("# ") and " = " in row and row.split(" = ")[0][2:].isidentifier():
            found[within + row.split(" = ")[0][2:]] = above
    return found


def test_the_page_holds_every_setting_under_its_reason() -> None:
    found = told()
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
        tmp_path, 'admins = ["Anna"]\ntables = 7\ndata = "/srv/scoville"\n[chat]\nlobby = 10\nsame = [1, 5.0]\n'
    )
    settings = read_settings(file, USUAL)
    assert (settings.admins, settings.tables, settings.data) == (("Anna",), 7, Path("/srv/scoville"))
    assert (settings.chat.lobby, settings.chat.same.allowed, settings.chat.table) == (10, 1, USUAL.chat.table)
    assert (settings.port, settings.default_tables) == (5757, ("no_thanks",))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tabels = 7", "there is no setting tabels"),
        ("[chat]\nlobbby = 1", "there is no setting chat.lobbby"),
        ('seed = "c0ffee"', "there is no setting seed"),
        ('tables = "many"', "Expected `int`"),
        ("tables = ", "is no TOML"),
        ("tables = -1", "tables is a number from 0 on, and not -1"),
        ("idle_seconds = nan", "idle_seconds is a number from 0 on, and not nan"),
        ("[accounts.hashing]\nworkers = 0", "accounts.hashing.workers is a number from 1 on, and not 0"),
        ("[chat]\nsame = [2, -1.0]", "chat.same is a number from 0 on"),
    ],
)
def test_what_cannot_be_meant_is_told(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BadSettings, match=why):
        read_settings(written(tmp_path, text), USUAL)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="cannot be read: No such file"):
        read_settings(tmp_path / "none.toml", USUAL)
