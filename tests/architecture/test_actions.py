"""One verb names an action in every layer: method, request, command, record and event."""

import re
from typing import get_args

import pytest

from scoville_server.tables.state_machine import ACTIONS, RECORD_TYPES, REQUESTS
from scoville_shared.protocol.messages import METHODS, AnyTableEvent, OfTable, UnknownEvent

EVENTS = {event.__struct_config__.tag: event for event in get_args(AnyTableEvent) if event is not UnknownEvent}
RECORDS = {record.__struct_config__.tag: record for record in RECORD_TYPES}
COMMANDS = {command.__name__ for action in ACTIONS.values() for command in action.deciders}


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


@pytest.mark.parametrize("request_type", REQUESTS, ids=lambda kind: kind.__name__)
def test_a_request_becomes_the_command_of_its_name(request_type: type[OfTable]) -> None:
    assert request_type.__name__.removesuffix("Request") in COMMANDS


def test_every_event_is_caused_by_an_action() -> None:
    caused = {record.__struct_config__.tag for action in ACTIONS.values() for record in action.evolvers}
    assert set(EVENTS) - caused == {"finished"}
