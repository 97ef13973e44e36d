"""The client checks a finished game against everything that it received, and says so only when all of it fits."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
from msgspec.structs import replace

from scoville_client.i18n.own_words import FULL
from scoville_client.session.table.deal_check import (
    BAD_MOVE,
    CHANGED,
    NO_NONCE,
    OTHER_GAME,
    OTHER_NONCES,
    OTHER_RESULT,
    OTHER_SEED,
    PARTLY,
    REWOUND,
    UNREADABLE,
    UNSIGNED,
    WITHOUT_NONCE,
    _check_events,
    _Contradiction,
    check_deal,
)
from scoville_client.session.table.deal_record import DealStanding, digest_view
from scoville_client.session.table.table import AtTable
from scoville_shared.engine.dice import DealTerms, commit_to
from scoville_shared.protocol.messages import Finished, Left, Played, Started
from scoville_shared.replay import read_game
from tests.support.recording_session import GAMES, play_game


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.mark.parametrize("game", GAMES)
async def test_an_honest_game_seen_live_is_verified(stack: AsyncExitStack, game: str) -> None:
    at, lines = await play_game(stack, game)
    assert at.deal.verdict == check_deal(at, lines) == (DealStanding.VERIFIED, FULL, ())
    assert sum(isinstance(seen.event, Played) and seen.view is not None for seen in at.deal.events) == len(lines) - 3


async def test_a_player_whom_a_bot_replaces_is_a_spectator(stack: AsyncExitStack) -> None:
    at, _ = await play_game(stack, "dicht_dran")
    own = at.seat
    assert own is not None
    at.apply_event(Left(seq=at.seq + 1, seat=own, name="Anna", host=None, reason="stalled"), None)
    assert at.seat is None, "the server sends a spectator's Views from this event on"
    assert at.deal.events[-1].seat is None
    assert not at.my_turn


async def test_without_a_nonce_the_verdict_says_whose_the_randomness_was(stack: AsyncExitStack) -> None:
    at, _ = await play_game(stack, "no_thanks", nonces=False)
    assert at.deal.verdict == (DealStanding.VERIFIED, NO_NONCE, ())


async def test_events_that_came_later_are_named(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    assert at.started is not None
    first = at.started.seq
    for number, seen in enumerate(at.deal.events):
        if first + 3 <= seen.event.seq < first + 6:
            at.deal.events[number] = seen._replace(view=None)
    verdict = check_deal(at, lines)
    assert verdict.fits
    assert verdict.phrase.text == PARTLY.text
    assert at.result is not None
    ranges = f"{first}–{first + 2}, {first + 6}–{at.result.seq}"
    assert verdict.phrase.fields["ranges"] == ranges


async def test_a_server_that_went_back_in_time_is_not_trusted(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    at.deal.rewound = 5
    assert check_deal(at, lines) == (DealStanding.OPEN, REWOUND.with_fields({"event": 5}), ())
    assert not check_deal(at, TAMPERED["seed"][0](lines)).fits, "the exported game is checked all the same"


async def test_only_a_shared_deal_may_end_without_its_seed(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    last = at.deal.events[-1]
    assert isinstance(last.event, Finished)
    at.deal.events[-1] = last._replace(event=replace(last.event, server_seed=""))
    assert check_deal(at, lines).phrase == OTHER_GAME.with_fields({"event": last.event.seq})
    exported = read_game(lines)
    _check_events(replace_info(at, deal="evening-1"), exported)  # raises nothing
    at.deal.events[-1] = last._replace(event=replace(last.event, server_seed="11" * 32))
    with pytest.raises(_Contradiction):
        _check_events(at, exported)


def replace_info(at: AtTable, **changes: str) -> AtTable:
    at.info = replace(at.info, **changes)
    return at


# --- a server that cheats -------------------------------------------------------------------------------


def header(lines: list[str], **changes: object) -> list[str]:
    return [json.dumps(json.loads(lines[0]) | changes), *lines[1:]]


def moves(lines: list[str], number: int, **changes: object) -> list[str]:
    return [*lines[:number], json.dumps(json.loads(lines[number]) | changes), *lines[number + 1 :]]


def ending(lines: list[str], **changes: object) -> list[str]:
    outcome = json.loads(lines[-2])["outcome"]
    return [*lines[:-2], json.dumps({"outcome": outcome | changes}), lines[-1]]


TAMPERED: dict[str, tuple[Callable[[list[str]], list[str]], str, str]] = {
    "no header": (lambda lines: lines[1:], UNREADABLE.text, ""),
    "seed": (lambda lines: header(lines, server_seed="11" * 32), OTHER_SEED.text, ""),
    "table": (lambda lines: header(lines, table="another"), CHANGED.text, "the table ID"),
    "game": (lambda lines: header(lines, game="chilli_chase"), CHANGED.text, "the game"),
    "rules": (lambda lines: header(lines, rules_version=2), CHANGED.text, "the version of the rules"),
    "options": (lambda lines: header(lines, options={"rounds": 2}), CHANGED.text, "the options"),
    "dealer": (lambda lines: header(lines, dealer=1), CHANGED.text, "the dealer"),
    "commitment": (lambda lines: header(lines, commitment="22" * 32), CHANGED.text, "the commitment"),
    "seats": (
        lambda lines: ending(
            header(lines, seats=[{"name": "A", "kind": "bot"}] * 4, nonces=[None] * 4, nonce_hashes=[None] * 4),
            scores=[0] * 4,
            places=[1] * 4,
        ),
        CHANGED.text,
        "the number of seats",
    ),
    "a hash": (lambda lines: header(lines, nonce_hashes=["33" * 32, "33" * 32, None]), OTHER_NONCES.text, ""),
    "a nonce": (lambda lines: header(lines, nonces=["44" * 32, "44" * 32, None]), OTHER_NONCES.text, ""),
    "no nonces": (lambda lines: header(lines, nonces=[None] * 3), "", ""),
    "a move": (lambda lines: moves(lines, 1, move={"action": "fly"}), BAD_MOVE.text, "1"),
    "a mover": (lambda lines: moves(lines, 1, mover="clock"), OTHER_GAME.text, ""),
    "a move less": (lambda lines: [*lines[:-3], *lines[-2:]], OTHER_GAME.text, ""),
    "scores": (lambda lines: ending(lines, scores=[0, 0, 0]), OTHER_RESULT.text, ""),
    "no outcome": (lambda lines: lines[:-2], OTHER_RESULT.text, ""),
    "a time": (lambda lines: moves(lines, 1, at_ms=2**40), UNSIGNED.text, ""),
    "no signature": (lambda lines: lines[:-1], UNSIGNED.text, ""),
}


def committed_again(lines: list[str]) -> list[str]:
    """Make a tampered header consistent, as a forging server would."""
    head = json.loads(lines[0])
    terms = DealTerms(
        table=head["table"],
        game=head["game"],
        rules_version=head["rules_version"],
        options=head["options"],
        seats=len(head["seats"]),
        dealer=head.get("dealer"),
    )
    return header(lines, commitment=commit_to(bytes.fromhex(head["server_seed"]), terms).hex())


@pytest.mark.parametrize("what", ["seed", "table", "game", "rules", "options", "dealer", "seats"])
async def test_an_export_that_was_committed_to_anew_is_found_out(stack: AsyncExitStack, what: str) -> None:
    at, lines = await play_game(stack, "no_thanks")
    verdict = check_deal(at, committed_again(TAMPERED[what][0](lines)))
    assert (verdict.fits, verdict.phrase.text) == (False, CHANGED.text)
    assert "the commitment" in verdict.phrase.render(at.names)
    assert TAMPERED[what][2] in verdict.phrase.render(at.names)


@pytest.mark.parametrize(("tamper", "text", "named"), TAMPERED.values(), ids=TAMPERED)
async def test_a_bad_export_is_found_with_the_reason(
    stack: AsyncExitStack, tamper: Callable[[list[str]], list[str]], text: str, named: str
) -> None:
    at, lines = await play_game(stack, "no_thanks")
    verdict = check_deal(at, tamper(lines))
    assert not verdict.fits
    assert text in ("", verdict.phrase.text)
    assert named in verdict.phrase.render(at.names)


def assert_changed(at: AtTable, lines: list[str]) -> None:
    verdict = check_deal(at, lines)
    assert (verdict.fits, verdict.phrase.text) == (False, CHANGED.text)


async def test_another_sound_game_is_not_the_one_that_was_seen(stack: AsyncExitStack) -> None:
    at, _ = await play_game(stack, "no_thanks")
    _, others = await play_game(stack, "no_thanks")
    assert_changed(at, others)


async def test_terms_other_than_the_pinned_ones_are_found_out(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    pledge = at.deal.pledge
    assert pledge is not None
    at.deal.pledge = replace(pledge, terms=replace(pledge.terms, table="the one that was listed"))
    assert_changed(at, lines)
    at.deal.pledge = replace(pledge, commitment="00" * 32)
    assert_changed(at, lines)


async def test_missing_and_replaced_nonces_are_found(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    pledge = at.deal.pledge
    assert pledge is not None
    at.deal.pledge = replace(pledge, nonce="00" * 32)
    assert check_deal(at, lines) == (DealStanding.BROKEN, WITHOUT_NONCE, ())
    at.deal.pledge = pledge
    hashes = json.loads(lines[0])["nonce_hashes"]
    changed = header(lines, nonce_hashes=[hashes[0], "00" * 32, None])
    assert check_deal(at, changed) == (DealStanding.BROKEN, OTHER_NONCES.with_fields({"seat": 1}), ())


@pytest.mark.parametrize("game", GAMES)
async def test_every_view_and_event_counts(stack: AsyncExitStack, game: str) -> None:
    at, lines = await play_game(stack, game)
    honest = list(at.deal.events)
    for number, seen in enumerate(honest):
        if seen.view is None:
            continue
        lies = [seen._replace(view=digest_view({"a": "lie"}))]
        match seen.event:
            case Played(facts=facts, pending=pending, move_counts=counts):
                lies += [
                    seen._replace(event=replace(seen.event, facts=[*facts, {"kind": "made_up"}])),
                    seen._replace(event=replace(seen.event, pending=[*pending, 0, 1, 2][:2] if pending else [0])),
                    seen._replace(event=replace(seen.event, move_counts=[count + 1 for count in counts])),
                    seen._replace(event=replace(seen.event, mover="clock")),
                    seen._replace(event=replace(seen.event, seat=(seen.event.seat + 1) % 3)),
                ]
            case Started(pending=pending):
                lies.append(seen._replace(event=replace(seen.event, pending=[] if pending else [0])))
            case Finished(scores=scores):
                lies.append(seen._replace(event=replace(seen.event, scores=[score + 1 for score in scores])))
        for lie in lies:
            if lie.event == seen.event and lie.view == seen.view:
                continue
            at.deal.events = [*honest[:number], lie, *honest[number + 1 :]]
            standing, phrase, _ = check_deal(at, lines)
            same_pending = isinstance(lie.event, Played) and set(lie.event.pending) == set(seen.event.pending)
            if same_pending and lie.event.pending != seen.event.pending and lie.view == seen.view:
                continue
            assert standing is DealStanding.BROKEN
            assert phrase.text == OTHER_GAME.text
            assert phrase.fields["event"] == seen.event.seq


async def test_a_move_that_was_never_announced_is_found_out(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    number = next(n for n, seen in enumerate(at.deal.events) if isinstance(seen.event, Played))
    del at.deal.events[number]
    assert not check_deal(at, lines).fits


async def test_unsigned_games_are_not_verified(stack: AsyncExitStack) -> None:
    at, lines = await play_game(stack, "no_thanks")
    keys = (json.loads(lines[0])["server_key"],)
    assert check_deal(at, lines, keys) == (DealStanding.VERIFIED, FULL, ())
    assert check_deal(at, lines, ("00" * 32,)) == (DealStanding.BROKEN, UNSIGNED, ())
    header = json.loads(lines[0])
    bare = {key: value for key, value in header.items() if key not in ("server_key", "commitment_signature")}
    assert check_deal(at, [json.dumps(bare), *lines[1:-1]], keys) == (DealStanding.BROKEN, UNSIGNED, ())
    assert check_deal(at, lines[:-1], keys) == (DealStanding.BROKEN, UNSIGNED, ())
    backdated = [lines[0].replace('"started":"2', '"started":"1'), *lines[1:]]
    assert check_deal(at, backdated, keys) == (DealStanding.BROKEN, UNSIGNED, ())
    at.info = replace(at.info, commitment_signature="00" * 64)
    assert check_deal(at, lines, keys) == (DealStanding.BROKEN, UNSIGNED, ())
