"""Tables in a list: the order, and their description in plain words."""

from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.i18n import table_text
from scoville_client.i18n.language import set_language, tr
from scoville_client.i18n.table_text import (
    Countdowns,
    TableLines,
    list_table,
    may_sit,
    next_table_of,
    sort_for_user,
)
from scoville_client.session.table.table_text import describe_table
from scoville_shared.protocol.messages import GameInfo, SeatInfo, TableClock, TableInfo, TableSettings

HEAP = GameInfo(
    slug="heap",
    title="Heap",
    seat_range=(2, 5),
    official_range=(2, 5),
    rules_version=1,
    options={"rounds": 1, "open": False},
)
ANNA, BEN, FREE = (SeatInfo(name="Anna", kind="human", connected=True), SeatInfo(name="Ben", kind="bot"), SeatInfo())


def table(name: str, **fields: Any) -> TableInfo:
    usual: dict[str, Any] = {
        "game": "heap", "options": dict(HEAP.options), "seats": [ANNA, FREE], "host": 0, "status": "waiting",
        "creator": "Anna", "rules_version": 1,
    }  # fmt: skip
    return TableInfo(table=name, commitment="", **{**usual, **fields})


def playing(name: str, **fields: Any) -> TableInfo:
    return table(name, status="playing", seats=[ANNA, BEN], **fields)


def terms(info: TableInfo, starts_in: int | None = None, **more: Any) -> list[str]:
    return list_table(info, {"heap": HEAP}, starts_in, **more).terms


def test_my_tables_come_first_and_others_keep_their_order() -> None:
    tables = [
        table("over", status="finished", your_seat=0),
        playing("strangers"),
        table("full", seats=[ANNA, BEN]),
        table("free"),
        table("mine", your_seat=0),
        table("invited"),
        playing("turn", your_seat=0, your_turn=True),
    ]
    order = [each.table for each in sort_for_user(tables, {"invited"})]
    assert order == ["mine", "turn", "invited", "full", "free", "strangers", "over"]


def test_the_key_visits_my_turns_and_then_my_tables() -> None:
    seats = [
        table("a", your_seat=0),
        playing("b", your_seat=0),
        table("over", status="finished", your_seat=0),
        table("not mine"),
    ]
    assert [getattr(next_table_of(seats, here), "table", None) for here in (None, "a", "b")] == ["a", "b", "a"]
    turns = [*seats, *(playing(name, your_seat=0, your_turn=True) for name in ("c", "d"))]
    assert [getattr(next_table_of(turns, here), "table", None) for here in (None, "c", "d")] == ["c", "d", "c"]
    assert next_table_of([seats[0]], "a") is None


def test_a_table_as_usual_needs_no_words_beside_its_users() -> None:
    shown = list_table(table("a"), {"heap": HEAP}, None)
    assert (shown.game, shown.seats, shown.state, shown.users, shown.terms) == (
        "Heap",
        "1/2",
        "waiting",
        "Anna",
        ["not rated without a clock"],
    )
    assert not shown.urgent


def test_unusual_settings_are_said_in_words() -> None:
    settings = TableSettings(
        private=True, start="full", fill_ms=30_000, spectating="rounds", rounds_behind=1, rated=False
    )
    special = table(
        "a", options={"rounds": 3, "open": True}, clock=TableClock(move_ms=30_000), settings=settings, locked=True,
        creator=None, spectator_count=2, your_seat=0,
    )  # fmt: skip
    assert terms(special, starts_in=9, invited_by="Anna") == [
        "Anna invites you",
        "your seat",
        "starts in 9 s",
        "default table",
        "2 spectators",
        "private",
        "with a password",
        "Rounds: 3",
        "Open",
        "0:30 a move",
        "starts when all seats are taken",
        "bots take free seats after 30 s",
        "spectators see it 1 round later",
        "not rated",
    ]


def test_the_server_says_whether_a_table_is_rated() -> None:
    timed = TableClock(move_ms=30_000)
    assert terms(table("a", clock=timed)) == ["0:30 a move"]
    assert terms(table("a", clock=timed, rated=False)) == ["0:30 a move", "not rated"]
    assert terms(table("a", rated=False)) == ["not rated without a clock"]


def test_how_a_game_begins_is_said_until_it_has_begun() -> None:
    settings = TableSettings(start="full", fill_ms=30_000, rated=False)
    assert terms(playing("a", settings=settings)) == ["not rated"]
    assert len(terms(table("a", settings=settings))) == 3


