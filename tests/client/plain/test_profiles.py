"""Line mode: claimed names, profiles and leaderboards."""

import msgspec
import pytest

from scoville_client.session.commands.players import profile_facts
from scoville_shared.protocol.messages import PastGame, ProfileReply, Rating
from tests.support.listener import listen_as, serve_cheaply
from tests.support.server import core_of

PROFILE = ProfileReply(
    name="Anna",
    claimed=True,
    since_ms=0,
    begun=50,
    finished=48,
    won=12,
    median_pick_ms=6100,
    ratings=[Rating(game="no_thanks", rating=10.0, mu=25.25, sigma=4.1, game_count=31, rank=3)],
    recent=[
        PastGame(
            table="t1",
            game="no_thanks",
            ended_ms=0,
            names=["Ben", "Anna"],
            scores=[30, 12],
            places=[2, 1],
            your_seat=1,
            rated=True,
        )
    ],
)


def profile_lines(profile: ProfileReply) -> list[str]:
    return [phrase.render(()) for phrase in profile_facts(profile)]


def test_a_profile_is_shown_as_plain_facts() -> None:
    who, record, rating, past = profile_lines(PROFILE)
    assert who == "Anna (claimed name):"
    assert record == "finished 48 of 50, won 12, median time per move 6 s."
    assert rating == "no_thanks: rating 25.2 ± 4.1 after 31 games; rank 3."
    assert past.endswith("no_thanks, rated: 1. Anna 12, 2. Ben 30")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"claimed": False}, "Anna (guest):"),
        ({"begun": 0, "finished": 0}, "No games without bots yet."),
        ({"median_pick_ms": None}, "finished 48 of 50, won 12."),
        (
            {"ratings": [Rating(game="no_thanks", rating=0.0, mu=25.0, sigma=8.3, game_count=1)]},
            "no_thanks: rating 25.0 ± 8.3 after 1 game; not ranked yet.",
        ),
    ],
)
def test_unknown_facts_are_not_shown(fields: dict[str, object], sentence: str) -> None:
    assert sentence in profile_lines(msgspec.structs.replace(PROFILE, **fields))


async def test_the_profile_of_a_moderator_who_is_gone_says_so() -> None:
    async with serve_cheaply() as server, listen_as(server, "Ben") as ben:
        async with listen_as(server, "Zoe") as zoe:
            await zoe.ask("claim", "^Type a password")
            await zoe.ask("seven habaneros", r"^You have claimed the name Zoe\.")
            user = core_of(server).sessions.known_user("Zoe")
            await core_of(server).moderation_records.moderators.appoint_user(user, "")
        await ben.ask("profile Zoe", r"^A moderator of this server\.")


async def test_a_name_is_claimed_with_an_unheard_password() -> None:
    async with serve_cheaply() as server, listen_as(server, "Zoe") as zoe:
        await zoe.ask("account", "^You are Zoe, a guest")
        await zoe.ask("claim", "^Type a password")
        await zoe.ask("seven habaneros", r"^You have claimed the name Zoe\.")
        await zoe.ask("account", "^You can log in with a password")
        await zoe.ask("password", "^Type your current password")
        await zoe.ask("seven habaneros", "^Type the new password")
        await zoe.ask("eight habaneros", "^Your password has been changed")
        await zoe.ask("logout", "^You are (?!Zoe)")
        await zoe.ask("login Zoe", "^Type the password of Zoe")
        await zoe.ask("seven habaneros", r"^Wrong name, password or key\.$")
        await zoe.ask("login Zoe", "^Type the password of Zoe")
        await zoe.ask("eight habaneros", "^You are Zoe")
        await zoe.ask("account", "^Session [0-9a-f]+, this one: scoville .*, by password")
        await zoe.ask("end nothing", "no session nothing")
        await zoe.ask("end all", "^The sessions have been ended")
        await zoe.ask("profile", r"^Zoe \(claimed name\):")
        await zoe.ask("leaders no_thanks", "^Nobody is ranked")
        await zoe.ask("release", "^Type your password to give up your name")
        await zoe.ask("eight habaneros", "^You have given up your name")
        assert not any("habaneros" in line for line in zoe.said)


