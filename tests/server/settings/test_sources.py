"""Settings of a file, of environment variables and of options: which one holds, and where a value comes from."""

from pathlib import Path

import pytest

from scoville_server.settings import sources
from scoville_server.settings.description import all_settings
from scoville_server.settings.environment import VARIABLES, GivenValue, name_variable
from scoville_server.settings.model import Settings, default_data
from scoville_server.settings.sources import collect_settings, find_file


def faults_of(environment: dict[str, str], file: Path | None = None) -> list[str]:
    return [str(fault) for fault in collect_settings(file, (), environment).faults]


def test_every_setting_has_a_variable() -> None:
    settings = [setting.key for setting in all_settings(Settings()) if not setting.is_table]
    assert sorted(VARIABLES.values()) == sorted(settings)
    assert name_variable("accounts.hashing.workers") == "SCOVILLE_ACCOUNTS__HASHING__WORKERS"


def test_a_later_source_overrides_an_earlier_one(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("tables = 3\nguests = 4\n[connections]\ntotal = 5\n")
    environment = {"SCOVILLE_CONNECTIONS__TOTAL": "9", "SCOVILLE_GUESTS": "10"}
    settings, origins, faults, *_ = collect_settings(file, [GivenValue("guests", 11, "--guests")], environment)
    assert faults == []
    assert (settings.tables, settings.connections.total, settings.guests) == (3, 9, 11)
    wanted = {"tables": f"{file}:1", "connections.total": "SCOVILLE_CONNECTIONS__TOTAL", "guests": "--guests"}
    assert {key: origins[key] for key in wanted} == wanted
    assert origins["port"] == "default"


def test_a_derived_value_names_the_scale(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("[limits]\nmemory_mib = 1280\n")
    settings, origins, *_ = collect_settings(file, (), {})
    assert (settings.tables, origins["tables"]) == (3_000, f"derived from limits.memory_mib ({file}:2)")


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        ("SCOVILLE_HOST", "127.0.0.1", "127.0.0.1"),
        ("SCOVILLE_PORT", "7", 7),
        ("SCOVILLE_PLAIN_TEXT", "true", True),
        ("SCOVILLE_IDLE_SECONDS", "90", 90.0),
        ("SCOVILLE_ADMINS", "Anna, Ben", ("Anna", "Ben")),
        ("SCOVILLE_ADMINS", '["Anna, the first"]', ("Anna, the first",)),
        ("SCOVILLE_ADMINS", "", ()),
        ("SCOVILLE_DATA", "", None),
        ("SCOVILLE_WEBHOOK", "https://hooks.example/7", "https://hooks.example/7"),
    ],
)
def test_variables_are_read_by_the_type_of_their_setting(variable: str, text: str, value: object) -> None:
    settings, _, faults, *_ = collect_settings(None, (), {variable: text})
    assert (faults, getattr(settings, VARIABLES[variable])) == ([], value)


def test_a_secret_is_read_from_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "hook"
    secret.write_text("https://hooks.example/secret\n")
    settings, origins, faults, *_ = collect_settings(None, (), {"SCOVILLE_WEBHOOK__FILE": str(secret)})
    assert (faults, settings.webhook) == ([], "https://hooks.example/secret")
    assert origins["webhook"] == "SCOVILLE_WEBHOOK__FILE"


@pytest.mark.parametrize(
    ("environment", "fault"),
    [
        ({"SCOVILLE_PORT": "80a"}, 'SCOVILLE_PORT: port: got "80a"; allowed: a whole number from 0 to 65535'),
        ({"SCOVILLE_PLAIN_TEXT": "yes"}, "SCOVILLE_PLAIN_TEXT: plain_text: got"),
        (
            {"SCOVILLE_CONNECTIONS__TOTL": "9"},
            "SCOVILLE_CONNECTIONS__TOTL: there is … did you mean SCOVILLE_CONNECTIONS__TOTAL?",
        ),
        ({"SCOVILLE_WEBHOK__FILE": "/x"}, "SCOVILLE_WEBHOK__FILE: … did you mean SCOVILLE_WEBHOOK__FILE?"),
        ({"SCOVILLE_MEMORY_MIB": "900"}, "SCOVILLE_MEMORY_MIB: … did you mean SCOVILLE_LIMITS__MEMORY_MIB?"),
        ({"SCOVILLE_DOORS": "true"}, "SCOVILLE_DOORS: … did you mean SCOVILLE_DOORS__ENABLED?"),
        ({"SCOVILLE_XYZ__QUUX": "9"}, "SCOVILLE_XYZ__QUUX: there is no setting for this variable"),
        ({"SCOVILLE_WEBHOOK__FILE": "/nowhere"}, "SCOVILLE_WEBHOOK__FILE: webhook: /nowhere cannot be read"),
        (
            {"SCOVILLE_PORT": "1", "SCOVILLE_PORT__FILE": "/x"},
            "SCOVILLE_PORT__FILE: port: SCOVILLE_PORT is set",
        ),
        ({"SCOVILLE_DEFAULT_TABLES": "poker"}, 'SCOVILLE_DEFAULT_TABLES: default_tables: there is no game "poker"'),
    ],
)
def test_wrong_variables_are_reported_like_settings(environment: dict[str, str], fault: str) -> None:
    [found] = faults_of(environment)
    start, _, end = fault.partition(" … ")
    assert found.startswith(start)
    assert found.endswith(end)


def test_variables_of_other_programs_are_left_alone() -> None:
    assert faults_of({"SCOVILLE_THEME": "dark", "SCOVILLE_CONFIG": "", "SCOVILLE_PYTHON": "python3", "PORT": "x"}) == []


def test_the_file_is_found_by_option_variable_or_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = tmp_path / "etc" / "server.toml"
    monkeypatch.setattr(sources, "DEFAULT_FILE", usual)
    assert find_file(None, {}) is None
    usual.parent.mkdir()
    usual.write_text("")
    assert find_file(None, {}) == usual
    assert find_file(None, {"SCOVILLE_CONFIG": "other.toml"}) == Path("other.toml")
    assert find_file(Path("own.toml"), {"SCOVILLE_CONFIG": "other.toml"}) == Path("own.toml")


def test_data_is_kept_unless_the_settings_store_nothing(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("")
    assert collect_settings(file, (), {}).settings.data == default_data()
    file.write_text('data = ""')
    assert collect_settings(file, (), {}).settings.data is None
