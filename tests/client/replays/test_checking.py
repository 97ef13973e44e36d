"""`scoville verify` reports each check; only a complete and valid game ends with status 0."""

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.cli.main import main
from scoville_client.i18n.language import set_language
from scoville_client.replays.playback import opening_of
from scoville_client.replays.reel import finding_text
from scoville_shared.engine.dice import commit_to
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.replay import ExportedGame
from scoville_shared.replay.verify import Finding, FindingCode
from tests.support.exports import SHORT, play_exported_game, write_export

GAME = play_exported_game("dicht_dran")


@pytest.mark.parametrize("slug", SHORT)
def test_a_sound_game_is_verified_in_four_sentences(
    slug: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(write_export(play_exported_game(slug), tmp_path / "game.jsonl"))]) == 0
    output = capsys.readouterr()
    assert "game.jsonl: verified." in output.out
    assert [line[:8] for line in output.out.splitlines()[1:-3]] == ["  ok: Th", "  ok: Ev", "  ok: Th", "  ok: Th"]
    assert output.out.splitlines()[-3] == f"  Commitment: {play_exported_game(slug).header.commitment}"
    assert output.out.splitlines()[-2] == "  The file is not signed: it does not prove which server dealt."
    assert output.out.splitlines()[-1] == "  Times and names come from the file and cannot be checked."
    assert output.err == ""


