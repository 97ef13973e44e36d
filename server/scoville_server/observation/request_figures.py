"""Figures of requests: how long each class of them takes from reading it to its answer."""

from collections.abc import Callable, Mapping
from typing import Final

from scoville_runtime.figures import Durations
from scoville_shared.protocol.messages import METHOD_OF, Params, PollRequest

CLASSES: Final = ("hello", "log_in", "move", "table", "chat", "other")
"""Classes of requests that wait for different things: nothing, a password's hash, a commit and all who watch."""
_LOG_INS: Final = frozenset(
    {"account.login", "account.login_by_key", "account.login_by_web_code", "account.claim_name", "account.recover"}
)


def _classify_method(method: str) -> str:
    if method in _LOG_INS:
        return "log_in"
    if method == "table.play":
        return "move"
    feature = method.partition(".")[0]
    return feature if feature in CLASSES else "other"


class RequestFigures:
    """Times the requests that were answered without an error. `now` returns monotonic seconds.

    Attributes:
        durations: Seconds by class. When a move is answered, the notices for the others at its table are on their way.
            Requests that wait for an event are left out.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.durations: Mapping[str, Durations] = {name: Durations() for name in CLASSES}
        self._of: dict[type[Params], Durations] = {
            params: self.durations[_classify_method(method)]
            for params, method in METHOD_OF.items()
            if params is not PollRequest
        }

    def note_answer(self, params: type[Params], began: float) -> None:
        """Count a request that was read at `began` and is answered now."""
        durations = self._of.get(params)
        if durations is not None:
            now = self._now()
            durations.add_duration(now - began, now)
