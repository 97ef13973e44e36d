"""Catalogs of other packages: sentences of their games in the languages of the client."""

from pathlib import Path

import pytest

from scoville_client.cli.common_options import language_options
from scoville_client.doors.web.site.html_pages import preferred_language
from scoville_client.i18n.language import (
    current_language,
    environment_language,
    list_languages,
    load_catalog,
    next_language,
    set_language,
    set_spelling,
    tr,
)
from scoville_client.settings.checks import BadSettings, check_setting, from_text
from scoville_outside.catalogs import PoCatalog, append_entries, load_all_catalogs, read_entries, written_language
from scoville_shared.engine.phrases import Phrase
from tests.outside.faulty_games import forget_found_packages, on_path
from tests.outside.new_game import install_package, write_template


def read(text: str, folder: Path, code: str = "de") -> PoCatalog:
    (folder / f"{code}.po").write_text(text, encoding="utf-8")
    return PoCatalog(code, read_entries(folder / f"{code}.po"))


def test_a_file_is_read_as_translators_write_it(tmp_path: Path) -> None:
    catalog = read(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain\\n"\n\n'
        '#: game.py\n#, python-brace-format\nmsgid ""\n"take "\n"{n}"\nmsgstr "nimm {n}"\n\n'
        '#, fuzzy\nmsgid "doubtful"\nmsgstr "fraglich"\n\n'
        '#~ msgid "old"\n#~ msgstr "alt"\n\n'
        'msgid "quoted \\"word\\""\nmsgstr "Wort in „Zeichen“"\n\n'
        'msgid "{n} stone"\nmsgid_plural "{n} stones"\nmsgstr[0] "{n} Stein"\nmsgstr[1] "{n} Steine"\n\n'
        'msgid "empty"\nmsgstr ""\n',
        tmp_path,
    )
    assert Phrase("take {n}", {"n": 2}).render((), catalog) == "nimm 2"
    assert catalog.gettext('quoted "word"') == "Wort in „Zeichen“"
    assert [catalog.ngettext("{n} stone", "{n} stones", n) for n in (0, 1, 2)] == [
        "{n} Steine",
        "{n} Stein",
        "{n} Steine",
    ]
    assert [catalog.gettext(text) for text in ("doubtful", "old", "empty")] == ["doubtful", "old", "empty"]


def test_french_counts_none_as_one(tmp_path: Path) -> None:
    catalog = read('msgid "a"\nmsgid_plural "b"\nmsgstr[0] "une"\nmsgstr[1] "des"\n', tmp_path, "fr")
    assert [catalog.ngettext("a", "b", n) for n in (0, 1, 2)] == ["une", "une", "des"]


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"de\.po has the line 'msgid take'"):
        read("msgid take\n", tmp_path)


def test_new_sentences_are_appended(tmp_path: Path) -> None:
    file = tmp_path / "de.po"
    append_entries(file, [('a "b"\n', None), ("one", "many")])
    assert [(entry.one, entry.many) for entry in read_entries(file)] == [("", None), ('a "b"\n', None), ("one", "many")]


def test_a_package_adds_sentences_and_replaces_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = install_package(write_template(tmp_path / "package"), tmp_path / "site")
    own = load_catalog("de").gettext("The game is over.")
    file = code / "locales" / "de.po"
    with file.open("a", encoding="utf-8") as more:
        more.write('\nmsgid "The game is over."\nmsgstr "Aus!"\n')
    load_catalog.cache_clear()
    with on_path(monkeypatch, tmp_path / "site"):
        assert load_catalog("de").gettext("take {n}") == "nimm {n}"
        assert load_catalog("fr").gettext("take {n}") == "prendre {n}"
        assert load_catalog("de").gettext("The game is over.") == own
        file.write_text("nonsense", encoding="utf-8")
        load_catalog.cache_clear()
        assert load_catalog("de").gettext("take {n}") == "take {n}"
    load_catalog.cache_clear()
    forget_found_packages()


SPANISH = (
    'msgid ""\nmsgstr "X-Language-Name: Español\\nPlural-Forms: nplurals=2; plural=(n > 1);\\n"\n\n'
    'msgid "take {n}"\nmsgstr "tomar {n}"\n\nmsgid "The last stone"\nmsgstr "¡La última piedra!"\n\n'
    'msgid "The game is over."\nmsgstr "La partida ha terminado."\n'
)


def test_a_package_brings_a_language_that_scoville_has_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = install_package(write_template(tmp_path / "package"), tmp_path / "site")
    (code / "locales" / "es.po").write_text(SPANISH, encoding="utf-8")
    (code / "locales" / "nl.po").write_text("nonsense", encoding="utf-8")
    (code / "locales" / "en.po").write_text(SPANISH, encoding="utf-8")
    before = current_language()
    assert "es" not in list_languages()
    with on_path(monkeypatch, tmp_path / "site"):
        assert list_languages() == {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
        assert "--language {en,de,fr,es}" in language_options().format_help()
        assert environment_language({"LANG": "es_MX.UTF-8"}) == "es"
        assert environment_language({"LANGUAGE": "es:fr"}) == "fr"
        assert environment_language({"LANGUAGE": "nl:C"}) == "nl"
        assert preferred_language("es-MX, en;q=0.1") == "en"
        assert preferred_language("es-MX, pt;q=0.1") == "es"
        assert from_text("language", "es") == "es"
        assert written_language("es") == "es"
        assert load_all_catalogs("es").gettext("take {n}") == "tomar {n}"
        set_language("es")
        assert [tr("take {n}", n=2), tr("The game is over."), tr("Settings")] == [
            "tomar 2",
            "La partida ha terminado.",
            "Settings",
        ]
        set_spelling(plainly=True)
        assert tr("The last stone") == "La ultima piedra!"
        set_spelling(plainly=False)
        assert next_language() == "en"
    set_language(before)
    assert "--language {en,de,fr} " in " ".join(language_options().format_help().split())
    assert (environment_language({"LANG": "es_MX.UTF-8"}), written_language("es")) == ("es", "en")
    with pytest.raises(BadSettings, match="auto, en, de, fr"):
        from_text("language", "es")
    assert check_setting("language", "es") == "es"


@pytest.mark.parametrize("rule", ["nplurals=2", "nplurals=2; plural=(n !!);", "nplurals=2; plural=__import__('os');"])
def test_a_plural_rule_that_is_none_is_refused(rule: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"plural"):
        read(f'msgid ""\nmsgstr "Plural-Forms: {rule}\\n"\n\nmsgid "a"\nmsgstr "b"\n', tmp_path, "es")