async def test_an_account_is_recovered_and_deleted_by_its_owner() -> None:
    async with serve_cheaply() as server:
        async with listen_as(server, "Zoe") as zoe:
            await zoe.ask("claim", "^Type a password")
            await zoe.ask("seven habaneros", r"^You have claimed the name Zoe\.")
        core = core_of(server)
        code, _ = await core.accounts.begin_recovery(core.sessions.find_by_name("Zoe"), "Ada")
        async with listen_as(server, "Ben") as ben:
            await ben.ask("recover", r"^The name is missing\. Type recover NAME")
            await ben.ask("recover Zoe", "^Type the recovery code")
            await ben.ask(code, "^Type the new password")
            await ben.ask("eight habaneros", "^Your password has been changed; all other sessions have ended")
            await ben.ask("account", "^An admin has made a recovery code|: An admin has made a recovery code")
            await ben.ask("delete", "^Type your password to delete the account Zoe")
            await ben.ask("seven habaneros", r"^Wrong name, password or key\.$")
            await ben.ask("delete", "^Type your password to delete the account Zoe")
            await ben.ask("eight habaneros", r"^The account Zoe has been deleted\.")
            await ben.ask("account", "^You are (?!Zoe)")


async def test_logging_in_and_out_lasts_into_the_next_run() -> None:
    async with serve_cheaply() as server:
        async with listen_as(server, "Zoe") as zoe:
            await zoe.ask("claim", "^Type a password")
            await zoe.ask("seven habaneros", r"^You have claimed the name Zoe\.")
            await zoe.ask("logout", "^You are (?!Zoe)")
        async with listen_as(server, "Ben") as ben:
            await ben.ask("login Zoe", "^Type the password")
            await ben.ask("seven habaneros", "^You are Zoe")
        async with listen_as(server, "Zoe") as zoe:
            await zoe.ask("account", r"^You are Zoe and have claimed that name\.")
            async with listen_as(server, "Ben") as ben:
                await ben.ask("account", "^You are Ben, a guest")
            await zoe.ask("logout", "^You are (?!Zoe)")
        async with listen_as(server, "Zoe") as stranger:
            await stranger.ask("account", "^You are Zoe 2, a guest")


async def test_a_taken_name_explains_how_to_prove_it() -> None:
    async with serve_cheaply() as server, listen_as(server, "Zoe") as zoe:
        await zoe.ask("claim", "^Type a password")
        await zoe.ask("seven habaneros", r"^You have claimed the name Zoe\.")
        async with listen_as(server, "Zoe") as other:
            await other.hear("^The name you asked for is claimed")


async def test_admin_acts_in_line_mode() -> None:
    async with (
        serve_cheaply(admins=("Zoe",)) as server,
        listen_as(server, "Zoe") as zoe,
        listen_as(server, "Ben") as ben,
    ):
        await zoe.ask("claim", "^Type a password")
        await zoe.ask("seven habaneros", r"^You have claimed the name Zoe\.")
        await zoe.ask("code 12345", r"^The server says: This admin code is wrong")
        await zoe.ask(f"code {server.admin_codes['Zoe'].lower()}", r"^You are now an admin of this server\.")
        await ben.ask("report Zoe shouts", "^The admins will read your report")
        await zoe.ask("admin", "^admin resolve")
        await zoe.ask("admin users", "^Ben: ")
        await zoe.ask("admin announce Tea at nine", "^Announcement: Tea at nine")
        await ben.hear("^Announcement: Tea at nine")
        report = (await zoe.ask("admin reports", r"^Report (\d+), .*, Ben about Zoe: shouts")).group(1)
        await zoe.ask(f"admin resolve {report} no", f"^Report {report} has been resolved")
        ban = (await zoe.ask("admin ban Ben chat 30m too loud", r"^Ban (\d+): Ben, from chat, until .*too loud")).group(
            1
        )
        await zoe.ask("admin bans", "^Ban ")
        await ben.ask("say Hello", "^You may not chat on this server: too loud")
        await zoe.ask(f"admin unban {ban}", f"^Ban {ban} has been lifted")
        await zoe.ask("admin bans", "^There are no bans")
        await zoe.ask("admin audit", "Zoe: ")
        await ben.ask("create dicht_dran 2", "^Ben takes seat 1")
        await zoe.hear("^New table")
        code = (await zoe.ask("tables", r"^1\. .*Code (\S+)\.")).group(1)
        await zoe.ask(f"admin close {code} tidying up", r"^Table \S+ has been closed\.")
        await ben.hear("^The table was closed: tidying up")
        await zoe.ask("admin kick Ben enough", r"^Ben has been disconnected\.")


async def test_a_code_that_one_client_shows_logs_another_one_in() -> None:
    async with serve_cheaply() as server, listen_as(server, "Zoe") as zoe, listen_as(server, "Ben") as ben:
        await zoe.ask("claim", "^Type a password")
        await zoe.ask("seven habaneros", r"^You have claimed the name Zoe\.")
        await zoe.ask("webcode", "^Code .*: it logs you in once, within 60 seconds")
        (code,) = (line.split()[1].rstrip(":") for line in zoe.said if line.startswith("Code "))
        await ben.ask("webcode wrong", "^Wrong ")
        await ben.ask(f"webcode {code}", "^You are Zoe")
        await ben.ask("account", "^Session [0-9a-f]+, this one: .* by web code")
