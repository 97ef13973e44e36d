"""Thinking time: parsing of typed limits, and display of the remaining time."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_client.i18n.clock_text import clock_terms, minutes_and_seconds, waiting_terms
from scoville_client.i18n.event_text import event_phrases
from scoville_client.session.new_table.option_input import find_local_zone, parse_absence, parse_clock, parse_night
from scoville_client.session.table.remaining_time import clock_face, clock_faces, next_change, overrun_text
from scoville_client.session.table.table import AtTable, Clocks
from scoville_shared.protocol.messages import AnyTableEvent, Night, Paused, Resumed, TableClock, Warned
from tests.support.client import GAME, NAMES, make_choice, make_info, make_snapshot, make_start

SINCE = 100.0


def at_a_table(left_ms: tuple[int, ...] = (65_400, 30_000, 0)) -> AtTable:
    at = AtTable(GAME, make_snapshot())
    at.pending = frozenset({0, 2})  # type: ignore[arg-type]
    at.clocks = Clocks(left_ms, SINCE)
    return at


@pytest.mark.parametrize(
    ("typed", "clock"),
    [
        ("30", {"move_ms": 30_000}),
        ("300+5", {"bank_ms": 300_000, "increment_ms": 5000}),
        ("0+5", {"bank_ms": None, "increment_ms": 5000}),
        ("300+0", {"bank_ms": 300_000, "increment_ms": 0}),
        ("3d", {"move_ms": 259_200_000}),
        ("off", {}),
        ("0", {}),
    ],
)
def test_a_clock_is_read_as_it_is_written(typed: str, clock: dict[str, int | None]) -> None:
    assert parse_clock(typed) == clock


@pytest.mark.parametrize("typed", ["", "fast", "4d", "d", "5+", "+5", "-3", "1.5", "604801", "1+2+3"])
def test_a_wrong_clock_is_answered_with_how_to_write_one(typed: str) -> None:
    with pytest.raises(ValueError, match=r"is not a thinking time; write 30 for seconds a move"):
        parse_clock(typed)


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        (TableClock(), "off"),
        (TableClock(absence_ms=30_000), "off"),
        (TableClock(move_ms=30_000), "0:30 a move"),
        (TableClock(bank_ms=300_000, increment_ms=5000), "5:00 + 0:05 a game"),
        (TableClock(move_ms=15_000, bank_ms=90_000), "0:15 a move, 1:30 a game"),
        (TableClock(move_ms=86_400_000), "1 day a move"),
        (
            TableClock(move_ms=259_200_000, night=Night(begins=22, ends=7, zone="Europe/Berlin")),
            "3 days a move, at night no time passes: 22:00–7:00 (Europe/Berlin)",
        ),
    ],
)
def test_clock_is_described_briefly(clock: TableClock, expected: str) -> None:
    assert clock_terms(clock) == expected


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        (TableClock(), []),
        (TableClock(move_ms=30_000), ["Thinking time: 0:30 a move."]),
        (TableClock(absence_ms=None), ["A disconnected player's seat is kept without limit."]),
        (TableClock(absence_ms=90_000), ["A bot takes over for a player who is away longer than 1:30."]),
        (
            TableClock(bank_ms=60_000, absence_ms=5000),
            ["Thinking time: 1:00 a game.", "A bot takes over for a player who is away longer than 0:05."],
        ),
    ],
)
def test_clock_is_described_in_sentences(clock: TableClock, expected: list[str]) -> None:
    assert waiting_terms(clock) == expected


def test_night_has_its_own_zone_or_the_machine_s() -> None:
    assert parse_night("22-7", "Asia/Tokyo") == {"night": {"begins": 22, "ends": 7, "zone": "Asia/Tokyo"}}
    assert parse_night("0-8@Europe/Berlin", "UTC") == {"night": {"begins": 0, "ends": 8, "zone": "Europe/Berlin"}}
    assert parse_night("off", "UTC") == {}


@pytest.mark.parametrize("typed", ["", "night", "22", "22-24", "25-7", "22-7@"])
def test_a_wrong_night_is_answered_with_how_to_write_one(typed: str) -> None:
    with pytest.raises(ValueError, match="is not a night; write the hours"):
        parse_night(typed, "UTC")


def test_days_and_hours_are_shown_without_seconds() -> None:
    assert [minutes_and_seconds(hours * 3_600) for hours in (11.5, 12, 23.99, 24, 52.5)] == [
        "690:00", "12h00", "23h59", "1d 0h", "2d 4h",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("named", "link", "zone"),
    [
        ("America/New_York", None, "America/New_York"),
        ("CET-1CEST", "/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        ("", "../usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("", None, "UTC"),
    ],
)
def test_the_zone_of_the_machine_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str, link: str | None, zone: str
) -> None:
    monkeypatch.setenv("TZ", named)
    if link is not None:
        (tmp_path / "localtime").symlink_to(link)
    assert find_local_zone(tmp_path / "localtime") == zone


@pytest.mark.parametrize(("typed", "kept_ms"), [("0", None), ("90", 90_000), ("604800", 604_800_000)])
def test_a_wait_for_who_is_away_is_read_in_seconds(typed: str, kept_ms: int | None) -> None:
    assert parse_absence(typed) == {"absence_ms": kept_ms}


@pytest.mark.parametrize("typed", ["", "off", "-1", "1.5", "604801"])
def test_a_wrong_wait_is_answered_with_how_to_write_one(typed: str) -> None:
    with pytest.raises(ValueError, match="is not a waiting time; write seconds, or 0 to wait forever"):
        parse_absence(typed)


def test_a_clock_runs_for_the_mover_down_to_zero() -> None:
    at = at_a_table()
    assert [clock_face(at, seat, SINCE) for seat in range(3)] == ["1:06", "0:30", "0:00"]
    assert [clock_face(at, seat, SINCE + 10) for seat in range(3)] == ["0:56", "0:30", "0:00"]


def test_no_time_passes_for_bots_and_in_a_pause() -> None:
    at = at_a_table()
    at.info = replace(make_info(), seats=[replace(make_info().seats[0], kind="bot"), *make_info().seats[1:]])
    assert clock_face(at, 0, SINCE + 10) == "1:06"
    at.info = replace(make_info(), paused=True)
    assert clock_face(at, 0, SINCE + 10) == "1:06"


def test_without_clocks_there_is_nothing_to_show() -> None:
    assert clock_face(at_a_table(()), 0, SINCE) == ""


def test_a_running_clock_near_its_end_is_marked() -> None:
    at = at_a_table((9_900, 9_900, 65_400))
    assert [(face.text, face.style) for face in clock_faces(at, SINCE)] == [
        ("0:10", "strong"),
        ("0:10", "muted"),
        ("1:06", "strong"),
    ]
    assert [face.text for face in clock_faces(at, SINCE + 1)] == ["!0:09", "0:10", "1:05"]
    at.info = replace(make_info(), paused=True)
    assert {face.style for face in clock_faces(at, SINCE + 1)} == {"muted"}


def test_bots_and_games_that_are_over_have_no_face() -> None:
    at = at_a_table()
    at.info = replace(make_info(), seats=[replace(make_info().seats[0], kind="bot"), *make_info().seats[1:]])
    assert [face.text for face in clock_faces(at, SINCE)] == ["", "0:30", "!0:00"]
    at.info = make_info("finished")
    assert clock_faces(at, SINCE) == ()
    assert clock_faces(at_a_table(()), SINCE) == ()


@pytest.mark.parametrize("gone", [0.0, 0.25, 0.9, 3.0, 7.77])
def test_a_clock_changes_exactly_when_announced(gone: float) -> None:
    at = at_a_table((65_400, 30_000, 20_900))
    now = SINCE + gone
    seconds = next_change(at, now)
    assert seconds is not None
    before, then = clock_faces(at, now), clock_faces(at, now + seconds)
    assert before == clock_faces(at, now + seconds - 0.05 if seconds > 0.05 else now)
    assert before != then


def test_where_nobody_thinks_nothing_changes() -> None:
    at = at_a_table((0, 30_000, 0))
    assert next_change(at, SINCE) is None, "time that has run out does not run on"
    at = at_a_table()
    at.info = replace(make_info(), paused=True)
    assert next_change(at, SINCE) is None
    assert next_change(at_a_table(()), SINCE) is None


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (Warned(seq=2, seat=1, reason="clock", acts_in_ms=10_000), "Paul has 10 seconds left."),
        (Warned(seq=2, seat=1, reason="clock", acts_in_ms=1000), "Paul has 1 second left."),
        (
            Warned(seq=2, seat=2, reason="absence", acts_in_ms=10_000),
            "Max is disconnected: a bot takes over in 10 seconds.",
        ),
        (Paused(seq=2, seat=0, granted=False), "Anna asks for a pause. It starts when every player has asked."),
        (Paused(seq=2, seat=0, granted=True), "Anna also asks for a pause: the game is paused."),
        (Resumed(seq=2, seat=0), "Anna resumes the game."),
    ],
)
def test_warnings_and_pauses_are_reported_by_name(event: AnyTableEvent, sentence: str) -> None:
    assert [phrase.render(NAMES) for phrase in event_phrases(GAME, event, make_info().seats)] == [sentence]


def test_a_pause_is_known_at_the_table() -> None:
    at = AtTable(GAME, make_snapshot())
    at.apply_event(Paused(seq=2, seat=0, granted=True), None, [1000])
    assert (at.info.paused, at.clocks.left_ms) == (True, (1000,))
    at.apply_event(Resumed(seq=3, seat=1), None)
    assert not at.info.paused


MADE = "Your time was up, so a move was made for you."
NEXT = "If it runs out at your next move too, a bot takes over your seat."


@pytest.mark.parametrize(
    ("clock", "mover", "seat", "expected"),
    [
        (TableClock(move_ms=30_000), "clock", 0, f"{MADE} {NEXT}"),
        (TableClock(), "clock", 0, MADE),
        (TableClock(move_ms=30_000), "clock", 1, ""),
        (TableClock(move_ms=30_000), "player", 0, ""),
    ],
    ids=["rated", "unrated", "of another player", "own move"],
)
def test_player_over_time_learns_what_follows(clock: TableClock, mover: str, seat: int, expected: str) -> None:
    at = AtTable(GAME, replace(make_snapshot(make_start()), info=replace(make_info(), clock=clock)))
    assert overrun_text(at, replace(make_choice(2, seat), mover=mover)) == expected


def test_a_server_without_ratings_threatens_no_takeover() -> None:
    table = replace(make_info(), clock=TableClock(move_ms=30_000), rated=False)
    at = AtTable(GAME, replace(make_snapshot(make_start()), info=table))
    assert overrun_text(at, replace(make_choice(2, 0), mover="clock")) == MADE
