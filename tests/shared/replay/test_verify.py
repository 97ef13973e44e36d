"""Verification: valid games pass, manipulated ones fail, and no input causes a crash."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scoville_shared.engine.dice import commit_to, nonce_hash
from scoville_shared.games import registry
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.ids import Seat
from scoville_shared.replay import BrokenFile, ExportedGame, FindingCode, read_game, verify_game, write_game
from tests.shared.replay.played import exported_game, games
from tests.support.exports import play_exported_game

SOUND = [FindingCode.COMMITMENT_HOLDS, FindingCode.NONCES_HOLD, FindingCode.MOVES_LEGAL, FindingCode.OUTCOME_HOLDS]
TRUE = exported_game()
LINES = write_game(TRUE.header, TRUE.moves, TRUE.outcome)


def codes(game: ExportedGame) -> list[FindingCode]:
    return [finding.code for finding in verify_game(game).findings]


def with_header(game: ExportedGame = TRUE, /, **changes) -> ExportedGame:
    return replace(game, header=replace(game.header, **changes))


def with_move(game: ExportedGame, at: int, **changes) -> ExportedGame:
    moves = list(game.moves)
    moves[at] = replace(moves[at], **changes)
    return replace(game, moves=moves)


def with_outcome(**changes) -> ExportedGame:
    return replace(TRUE, outcome=replace(TRUE.outcome, **changes))


def flipped(text: str, at: int) -> str:
    """Change one hex digit."""
    return text[:at] + format(int(text[at], 16) ^ 1, "x") + text[at + 1 :]


@given(games)
@settings(max_examples=25, deadline=None)
def test_a_true_game_verifies(game):
    verdict = verify_game(game)
    assert verdict.verified
    assert not verdict.unfinished
    assert [finding.code for finding in verdict.findings] == SOUND


@given(st.integers(0, 63))
@settings(max_examples=10, deadline=None)
def test_another_seed_is_not_the_one_committed_to(at):
    game = with_header(server_seed=flipped(TRUE.header.server_seed, at))
    assert codes(game)[0] is FindingCode.COMMITMENT_MISMATCH
    assert not verify_game(game).verified
    assert codes(with_header(commitment=flipped(TRUE.header.commitment, at))) == [
        FindingCode.COMMITMENT_MISMATCH,
        *SOUND[1:],
    ]


@given(st.binary(min_size=32, max_size=32).filter(lambda seed: seed != bytes(32)))
@settings(max_examples=10, deadline=None)
def test_another_seed_with_its_own_commitment_is_another_deal(seed):
    game = with_header(server_seed=seed.hex(), commitment=commit_to(seed, TRUE.header.terms).hex())
    assert codes(game) in ([*SOUND[:2], FindingCode.ILLEGAL_MOVE], [*SOUND[:3], FindingCode.OUTCOME_MISMATCH])


@given(games, st.data())
@settings(max_examples=20, deadline=None)
def test_another_nonce_or_table_is_another_deal(game, data):
    nonces = list(game.header.nonces)
    seat = data.draw(st.integers(0, len(nonces) - 1))
    nonces[seat] = data.draw(
        st.binary(min_size=1, max_size=32).map(bytes.hex).filter(lambda nonce: nonce != nonces[seat])
    )
    assert codes(with_header(game, nonces=nonces))[1] is FindingCode.NONCE_MISMATCH
    table, share = game.header.table, bytes.fromhex(nonces[seat])
    hashes = list(game.header.nonce_hashes)
    hashes[seat] = nonce_hash(table, share).hex()
    assert not verify_game(with_header(game, nonces=nonces, nonce_hashes=hashes)).verified
    assert not verify_game(with_header(game, table=game.header.table[::-1] + "x")).verified


def test_a_settled_dealer_deals_and_another_one_makes_another_deal():
    drawn = play_exported_game("chilli_chase", dealer=None)
    played = {seat: play_exported_game("chilli_chase", dealer=Seat(seat)) for seat in range(3)}
    assert all(codes(game) == SOUND for game in (drawn, *played.values()))
    assert sum(game.moves == drawn.moves for game in played.values()) == 1
    for seat, game in played.items():
        assert not verify_game(with_header(game, dealer=(seat + 1) % 3)).verified


def test_swapped_nonces_are_another_deal():
    swapped = {"nonces": TRUE.header.nonces[::-1], "nonce_hashes": TRUE.header.nonce_hashes[::-1]}
    assert not verify_game(with_header(**swapped)).verified


@given(games, st.data())
@settings(max_examples=30, deadline=None)
def test_a_changed_card_is_refused_or_still_legal(game, data):
    at = data.draw(st.integers(0, len(game.moves) - 1))
    tampered = with_move(game, at, move={"card": data.draw(st.integers(1, 100))})
    if verify_game(tampered).verified:
        assert codes(replace(tampered, outcome=None)) == [*SOUND[:3], FindingCode.INCOMPLETE]
    if verify_game(replace(tampered, outcome=None)).findings[1].code is FindingCode.ILLEGAL_MOVE:
        assert codes(tampered) == [*SOUND[:2], FindingCode.ILLEGAL_MOVE]


def test_a_missing_card_is_named_with_move_and_player():
    card = next(move.move["card"] for move in TRUE.moves if move.seat != TRUE.moves[0].seat)
    finding = verify_game(with_move(TRUE, 0, move={"card": card})).findings[-1]
    seat = TRUE.moves[0].seat
    assert finding.code is FindingCode.ILLEGAL_MOVE
    assert finding.data == {"move": 1, "seat": seat, "reason": "not_in_hand"}
    assert finding.sentence.startswith(f"Move 1, of seat {seat} ({TRUE.header.seats[seat].name}), breaks the rules: ")
    assert str(card) in finding.sentence


def test_a_move_after_the_end_is_illegal():
    extra = replace(TRUE.moves[-1], n=len(TRUE.moves) + 1)
    finding = verify_game(replace(TRUE, moves=[*TRUE.moves, extra])).findings[-1]
    assert (finding.code, finding.data["move"]) == (FindingCode.ILLEGAL_MOVE, extra.n)


def test_a_move_that_is_none_of_the_game_is_named():
    finding = verify_game(with_move(TRUE, 2, move={"action": "take"})).findings[-1]
    assert (finding.code, finding.data) == (FindingCode.BAD_MOVE, {"move": 3})
    assert finding.sentence.startswith("Move 3 is not a move of Dicht dran: ")


@pytest.mark.parametrize(
    "tampered",
    [
        with_outcome(scores=[TRUE.outcome.scores[0] + 1, *TRUE.outcome.scores[1:]]),
        with_outcome(places=[1, 1, 1]),
        with_outcome(reason="everybody_went_home"),
    ],
)
def test_another_outcome_is_reported_beside_the_true_one(tampered):
    finding = verify_game(tampered).findings[-1]
    assert finding.code is FindingCode.OUTCOME_MISMATCH
    assert f"The moves lead to scores {TRUE.outcome.scores}, " in finding.sentence


def test_an_outcome_before_the_end_is_a_mismatch():
    finding = verify_game(replace(TRUE, moves=TRUE.moves[:-1])).findings[-1]
    assert finding.code is FindingCode.OUTCOME_MISMATCH
    assert finding.sentence.endswith(
        f"the game is not over after its last move: seat {TRUE.moves[-1].seat} is to move."
    )


@pytest.mark.parametrize("moves", [0, 1, 7, len(TRUE.moves)])
def test_unfinished_game_is_verified_so_far(moves):
    verdict = verify_game(replace(TRUE, moves=TRUE.moves[:moves], outcome=None))
    assert [finding.code for finding in verdict.findings] == [*SOUND[:3], FindingCode.INCOMPLETE]
    assert verdict.unfinished
    assert not verdict.verified


def test_unproved_fields_may_change():
    seats = [replace(sitter, name="Nobody", kind="bot") for sitter in TRUE.header.seats]
    started = TRUE.header.started.replace(year=1999)
    game = with_header(seats=seats, started=started)
    assert codes(with_move(game, 0, mover="clock", at_ms=0)) == SOUND


@pytest.mark.parametrize(
    "changed",
    [
        {"options": TRUE.header.options | {"open_won": True}},
        {"options": {"cycles": 1}},
        {"options": {}},
        {"table": "ba9876543210"},
        {"rules_version": 2},
        {"game": "house_rules"},
        {"dealer": 0},
        {"dealer": 2},
        {
            "seats": [*TRUE.header.seats, TRUE.header.seats[0]],
            "nonces": [*TRUE.header.nonces, None],
            "nonce_hashes": [*TRUE.header.nonce_hashes, None],
        },
    ],
    ids=" ".join,
)
def test_everything_the_deal_follows_from_is_bound_by_the_commitment(changed):
    verdict = verify_game(with_header(**changed), lambda slug: registry.load_game("dicht_dran"))
    assert verdict.findings[0].code is FindingCode.COMMITMENT_MISMATCH
    assert not verdict.verified


@pytest.mark.parametrize("options", [{"cycles": 6}, {"cycles": "one"}, {"peppers": [1, 2, 3]}, {"jokers": 2}])
def test_options_out_of_their_bounds_are_reported(options):
    finding = verify_game(with_header(options=options)).findings[-1]
    assert finding.code is FindingCode.BAD_OPTIONS
    assert finding.sentence.startswith("Dicht dran does not have these options: ")


def test_an_uninstalled_game_is_reported_with_the_installed():
    finding = verify_game(with_header(game="patience")).findings[-1]
    assert finding.code is FindingCode.UNKNOWN_GAME
    assert "patience" in finding.sentence
    assert "dicht_dran" in finding.sentence


def test_other_rules_are_not_guessed_at():
    finding = verify_game(with_header(rules_version=GAME.info.rules_version + 1)).findings[-1]
    assert (finding.code, finding.data) == (FindingCode.OTHER_RULES_VERSION, {"played": 2, "known": 1})


def test_a_seat_too_many_is_reported():
    header = TRUE.header
    game = with_header(seats=header.seats * 2, nonces=header.nonces * 2, nonce_hashes=header.nonce_hashes * 2)
    assert verify_game(game).findings[-1].code is FindingCode.BAD_SEATS


def test_a_file_has_all_options_of_the_game():
    """Nobody has to guess which default an absent option had when the game was played."""
    options = {key: value for key, value in TRUE.header.options.items() if key != "take_back"}
    terms = replace(TRUE.header.terms, options=options)
    committed = commit_to(bytes.fromhex(TRUE.header.server_seed), terms).hex()
    finding = verify_game(with_header(options=options, commitment=committed)).findings[-1]
    assert finding.code is FindingCode.BAD_OPTIONS
    assert "take_back" in finding.sentence


def test_any_game_can_be_verified_whose_loader_is_given():
    asked = []

    def load(slug):
        asked.append(slug)
        return registry.load_game("dicht_dran")

    terms = replace(TRUE.header.terms, game="house_rules")
    committed = commit_to(bytes.fromhex(TRUE.header.server_seed), terms).hex()
    assert verify_game(with_header(game="house_rules", commitment=committed), load).verified
    assert asked == ["house_rules"]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_one_changed_character_is_noticed_or_judged(data):
    at = data.draw(st.integers(0, len(LINES) - 1))
    spot = data.draw(st.integers(0, len(LINES[at]) - 1))
    lines = list(LINES)
    lines[at] = lines[at][:spot] + data.draw(st.characters()) + lines[at][spot + 1 :]
    with suppress(BrokenFile):
        verdict = verify_game(read_game(lines))
        assert all(finding.sentence for finding in verdict.findings)
        assert not verdict.verified or read_game(lines).outcome == TRUE.outcome
