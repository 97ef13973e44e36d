"""Textual's parser turns bytes into messages, and lets go of what never ends."""

import inspect

import pytest
import textual._parser
from textual.events import Key

from scoville_client.tui.textual_hooks.parser import InputParser


def keys(messages: object) -> list[str]:
    return [message.key for message in messages if isinstance(message, Key)]  # type: ignore[attr-defined]


def test_bytes_become_keys_also_in_halves() -> None:
    parser = InputParser()
    assert keys(parser.feed("é".encode()[:1])) == []
    assert keys(parser.feed("é".encode()[1:] + b"\x1b[A")) == ["é", "up"]
    assert parser.unparsed == 0


def test_a_lone_escape_needs_a_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = InputParser()
    assert keys(parser.feed(b"\x1b")) == keys(parser.tick()) == []
    monkeypatch.setattr(textual._parser, "get_time", lambda: float("inf"))
    assert keys(parser.tick()) == ["escape"]


def test_a_sequence_without_an_end_is_counted_and_dropped() -> None:
    parser = InputParser()
    assert keys(parser.feed(b"\x1b[200~" + b"x" * 100)) == []
    assert parser.unparsed == 106
    parser.restart()
    assert keys(parser.feed(b"y")) == ["y"]


def test_a_closed_parser_ends_its_generator() -> None:
    parser = InputParser()
    assert keys(parser.feed(b"\x1b[200~never ends")) == []
    parser.close()
    assert inspect.getgeneratorstate(parser._parser._gen) == inspect.GEN_CLOSED
