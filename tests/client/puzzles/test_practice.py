"""Practice of puzzles in the client: what comes next, what is kept, and what an attempt is worth."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scoville_client.i18n.language import LANGUAGES, set_language
from scoville_client.puzzles.layout import lay_out_puzzle
from scoville_client.puzzles.practice import PracticePuzzles
from scoville_client.puzzles.sentences import change_text, reason_text, verdict_text
from scoville_client.puzzles.source import PuzzleCount
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import PuzzleAnswer, PuzzleInfo
from scoville_shared.puzzles.pool import Pool
from tests.shared.puzzles.samples import sample_pool, with_pools


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = sample_pool("no_thanks", 1_900, 1_480, 1_200)
    with with_pools(made):
        yield made


@pytest.fixture
def puzzles(pool: Pool, tmp_path: Path) -> PracticePuzzles:
    return PracticePuzzles(tmp_path / "data" / "puzzles.json")


async def attempt(puzzles: PracticePuzzles, *, right: bool) -> tuple[PuzzleInfo, PuzzleAnswer]:
    posed = await puzzles.pose_next()
    assert posed is not None
    at = lay_out_puzzle(posed)
    move = at.game.codec.encode_plain([*at.legal_moves()][0 if right else 1])
    return posed, await puzzles.answer(posed, move)


async def test_the_puzzle_that_fits_the_rating_comes_first(puzzles: PracticePuzzles, pool: Pool) -> None:
    posed, answer = await attempt(puzzles, right=True)
    assert posed.id == pool.puzzles[1].id
    assert (answer.place, answer.rated, answer.before) == (0, True, 1_500)
    assert answer.after > 1_500
    posed, answer = await attempt(puzzles, right=False)
    assert posed.id == pool.puzzles[0].id, "a better player gets the harder one"
    assert answer.after < answer.before


async def test_missed_puzzle_comes_again_and_is_rated_once(puzzles: PracticePuzzles) -> None:
    for right in (False, False, True):
        await attempt(puzzles, right=right)
    rating = (await puzzles.read_rating()).rating
    posed, answer = await attempt(puzzles, right=True)
    assert (answer.rated, answer.after) == (False, rating)
    _, other = await attempt(puzzles, right=True)
    assert not other.rated
    assert await puzzles.pose_next() is None
    assert await puzzles.list_counts() == [PuzzleCount("no_thanks", 3, 3, 3)]
    assert (await puzzles.read_rating()).attempts == 3
    with pytest.raises(ScovilleError):
        await puzzles.answer(posed, {"action": "dance"})


async def test_an_attempt_is_kept_before_its_answer_is_shown(puzzles: PracticePuzzles, tmp_path: Path) -> None:
    posed, answer = await attempt(puzzles, right=False)
    again = PracticePuzzles(tmp_path / "data" / "puzzles.json")
    assert (await again.read_rating()).rating == answer.after
    following = await again.pose_next()
    assert following is not None
    assert following.id != posed.id


async def test_a_game_can_be_named_and_a_puzzle_left_out(puzzles: PracticePuzzles, pool: Pool) -> None:
    assert await puzzles.pose_next("dicht_dran") is None
    other = await puzzles.pose_next("no_thanks", pool.puzzles[1].id)
    assert other is not None
    assert other.id != pool.puzzles[1].id


@pytest.mark.parametrize("content", [b"", b"{", b'{"scoville_puzzles":2}', b"\xff"])
async def test_a_damaged_file_begins_anew(pool: Pool, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "puzzles.json"
    path.write_bytes(content)
    puzzles = PracticePuzzles(path)
    assert (await puzzles.read_rating()).attempts == 0
    await attempt(puzzles, right=True)
    assert (await PracticePuzzles(path).read_rating()).attempts == 1


async def test_without_a_folder_practice_lasts_as_long_as_the_process(pool: Pool) -> None:
    puzzles = PracticePuzzles(None)
    await attempt(puzzles, right=True)
    assert (await puzzles.read_rating()).attempts == 1


@pytest.mark.parametrize("slug", ["chilli_chase", "dicht_dran", "no_thanks"])
async def test_puzzle_is_a_table_that_awaits_the_user(slug: str) -> None:
    with with_pools(sample_pool(slug, 1_500)):
        posed = await PracticePuzzles(None).pose_next()
    assert posed is not None
    at = lay_out_puzzle(posed, "Mia")
    assert at.my_turn
    assert at.names[posed.seat] == "Mia"
    assert len({*at.names}) == posed.seat_count
    assert at.missed is None
    assert len(at.log) > len(posed.past_steps) - 1
    assert [*at.legal_moves()]


@pytest.mark.parametrize("name", ["ben", "Ada", "Mia"])
async def test_no_other_player_has_the_name_of_the_user(puzzles: PracticePuzzles, name: str) -> None:
    posed = await puzzles.pose_next()
    assert posed is not None
    names = [each.name.casefold() for each in lay_out_puzzle(posed, name).info.seats]
    assert len(names) == len({*names})


async def test_a_table_that_no_game_can_have_is_refused() -> None:
    with with_pools(sample_pool("no_thanks", 1_500)):
        posed = await PracticePuzzles(None).pose_next()
    assert posed is not None
    for wrong in (
        {"seat": 7},
        {"past_steps": [{"seat": 9, "facts": []}]},
        {"view": {}},
        {"game": "no_game"},
        {"past_steps": [{"seat": 0, "facts": [{"no": "fact"}]}]},
    ):
        changed = msgspec.convert({**msgspec.to_builtins(posed), **wrong}, PuzzleInfo)
        with pytest.raises(ScovilleError):
            lay_out_puzzle(changed)


async def test_the_answer_is_said_in_every_language(puzzles: PracticePuzzles) -> None:
    posed, answer = await attempt(puzzles, right=False)
    at = lay_out_puzzle(posed, "Mia")
    said = []
    for language in LANGUAGES:
        set_language(language)
        said.append((verdict_text(at, answer), reason_text(answer), change_text(answer)))
    assert all(len(set(texts)) == len(LANGUAGES) for texts in zip(*said, strict=True))
    set_language("en")
    assert verdict_text(at, answer) == "No, the best move is take the card."
