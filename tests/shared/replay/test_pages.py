"""Programs, numbers and games in docs/replay-format.md and docs/fairness.md are executed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import json as msgspec_json
from msgspec.structs import fields

from scoville_shared.engine.dice import DealTerms, Dice, commit_to, table_key
from scoville_shared.engine.play import replay_moves
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import (
    Discarded,
    Drew,
    DrewCards,
    FellInGap,
    Revealed,
    RoundBegan,
    TargetWon,
)
from scoville_shared.games.dicht_dran.state import Options
from scoville_shared.replay import (
    FindingCode,
    Header,
    MoveLine,
    RecordedOutcome,
    Sitter,
    dice_of,
    read_game,
    verify_game,
    write_game,
)

DOCS = Path(__file__).parents[3] / "docs"
FORMAT = (DOCS / "replay-format.md").read_text(encoding="utf-8")
FAIRNESS = (DOCS / "fairness.md").read_text(encoding="utf-8").partition("## Signatures")[0]


def block(page: str, language: str) -> str:
    """Cut the one code block of a language out of a page."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
    return found


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def sentence(start: str) -> list[int]:
    """Read the numbers that follow `start` in a line of the example."""
    (found,) = re.findall(rf"^- {re.escape(start)}([^.…]*)", FORMAT, re.MULTILINE)
    return numbers(found)


VECTORS = json.loads(block(FAIRNESS, "json"))
KIT = json.loads((Path(__file__).parents[1] / "engine" / "vectors.json").read_text(encoding="utf-8"))
OF_THE_KIT = [vector for vector in KIT if vector["label"] == "dicht_dran/cycle/1/deck"]
assert OF_THE_KIT, "the kit's vectors deal a first deck of Dicht dran"
EXAMPLE = read_game(block(FORMAT, "jsonl").splitlines())


# --- fairness.md ------------------------------------------------------------------------------------


def terms_of(vector):
    names = ("table", "game", "rules_version", "options")
    return DealTerms(**{name: vector[name] for name in names}, seats=len(vector["nonces"]), dealer=vector.get("dealer"))


@pytest.mark.parametrize("vector", VECTORS, ids=["no nonces", "two nonces"])
def test_the_vectors_are_what_our_dice_give(vector):
    seed, nonces = bytes.fromhex(vector["server_seed"]), [bytes.fromhex(nonce or "") for nonce in vector["nonces"]]
    dice = Dice(table_key(seed, vector["table"], nonces))

    def drawn(bound: int, times: int) -> list[int]:
        stream = dice.open_stream(vector["label"])
        return [stream.draw_below(bound) for _ in range(times)]

    assert commit_to(seed, terms_of(vector)).hex() == vector["commitment"]
    assert dice.key.hex() == vector["key"]
    assert drawn(2**32, len(vector["words"])) == vector["words"]
    assert drawn(6, len(vector["below_6"])) == vector["below_6"]
    assert drawn(2147483649, len(vector["below_2147483649"])) == vector["below_2147483649"]
    assert dice.open_stream(vector["label"]).shuffle_cards(range(10)) == vector["shuffled_10"]
    assert dice.open_stream("dicht_dran/cycle/1/deck").shuffle_cards(range(2, 100)) == vector["dicht_dran_deck"]