@pytest.mark.parametrize("change", [{"game": "liars_dice"}, {"rules_version": 999}], ids=["game", "rules"])
def test_a_game_that_cannot_be_checked_accuses_nobody(
    change: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = replace(GAME.header, **change)
    header = replace(header, commitment=commit_to(bytes.fromhex(header.server_seed), header.terms).hex())
    lacking = write_export(replace(GAME, header=header), tmp_path / "lacking.jsonl")
    assert main(["verify", str(lacking)]) == 3
    output = capsys.readouterr().out
    assert "lacking.jsonl: cannot be checked here" in output
    assert "NOT verified" not in output
    assert "failed:" not in output
    forged = write_export(replace(GAME, header=replace(header, commitment="00" * 32)), tmp_path / "forged.jsonl")
    assert main(["verify", str(forged)]) == 1
    assert main(["verify", str(lacking), str(forged)]) == 1
    assert main(["verify", str(lacking), str(write_export(GAME, tmp_path / "sound.jsonl"))]) == 3
    for command in (["replay", "--text"], ["review"]):
        assert main([*command, str(lacking)]) == 3
        assert main([*command, str(forged)]) == 1


@pytest.mark.parametrize("command", ["verify", "replay", "review"])
def test_help_explains_the_exit_status(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "3 if" in " ".join(capsys.readouterr().out.split())


def test_findings_are_reported_in_the_requested_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound, tampered = write_export(GAME, tmp_path / "sound.jsonl"), with_move(0, move=GAME.moves[1].move)
    assert (
        main(["verify", "--language", "de", str(sound), str(write_export(tampered, tmp_path / "tampered.jsonl"))]) == 1
    )
    output = capsys.readouterr().out
    assert f"Die Karten passen zum Seed, und alle Züge ({len(GAME.moves)}) sind erlaubt." in output
    assert "Zug 1 von Anna verstößt gegen die Regeln." in output


def test_plain_signs_are_only_for_their_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--ascii", "demo", "no_thanks", "--players", "3", "--seed", "00"]) == 0
    assert capsys.readouterr().out.isascii()
    assert main(["verify", "--language", "de", str(write_export(GAME, tmp_path / "game.jsonl"))]) == 0
    assert "bestätigt" in capsys.readouterr().out


@pytest.mark.parametrize("code", FindingCode)
def test_every_finding_can_be_said_in_every_language(code: FindingCode) -> None:
    finding = Finding(code, "As it is in English.", {"move": 1, "seat": 0, "played": 1, "known": 2})
    assert finding_text(finding, GAME) == "As it is in English."
    set_language("fr")
    assert finding_text(finding, GAME).partition("En anglais")[0]


def test_doubtful_game_is_refused_in_the_users_language() -> None:
    set_language("de")
    with pytest.raises(ScovilleError) as refused:
        opening_of(with_header(commitment="00" * 32), 3, Seat(0))
    assert "vor dem Geben festgelegt hat" in str(refused.value)


def with_header(**changes: Any) -> ExportedGame:
    return replace(GAME, header=replace(GAME.header, **changes))


def with_move(number: int, **changes: Any) -> ExportedGame:
    moves = list(GAME.moves)
    moves[number] = replace(moves[number], **changes)
    return replace(GAME, moves=moves)


def with_scores(*scores: int) -> ExportedGame:
    assert GAME.outcome is not None
    return replace(GAME, outcome=replace(GAME.outcome, scores=[*scores]))


@pytest.mark.parametrize(
    ("tampered", "sentence"),
    [
        (with_header(server_seed="11" * 32), "failed: The seed, the game or its options do not match the commitment"),
        (with_header(nonces=[None, None, None]), "failed: Move"),
        (with_header(nonces=["00" * 32, None, None]), "failed: The nonce of seat 0 does not match"),
        (with_header(table="ba9876543210"), "failed: The seed, the game or its options do not match the commitment"),
        (with_move(3, seat=GAME.moves[4].seat), "failed: Move 4"),
        (with_move(0, move={"card": 200}), "failed: Move 1 is not a move"),
        (with_move(0, move=GAME.moves[1].move), "failed: Move 1, of seat 0 (Anna), breaks the rules"),
        (with_scores(40, 0, 0), "failed: The moves lead to scores"),
        (replace(GAME, moves=GAME.moves[:-1]), "failed: The file has an outcome, but"),
        (replace(GAME, moves=GAME.moves[:-1], outcome=None), "failed: The file has no outcome"),
    ],
)
def test_a_game_that_was_tampered_with_is_not(
    tampered: ExportedGame, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(write_export(tampered, tmp_path / "game.jsonl"))]) == 1
    output = capsys.readouterr().out
    assert sentence in output
    assert ": verified." not in output


def garbage(path: Path) -> None:
    path.write_bytes(b"\x00\xff\n")


def zipped(path: Path) -> None:
    path.write_bytes(gzip.compress(b"{}"))


def folder(path: Path) -> None:
    path.mkdir()


def endless(path: Path) -> None:
    path.write_bytes(b"{" * 200_000)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "No such file"),
        (folder, "Is a directory"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (garbage, "Line 1: expected one JSON object"),
        (zipped, "compressed"),
        (endless, "Line 1: expected at most"),
        (lambda path: path.write_text(json.dumps({"hello": 1})), "expected a header"),
    ],
)
def test_invalid_file_is_one_sentence(
    make: Callable[[Path], object], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.jsonl"
    make(path)
    assert main(["verify", str(path)]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert sentence in output.err
    assert len(output.err.splitlines()) == 1


def test_one_bad_game_among_good_ones_decides_the_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = write_export(GAME, tmp_path / "good"), write_export(with_scores(1, 2, 3), tmp_path / "bad")
    assert main(["verify", str(good), str(tmp_path / "none"), str(bad), str(good)]) == 1
    output = capsys.readouterr()
    assert output.out.count(": verified.") == 2
    assert output.out.count(": NOT verified.") == 1
    assert "none cannot be read" in output.err


def test_a_game_can_be_piped_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = io.BytesIO(write_export(GAME, tmp_path / "game.jsonl").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(piped))
    assert main(["verify", "-"]) == 0
    assert "The standard input: verified." in capsys.readouterr().out


def test_a_name_cannot_give_orders_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = replace(GAME.header.seats[0], name="\x1b[2Jgone")
    rude = with_header(seats=[name, *GAME.header.seats[1:]])
    assert main(["verify", str(write_export(rude, tmp_path / "game.jsonl"))]) == 1
    assert "\x1b" not in "".join(capsys.readouterr())
