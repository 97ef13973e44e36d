"""Profiles of users: ratings, leaderboards, whispers, ignores and reports."""

import pytest
from msgspec.structs import replace
from textual.widgets import Input

from scoville_client.i18n.language import ENGLISH, LANGUAGES, set_language
from scoville_client.tui.screens.account.leaderboards import LeaderboardDialog
from scoville_client.tui.screens.account.profile import ProfileDialog, rating_bar, rows_of
from scoville_client.tui.screens.chat.panel import ChatPanel
from scoville_shared.protocol.messages import LeaderboardEntry, PastGame, ProfileReply, Rating
from tests.support.live_server import LiveServer
from tests.support.screens import NARROW, WIDE, Player, at_the_screen
from tests.support.server import core_of

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])

ANNA = ProfileReply(
    name="Anna",
    claimed=True,
    since_ms=1_767_225_600_000,
    begun=50,
    finished=48,
    won=17,
    median_pick_ms=6_200,
    ratings=[Rating(game="dicht_dran", rating=21.4, mu=28.9, sigma=2.5, game_count=40, rank=3)],
    recent=[
        PastGame(
            table="t1",
            game="dicht_dran",
            ended_ms=1_768_225_600_000,
            names=["Ben", "Anna", "Cleo"],
            scores=[12, 4, 30],
            places=[2, 1, 3],
            your_seat=1,
            rated=True,
        )
    ],
)
TITLES = {"dicht_dran": "Dicht dran"}


def written(profile: ProfileReply, width: int) -> str:
    return "\n".join("".join(text for text, _ in row) for row in rows_of(profile, TITLES, width))


@pytest.mark.parametrize("width", [38, 62])
def test_a_profile_is_plain_facts_at_every_width(width: int) -> None:
    text = written(ANNA, width)
    assert "Finished 48 of 50 games, won 17." in " ".join(text.split())
    assert "Median time per move: 6 s." in text
    assert "21.4" in text
    assert "rank 3" in text
    assert "1/3" in text
    assert "Ben, Cleo" in text
    assert max(map(len, text.splitlines())) <= width


NEWCOMER = replace(ANNA, begun=0, finished=0, won=0, median_pick_ms=None, ratings=[], recent=[])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("profile", [ANNA, NEWCOMER], ids=["Anna", "newcomer"])
def test_no_sentence_of_a_profile_is_cut(profile: ProfileReply, language: str) -> None:
    set_language(language)
    try:
        assert max(map(len, written(profile, 38).splitlines())) <= 38
    finally:
        set_language(ENGLISH)


def test_who_has_not_played_has_no_figures() -> None:
    text = written(NEWCOMER, 60)
    assert "No games without bots yet" in text
    assert "Median" not in text


def test_doubt_bars_stay_on_the_scale() -> None:
    sure, unsure = rating_bar(25, 1, 51), rating_bar(25, 5, 51)
    assert (sure.count("─"), unsure.count("─")) == (2, 18)
    assert sure.index("●") == unsure.index("●") == 25
    assert len(rating_bar(2, 8, 20)) == len(rating_bar(49, 8, 20)) == 20


async def marked(paul: Player, name: str) -> None:
    """Open the list of users, and select one."""
    await paul.until(lambda: paul.where == "lobby")
    await paul.press("p")
    await paul.sees("Users")
    for _ in range(5):
        if f"▸ {name}" in paul.text:
            return
        await paul.press("down")
    raise AssertionError(f"nobody is called {name}:\n{paul.text}")


@sizes
async def test_somebody_in_the_list_is_looked_at_and_whispered_to(
    live_server: LiveServer, size: tuple[int, int]
) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        await marked(paul, "Marie")
        await paul.press("v")
        await paul.until(lambda: isinstance(paul.app.screen, ProfileDialog))
        await paul.sees("No games without bots yet")
        assert "w whisper" in paul.text
        await paul.press("w")
        await paul.until(lambda: isinstance(paul.app.screen, ChatPanel))
        await paul.sees("[Marie]")


async def test_somebody_is_ignored_and_heard_again_from_their_profile(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await marked(paul, "Marie")
        await paul.press("v")
        await paul.sees("No games without bots yet")
        await paul.press("i")
        await paul.sees("You are ignoring Marie.")
        assert paul.app.session.chat.ignored == ["Marie"]
        await paul.press("i")
        await paul.sees("You are no longer ignoring Marie.")


@sizes
async def test_moderators_read_warnings_in_profiles_and_everybody_sees_badges(
    live_server: LiveServer, size: tuple[int, int]
) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        await marked(paul, "Marie")
        core = core_of(live_server.server)
        me, marie = (core.users.sessions.known_user(name) for name in (paul.app.session.name, "Marie"))
        await paul.app.session.account.claim_name("correct horse battery")
        await live_server.marie.account.claim_name("correct horse battery")
        for user in (me, marie):
            await core.moderation_records.moderators.appoint_user(user, "")
            core.feed.user_connected(user)
        await core.moderation.warn_user(me, marie, "Please do not shout.")
        lobby = paul.app.session.lobby
        await paul.until(lambda: lobby.is_moderator("Marie") and lobby.is_moderator(me.name))
        await paul.press("v")
        await paul.sees("A moderator of this server.")
        await paul.press("end")
        await paul.sees("shout.")


async def test_a_report_is_written_before_it_goes(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await marked(paul, "Marie")
        await paul.press("v")
        await paul.sees("No games without bots yet")
        await paul.press("x")
        await paul.sees("Report Marie?")
        await paul.press("enter")
        assert paul.app.screen.query(Input)
        await paul.press("r", "u", "d", "e", "enter")
        await paul.sees("Thank you. The admins will read it.")


@sizes
async def test_the_best_are_shown_game_by_game(
    live_server: LiveServer, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        best = {"no_thanks": [LeaderboardEntry(place=1, name="Paul", rating=18.25, sigma=2.0, game_count=1)]}

        async def leaders(game: str) -> list[LeaderboardEntry]:
            return best.get(game, [])

        monkeypatch.setattr(paul.app.session.account, "request_leaders", leaders)
        await paul.press("b")
        await paul.until(lambda: isinstance(paul.app.screen, LeaderboardDialog))
        await paul.sees("Nobody is ranked yet")
        for _ in range(3):
            await paul.press("right")
            if "Leaderboard of No Thanks!" in paul.text:
                break
        await paul.sees("1. Paul (you)")
        assert "18.2" in paul.text
        assert "1 game" in paul.text