@pytest.mark.parametrize("vector", [*VECTORS, *OF_THE_KIT], ids=lambda vector: f"table {vector['table']}")
def test_the_page_s_program_deals_the_vectors_deck(vector, tmp_path, monkeypatch):
    (tmp_path / "game.jsonl").write_text(json.dumps(vector) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    exec(block(FAIRNESS, "python"), namespace)
    assert namespace["deck"] == vector.get("dicht_dran_deck", vector.get("shuffled"))
    assert namespace["key"].hex() == vector["key"]


def test_the_page_s_program_prints_the_example_s_deal(tmp_path, monkeypatch, capsys):
    (tmp_path / "game.jsonl").write_text(block(FORMAT, "jsonl"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(block(FAIRNESS, "python"), {})
    circle, hands = capsys.readouterr().out.splitlines()
    assert numbers(circle) == sentence("The circle, from slot 0: ")
    assert numbers(hands) == sentence("The hand of seat 0: ") + sentence("The hand of seat 1: ")


def test_a_word_that_would_favour_small_numbers_is_thrown_away():
    vector = VECTORS[0]
    assert vector["words"][0] >= 2147483649
    assert vector["words"][0] not in vector["below_2147483649"]


# --- replay-format.md -------------------------------------------------------------------------------


def test_the_example_verifies_and_is_written_just_so():
    assert verify_game(EXAMPLE).verified
    assert write_game(EXAMPLE.header, EXAMPLE.moves, EXAMPLE.outcome) == block(FORMAT, "jsonl").splitlines()


def test_the_page_s_program_verifies_the_example(tmp_path, monkeypatch, capsys):
    (tmp_path / "game.jsonl").write_text(block(FORMAT, "jsonl"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(block(FORMAT, "python"), {})
    found = [line.partition(": ")[0] for line in capsys.readouterr().out.splitlines()]
    assert found == ["commitment_holds", "nonces_hold", "moves_legal", "outcome_holds"]


def test_the_example_s_deal_is_logged_correctly():
    dice = dice_of(EXAMPLE.header)
    state = GAME.setup(GAME.codec.decode_options(EXAMPLE.header.options), 2, dice)
    assert f"The key is `{dice.key.hex()}`." in FORMAT
    begin = sentence("The shuffled deck begins ")
    assert dice.open_stream("dicht_dran/cycle/1/deck").shuffle_cards(range(2, 100))[: len(begin)] == begin
    assert sentence("The circle, from slot 0: ") == list(state.board.circle)
    assert sentence("The hand of seat 0: ") == list(state.secret.hands[0])
    assert sentence("The hand of seat 1: ") == list(state.secret.hands[1])
    assert sentence("The draw pile has ") == [len(state.secret.pile)]


def test_the_example_s_rounds_are_logged_correctly():
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in FORMAT.splitlines() if re.match(r"\| \d", row)]
    assert [[numbers(cell) for cell in row] for row in rows] == list(example_rounds())


def example_rounds():
    """Return each round of the example as a row: the played cards, and where each one went."""
    options = GAME.codec.decode_options(EXAMPLE.header.options)
    state = GAME.setup(options, 2, dice_of(EXAMPLE.header))
    moves = [(move.seat, GAME.codec.decode_move(move.move)) for move in EXAMPLE.moves]
    gap, round_number = state.board.gap, 1
    for step in replay_moves(GAME, options, 2, dice_of(EXAMPLE.header), moves):
        facts = [namespace.fact for namespace in step.facts]
        (won,) = [fact for fact in facts if isinstance(fact, TargetWon)] or [None]
        if won is None:
            continue
        (revealed,) = [fact for fact in facts if isinstance(fact, Revealed)]
        fell = [fact.card for fact in facts if isinstance(fact, FellInGap)]
        away = [fact.card for fact in facts if isinstance(fact, Discarded)]
        drawn = [card for fact in facts if isinstance(fact, DrewCards) for card in fact.cards]
        assert sum(fact.count for fact in facts if isinstance(fact, Drew)) == len(drawn)
        played = [[card] for card in revealed.cards]
        yield [[round_number], [won.target], list(gap), *played, [won.seat], fell, away, drawn]
        gap = next(((fact.low, fact.high) for fact in facts if isinstance(fact, RoundBegan)), gap)
        round_number += 1


@pytest.mark.parametrize("kind", [Header, MoveLine, Options])
def test_every_key_and_option_is_documented(kind):
    for field in fields(kind):
        assert f"| `{field.encode_name}` |" in FORMAT, field.encode_name


def test_every_option_s_default_is_documented():
    for field in fields(Options):
        default = msgspec_json.encode(field.default).decode()
        assert f"| `{field.name}` | {default} |" in FORMAT


def test_every_finding_is_documented():
    for code in FindingCode:
        assert f"| `{code}` |" in FORMAT


def test_the_outcome_and_the_seats_have_the_documented_keys():
    for field in (*fields(RecordedOutcome), *fields(Sitter)):
        assert f"`{field.name}`" in FORMAT or f'"{field.name}":' in FORMAT
