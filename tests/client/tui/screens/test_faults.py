"""A bug ends the client with one sentence; the traceback is in a file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scoville_client.cli import main as cli
from scoville_client.cli.exit_status import FAILED
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp, run_in_terminal


class Faulty(ScovilleApp):
    """Fails at once, at a point that the test chooses."""

    def __init__(self, at_fault: Callable[["Faulty"], object]) -> None:
        super().__init__(Start())
        self._at_fault = at_fault

    def on_start_screen_painted(self) -> None:
        self._at_fault(self)

    def run(self, **_: object) -> int | None:
        return super().run(headless=True, size=(80, 24))


def _break(*_: object) -> None:
    raise RuntimeError("the cook has dropped the pan")


async def _breaking(_: object) -> None:
    _break()


@pytest.mark.parametrize(
    "at_fault",
    [_break, lambda app: app.run_worker(_breaking(app)), lambda app: app.call_later(_break)],
    ids=["in a message", "in a worker", "later"],
)
def test_a_fault_is_one_sentence_and_a_file(
    at_fault: Callable[[Faulty], object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert run_in_terminal(Faulty(at_fault)) == 1
    shown = capfd.readouterr()
    file = tmp_path / "scoville" / "last-error.txt"
    assert shown.err.splitlines() == [f"Scoville crashed because of a bug; the details are in {file}"]
    assert "the cook has dropped the pan" in file.read_text()
    assert "Traceback" not in shown.out


def test_a_fault_of_any_command_is_one_sentence_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(cli, "_show_client", _break)
    assert cli.main(["practice", "--plain"]) == FAILED
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert len(shown.err.splitlines()) == 1
