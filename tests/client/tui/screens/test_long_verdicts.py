"""A verdict with its notes is read to the end: on the result screen, or where that is too small, with /deal."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from scoville_client.i18n.language import LANGUAGES, render, set_language
from scoville_client.session.commands.at_table import describe_deal
from scoville_client.session.table.deal_check import DOUBTS, FROM_THE_DEAL, UNSEEN_START, VOID_STARTS
from scoville_client.session.table.deal_record import DealStanding, DealVerdict
from scoville_client.session.table.start_record import Doubt
from scoville_client.tui.screens.table.result import Result
from tests.support.recording_session import GAMES, play_game

VOIDS = VOID_STARTS.with_fields({"n": 3, "players": ["Ben", "Ben", "Chloé"]}, 3)
UNSEEN = UNSEEN_START.with_fields({"ranges": "12–61, 80"})
VERDICTS = [
    DealVerdict(DealStanding.VERIFIED, FROM_THE_DEAL, (VOIDS, UNSEEN)),
    DealVerdict(DealStanding.OPEN, DOUBTS[Doubt.BLAMED], (VOIDS,)),
]


def plain(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.replace("\u202f", " ").split())


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
async def test_every_verdict_is_read_to_the_end(stack: AsyncExitStack, game: str, language: str) -> None:
    at, _ = await play_game(stack, game)
    set_language(language)
    try:
        for verdict in VERDICTS:
            at.deal.verdict = verdict
            whole = plain(" ".join(render(phrase, at.names) for phrase in verdict.phrases))
            assert describe_deal(at)[-1] == " ".join(render(phrase, at.names) for phrase in verdict.phrases)
            for width, height in ((80, 22), (46, 17)):
                result = Result(at)
                result.show_rematch("")
                drawn = plain("\n".join(result.draw(width, height).line(row) for row in range(height)))
                shown, more, _ = drawn.partition("… /deal")
                assert whole in drawn or (more and width == 46 and whole[:60] in shown), (width, height)
    finally:
        set_language("en")
