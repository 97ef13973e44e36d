"""Advice during a game: where it is allowed, what it says, its quota, and the dialogs that show it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest

from scoville_client.i18n.language import LANGUAGES, set_language
from scoville_client.reviews import coaches
from scoville_client.reviews.explanation import bot_moves
from scoville_client.reviews.report_lines import list_costly
from scoville_client.reviews.sentences import MOST_WORDS, answer_text, percent_text
from scoville_client.session.coach_quota import QUESTIONS, SECONDS, CoachQuota, allows_coach
from scoville_client.session.start_options import Start
from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.coach import advice
from scoville_client.tui.screens.coach import review as review_screen
from scoville_client.tui.screens.coach.advice import AdviceDialog
from scoville_client.tui.screens.coach.chance_chart import Bar, ChanceChart
from scoville_client.tui.screens.coach.explanation import ExplanationDialog
from scoville_client.tui.screens.coach.review import ReviewChart, ReviewDialog, list_stops
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_shared.coach.sample import Estimate, Figures
from scoville_shared.errors import ScovilleError
from scoville_shared.games.registry import list_slugs
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableSettings
from scoville_thinking.machines import fastest_machine
from tests.client.plain.test_conversation import conversation
from tests.client.replays.test_replay_screen import replaying
from tests.support.exports import play_exported_game
from tests.support.machines import InstantPool
from tests.support.screens import NARROW, Player, at_the_screen, start_practice


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> InstantPool:
    instant = InstantPool(fastest_machine())
    monkeypatch.setattr(coaches, "shared_pool", lambda *_: instant)
    return instant


@dataclass
class Described:
    game: str
    settings: TableSettings


@dataclass
class Somewhere:
    info: Described
    has_coach: bool = True


def unwrapped(screen: str) -> str:
    """Join the rows of a dialog, without its frame and scroll bar."""
    return " ".join(screen.replace("│", " ").replace("█", " ").split())


def at_a_table(*, coach: bool) -> Somewhere:
    return Somewhere(Described("no_thanks", TableSettings(coach=coach)))


def test_others_tables_have_to_allow_it() -> None:
    assert allows_coach(at_a_table(coach=False), multiplayer=False)  # type: ignore[arg-type]
    assert not allows_coach(at_a_table(coach=False), multiplayer=True)  # type: ignore[arg-type]
    assert allows_coach(at_a_table(coach=True), multiplayer=True)  # type: ignore[arg-type]


def test_a_quota_of_questions() -> None:
    now = 0.0
    quota = CoachQuota(lambda: now)
    for _ in range(QUESTIONS):
        quota.count_question()
    with pytest.raises(ScovilleError, match="61 s"):
        quota.count_question()
    now = SECONDS
    quota.count_question()


def test_a_question_without_an_answer_is_not_counted() -> None:
    quota = CoachQuota(lambda: 0.0)
    for _ in range(QUESTIONS):
        with pytest.raises(ScovilleError, match="nothing"), quota.ask_question():
            raise ScovilleError("no_move", "There is nothing to explain.")
    for _ in range(QUESTIONS):
        with quota.ask_question():
            pass
    with pytest.raises(ScovilleError, match="61 s"), quota.ask_question():
        pass


async def test_the_coach_says_more_with_each_key(pool: InstantPool) -> None:
    async with at_the_screen(start_practice(game="no_thanks"), size=NARROW) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        await player.until(lambda: board.at.my_turn)
        await player.press("h")
        assert isinstance(player.app.screen, AdviceDialog)
        await player.until(lambda: "join your cards or those of others?" in unwrapped(player.text))
        assert "wins" not in player.text
        await player.press("right")
        await player.sees("Chance to win")
        await player.until(lambda: "▸ take the card" in player.text or "▸ no thanks" in player.text)
        await player.press("h")
        await player.sees("take the card: wins")
        await player.press("pagedown", "pagedown")
        await player.sees("Figures assume")
        await player.press("left", "left")
        await player.until(lambda: "join your cards or those of others?" in unwrapped(player.text))
        await player.press("escape")
        assert player.where == "play"
        assert len(pool.asked) == 1
        board = player.app.screen.query_one(Board)
        assert len(board.chances) == 2, "they stay at the cards"
        assert all(chance.figure in player.text for chance in board.chances.values())


async def test_while_the_coach_thinks_there_are_no_figures_to_go_to(monkeypatch: pytest.MonkeyPatch) -> None:
    async def think_without_end(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(advice, "advise_player", think_without_end)
    async with at_the_screen(start_practice(game="no_thanks")) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        await player.until(lambda: player.app.screen.query_one(Board).at.my_turn)
        await player.press("h", "right")
        await player.sees("The coach thinks …")
        assert "all figures" not in player.text
        await player.press("right", "left")
        await player.sees("which move")


@pytest.mark.parametrize("game", list_slugs())
@pytest.mark.parametrize("size", [NARROW, (80, 24), (46, 44)])
async def test_the_chart_shows_a_bar_for_each_move(pool: InstantPool, game: str, size: tuple[int, int]) -> None:
    async with at_the_screen(start_practice(game=game), size=size) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        await player.until(lambda: board.at.my_turn)
        await player.press("h", "right")
        await player.sees("Chance to win")
        await player.until(lambda: "% best" in player.text)
        drawn = player.text.splitlines()
        at = next(number for number, row in enumerate(drawn) if "▸" in row and "│" in row)
        marked = drawn[at]
        assert "█" in f"{marked}{drawn[at + 1]}", "a narrow window has the bar below the name"
        await player.press("down")
        await player.until(lambda: "▸" in player.text and marked not in player.text)


def bar(name: str, win: float, error: float, behind: float) -> Bar:
    return Bar(
        name, Figures(name, Estimate(3, 0), Estimate(win, error), 0, Estimate(behind, error), 0, 0, 0), "because."
    )


def test_equal_moves_are_said_to_be_equal() -> None:
    drawn = str(ChanceChart(lambda: [bar("a", 0.3, 0.1, 0.0), bar("b", 0.28, 0.1, 0.02)], 4).draw(60, 12))
    assert "30.0 % best" in drawn
    assert "28.0 % as good" in drawn
    assert "cannot tell the first 2 apart" in unwrapped(drawn)


def test_a_move_that_loses_points_alone_costs_no_chance() -> None:
    best, chosen = bar("a", 0.0, 0.0, 0.0).figures, bar("b", 0.0, 0.0, 0.0079).figures
    assert (
        answer_text(chosen, best, "b")
        == "B: the chance to win is the same, but the score compares worse with the others'."
    )


def test_what_a_move_costs_is_chance_alone() -> None:
    best, chosen = bar("a", 0.5, 0.0, 0.0).figures, bar("b", 0.25, 0.0, 0.27).figures
    assert answer_text(chosen, best, "b") == "B costs 25.0 % of the chance to win."


def test_a_worse_move_is_drawn_otherwise() -> None:
    chart = ChanceChart(lambda: [bar("a", 0.5, 0.0, 0.0), bar("b", 0.25, 0.0, 0.25)], 2)
    best, worse = (row for row in str(chart.draw(60, 12)).splitlines() if ".0 %" in row)
    assert best.count("█") == 2 * worse.count("▒") > 0
    assert worse.rstrip().endswith("25.0 %")
    assert "░" not in best


@pytest.mark.parametrize("reason", ["Because.", "Because it most likely wins, and nobody has a closer card."])
@pytest.mark.parametrize("width", [34, 60])
def test_a_chart_takes_no_rows_that_it_leaves_blank(reason: str, width: int) -> None:
    bars = [bar(name, 0.3, 0.1, 0.0)._replace(reason=reason) for name in "abc"]
    chart = ChanceChart(lambda: bars, 4)
    chart.fit_rows(40, width)
    assert chart.styles.height is not None
    rows = [row.strip() for row in str(chart.draw(width, int(chart.styles.height.value))).splitlines()]
    assert rows[-1]
    assert not any(not row and not below for row, below in pairwise(rows))


def test_many_moves_scroll_with_the_mark() -> None:
    bars = [bar(f"move {number}", 0.9 - number / 100, 0.0, number / 100) for number in range(40)]
    chart = ChanceChart(lambda: bars, 4)
    chart._marked = 39
    drawn = str(chart.draw(60, 12))
    assert "▸ move 39" in drawn
    assert "move 0 " not in drawn


async def test_a_key_explains_the_latest_moves_of_bots(pool: InstantPool) -> None:
    async with at_the_screen(start_practice(game="no_thanks"), size=NARROW) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        await player.until(lambda: board.at.my_turn)
        await player.press("n")
        await player.until(lambda: bool(bot_moves(board.at)) and board.at.my_turn)
        await player.press("x")
        assert isinstance(player.app.screen, ExplanationDialog)
        names = [board.at.names[move.seat] for move in bot_moves(board.at)]
        await player.sees("Chance to win")
        assert f"The latest move of {names[0]} – the 16: " in unwrapped(player.text)
        marked = next(row for row in player.text.splitlines() if "▸" in row and "%" in row)
        assert "█" in marked
        assert "±" not in player.text
        await player.press("right", "pagedown")
        await player.until(lambda: f"{names[0]} played it" in unwrapped(player.text))
        await player.press("end")
        await player.until(lambda: "everybody at the table" in unwrapped(player.text))
        await player.press("left")
        await player.sees("Chance to win")
        if len(names) > 1:
            await player.press("tab")
            await player.sees(f"{names[1]}'s move")
        await player.press("x")
        assert player.where == "play"


async def test_line_mode_explains_a_bots_move_from_public_knowledge(pool: InstantPool) -> None:
    _, said = await conversation(Start(kind="practice", seed=bytes(32), name="Anna"), "explain", "92", "explain")
    assert "No bot has made a move yet that everybody could see." in said
    played = [line for line in said if "played it" in line]
    assert len(played) == 1
    assert any(": wins " in line for line in said)
    assert max(len(line.split()) for line in said[said.index("The coach thinks …", 1) :]) <= MOST_WORDS
    assert any(line.startswith("These figures use only what everybody at the table knows") for line in said)


async def test_a_key_of_the_replay_explains_the_move(pool: InstantPool) -> None:
    async with replaying(play_exported_game("no_thanks")) as viewer:
        await viewer.press("x")
        await viewer.sees("Nobody has moved yet.")
        await viewer.press("right", "x")
        assert isinstance(viewer.app.screen, ExplanationDialog)
        await viewer.sees("Chance to win")
        await viewer.press("right")
        await viewer.sees("could know then")


async def test_line_mode_gives_the_same_advice(pool: InstantPool) -> None:
    _, said = await conversation(Start(kind="practice", seed=bytes(32), name="Anna"), "coach")
    assert any(line.startswith("7: wins ") for line in said)
    assert any(line.startswith("Figures assume:") for line in said)
    assert len(pool.asked) == 1


async def test_a_line_of_the_review_leads_to_its_moment(pool: InstantPool) -> None:
    async with replaying(play_exported_game("no_thanks")) as viewer:
        await viewer.press("h")
        assert isinstance(viewer.app.screen, ReviewDialog)
        await viewer.sees("chance to win, move by move")
        await viewer.press("v")
        await viewer.sees("The moments that decided")
        await viewer.press("enter")
        await viewer.until(lambda: not isinstance(viewer.app.screen, ReviewDialog))
        assert viewer.playback.position > 0
        assert len(set(pool.asked)) == 1


async def test_the_progress_of_a_review_is_one_plain_row(monkeypatch: pytest.MonkeyPatch) -> None:
    async def show_progress(_: object, __: str, show: Callable[[int, int], None]) -> None:
        show(7, 120)
        await asyncio.Event().wait()

    monkeypatch.setattr(review_screen, "review_of", show_progress)
    async with replaying(play_exported_game("no_thanks"), size=NARROW) as viewer:
        await viewer.press("h")
        for word in ("thinking [", "denkt [", "réfléchit ["):
            await viewer.sees(word)
            drawn = [row.strip("│ ") for row in viewer.text.splitlines()]
            assert [row for row in drawn if "[" in row] == [row for row in drawn if row.endswith("] 7/120")]
            assert not any("▸" in row for row in drawn), "there is nothing to choose"
            await viewer.press("L")


async def open_curve(viewer: Player) -> tuple[ReviewChart, ReviewDialog]:
    """Open the review of the game that is watched, and wait for its curve."""
    await viewer.press("h")
    await viewer.sees("chance to win, move by move")
    dialog = viewer.app.screen
    assert isinstance(dialog, ReviewDialog)
    return dialog.query_one(ReviewChart), dialog


@pytest.mark.parametrize("height", [30, 29])
async def test_a_bar_ends_at_the_line_of_its_chance(pool: InstantPool, height: int) -> None:
    async with replaying(play_exported_game("no_thanks")) as viewer:
        _, dialog = await open_curve(viewer)
        review = dialog._review
        assert review is not None
        rows = height - 14
        chances = [0.5, 0.25, *[0.0] * (len(review.course) - 2)]
        course = tuple(
            point._replace(position=n, wins=(chance,) * len(review.players))
            for n, (point, chance) in enumerate(zip(review.course, chances, strict=True))
        )
        chart = ReviewChart(lambda: review._replace(course=course), Seat(0)).draw(6 + len(course), height)
        lines = [chart.line(y) for y in range(1, rows + 1)]
        half = rows // 2
        assert [row for row, line in enumerate(lines) if "%" in line] == [0, half, rows - 1]
        most, middle, none = ("".join(line[6 + n] for line in lines) for n in range(3))
        assert most == "█" * rows
        assert middle[half:] == ("▄" if rows % 2 else "█") + "█" * (rows - half - 1)
        assert lines[half][8] == ("┄" if rows % 2 else "▔"), "the line is where the bar of its chance ends"
        assert (none[0], none[-1]) == ("▔", "▁")


async def test_the_curve_leads_to_each_of_its_moments(pool: InstantPool) -> None:
    async with replaying(play_exported_game("no_thanks")) as viewer:
        chart, dialog = await open_curve(viewer)
        assert dialog._review is not None
        for _ in dialog._review.players:
            stops = list_stops(dialog._review, chart.seat)
            await viewer.press(*["left"] * len(stops))
            seen = []
            for _ in stops:
                seen.append(chart.stop)
                await viewer.press("right")
            assert seen == stops
            small = str(chart.draw(40, 10))
            costly = list_costly(dialog._review, chart.seat)
            assert all(percent_text(move.loss.mean, 1) in small for move in costly), "in the smallest window too"
            name = dialog._review.reel.header.seats[chart.seat].name
            assert f"{name}: chance to win" in viewer.text
            await viewer.press("tab")
        stop = chart.stop
        assert stop is not None
        await viewer.press("enter")
        await viewer.until(lambda: viewer.app.screen is not dialog)
        assert viewer.playback.position == stop.shown_at


async def test_marked_moments_are_stepped_through_on_the_board(pool: InstantPool) -> None:
    async with replaying(play_exported_game("no_thanks")) as viewer:
        offered = {action.id for bar in viewer.screen.query(KeyBar) for action in bar.actions}
        assert not offered & {"moment_before", "next_moment"}
        await viewer.press("n")
        assert viewer.playback.position == 0, "nothing is marked before the review"
        chart, dialog = await open_curve(viewer)
        moments = chart.list_moments()
        assert len(moments) > 1
        await viewer.press(*["left"] * len(moments), "enter")
        await viewer.until(lambda: viewer.app.screen is not dialog)
        for number, moment in enumerate(moments, 1):
            assert viewer.playback.position == moment.position
            await viewer.sees(f"moment {number} of {len(moments)}")
            await viewer.sees(moment.text[:20])
            await viewer.press("n")
        assert viewer.playback.position == moments[-1].position, "there is no further one"
        await viewer.press("b")
        assert viewer.playback.position == moments[-2].position


async def test_nothing_of_a_review_is_cut_in_tall_narrow_windows(pool: InstantPool) -> None:
    async with replaying(play_exported_game("no_thanks")) as viewer:
        chart, dialog = await open_curve(viewer)
        assert dialog._review is not None
        try:
            for language in LANGUAGES:
                set_language(language)
                for _ in dialog._review.players:
                    drawn = str(chart.draw(40, 34))
                    assert "…" not in drawn, f"{language}:\n{drawn}"
                    chart.show_next_player()
        finally:
            set_language("en")


async def test_narrow_review_says_what_was_decided_on(pool: InstantPool) -> None:
    async with replaying(play_exported_game("no_thanks"), size=(46, 44)) as viewer:
        chart, dialog = await open_curve(viewer)
        assert dialog._review is not None
        drawn = [row for row in str(chart.draw(38, 34)).splitlines() if row.endswith(" %") and "█" in row][-2:]
        assert [row[2:].partition(":")[0] for row in drawn] == ["the 27", "the 30"]


async def test_a_decision_can_be_made_again(pool: InstantPool) -> None:
    async with replaying(play_exported_game("no_thanks")) as viewer:
        await viewer.press("h")
        await viewer.sees("chance to win, move by move")
        dialog = viewer.app.screen
        assert isinstance(dialog, ReviewDialog)
        chart = dialog.query_one(ReviewChart)
        for _ in range(4):
            if chart.stop is not None and chart.stop.decision is not None:
                break
            await viewer.press("tab")
        assert chart.stop is not None
        decision = chart.stop.decision
        assert decision is not None, "somebody erred in this game"
        await viewer.press("c")
        await viewer.sees("what do you play?")
        best = next(n for n, each in enumerate(decision.figures) if each.behind.mean <= 0)
        await viewer.press(*["down"] * best, "enter")
        await viewer.sees("right, no move is clearly better")
