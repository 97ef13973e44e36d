"""The TypeScript types that examples/generate_types.mjs generates from the schema are complete."""

import re
import shutil
import subprocess

import pytest

from scoville_shared.protocol.messages import METHODS, NOTICES
from tests.shared.protocol.schema import GAMES
from tests.support.tree import ROOT

NODE = shutil.which("node") or ""
pytestmark = pytest.mark.skipif(not NODE, reason="There is no Node on this machine, so no types were generated.")
_BUILT_IN = {"Array", "Record"}


@pytest.fixture(scope="module")
def types() -> str:
    made = subprocess.run(
        [NODE, str(ROOT / "examples/generate_types.mjs")], capture_output=True, check=True, text=True, timeout=60
    )
    return made.stdout


def test_every_method_and_every_notice_is_there(types: str) -> None:
    for name in (*METHODS, *NOTICES):
        assert f'"{name}": ' in types
    assert "  seat_count: number;" in types
    assert '"table.unwatch": { params: UnwatchRequest; reply: Empty; errors: never };' in types


def test_every_type_that_is_used_is_declared(types: str) -> None:
    common, *games = types.split("export namespace ")
    declared = set(re.findall(r"(?:interface|type) (\w+)", common))
    assert used(common) - declared == set()
    assert len(games) == len(GAMES)
    for game in games:
        assert used(game) - set(re.findall(r"(?:interface|type) (\w+)", game)) == set()


def used(declarations: str) -> set[str]:
    """Collect the names of types in declarations, without comments and texts."""
    bare = re.sub(r'/\*\*.*?\*/|"[^"]*"', "", declarations)
    return {name for kind in re.findall(r"[:=] ([^;{]+)", bare) for name in re.findall(r"\b[A-Z]\w+", kind)} - _BUILT_IN
