"""Access to the coach: the tables that allow it, and each user's quota of questions, for it keeps processes busy."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from scoville_client.i18n.language import tr
from scoville_client.session.table.table import AtTable
from scoville_shared.errors import ScovilleError

QUESTIONS: Final = 20
SECONDS: Final = 60.0
"""A user's quota: so many questions in so many seconds. A question takes at most half a second of CPU."""


def allows_coach(at: AtTable, *, multiplayer: bool) -> bool:
    """Whether the coach may be asked at a table: in practice, and where the table's settings allow it."""
    return at.has_coach and (not multiplayer or at.info.settings.coach)


class CoachQuota:
    """Counts questions against a user's quota; `now` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._asked: deque[float] = deque(maxlen=QUESTIONS)

    def count_question(self) -> None:
        """Count a question. Raises ScovilleError if the quota is used up."""
        now = self._now()
        if len(self._asked) == QUESTIONS and now - self._asked[0] < SECONDS:
            wait = round(SECONDS - (now - self._asked[0])) + 1
            raise ScovilleError("coach_rests", tr("The coach rests: ask again in {seconds} s.", seconds=wait))
        self._asked.append(now)

    @contextmanager
    def ask_question(self) -> Iterator[None]:
        """Count a question, but not one that turns out to have no answer. Raises ScovilleError as `count_question`."""
        self.count_question()
        asked = self._asked[-1]
        try:
            yield
        except (ScovilleError, ValueError):
            self._asked.remove(asked)
            raise
