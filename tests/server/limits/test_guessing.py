"""Penalties for wrong guesses slow down guessers, and nobody else."""

from scoville_server.limits.guessing import Guarded, Guesses
from scoville_server.limits.throttle import PenaltyThrottle, Source, Throttle


class Slow(Exception):
    """The refusal of a guess for now."""


class World:
    """One address behind a router, with simulated time."""

    def __init__(self, allowed: int = 30, own: int = 5, target: int = 60, *, shared: bool = False) -> None:
        self.now = 0.0
        self.arrivals = 0
        self.guesses = Guesses(PenaltyThrottle(own, 600), lambda: self.now)
        self.address = Guarded(allowed, self.penalty, lambda: self.arrivals)
        self.target = Guarded(target, self.penalty, lambda: self.arrivals, shares=self.lasting if shared else None)

    def penalty(self, allowed: int) -> Throttle:
        return PenaltyThrottle(allowed, 600)

    def lasting(self, allowed: int) -> Throttle:
        return PenaltyThrottle(allowed, 600, lasting=True)

    def guest(self, network: str = "192.0.2.1", standing: int = 0) -> Source:
        """Return a new guest."""
        self.arrivals += 1
        return Source(f"user {self.arrivals}", [network], standing, self.arrivals)

    def guess(self, source: Source, *, right: bool = False, address: str = "192.0.2.1", target: str = "") -> bool:
        """Guess; returns whether the guess was checked."""
        guarded = [(self.address, address), *[(self.target, target)] * bool(target)]
        try:
            with self.guesses.check_guess(source, guarded, lambda _: Slow()) as attempt:
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


def test_known_guests_gain_few_guesses() -> None:
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


def test_a_known_user_logs_in_beside_a_guessing_neighbour() -> None:
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


def test_every_user_who_guesses_wrong_often_waits() -> None:
    world = World()
    owner = world.guest(standing=2)
    assert [world.guess(owner) for _ in range(10)] == [True] * 5 + [False] * 5
    assert not world.guess(owner, right=True)


def test_guesses_that_are_being_checked_count_as_wrong() -> None:
    world = World(allowed=3)
    attempts = [
        world.guesses.check_guess(world.guest(), [(world.address, "192.0.2.1")], lambda _: Slow()) for _ in range(20)
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


def test_distributed_guesses_are_slow_and_spare_known_users() -> None:
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


def test_known_guests_of_an_address_leave_the_target_to_others() -> None:
    world = World(shared=True)
    sleepers = [world.guest() for _ in range(100)]
    looked_at = sum(world.guess(sleeper, target="table") for sleeper in sleepers for _ in range(10))
    assert looked_at <= 30 + 60
    friend, late = world.guest("198.51.100.7"), world.guest("198.51.100.8")
    assert world.guess(friend, address="198.51.100.7", target="table")
    for guest in (friend, late):
        assert world.guess(guest, right=True, address=guest.networks[0], target="table")


def test_two_addresses_leave_a_target_to_the_third() -> None:
    world = World(shared=True)
    for network in ("192.0.2.1", "198.51.100.1"):
        for sleeper in [world.guest(network) for _ in range(100)]:
            world.guess(sleeper, address=network, target="table")
    late = world.guest("203.0.113.1")
    assert world.guess(late, right=True, address="203.0.113.1", target="table")


def test_an_address_with_its_share_guesses_more_slowly() -> None:
    world = World(allowed=0, shared=True)
    looked_at = 0
    for _ in range(10_000):
        looked_at += world.guess(world.guest(), target="table")
        world.now += 0.1
    assert looked_at <= 45 + 10 + 1
    assert world.guess(world.guest("203.0.113.1"), right=True, address="203.0.113.1", target="table")


def test_unlimited_targets_make_no_network_wait() -> None:
    world = World(allowed=0, target=0, shared=True)
    begun = [world.guesses.check_guess(world.guest(), [(world.target, "table")], lambda _: Slow()) for _ in range(10)]
    for attempt in begun:
        attempt.__enter__().failed = True
    for attempt in begun:
        attempt.__exit__(None, None, None)
    assert world.guess(world.guest(), target="table")


def test_checked_guesses_leave_the_target_to_the_next() -> None:
    world = World(allowed=0, shared=True)
    begun = []
    for _ in range(100):
        attempt = world.guesses.check_guess(world.guest(), [(world.target, "table")], lambda _: Slow())
        try:
            attempt.__enter__()
            begun.append(attempt)
        except Slow:
            continue
    assert len(begun) == 45
    assert world.guess(world.guest("203.0.113.1"), right=True, address="203.0.113.1", target="table")
    for attempt in begun:
        attempt.__exit__(None, None, None)
    assert world.target._pools[0]._pending_of == {}
