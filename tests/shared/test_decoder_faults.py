"""Faults of data from outside are told in our own words, whatever the decoder says."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from scoville_shared.decoders import OwnFault, describe_fault
from scoville_shared.engine.codec import CodecError
from scoville_shared.games import registry
from scoville_shared.protocol.decoding import read_params
from scoville_shared.protocol.messages import METHODS

THEIRS = re.compile(r"Expected|Object (missing|contains)|`|\$|malformed|truncated|msgspec|NoneType|codec can't")


class Everything(Struct, forbid_unknown_fields=True):
    """One field of each kind."""

    number: Annotated[int, Meta(ge=1, le=9)] = 1
    text: Annotated[str, Meta(min_length=1, max_length=3, pattern="^a")] = "a"
    items: Annotated[list[int], Meta(min_length=1, max_length=2)] = []
    choice: Literal["a", "b"] = "a"
    part: "Everything | None" = None
    share: Annotated[float, Meta(gt=0, lt=1)] = 0.5
    counts: dict[str, int] = {}


@pytest.mark.parametrize(
    ("data", "sentence", "field"),
    [
        ({"number": 0}, "number must be at least 1", "number"),
        ({"number": 10}, "number must be at most 9", "number"),
        ({"number": "1"}, "number must be a whole number, not text", "number"),
        ({"text": "abcd"}, "text must have at most 3 characters", "text"),
        ({"text": ""}, "text must have at least 1 characters", "text"),
        ({"items": []}, "items must have at least 1 items", "items"),
        ({"items": [1, 2, 3]}, "items must have at most 2 items", "items"),
        ({"items": [1, "2"]}, "items[1] must be a whole number, not text", "items[1]"),
        ({"choice": "c"}, "choice cannot be 'c'", "choice"),
        ({"part": {"number": True}}, "part.number must be a whole number, not true or false", "part.number"),
        ({"part": {"nummer": 1}}, "there is no part.nummer", "part.nummer"),
        ({"share": -1.5}, "share must be more than 0.0", "share"),
        ({"share": 1.5}, "share must be less than 1.0", "share"),
        ({"counts": {1: 1}}, "a key of counts must be text, not a whole number", "counts"),
        ({"part": {"counts": {None: 1}}}, "a key of part.counts must be text, not nil", "part.counts"),
    ],
)
def test_a_fault_names_its_field_and_what_would_be_right(data: Any, sentence: str, field: str) -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert(data, Everything)
    found = describe_fault(error.value)
    assert (found.sentence, found.field) == (sentence, field)
    assert found.is_unknown == sentence.startswith("there is no")


def test_faults_without_a_place_are_told_as_well() -> None:
    assert describe_fault(RecursionError()).sentence == "it is nested too deeply"
    assert describe_fault(OwnFault("the params are too large")).sentence == "the params are too large"
    assert describe_fault(ValueError("some new words of a later decoder")).sentence == "it cannot be read"


def sentence_about(read: Callable[[], object]) -> str:
    """Return what users are told of data that cannot be read, without a value that is quoted; empty if it can."""
    try:
        read()
    except CodecError as error:
        said = str(error)
    except (ValueError, RecursionError) as error:
        said = describe_fault(error).sentence
    else:
        return ""
    return said.partition("cannot be ")[0]


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9) | st.integers(0, 9), inner, max_size=3)


NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats()
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=9) | st.binary(max_size=9), nested, max_leaves=6
)


@given(st.sampled_from(sorted(METHODS)), st.lists(VALUES, max_size=4) | VALUES)
def test_no_sentence_of_the_decoder_is_left_for_any_params(method: str, params: Any) -> None:
    if isinstance(params, list):
        names = [*(field.encode_name for field in msgspec.structs.fields(METHODS[method].params)), "other"]
        params = dict(zip(names, params, strict=False))
    said = sentence_about(lambda: read_params(method)(msgspec.Raw(msgspec.msgpack.encode([params]))))
    assert not THEIRS.search(said)


@given(st.binary(max_size=40))
def test_no_sentence_of_the_decoder_is_left_for_any_bytes(data: bytes) -> None:
    assert not THEIRS.search(sentence_about(lambda: read_params("table.create")(msgspec.Raw(data))))


@given(
    st.sampled_from(sorted(registry.list_slugs())), st.dictionaries(st.sampled_from(["card", "pass", "score"]), VALUES)
)
def test_no_sentence_of_the_decoder_is_left_for_any_move(slug: str, move: dict[str, Any]) -> None:
    assert not THEIRS.search(sentence_about(lambda: registry.load_game(slug).codec.decode_move(move)))
