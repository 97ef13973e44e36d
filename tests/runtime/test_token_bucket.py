"""Token buckets, and places by key."""

import pytest

from scoville_runtime import token_bucket
from scoville_runtime.places import Places
from scoville_runtime.token_bucket import BucketsByKey, TokenBucket


def test_bucket_refills_up_to_its_size() -> None:
    bucket = TokenBucket(10, 2, now=0.0)
    assert bucket.take_if_enough(10, 0.0)
    assert not bucket.take_if_enough(1, 0.0)
    assert bucket.count_tokens(3.0) == 6
    assert bucket.count_tokens(100.0) == 10


def test_bucket_in_debt_says_how_long_until_it_is_paid() -> None:
    bucket = TokenBucket(1, 0.5, now=0.0)
    bucket.take_tokens(3, 0.0)
    assert bucket.seconds_in_debt(0.0) == 4
    assert not bucket.take_if_enough(0, 3.0)
    assert bucket.seconds_in_debt(5.0) == 0


def test_clock_that_steps_back_refills_nothing_twice() -> None:
    bucket = TokenBucket(10, 1, now=10.0)
    bucket.take_tokens(10, 10.0)
    assert bucket.count_tokens(5.0) == 0
    assert bucket.count_tokens(11.0) == 1


def test_each_key_has_a_bucket_of_its_own() -> None:
    buckets = BucketsByKey(1, 1)
    assert buckets.find_bucket("anna", 0.0).take_if_enough(1, 0.0)
    assert not buckets.find_bucket("anna", 0.0).take_if_enough(1, 0.0)
    assert buckets.find_bucket("ben", 0.0).take_if_enough(1, 0.0)


def test_only_full_buckets_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_bucket, "_MOST_KEYS", 2)
    buckets = BucketsByKey(1, 1)
    used, full = buckets.find_bucket("anna", 0.0), buckets.find_bucket("ben", 0.0)
    used.take_tokens(1, 0.0)
    buckets.find_bucket("cleo", 0.0)
    assert buckets.find_bucket("anna", 0.0) is used
    assert buckets.find_bucket("ben", 0.0) is not full


def test_places_are_bounded_in_total_and_by_key() -> None:
    places = Places(3, 2)
    assert [places.take_place(key) for key in ("a", "a", "a", "b", "c")] == [True, True, False, True, False]
    places.give_back("a")
    assert places.has_room("c")
    assert places.total == 2
