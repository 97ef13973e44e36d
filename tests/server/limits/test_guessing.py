"""Guessing: slow for everybody who guesses, whoever they say they are, and no wait for those who do not."""

from scoville_server.limits.guessing import Guarded, Guesses
from scoville_server.limits.throttle import BackOff, Source, Throttle


class Slow(Exception):
    """Somebody has to wait."""


class World:
    """One address behind a router, and time that the test makes."""

    def __init__(self, allowed: int = 30, own: int = 5) -> None:
        self.now = 0.0
        self.arrivals = 0
        self.guesses = Guesses(BackOff(own, 600), lambda: self.now)
        self.address = Guarded(allowed, self.penalty, lambda: self.arrivals)
        self.target = Guarded(60, self.penalty, lambda: self.arrivals)

    def penalty(self, allowed: int) -> Throttle:
        return BackOff(allowed, 600)

    def guest(self, standing: int = 0) -> Source:
        """Somebody who comes for the first time."""
        self.arrivals += 1
        return Source(f"user {self.arrivals}", ["192.0.2.1"], standing, self.arrivals)

    def guess(self, source: Source, *, right: bool = False, address: str = "192.0.2.1", target: str = "") -> bool:
        """Guess; tells whether the guess was looked at."""
        guarded = [(self.address, address), *[(self.target, target)] * bool(target)]
        try:
            with self.guesses.attempt(source, guarded, lambda _: Slow()) as attempt:
                attempt.failed = not right
        except Slow:
            return False
        return True


def test_right_answers_never_count() -> None:
    world = World()
    anna = world.guest()
    assert all(world.guess(anna, right=True) for _ in range(1_000))
    assert all(world.guess(world.guest(), right=True) for _ in range(1_000))


def test_fresh_guests_gain_nothing() -> None:
    world = World()
    looked_at = 0
    for _ in range(10_000):
        looked_at += world.guess(world.guest())
        world.now += 0.01
    assert looked_at <= 30 + 8


def test_guests_who_were_there_before_gain_little_however_many_there_are() -> None:
    world = World()
    sleepers = [world.guest() for _ in range(10_000)]
    looked_at = 0
    for sleeper in sleepers:
        looked_at += world.guess(sleeper)
        world.now += 0.01
    assert looked_at <= 30 + 60 + 16


def test_owners_gain_little_however_many_names_they_claim() -> None:
    world = World()
    looked_at = sum(world.guess(owner) for owner in [world.guest(standing=2) for _ in range(10_000)])
    assert looked_at <= 120 + 60


def test_a_day_of_guessing_gets_nowhere() -> None:
    world = World()
    looked_at = 0
    for _ in range(24 * 60 * 12):
        looked_at += world.guess(world.guest())
        world.now += 5
    assert looked_at <= 60 + 24 * 6


def test_a_user_who_was_there_before_comes_in_with_the_right_answer_while_a_neighbour_guesses() -> None:
    world = World()
    anna, owner = world.guest(), world.guest(standing=2)
    for _ in range(200):
        world.guess(world.guest())
    assert not world.guess(world.guest(), right=True)
    assert world.guess(anna, right=True)
    assert world.guess(owner, right=True)


def test_even_where_the_neighbour_came_with_many_guests_beforehand() -> None:
    world = World()
    anna = world.guest()
    for sleeper in [world.guest() for _ in range(12)]:
        for _ in range(10):
            world.guess(sleeper)
    assert world.guess(anna, right=True)


def test_whoever_is_wrong_often_waits_whoever_they_are() -> None:
    world = World()
    owner = world.guest(standing=2)
    assert [world.guess(owner) for _ in range(10)] == [True] * 5 + [False] * 5
    assert not world.guess(owner, right=True)


def test_guesses_that_are_being_checked_count_as_wrong() -> None:
    world = World(allowed=3)
    attempts = [
        world.guesses.attempt(world.guest(), [(world.address, "192.0.2.1")], lambda _: Slow()) for _ in range(20)
    ]
    begun = []
    for attempt in attempts:
        try:
            attempt.__enter__()
            begun.append(attempt)
        except Slow:
            continue
    assert len(begun) == 3
    for attempt in begun:
        attempt.__exit__(None, None, None)
    assert world.guess(world.guest(), right=True)


def test_many_addresses_guess_at_one_target_no_faster_and_shut_out_nobody_who_was_there() -> None:
    world = World()
    anna = world.guest()
    looked_at = 0
    for number in range(5_000):
        looked_at += world.guess(world.guest(), address=f"198.51.100.{number}", target="table")
        world.now += 0.01
    assert looked_at <= 60 + 8
    assert world.guess(anna, right=True, target="table")
    assert world.guess(world.guest(), right=True, target="another table")


def test_once_it_is_quiet_everything_is_forgotten() -> None:
    world = World()
    for _ in range(200):
        world.guess(world.guest())
    world.now += 2 * 600 + 1
    late = world.guest()
    assert world.guess(late, right=True)
    assert world.address._began == {}
