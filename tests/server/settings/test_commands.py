"""Commands about settings, and the data folder that all other commands find by the same settings."""

import json
from pathlib import Path

import pytest

from scoville_server.cli import commands as cli
from scoville_server.cli.options import ServerOptions
from scoville_server.settings.model import BadSettings


def status_of(*arguments: object) -> int:
    try:
        cli.app([*map(str, arguments)], result_action="return_value", exit_on_error=False)
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


@pytest.mark.parametrize("more", [[], ["--full"]])
def test_a_new_file_is_correct_and_never_overwritten(tmp_path: Path, more: list[str]) -> None:
    file = tmp_path / "etc" / "server.toml"
    assert status_of("init", file, *more) == 0
    assert status_of("check-config", file) == 0
    file.write_text("tables = 7\n")
    assert status_of("init", file, *more) == 1
    assert file.read_text() == "tables = 7\n"


def test_effective_settings_name_their_origins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "server.toml"
    file.write_text("\ntables = 7\n")
    monkeypatch.setenv("SCOVILLE_CONNECTIONS__TOTAL", "9")
    assert status_of("settings", "--effective", "--config", file, "--port", 4000) == 0
    rows = dict(row.split("  # ") for row in capsys.readouterr().out.splitlines())
    origins = {name.strip(): origin for name, origin in rows.items()}
    assert origins["connections.total = 9"] == "environment variable SCOVILLE_CONNECTIONS__TOTAL"
    assert origins["tables = 7"] == f"{file}:2"
    assert origins["port = 4000"] == "option --port"
    assert origins["guests = 10000"] == "default"
    assert status_of("settings", "--json", "--config", file) == 0
    assert json.loads(capsys.readouterr().out)["tables"] == {"value": 7, "origin": f"{file}:2"}


@pytest.mark.parametrize(
    "command",
    [["backup", "copy"], ["admin-code", "Anna"], ["recover", "Anna"], ["rotate-key"], ["reset-clock"]],
)
def test_each_command_finds_the_folder_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file, data = tmp_path / "server.toml", tmp_path / "data"
    file.write_text(f'data = "{data}"\ntabels = 7\n')  # a fault elsewhere keeps nobody from a backup
    assert status_of(*command, "--config", file) == 1
    sentence = f"There is no data folder {data}; name the server's own with --data or --config.\n"
    assert capsys.readouterr().err == sentence
    monkeypatch.setenv("SCOVILLE_CONFIG", str(file))
    assert status_of(*command) == 1
    assert capsys.readouterr().err == sentence
    file.write_text('data = ""\n')
    assert status_of(*command) == 1
    assert "store nothing" in capsys.readouterr().err


def test_file_missing_at_a_reload_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "server.toml"
    file.write_text("tables = 7\n")
    monkeypatch.setattr("scoville_server.settings.sources.DEFAULT_FILE", file)
    monkeypatch.delenv("SCOVILLE_CONFIG", raising=False)
    read_settings = ServerOptions(no_data=True).settings_reader()
    assert read_settings().settings.tables == 7
    file.unlink()
    with pytest.raises(BadSettings, match="cannot be read"):
        read_settings()
