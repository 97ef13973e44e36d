"""The pages of settings, made of one description: two files, a list of variables and docs/settings.md agree."""

import re
from pathlib import Path

import pytest

from scoville_server.settings.description import all_settings, format_value
from scoville_server.settings.environment import VARIABLES, read_environment
from scoville_server.settings.pages import ESSENTIAL, environment_page, full_page, short_page
from scoville_server.settings.sources import SettingsFile
from scoville_server.settings.toml_text import parse_document, walk_leaves

from .settings_doc import DEFAULTS, PAGE

VALUES = {setting.key: format_value(setting.value) for setting in all_settings(DEFAULTS) if not setting.is_table}


def uncomment(page: list[str]) -> str:
    """Take the comments off all settings of a page, and leave those that are sentences."""
    return "\n".join(re.sub(r"^# (?=[a-z_]+ = )", "", row) for row in page)


def values_of(page: list[str]) -> dict[str, str]:
    document = parse_document(uncomment(page))
    assert document.faults == []
    leaves = (leaf for leaf in walk_leaves(document.values) if leaf[0] and leaf[1] != {})
    return {".".join(map(str, path)): format_value(value) for path, value in leaves}


def test_the_full_file_has_every_setting_with_its_default() -> None:
    assert values_of([*full_page(DEFAULTS)]) == VALUES


def test_the_short_file_has_what_to_look_at_first() -> None:
    assert values_of([*short_page(DEFAULTS)]) == {key: VALUES[key] for key in ESSENTIAL}


def test_the_list_of_variables_has_every_setting() -> None:
    rows = dict(row[2:].split("=", 1) for row in environment_page(DEFAULTS) if re.match(r"# SCOVILLE_[A-Z_]+=", row))
    assert {*rows} == {*VARIABLES}
    given, faults = read_environment(rows)
    assert faults == []
    assert {each.setting: each.value for each in given} == {
        setting.key: setting.value.expanduser() if isinstance(setting.value, Path) else setting.value
        for setting in all_settings(DEFAULTS)
        if setting.key in {each.setting for each in given}
    } | {"port": DEFAULTS.port}
    assert len(given) == len(VARIABLES)


def test_the_documented_settings_are_the_same() -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \| `(.*?)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == VALUES


@pytest.mark.parametrize("make", [full_page, short_page])
def test_the_files_can_be_read_uncommented(make: object, tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    assert callable(make)
    file.write_text(uncomment([*make(DEFAULTS)]), encoding="utf-8")
    assert SettingsFile(file).faults == []
