"""`scoville check-game` over packages with prepared faults: each is found, named and ended in time."""

import json
import os
import subprocess
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scoville_client.authoring import check_game, check_worker
from scoville_client.authoring.check_game import run_check_game
from scoville_client.authoring.checks import CHECKS, Check, KeepAlive, record_all
from tests.outside.faulty_games import forget_found_packages
from tests.outside.faulty_games.prepared import FAULTS, put_fault
from tests.outside.new_game import SLUG, install_package, write_template
from tests.support.clock import FakeClock

STEP_SECONDS = 0.5
"""Of checks that do not end, which is all that they are to be ended for: the game is imported before they begin."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_template(tmp_path_factory.mktemp("new") / "package")


def check(
    site: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *only: str,
    seconds: float = check_game.STEP_SECONDS,
) -> tuple[int, dict[str, Any]]:
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
    status = run_check_game(SLUG, record=False, json=True, only=only, step_seconds=seconds)
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_prepared_fault_is_found_and_named(
    fault: str,
    template: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, said = FAULTS[fault].check, FAULTS[fault].said
    put_fault(fault, install_package(template, tmp_path / "site"))
    seconds = STEP_SECONDS if "not end" in said else check_game.STEP_SECONDS
    status, report = check(tmp_path / "site", capsys, monkeypatch, name, seconds=seconds)
    failed = {each["check"]: each["message"] for each in report["checks"] if each["status"] == "failed"}
    assert status == 1
    assert [*failed] == [name]
    assert said in failed[name]


def test_the_template_passes_every_check(
    template: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    install_package(template, tmp_path / "site")
    status, report = check(tmp_path / "site", capsys, monkeypatch)
    assert [each for each in report["checks"] if each["status"] != "ok"] == []
    assert status == 0
    assert [each["check"] for each in report["checks"]] == [each.name for each in CHECKS]


def test_a_package_may_have_one_language_alone(
    template: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = install_package(template, tmp_path / "site")
    (package / "locales" / "fr.po").unlink()
    status, report = check(tmp_path / "site", capsys, monkeypatch, "translations")
    assert status == 0
    assert "there is no fr" in report["checks"][-1]["message"]
    (package / "locales" / "de.po").unlink()
    status, report = check(tmp_path / "site", capsys, monkeypatch, "translations")
    assert status == 1
    assert "there is no catalog such as de.po" in report["checks"][-1]["message"]


def test_check_reports_that_it_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the coach of a healthy game was ended after 45 seconds, and told that it does not end."""
    clock, out = FakeClock(), StringIO()

    def play_for_minutes(_: str, keep_alive: KeepAlive) -> str:
        for _ in range(300):
            clock.advance(0.5)
            keep_alive()
        return "played"

    monkeypatch.setattr(check_worker, "SYSTEM", clock.clock)
    monkeypatch.setattr(check_worker, "CHECKS", [Check("play", "package", play_for_minutes)])
    monkeypatch.setattr(check_worker, "_HAS_TIMER", False)
    quiet = SimpleNamespace(dump_traceback_later=lambda *_, **__: None, cancel_dump_traceback_later=lambda: None)
    monkeypatch.setattr(check_worker, "faulthandler", quiet)
    check_worker.run_checks(SLUG, 8.0, ["play"], out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["status"] for line in lines] == ["begin", *["alive"] * 150, "ok"]

    no_process = SimpleNamespace(Popen=lambda *_, **__: None, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)
    monkeypatch.setattr(check_game, "subprocess", no_process)
    monkeypatch.setattr(check_game, "_read_lines", lambda *_: iter(lines))
    [(name, status, message, _)] = check_game._run_process([SLUG, "8.0", "no-check"], "play", 100.0)
    assert (name, status, message) == ("play", "ok", "played")


def test_an_unknown_check_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_check_game(SLUG, record=False, json=False, only=("rule",)) == 2
    assert "there are package, options, play" in capsys.readouterr().err


def test_a_check_can_be_named_as_it_is_printed(
    template: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    install_package(template, tmp_path / "site")
    status, report = check(tmp_path / "site", capsys, monkeypatch, "every value is frozen")
    assert (status, report["checks"][-1]["check"]) == (0, "every_value_is_frozen")


def test_a_package_may_have_other_languages_than_scoville(
    template: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = install_package(template, tmp_path / "site")
    for code in ("de", "fr"):
        (package / "locales" / f"{code}.po").unlink()
    (package / "locales" / "pl.po").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    forget_found_packages()
    try:
        changed = record_all(SLUG)
    finally:
        monkeypatch.undo()
        forget_found_packages()
    text = (package / "locales" / "pl.po").read_text(encoding="utf-8")
    assert 'msgid "The game is over."' in text, "Scoville translates its own sentences into its own languages alone"
    assert [path.name for path in changed] == ["pl.po"]
    status, report = check(tmp_path / "site", capsys, monkeypatch, "translations")
    assert status == 1
    assert "pl.po does not translate" in report["checks"][-1]["message"]
    written = (package / "locales" / "pl.po").read_text(encoding="utf-8")
    written = written.replace("plural=(n != 1)", "plural=(n==1 ? 0 : n<5 ? 1 : 2)").replace("nplurals=2", "nplurals=3")
    written = written.replace('msgstr[1] ""', 'msgstr[1] ""\nmsgstr[2] ""')
    blocks = [_translate_with_itself(block) for block in written.split("\n\n")]
    (package / "locales" / "pl.po").write_text("\n\n".join(blocks), encoding="utf-8")
    status, report = check(tmp_path / "site", capsys, monkeypatch, "translations", "tutorial", "screens")
    assert (status, [each["message"] for each in report["checks"] if each["status"] != "ok"]) == (0, [])
    (package / "locales" / "Polish.po").touch()
    status, report = check(tmp_path / "site", capsys, monkeypatch, "translations")
    assert (status, report["checks"][-1]["message"]) == (
        1,
        "Polish.po is not named by the code of a language, such as es.po",
    )


def _translate_with_itself(block: str) -> str:
    """Translate an entry of a catalog by its own source."""
    source = next((line for line in block.splitlines() if line.startswith("msgid ")), "").removeprefix("msgid ")
    return block.replace(' ""', f" {source}") if source != '""' else block
