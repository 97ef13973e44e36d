"""Table settings in a draft: few at first, never out of bounds."""

import pytest

from scoville_client.session.new_table.options import Draft, list_offered_games
from scoville_client.session.new_table.settings import MORE, TableSettingsDraft
from scoville_shared.protocol.messages import TableClock, TableSettingsParams

CLOCK = TableClock(move_ms=60_000)


def ids(draft: TableSettingsDraft) -> list[str]:
    return [line for line, _, _ in draft.list_lines(CLOCK)]


def value(draft: TableSettingsDraft, line: str, clock: TableClock = CLOCK) -> str:
    return next(value for each, _, value in draft.list_lines(clock) if each == line)


@pytest.fixture
def opened() -> TableSettingsDraft:
    draft = TableSettingsDraft()
    draft.change_line(MORE, 1)
    return draft


def typed(draft: TableSettingsDraft, line: str, text: str) -> None:
    for char in text:
        assert draft.takes_character(line, char)
        draft.type_character(line, char)


def test_one_line_stands_for_all_until_more_is_wanted() -> None:
    draft = TableSettingsDraft()
    assert ids(draft) == [MORE]
    assert value(draft, MORE) == "public, open to spectators"
    assert draft.changed == {}
    draft.change_line(MORE, 1)
    assert {"private", "password", "spectating", "start", "fill_ms"} <= {*ids(draft)}


def test_a_line_that_means_nothing_is_not_there(opened: TableSettingsDraft) -> None:
    assert not {"rounds_behind", "countdown_ms"} & {*ids(opened)}
    opened.change_line("spectating", -1)
    opened.change_line("start", 1)
    assert {"rounds_behind", "countdown_ms"} <= {*ids(opened)}
    opened.change_line("private", 1)
    assert "rated" not in ids(opened)
    opened.change_line("spectating", -1)
    assert "spectators_talk" not in ids(opened)


def test_a_table_without_a_host_starts_when_everybody_is_ready(opened: TableSettingsDraft) -> None:
    assert (value(opened, "hostless"), value(opened, "start")) == ("no", "when the host starts it")
    opened.change_line("hostless", 1)
    assert opened.changed == {"hostless": True}
    assert (value(opened, "hostless"), value(opened, "start")) == ("nobody starts or kicks", "when everybody is ready")
    assert "countdown_ms" in ids(opened)
    assert value(opened, MORE) == "no host, starts when everybody is ready"


def test_tables_without_a_clock_are_unrated(opened: TableSettingsDraft) -> None:
    assert (value(opened, "rated"), value(opened, MORE)) == ("yes", "public, open to spectators")
    none, long = TableClock(), TableClock(move_ms=600_000)
    assert (value(opened, "rated", none), value(opened, MORE, none)) == (
        "no: without a clock",
        "public, not rated without a clock",
    )
    assert (value(opened, "rated", long), value(opened, MORE, long)) == (
        "no: with this clock",
        "public, not rated with this clock",
    )
    opened.change_line("rated", 1)
    assert (value(opened, "rated", none), value(opened, MORE, none)) == ("no", "public, not rated")
    opened.change_line("rated", 1)
    opened.change_line("private", 1)
    assert value(opened, MORE, none) == "private"


def test_numbers_stay_within_the_bounds_of_the_wire(opened: TableSettingsDraft) -> None:
    opened.change_line("spectating", -1)
    opened.change_line("start", 1)
    for line, most in (("rounds_behind", 20), ("countdown_ms", 600_000), ("fill_ms", 3_600_000)):
        typed(opened, line, "99999")
        assert opened.changed[line] == most
        opened.change_line(line, 1)
        assert opened.changed[line] == most
    assert TableSettingsParams(**opened.changed).fill_ms == 3_600_000
    for _ in range(4):
        opened.erase_character("fill_ms")
    opened.change_line("fill_ms", -1)
    assert value(opened, "fill_ms") == "never"


def test_a_password_takes_every_character_and_can_be_erased(opened: TableSettingsDraft) -> None:
    typed(opened, "password", "q 7x")
    opened.erase_character("password")
    assert opened.password == "q 7"
    assert value(opened, MORE) == "with a password"


def test_the_short_line_says_what_is_unusual(opened: TableSettingsDraft) -> None:
    opened.change_line("private", 1)
    opened.change_line("start", -1)
    opened.change_line(MORE, 1)
    assert [*opened.list_lines(CLOCK)] == [(MORE, "More settings …", "private, starts when everybody is ready")]


def test_a_draft_of_a_shared_table_carries_it_all() -> None:
    draft = Draft(list_offered_games(), "dicht_dran", shared=True)
    draft.change_line(MORE, 1)
    draft.change_line("private", 1)
    draft.type_character("password", "x")
    assert (draft.table.settings, draft.table.password) == ({"private": True}, "x")
    assert MORE not in [line.id for line in Draft(list_offered_games(), "dicht_dran").list_lines()]
