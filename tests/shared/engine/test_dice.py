"""Randomness compared with the test vectors of docs/fairness.md, computed independently."""

import hashlib
import hmac
import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_shared.engine.dice import DealTerms, Dice, commit_to, nonce_hash, table_key

VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))
each_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["label"])


def plain_key(vector):
    nonces = [bytes.fromhex(nonce) for nonce in vector["nonces"]]
    message = b"scoville/1" + b"\0" + vector["table"].encode() + b"\0"
    for nonce in nonces:
        message += bytes([len(nonce)]) + nonce
    return hmac.new(bytes.fromhex(vector["server_seed"]), message, hashlib.sha256).digest()


def plain_terms(vector):
    terms = {name: vector[name] for name in ("table", "game", "rules_version", "options", "dealer")}
    return terms | {"seats": len(vector["nonces"])}


def plain_commitment(vector):
    terms = json.dumps(plain_terms(vector), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    return hashlib.sha256(b"scoville/commitment/1\0" + bytes.fromhex(vector["server_seed"]) + terms).hexdigest()


def plain_words(key, label):
    block = 0
    while True:
        digest = hmac.new(key, label.encode() + b"\0" + block.to_bytes(8, "big"), hashlib.sha256).digest()
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def plain_below(words, bound):
    return next(word % bound for word in words if word < bound * (2**32 // bound))


def plain_shuffled(words, cards):
    cards = list(cards)
    for last in range(len(cards) - 1, 0, -1):
        other = plain_below(words, last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


@each_vector
def test_the_vectors_follow_from_plain_hmac_and_hashlib(vector):
    key = plain_key(vector)
    assert key.hex() == vector["key"]
    assert plain_commitment(vector) == vector["commitment"]
    assert list(islice(plain_words(key, vector["label"]), 4)) == vector["words"]
    words = plain_words(key, vector["label"])
    assert [plain_below(words, 12) for _ in vector["below_12"]] == vector["below_12"]
    assert plain_shuffled(plain_words(key, vector["label"]), vector["cards"]) == vector["shuffled"]


@each_vector
def test_nonce_hashes_follow_from_plain_hashlib(vector):
    for nonce, hashed in zip(vector["nonces"], vector["nonce_hashes"], strict=True):
        if nonce:
            plain = b"scoville/nonce/1\0" + vector["table"].encode() + b"\0" + bytes.fromhex(nonce)
            assert (
                hashlib.sha256(plain).hexdigest() == hashed == nonce_hash(vector["table"], bytes.fromhex(nonce)).hex()
            )
        else:
            assert hashed is None


@each_vector
def test_the_kit_agrees_with_the_vectors(vector):
    seed = bytes.fromhex(vector["server_seed"])
    key = table_key(seed, vector["table"], [bytes.fromhex(nonce) for nonce in vector["nonces"]])
    assert key.hex() == vector["key"]
    assert commit_to(seed, DealTerms(**plain_terms(vector))).hex() == vector["commitment"]
    stream = Dice(key).open_stream(vector["label"])
    assert [stream.draw_below(12) for _ in vector["below_12"]] == vector["below_12"]
    assert Dice(key).open_stream(vector["label"]).shuffle_cards(vector["cards"]) == vector["shuffled"]


def test_a_long_nonce_is_refused_by_seat():
    with pytest.raises(ValueError, match="nonce of seat 1 has 33 bytes"):
        table_key(bytes(32), "t", [b"", bytes(33)])


def test_the_commitment_binds_the_seed_and_every_term():
    terms = DealTerms(table="t", game="g", rules_version=1, options={"a": 1, "b": [1, None]}, seats=3, dealer=None)
    changes = [
        {"table": "u"}, {"game": "h"}, {"rules_version": 2}, {"options": {"a": 1, "b": [1]}}, {"options": {}},
        {"options": {"a": True, "b": [1, None]}}, {"seats": 4}, {"dealer": 0}, {"dealer": 1},
    ]  # fmt: skip
    seeds = [bytes(31) + b"\1", b"\1" + bytes(31)]
    hashes = {commit_to(seed, terms) for seed in (bytes(32), *seeds)}
    hashes |= {commit_to(bytes(32), replace(terms, **change)) for change in changes}
    assert len(hashes) == 1 + len(seeds) + len(changes)


def test_the_order_of_options_does_not_matter():
    one = DealTerms(table="t", game="g", rules_version=1, options={"a": {"x": 1, "y": 2}, "b": 2}, seats=3, dealer=None)
    other = replace(one, options={"b": 2, "a": {"y": 2, "x": 1}})
    assert commit_to(bytes(32), one) == commit_to(bytes(32), other)


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_a_seed_of_another_length_is_refused(seed):
    terms = DealTerms(table="t", game="g", rules_version=1, options={}, seats=3, dealer=None)
    with pytest.raises(ValueError, match="a server's seed has 32 bytes"):
        commit_to(seed, terms)


def test_every_input_changes_the_key():
    keys = {
        table_key(bytes(32), "t", [b"", b""]),
        table_key(bytes(31) + b"\1", "t", [b"", b""]),
        table_key(bytes(32), "u", [b"", b""]),
        table_key(bytes(32), "t", [b"\0", b""]),
        table_key(bytes(32), "t", [b"", b"\0"]),
        table_key(bytes(32), "t", [b""]),
    }
    assert len(keys) == 6


def test_the_order_in_which_streams_are_read_does_not_matter():
    dice = Dice(b"k" * 32)
    deck, starter = dice.open_stream("deck"), dice.open_stream("starter")
    mixed = [(deck.draw_below(6), starter.draw_below(6)) for _ in range(20)]
    again = dice.open_stream("starter")
    assert [start for _, start in mixed] == [again.draw_below(6) for _ in range(20)]


def test_words_above_the_fair_bound_are_passed_over():
    bound = 2**31 + 1
    words = plain_words(b"k" * 32, "fair")
    fair = [word for word in islice(words, 40) if word < bound]
    stream = Dice(b"k" * 32).open_stream("fair")
    assert [stream.draw_below(bound) for _ in fair] == fair
    assert len(fair) < 40


def test_a_shuffle_leaves_its_cards_alone_and_spreads_them_evenly():
    cards = (1, 2, 3)
    stream = Dice(b"k" * 32).open_stream("even")
    orders = Counter(tuple(stream.shuffle_cards(cards)) for _ in range(6000))
    assert cards == (1, 2, 3)
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


def test_a_shuffle_skips_only_unfair_words():
    stream = Dice(b"k" * 32).open_stream("rare")
    highest = 2**32 - 1
    stream._words = iter([highest, 0, highest])  # unfair among three cards, fair among two
    assert stream.shuffle_cards("abc") == ["c", "b", "a"]
    assert next(stream._words, None) is None


def test_nothing_and_one_card_need_no_chance():
    stream = Dice(b"k" * 32).open_stream("none")
    assert stream.shuffle_cards([]) == []
    assert stream.shuffle_cards(["7"]) == ["7"]
    assert stream.draw_below(1) == 0


@pytest.mark.parametrize("bound", [0, -1, 2**32 + 1, 2**63])
def test_a_bound_that_no_word_fits_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="below 1 to 2"):
        Dice(bytes(32)).open_stream("x").draw_below(bound)
    assert 0 <= Dice(bytes(32)).open_stream("x").draw_below(2**32) < 2**32
