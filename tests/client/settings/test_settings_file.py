"""The settings file: every setting with its explanation, clear errors, and what overrides it."""

import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_client.cli.main import main
from scoville_client.settings.checks import BadSettings, all_settings
from scoville_client.settings.file import SettingsFile, settings_page, user_file
from scoville_client.settings.preferences import Preferences


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scoville" / "settings.toml"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path, text: str) -> str:
    with pytest.raises(BadSettings) as refused:
        SettingsFile(written(path, text))
    assert str(path) in str(refused.value)
    return str(refused.value)


def test_a_link_to_the_settings_file_stays_one(path: Path, tmp_path: Path) -> None:
    target = written(tmp_path / "dotfiles" / "scoville.toml", 'theme = "dark"\n')
    path.parent.mkdir()
    path.symlink_to(target)
    settings = SettingsFile(path)
    settings.save(replace(settings.preferences, theme="light"))
    assert (path.readlink(), SettingsFile(target).preferences.theme) == (target, "light")
    assert [*path.parent.iterdir(), *target.parent.iterdir()] == [path, target]


def test_settings_persist_and_the_file_explains_them(path: Path) -> None:
    settings = SettingsFile(path)
    settings.save(replace(settings.preferences, theme="light", motion="less", bell=False))
    again = SettingsFile(path)
    assert (again.preferences.theme, again.preferences.calm, again.preferences.bell) == ("light", True, False)
    assert [file.name for file in path.parent.iterdir()] == ["settings.toml"]
    text = path.read_text(encoding="utf-8")
    unwrapped = " ".join(text.replace("\n# ", " ").split())
    for setting in all_settings().values():
        assert setting.about in unwrapped
        assert f"\n{setting.name} = " in text or f"[{setting.name}]" in text


def test_the_page_is_the_file_that_is_read() -> None:
    some = Preferences(name='A "b" \\ ü', theme="dark")
    kept = tomllib.loads("\n".join(settings_page(some)))
    assert kept["name"] == some.name
    assert list(kept) == list(all_settings())


def test_a_change_replaces_one_line_of_the_file(path: Path) -> None:
    settings = SettingsFile(written(path, '# mine\ntheme = "dark"  # at night\n'))
    written(path, '# mine\ntheme = "dark"  # at night\nbell = false\n')
    settings.save(replace(settings.preferences, motion="less", title=False))
    text = path.read_text(encoding="utf-8")
    assert text.startswith('# mine\ntheme = "dark"  # at night\nbell = false\n')
    assert SettingsFile(path).preferences == Preferences(theme="dark", bell=False, motion="less", title=False)


def test_a_value_in_several_lines_is_written_anew(path: Path) -> None:
    settings = SettingsFile(written(path, 'name = """\\\n  Anna"""\n'))
    settings.save(replace(settings.preferences, name="Ben"))
    assert SettingsFile(path).preferences.name == "Ben"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('colour = "16"', "There is no setting 'colour'. Did you mean colours?"),
        ('xyz = "16"', "There is no setting 'xyz'. There are: name, language"),
        ('theme = "pink"', "theme must be one of auto, dark, light, high-contrast, colour-blind (got 'pink')."),
        ("bell = 1", "bell must be true or false (got 1)."),
        (f'name = "{"x" * 25}"', "name must be a text of at most 24 characters"),
        ("theme = ", "It is not valid TOML"),
        ("\x00", "It is not valid TOML"),
    ],
)
def test_an_error_names_file_setting_and_remedy(path: Path, text: str, sentence: str) -> None:
    assert sentence in refusal(path, text)
    assert "Correct the line or remove it" in refusal(path, text)


def test_the_environment_wins_and_is_not_stored(path: Path) -> None:
    written(path, 'theme = "light"\n')
    settings = SettingsFile(path, {"SCOVILLE_THEME": "dark", "SCOVILLE_BELL": "no", "SCOVILLE_PYTHON": "x"})
    assert (settings.preferences.theme, settings.preferences.bell) == ("dark", False)
    assert settings.sources["theme"] == "environment"
    settings.save(replace(settings.preferences, motion="less"))
    assert SettingsFile(path).preferences == Preferences(theme="light", motion="less")
    with pytest.raises(BadSettings, match="SCOVILLE_THEME: theme must be one of"):
        SettingsFile(path, {"SCOVILLE_THEME": "pink"})


def test_unreadable_settings_file_is_reported(tmp_path: Path) -> None:
    settings = SettingsFile(written(tmp_path / "file", "") / "settings.toml")
    with pytest.raises(BadSettings, match=r"could not be saved in .*settings\.toml"):
        settings.save(Preferences(theme="light"))
    SettingsFile(None).save(Preferences(theme="light"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(BadSettings, match=r"folder\.toml cannot be used"):
        SettingsFile(tmp_path / "folder.toml")
    (tmp_path / "bytes.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(BadSettings, match="not UTF-8"):
        SettingsFile(tmp_path / "bytes.toml")


def test_the_command_changes_shows_and_refuses(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCOVILLE_SETTINGS", str(path))
    monkeypatch.setenv("SCOVILLE_COLOURS", "16")
    assert user_file() == path
    assert main(["settings", "theme=light", "bell=no"]) == 0
    shown = capsys.readouterr().out
    assert f"Settings file: {path}" in shown
    assert 'theme = "light"   (from the file)' in shown
    assert 'colours = "16"   (from the environment)' in shown
    assert SettingsFile(path).preferences == Preferences(theme="light", bell=False)
    with pytest.raises(SystemExit):
        main(["settings", "theme=pink"])
    assert "theme must be one of" in capsys.readouterr().err
    written(path, "oops = 1\n")
    assert main(["practice", "--plain"]) == 2
    assert "There is no setting 'oops'" in capsys.readouterr().err
    written(path, 'language = "de"\n')
    assert main(["settings"]) == 0
    assert "Einstellungsdatei" in capsys.readouterr().out
    main(["--set", "language=fr", "rules", "nope"])
    assert "pas de règles" in capsys.readouterr().err


def test_the_wish_for_lines_of_text_is_not_written_into_the_file(path: Path) -> None:
    settings = SettingsFile(path, {"ACCESSIBLE": "1"})
    assert (settings.preferences.screen_reader, settings.sources["screen_reader"]) == (True, "environment")
    settings.save(replace(settings.preferences, theme="light"))
    assert SettingsFile(path).preferences == Preferences(theme="light")
