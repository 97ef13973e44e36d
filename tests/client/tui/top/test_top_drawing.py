"""The drawing of `top`: every pane fits every size in every language, and shows what needs attention first."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import pytest
from rich.cells import cell_len

from scoville_client.i18n.language import set_language
from scoville_client.tui.top.drawing import History, View, describe_row, draw_graph, draw_view, read_status
from scoville_client.tui.top.panes import PANES, PEOPLE, REPORTS, TABLES, Pane
from tests.client.tui.top.fake_server import HOSTILE, STATUS, FakeServer

SIZES = [(80, 24), (60, 24), (46, 19), (120, 40), (200, 50), (20, 8), (1, 1)]


def view_of(pane: Pane, status: Any = STATUS, **changes: Any) -> View:
    rows: Sequence[Any] = FakeServer().lists[pane.command][pane.rows]
    history = History()
    history.add_status(read_status(status))
    view = View(
        status=read_status(status), history=history, pane=pane, rows=rows, total=len(rows), cursor=0, top=0,
        filter_text="", sort="", trouble="", notice="", ascii_only=False,
    )  # fmt: skip
    return view._replace(**changes)


def shown(view: View, width: int = 80, height: int = 24) -> str:
    return "\n".join(line.plain.rstrip() for line in draw_view(view, width, height))


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_pane_fits_every_size(size: tuple[int, int], language: str) -> None:
    set_language(language)
    for pane in PANES:
        lines = draw_view(view_of(pane), *size)
        assert len(lines) <= max(1, size[1])
        assert max(cell_len(line.plain) for line in lines) <= size[0]
        text = "".join(line.plain for line in lines)
        assert not [char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs")]


def test_figures_are_those_of_the_status() -> None:
    text = shown(view_of(TABLES))
    for part in (
        "READY", "cards.example:5757", "people 212 (claimed 61 · direct 119 · ssh 38 · web 55)", "tables 74 of 1000",
        "commit p50 3.0 ms p99 21 ms", "loop lag p99 2.0 ms", "cpu 23 %", "memory 118 M / 512 M", "disk 31 G free",
        "games 8412 of 20000", "refused/min slow_down 12 · wrong_login 7", "6 reports(2)", "Ben 0:41", "3 d 04:05",
    ):  # fmt: skip
        assert part in text, part


def test_alerts_and_plans_come_before_details() -> None:
    alerts = [
        {"name": name, "severity": "critical", "text": f"In English: {name}."}
        for name in ("disk_full", "of_a_later_version", "slow_loop", "clock", "guessing")
    ]
    plans = {
        "shutdown": {"left_seconds": 581.0, "reason": "Upgrade"},
        "maintenance": {"by": "root", "reason": "Disk", "since_ms": 0},
    }
    status = STATUS | plans | {"alerts": alerts, "ready": False, "reasons": ["draining", "disk_full"]}
    lines = shown(view_of(TABLES, status), 46, 19).split("\n")
    assert lines[0].startswith("NOT READY: shutting down, disk_full")
    attention = "\n".join(lines)
    for part in (
        "⚠ The disk of the data folder is full.", "⚠ In English: of_a_later_version.", "⚠ 2 more alerts",
        "Shuts down in 9:41: Upgrade", "Maintenance by root: Disk",
    ):  # fmt: skip
        assert part in attention


def test_a_terminal_of_ascii_gets_ascii() -> None:
    assert draw_graph([0, 1, 2], ascii_only=True) == "_=#"
    assert draw_graph([0, 1, 2], ascii_only=False) == "▁▅█"
    assert draw_graph([0, 0], ascii_only=False) == "▁▁"
    assert "!" in shown(view_of(TABLES, STATUS | {"alerts": [{"name": "x", "severity": "warning", "text": "X."}]},
                                ascii_only=True))  # fmt: skip


def test_hostile_names_stay_in_their_cells() -> None:
    text = shown(view_of(PEOPLE))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not set("\x1b\u202e\u0007") & set("".join(describe_row(PEOPLE, FakeServer().lists["users"]["users"][1])))
    assert HOSTILE not in text


def test_no_cards_are_shown_and_chat_only_in_reports() -> None:
    for pane in PANES:
        rows = FakeServer().lists[pane.command][pane.rows]
        details = "\n".join(describe_row(pane, rows[0]))
        assert ("Zounds!" in details) == (pane is REPORTS)
