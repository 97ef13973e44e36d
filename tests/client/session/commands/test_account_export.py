"""What a server keeps about a user, as text: no field of the export is left out."""

from collections.abc import Iterator

import pytest
from msgspec.structs import fields, replace

from scoville_client.i18n.language import list_languages, set_language
from scoville_client.session.commands.players import export_lines
from scoville_shared.protocol.messages import (
    AccountWarning,
    ClubMembership,
    ExportAccountReply,
    KeyInfo,
    MessageInfo,
    PastDaily,
    PastGame,
    PastPuzzle,
    PastVacation,
    Rating,
    ReportInfo,
    SessionInfo,
    TableClock,
    TournamentInfo,
)

MS = 1_795_981_042_749
EMPTY = ExportAccountReply(
    name="Anna",
    claimed=False,
    has_password=False,
    admin=False,
    keys=[],
    sessions=[],
    warnings=[],
    client_settings=None,
    since_ms=MS,
    begun=0,
    finished=0,
    won=0,
    median_pick_ms=None,
    ratings=[],
    recent=[],
    messages=[],
    ignored_names=[],
    reports=[],
    table_ids=[],
)
FULL = ExportAccountReply(
    name="Anna Ardor",
    claimed=True,
    has_password=True,
    admin=True,
    keys=[KeyInfo(fingerprint="SHA256:abc", comment="laptop", added_ms=MS)],
    sessions=[
        SessionInfo(
            id="348c", client="scoville", origin="guest", created_ms=MS, used_ms=MS, expires_ms=MS, current=False
        )
    ],
    warnings=[AccountWarning(kind="moderator", at_ms=MS, reason="Be kind")],
    client_settings={"language": "de", "bell": True},
    since_ms=MS - 86_400_000,
    begun=7,
    finished=5,
    won=3,
    median_pick_ms=4_000,
    ratings=[Rating(game="no_thanks", rating=25.5, mu=27.0, sigma=1.5, game_count=11, rank=2)],
    recent=[
        PastGame(
            table="t1",
            game="heap",
            ended_ms=MS,
            names=["Anna", "Ben"],
            scores=[12, 3],
            places=[1, 2],
            your_seat=0,
            rated=True,
        )
    ],
    messages=[
        MessageInfo(number=1, at_ms=MS, channel="lobby", name="Anna", text="hello all"),
        MessageInfo(number=2, at_ms=MS, channel="whisper", name="Zed", text="psst", to="Anna"),
    ],
    ignored_names=["Troll"],
    reports=[ReportInfo(id=1, at_ms=MS, by="Anna", name="Yve", table=None, text="spams", context=[])],
    table_ids=["a1b2c3"],
    past_daily=[
        PastDaily(deal="daily-1", begun_ms=MS, ended_ms=MS, score=-8, place=2),
        PastDaily(deal="daily-2", begun_ms=MS),
    ],
    daily_days=[20_786],
    past_puzzles=[
        PastPuzzle(puzzle="p-17", at_ms=MS, right=True, before=1500, after=1511),
        PastPuzzle(puzzle="p-18", at_ms=MS, right=False, before=1511, after=1498),
    ],
    vacations=[PastVacation(begun_ms=MS, days=3)],
    calendar_since_ms=MS - 2 * 86_400_000,
    digest_url="https://example.org/hook",
    tournaments=[
        TournamentInfo(
            id="x",
            name="Evening Cup",
            format="swiss",
            game="no_thanks",
            options={},
            seat_count=4,
            level="sensible",
            clock=TableClock(),
            stage="finished",
            director="Ben",
            starts_ms=MS,
            round_count=3,
            entrant_count=9,
        )
    ],
    memberships=[
        ClubMembership(club="c1", club_name="Pepper Club", leads=True, since_ms=MS),
        ClubMembership(club="c2", club_name="Quiet Club", leads=False, since_ms=MS),
    ],
)
SAID = (
    "Anna Ardor", "SHA256:abc", "348c", "Be kind", "language", "2026-11-28", "27", "heap", "1. Anna 12", "hello all",
    "psst", "Troll", "Yve", "spams", "a1b2c3", "daily-1", "−8", "daily-2", "2026-11-29", "p-17", "1511", "p-18", "1498",
    "2026-11-27", "https://example.org/hook", "Evening Cup", "Pepper Club", "Quiet Club",
)  # fmt: skip


@pytest.fixture(params=list_languages())
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


@pytest.mark.usefixtures("language")
def test_every_fact_is_in_the_text() -> None:
    text = "\n".join(export_lines(FULL, []))
    assert [fact for fact in SAID if fact not in text] == []


@pytest.mark.parametrize("field", [field.name for field in fields(ExportAccountReply)])
def test_every_field_changes_the_text(field: str) -> None:
    assert export_lines(replace(FULL, **{field: getattr(EMPTY, field)}), []) != export_lines(FULL, [])


def test_empty_account_has_no_empty_parts() -> None:
    lines = export_lines(EMPTY, [])
    assert len(lines) == 2
    assert not [line for line in lines if line.endswith(":")]
