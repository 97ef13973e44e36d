"""One verb names an action in every layer: method, request, command, record and event."""

import re
from typing import get_args

import pytest

from scoville_server.tables.state_machine import ACTIONS, RECORD_TYPES
from scoville_shared.protocol.messages import METHODS, AnyTableEvent, UnknownEvent
from tests.support.tree import ROOT

PAGE = (ROOT / "docs/protocol/actions.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip(" `") for cell in row.strip("|").split("|")] for row in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)[2:]
]
EVENTS = {event.__struct_config__.tag: event for event in get_args(AnyTableEvent) if event is not UnknownEvent}
RECORDS = {record.__struct_config__.tag: record for record in RECORD_TYPES}
COMMANDS = {command.__name__ for action in ACTIONS for command in action.deciders}


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize("method", METHODS)
def test_a_request_is_named_by_the_verb_of_its_method(method: str) -> None:
    verb = method.rpartition(".")[2]
    name = METHODS[method].params.__name__
    assert name.endswith("Request")
    assert f"_{verb}_" in f"_{snake(name)}_"


@pytest.mark.parametrize("tag", EVENTS)
def test_an_event_is_named_as_it_is_sent(tag: str) -> None:
    assert snake(EVENTS[tag].__name__) == tag


@pytest.mark.parametrize("tag", RECORDS)
def test_a_record_is_named_as_it_is_kept(tag: str) -> None:
    assert snake(RECORDS[tag].__name__) == tag


def test_an_event_has_the_name_of_its_record() -> None:
    assert set(EVENTS) - set(RECORDS) == {"finished"}


@pytest.mark.parametrize("row", ROWS, ids=[row[1] for row in ROWS])
def test_the_page_names_what_there_is(row: list[str]) -> None:
    _, method, request, command, record, event = row
    assert METHODS[method].params.__name__ == request
    assert not command or command in COMMANDS
    assert snake(record) in RECORDS
    assert not event or event == snake(record)
    assert not event or event in EVENTS


def test_the_page_has_every_event_that_a_method_causes() -> None:
    named = {row[5] for row in ROWS}
    by_the_server = {
        "countdown_started",
        "countdown_cancelled",
        "nonces_requested",
        "start_voided",
        "warned",
        "vote_ended",
        "finished",
    }
    assert set(EVENTS) - named == by_the_server