def test_the_state_is_a_word() -> None:
    states = {
        "full": table("a", seats=[ANNA, BEN]),
        "playing": playing("a"),
        "paused": playing("a", paused=True),
        "your turn": playing("a", your_seat=0, your_turn=True),
        "over": table("a", status="finished"),
    }
    assert [list_table(info, {}, None).state for info in states.values()] == list(states)


def test_one_sits_down_where_a_seat_is_free_or_mine() -> None:
    assert may_sit(table("a"))
    assert may_sit(playing("a", your_seat=1))
    assert not may_sit(playing("a"))
    assert not may_sit(table("a", status="finished", your_seat=0))


def test_countdowns_continue_between_other_lines() -> None:
    counting, still = table("a", starts_in_ms=20_000), table("b")
    countdowns = Countdowns()
    countdowns.note_tables([counting, still], 100.0)
    countdowns.note_tables([counting, still], 104.5)
    assert countdowns.run
    assert (countdowns.left(counting, 104.5), countdowns.left(still, 104.5)) == (16, None)
    again = table("a", starts_in_ms=5_000)
    countdowns.note_tables([again], 110.0)
    assert (countdowns.left(again, 111.0), countdowns.left(again, 200.0)) == (4, 0)
    countdowns.note_tables([still], 201.0)
    assert not countdowns.run


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables whose lines were written, in their order."""
    tables: list[str] = []

    def write_line(info: TableInfo, *rest: Any, **more: Any) -> Any:
        tables.append(info.table)
        return list_table(info, *rest, **more)

    monkeypatch.setattr(table_text, "list_table", write_line)
    return tables


def test_of_two_hundred_tables_those_that_change_are_written_again(written: list[str]) -> None:
    lines, tables = TableLines(), [table(str(n)) for n in range(200)]
    before = lines.list_tables(tables, [HEAP], {}, 0.0)
    assert before == [list_table(info, {"heap": HEAP}, None) for info in tables]
    assert len(written) == 200

    written.clear()
    changed = [table("new"), *tables[:7], playing("7"), *tables[8:]]
    after = lines.list_tables(changed, [HEAP], {}, 1.0)
    assert written == ["new", "7"]
    assert [line.state for line in after[6:10]] == ["waiting", "waiting", "playing", "waiting"]
    assert len(after) == 201

    written.clear()
    invited = lines.list_tables(changed, [HEAP], {"3": "Ben"}, 2.0)
    assert written == ["3"]
    assert invited[4].terms[0] == "Ben invites you"


def test_a_countdown_writes_the_line_of_its_own_table(written: list[str]) -> None:
    lines, tables = TableLines(), [table("a", starts_in_ms=20_000), *(table(str(n)) for n in range(200))]
    lines.list_tables(tables, [HEAP], {}, 100.0)
    assert lines.count_down
    written.clear()
    assert lines.list_tables(tables, [HEAP], {}, 104.5)[0].terms[0] == "starts in 16 s"
    assert written == ["a"]
    lines.list_tables(tables[1:], [HEAP], {}, 105.0)
    assert not lines.count_down


def test_another_language_or_title_writes_all_lines_again(written: list[str]) -> None:
    lines, tables = TableLines(), [table(str(n)) for n in range(3)]
    lines.list_tables(tables, [HEAP], {}, 0.0)
    set_language("de")
    try:
        german = lines.list_tables(tables, [HEAP], {}, 0.0)
    finally:
        set_language("en")
    assert [line.state for line in german] == ["wartet"] * 3
    renamed = lines.list_tables(tables, [replace(HEAP, title="Pile")], {}, 0.0)
    assert [line.game for line in renamed] == ["Pile"] * 3
    assert len(written) == 9


@pytest.mark.parametrize(
    ("language", "seat", "card"), [("de", "freier Platz", "gratis"), ("fr", "place libre", "gratuit")]
)
def test_a_free_seat_is_not_free_of_charge(language: str, seat: str, card: str) -> None:
    set_language(language)
    assert (tr("free seat"), tr("free")) == (seat, card)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_default_table_is_described_in_short_sentences(language: str) -> None:
    settings = TableSettings(start="full", fill_ms=30_000)
    info = table("a", creator=None, seats=[FREE] * 4, clock=TableClock(move_ms=60_000, bank_ms=120_000),
                 settings=settings)  # fmt: skip
    set_language(language)
    try:
        sentences = describe_table(info, [HEAP]).split(". ")
    finally:
        set_language("en")
    assert max(len(sentence.split(" ")) for sentence in sentences) <= 20, sentences
    assert len(sentences) >= 4, "what it is, its clock, how it starts, and its code"
