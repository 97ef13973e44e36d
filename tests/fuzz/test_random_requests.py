"""Params of every method can be drawn from their types."""

import pytest

from scoville_shared.protocol.messages import METHODS
from tests.fuzz.random_requests import params_of


@pytest.mark.parametrize("method", METHODS)
def test_params_of_every_method_can_be_drawn(method: str) -> None:
    params_of(method, {}).validate()
