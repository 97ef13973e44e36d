"""Files damaged at random places: a few here, any number with `scripts/corrupt`."""

from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.corrupt.engines import try_engines
from tests.e2e.corrupt.trial import run_trial
from tests.e2e.corrupt.world import build_worlds
from tests.support.nats_server import BINARY, MISSING

TRIALS = 60


async def test_a_start_on_damaged_files_has_what_it_reports(tmp_path: Path) -> None:
    worlds = await build_worlds(tmp_path)
    kinds = Counter([(await run_trial(worlds, tmp_path / "trial", seed)).kind for seed in range(TRIALS)])
    assert min(kinds["same"], kinds["less"], kinds["refused"]) > 2, kinds


@pytest.mark.skipif(not BINARY.exists(), reason=MISSING)
async def test_damaged_server_of_an_engine_loses_nothing_without_a_word(tmp_path: Path) -> None:
    assert len([what async for what in try_engines(tmp_path, 106, 1)]) == 1
