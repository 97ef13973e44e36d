"""Exported games with control characters in their texts are refused or cleaned."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoville_client.cli.main import main
from scoville_shared.replay import write_game
from tests.support.exports import SHORT, play_exported_game
from tests.support.hostile import PAYLOADS, list_disturbances

FEW = (PAYLOADS[0], PAYLOADS[2], PAYLOADS[4], PAYLOADS[5], "Z" + "\u0301" * 20)


def paths(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every text in plain data, and to every key."""
    items = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))
    if isinstance(plain, str):
        yield path


def changed(plain: Any, path: tuple[Any, ...], payload: str) -> Any:
    """Add a payload to the text at the end of a path."""
    if not path:
        return plain + payload
    copy = plain.copy()
    copy[path[0]] = changed(plain[path[0]], path[1:], payload)
    return copy


def spoiled_files() -> Iterator[Any]:
    for slug in SHORT:
        lines = [json.loads(line) for line in write_game(*_parts(slug))]
        for number in (0, 1, len(lines) - 1):
            for path in paths(lines[number]):
                yield pytest.param(lines, number, path, id=f"{slug}-{number}-{'.'.join(map(str, path))}")


def _parts(slug: str) -> tuple[Any, Any, Any]:
    game = play_exported_game(slug)
    return game.header, game.moves, game.outcome


@pytest.mark.parametrize(("lines", "number", "path"), [*spoiled_files()])
def test_no_text_of_a_file_reaches_the_terminal(
    lines: list[Any], number: int, path: tuple[Any, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.jsonl"
    for payload in FEW:
        bad = [changed(line, path, payload) if n == number else line for n, line in enumerate(lines)]
        file.write_text("".join(json.dumps(line) + "\n" for line in bad), encoding="utf-8")
        for command in (["verify", str(file)], ["replay", "--text", str(file)]):
            main(command)
            out, err = capsys.readouterr()
            assert out or err
            assert [line for line in (out + err).splitlines() if list_disturbances(line)] == []


@pytest.mark.parametrize("payload", FEW, ids=range(len(FEW)))
def test_options_that_hide_something_are_refused(
    payload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.loads(line) for line in write_game(*_parts("no_thanks"))]
    lines[0]["options"][payload] = payload
    file = tmp_path / "game.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert main(["verify", str(file)]) == 1
    assert list_disturbances(capsys.readouterr().err[:-1]) == []
