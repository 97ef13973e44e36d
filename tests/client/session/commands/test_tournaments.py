"""What is typed of a new tournament."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from scoville_client.session.commands.clubs import parse_date
from scoville_client.session.commands.command import Misuse
from scoville_client.session.commands.tournaments import COMMANDS, parse_tournament
from scoville_shared.protocol.messages import GameInfo, TableClock, TournamentInfo

GAMES = [
    GameInfo(
        slug="no_thanks",
        title="No Thanks!",
        seat_range=(2, 7),
        official_range=(3, 7),
        rules_version=1,
        options={"rounds": 1, "tactical": False},
    )
]
NOON = round(datetime(2026, 12, 4, 12, 0).timestamp() * 1000)


def parse(typed: str) -> dict[str, object]:
    return parse_tournament(typed.split(), GAMES, NOON)


def test_words_stand_in_any_order() -> None:
    assert parse("rounds=5 no thanks 3 swiss at=20:30 bots=easy name=Friday night, again") == {
        "format": "swiss",
        "game": "no_thanks",
        "seat_count": 3,
        "options": {},
        "round_count": 5,
        "starts_in_ms": 8 * 3_600_000 + 1_800_000,
        "level": "easy",
        "name": "Friday night, again",
    }


def test_a_duplicate_evening_has_deals_and_teams() -> None:
    fields = parse("duplicate no thanks 4 deals=6 teams=2")
    assert (fields["format"], fields["round_count"], fields["team_size"]) == ("duplicate", 6, 2)
    with pytest.raises(Misuse):
        parse("duplicate heap teams=1")


def test_what_is_not_typed_has_a_default() -> None:
    fields = parse("cup dicht dran")
    assert (fields["format"], fields["seat_count"], fields["starts_in_ms"]) == ("knockout", 4, 900_000)


def test_passed_time_means_tomorrow() -> None:
    assert parse("arena heap at=11:00")["starts_in_ms"] == 23 * 3_600_000
    assert parse("arena heap at=2026-12-05T12:00")["starts_in_ms"] == 24 * 3_600_000


@pytest.mark.parametrize(
    "typed",
    [
        "no thanks",
        "swiss heap rounds=0",
        "swiss heap rounds=x",
        "arena heap minutes=1",
        "arena heap at=25:00",
        "arena heap at=2020-01-01T12:00",
        "arena heap in=-1",
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(typed: str) -> None:
    with pytest.raises(Misuse):
        parse(typed)


@pytest.mark.parametrize("typed", ["players=3", "seats=3", "3 players", "3"])
def test_players_are_typed_as_people_say_it(typed: str) -> None:
    fields = parse(f"swiss no thanks {typed}")
    assert (fields["seat_count"], fields["game"], fields["options"]) == (3, "no_thanks", {})


def test_unknown_setting_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="There is no setting round") as refused:
        parse("swiss no thanks round=5")
    assert str(refused.value) == (
        "There is no setting round. Options of No Thanks!: rounds, tactical. "
        "Other settings: players, bots, clock, at, in, rounds, deals, minutes, teams, name."
    )
    assert parse("swiss heap round=5")["options"] == {"round": 5}, "a game that only the server knows"


@pytest.mark.parametrize("typed", ["private", "password=x", "coach=no", "bots=easy,2:strong"])
def test_settings_of_other_tables_are_refused(typed: str) -> None:
    with pytest.raises(Misuse, match="fewer settings"):
        parse(f"swiss no thanks {typed}")


@pytest.fixture
def _berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_berlin")
@pytest.mark.parametrize(
    ("now", "typed", "begins"),
    [
        (datetime(2026, 10, 20, 10, tzinfo=UTC), "2026-11-05T20:30", datetime(2026, 11, 5, 19, 30, tzinfo=UTC)),
        (datetime(2026, 3, 20, 10, tzinfo=UTC), "2026-04-05T20:30", datetime(2026, 4, 5, 18, 30, tzinfo=UTC)),
        (datetime(2026, 10, 24, 20, tzinfo=UTC), "20:30", datetime(2026, 10, 25, 19, 30, tzinfo=UTC)),
    ],
)
def test_typed_time_follows_the_wall_clock(now: datetime, typed: str, begins: datetime) -> None:
    now_ms, wait_ms = round(now.timestamp() * 1000), round((begins - now).total_seconds() * 1000)
    fields = parse_tournament(["arena", "heap", f"at={typed}"], GAMES, now_ms)
    assert fields["starts_in_ms"] == wait_ms
    assert parse_date([typed, "Friday"], now_ms) == (wait_ms, False, "Friday")


class ListedTournaments:
    """The tournaments of a session, which notes what it is asked."""

    def __init__(self, *infos: TournamentInfo) -> None:
        self.infos = infos
        self.numbered = [infos[-1].id]
        self.asked: list[str] = []

    async def list_tournaments(self) -> list[TournamentInfo]:
        self.numbered = [info.id for info in self.infos]
        return [*self.infos]

    async def enter_tournament(self, tournament: str, partners: list[str]) -> TournamentInfo:
        assert partners == []
        self.asked.append(tournament)
        return next(info for info in self.infos if info.id == tournament)


def listed(number: str, **fields: Any) -> TournamentInfo:
    common = {"name": number, "format": "swiss", "game": "no_thanks", "options": {}, "seat_count": 3, "starts_ms": 0}
    terms = {"level": "easy", "clock": TableClock(move_ms=30_000), "stage": "running", "director": None}
    return TournamentInfo(id=number, **{**common, **terms, "round_count": 3, **fields})


@pytest.mark.parametrize(("typed", "entered"), [("", "open"), ("1", "finished"), ("2", "mine")])
async def test_missing_number_means_the_open_tournament(typed: str, entered: str) -> None:
    tournaments = ListedTournaments(
        listed("finished", stage="finished"), listed("mine", admits=True, entered=True), listed("open", admits=True)
    )
    caller: Any = SimpleNamespace(session=SimpleNamespace(tournaments=tournaments, games=GAMES), mark="")
    if typed:
        await tournaments.list_tournaments()
    command = next(each for each in COMMANDS if each.names[0] == "tournament enter")
    assert (await command.run_typed(caller, typed))[0].startswith(f"You take part in {entered};")
    assert tournaments.asked == [entered]
