"""Signed files: whose key signed, what the signatures cover, and docs/fairness.md about them."""

import json
import re
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from msgspec.structs import replace

from scoville_server.identity import ServerIdentity, ServerKey
from scoville_server.tables.archive.signing import TableSigner
from scoville_shared.engine.dice import signed_commitment
from scoville_shared.identity import COMMITMENT, RESULT, SUCCESSOR
from scoville_shared.replay import (
    BrokenFile,
    ExportedGame,
    ResultSignature,
    digest_of,
    is_signed_game,
    read_game,
    signature_line,
    verify_game,
    write_game,
)
from tests.shared.replay.played import exported_game

PAGE = (Path(__file__).parents[3] / "docs" / "fairness.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## Signatures") :]
VECTORS = json.loads(PAGE[: PAGE.index("## Signatures")].rpartition("```json")[2].partition("```")[0])
KEY, OTHER = ServerKey(bytes(range(32))), ServerKey(bytes([255]) * 32)
GAME = exported_game()


def signed(game: ExportedGame = GAME, key: ServerKey = KEY, result_key: ServerKey | None = None) -> list[str]:
    """The lines of a game as a server signs them."""
    header = game.header
    content = signed_commitment(bytes.fromhex(header.commitment), header.terms)
    signature = key.sign(COMMITMENT, content).hex()
    header = replace(header, server_key=key.public.hex(), commitment_signature=signature)
    lines = write_game(header, game.moves, game.outcome)
    identity = ServerIdentity()
    identity.key = result_key or key
    return [*lines, TableSigner(identity).sign_result(lines)]


def codes(lines: list[str]) -> list[str]:
    return [finding.code for finding in verify_game(read_game(lines)).findings]


LINES = signed()


def test_a_signed_game_says_whose_key_signed() -> None:
    verdict = verify_game(read_game(LINES))
    assert verdict.verified
    assert [finding.code for finding in verdict.findings][-2:] == ["commitment_signed", "result_signed"]
    assert [finding.data for finding in verdict.findings][-2:] == [{"pin": KEY.pin}] * 2
    assert not is_signed_game(GAME)


def test_a_result_is_signed_by_the_committed_key_or_successor() -> None:
    """Anybody could otherwise sign a changed file with a key of their own."""
    verdict = verify_game(read_game(signed(result_key=OTHER)))
    assert not verdict.verified
    assert [finding.code for finding in verdict.findings][-2:] == ["commitment_signed", "result_not_signed"]
    assert (KEY.pin in verdict.findings[-1].sentence, OTHER.pin in verdict.findings[-1].sentence) == (True, True)
    once = KEY.next_key()
    twice = once.next_key()
    for key in (once, twice):
        good = verify_game(read_game(signed(result_key=key)))
        assert good.verified
        assert good.findings[-1].data == {"pin": key.pin}


@pytest.mark.parametrize("broken", ["no former key", "another signature", "a gap"])
def test_a_chain_of_keys_has_no_gap(broken: str) -> None:
    lines = signed(result_key=KEY.next_key().next_key())
    last = json.loads(lines[-1])
    former = last["signature"]["former"]
    if broken == "no former key":
        del last["signature"]["former"]
    elif broken == "another signature":
        former[0]["signature"] = former[1]["signature"]
    else:
        del former[1]
    assert codes([*lines[:-1], json.dumps(last)])[-1] == "result_not_signed"


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n\n"])
def test_line_ends_and_blank_lines_do_not_matter(end: str) -> None:
    assert verify_game(read_game([f"{line}{end}".encode() for line in LINES])).verified


@pytest.mark.parametrize("line", range(len(LINES) - 1))
def test_no_line_can_be_changed(line: int) -> None:
    """Not even what nobody can check: names and times."""
    at = re.search(r'"at_ms":(\d)|"name":"(A)|"reason":"(c)', LINES[line])
    assert at
    changed = [*LINES]
    changed[line] = LINES[line][: at.end() - 1] + ("7" if "at_ms" in at[0] else "X") + LINES[line][at.end() :]
    if changed != LINES:
        assert "result_not_signed" in codes(changed)


def test_a_signature_of_another_key_or_purpose_is_none() -> None:
    header, last = json.loads(LINES[0]), json.loads(LINES[-1])
    other = OTHER.public.hex()
    assert "commitment_not_signed" in codes([json.dumps(header | {"server_key": other}), *LINES[1:]])
    forged = {"signature": {"server_key": other, "signature": last["signature"]["signature"]}}
    assert "result_not_signed" in codes([*LINES[:-1], json.dumps(forged)])
    swapped = {"signature": {"server_key": KEY.public.hex(), "signature": header["commitment_signature"]}}
    assert "result_not_signed" in codes([*LINES[:-1], json.dumps(swapped)])


def test_one_signature_alone_does_not_verify() -> None:
    assert "result_not_signed" in codes(LINES[:-1])
    bare = write_game(GAME.header, GAME.moves, GAME.outcome)
    result = ResultSignature(server_key=KEY.public.hex(), signature=KEY.sign(RESULT, digest_of(bare)).hex())
    assert "commitment_not_signed" in codes([*bare, signature_line(result)])
    assert not verify_game(read_game([*bare, signature_line(result)])).verified


def test_nothing_comes_after_the_signature() -> None:
    with pytest.raises(BrokenFile, match="nothing after the signature"):
        read_game([*LINES, LINES[-1]])
    with pytest.raises(BrokenFile, match="expected a signature"):
        read_game([*LINES[:-1], '{"signature": {"server_key": "x"}}'])


# --- fairness.md ----------------------------------------------------------------------------------------


def test_the_vectors_are_what_our_keys_sign() -> None:
    vector = json.loads(SECTION.partition("```json")[2].partition("```")[0])
    first = VECTORS[0]
    game = exported_game()
    names = {name: first[name] for name in ("table", "game", "rules_version", "options", "commitment")}
    header = replace(game.header, **names)
    assert (KEY.public.hex(), KEY.pin, OTHER.public.hex()) == (vector["public_key"], vector["pin"], vector["next_key"])
    content = signed_commitment(bytes.fromhex(first["commitment"]), header.terms)
    assert KEY.sign(COMMITMENT, content).hex() == vector["commitment_signature"]
    assert KEY.sign(RESULT, digest_of(['{"scoville":1}', '{"n":1}'])).hex() == vector["result_signature"]
    assert KEY.sign(SUCCESSOR, OTHER.public).hex() == vector["successor_signature"]


def test_the_page_s_program_checks_the_signatures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = SECTION.partition("```python")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.jsonl").write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    exec(program, {})
    assert capsys.readouterr().out == f"signed by {KEY.public.hex()}\n"
    (tmp_path / "game.jsonl").write_text("\n".join([*LINES[:-2], LINES[-1]]), encoding="utf-8")
    with pytest.raises(InvalidSignature):
        exec(program, {})
