"""Snapshots show the cursor of a text field at all times."""

import pytest
from textual.widgets import Input


@pytest.fixture(autouse=True)
def steady_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the cursor from blinking: it does so in real time, and was gone on a busy machine."""
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _: None)
