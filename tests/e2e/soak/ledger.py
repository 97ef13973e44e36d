"""Statistics of a soak test: requests, response times, refusals."""

from collections import Counter, defaultdict
from collections.abc import Sequence

TIMELY = {"stale_move", "already_started", "not_started", "not_finished", "paused", "seat_taken", "table_full"}
"""Somebody else, a bot or the clock was quicker."""

ELSEWHERE = {
    "not_seated",
    "not_host",
    "no_host",
    "vote_needed",
    "unknown_table",
    "unknown_code",
    "unknown_user",
    "kicked",
    "bad_seats",
}
"""The table is gone, or a place at it: a bot sits there by now."""

MANNERS = {"no_spectators", "wrong_password", "slow_down", "too_many", "seated", "name_claimed", "muted"}
"""What tables and the house do not want."""

EXPECTED = TIMELY | ELSEWHERE | MANNERS

EXPECTED_OF = {
    "table.pause": {"game_over"},
    "table.vote": {"game_over", "not_started", "too_few_voters", "vote_running", "no_vote", "already_voted"},
}
"""Codes that only some requests may get: a pause meets a game whose last move was made meanwhile."""

SLOW_ON_PURPOSE = {"account.claim_name", "account.login"}
"""They hash a password, which is meant to cost time."""


class Ledger:
    """Counts replies, refusals and `moves`.

    While `times_count` is false, everybody asks as fast as can be, and no time is taken.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.refused: Counter[tuple[str, str]] = Counter()
        self.done: Counter[str] = Counter()
        self.moves = 0
        self.faults: list[str] = []
        self.times_count = True

    def answered(self, method: str, seconds: float) -> None:
        """Note the time of a reply."""
        if self.times_count:
            self.seconds[method].append(seconds)

    def refuse(self, method: str, code: str, message: str) -> None:
        """Note a refusal; one that nobody should get is a fault."""
        self.refused[method, code] += 1
        if code not in EXPECTED | EXPECTED_OF.get(method, set()):
            self.faults.append(f"{method}: {code}: {message}")

    @property
    def answers(self) -> int:
        """The number of replies."""
        return sum(map(len, self.seconds.values()))

    def percentile(self, share: float) -> float:
        """The quantile of response times in seconds, without requests that hash a password."""
        times = [times for method, times in self.seconds.items() if method not in SLOW_ON_PURPOSE]
        return _find_percentile([second for some in times for second in some], share)

    def slowest(self, number: int) -> list[str]:
        """The methods that took longest, in words."""
        worst = sorted(self.seconds, key=lambda method: -_find_percentile(self.seconds[method], 0.99))
        return [f"{m} p99 {_find_percentile(self.seconds[m], 0.99) * 1000:.1f} ms" for m in worst[:number]]


def _find_percentile(seconds: Sequence[float], share: float) -> float:
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
