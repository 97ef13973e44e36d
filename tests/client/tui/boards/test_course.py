"""The course of a finished game: points step by step, the costliest move, and how sparklines show them."""

from msgspec.structs import replace

from scoville_client.tui.boards.chilli_chase.board import make_course as chilli_chase
from scoville_client.tui.boards.course import Course
from scoville_client.tui.boards.dicht_dran.board import make_course as dicht_dran
from scoville_client.tui.boards.no_thanks.board import make_course as no_thanks
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.sparkline import BARS, write_sparkline
from scoville_client.tui.screens.table.course import draw_course
from scoville_shared.games.chilli_chase.facts import Played, PointScored
from scoville_shared.games.chilli_chase.state import Left, Op
from scoville_shared.games.dicht_dran.facts import CycleEnd, CycleScored
from scoville_shared.games.no_thanks.facts import Passed, Took
from scoville_shared.ids import Seat
from tests.client.tui.boards.dicht_dran.scenes import ANNA, EXAMPLE, MAX
from tests.client.tui.boards.no_thanks.scenes import NAMES, SCORED, decisions

A, B = Seat(0), Seat(1)


def test_dicht_dran_counts_peppers_by_round_and_cycle() -> None:
    scored = CycleScored(1, CycleEnd.HAND_EMPTY, (0, 0, 0, 3), (2, 0, 0, 1), (-2, 0, 0, 2), (-2, 0, 0, 2))
    found = dicht_dran([EXAMPLE, [scored]], 4, MAX)
    assert found.points == [(0, 0, 0, 0), (0, 0, 0, 3), (-2, 0, 0, 2)]
    assert found.costliest is not None
    assert (found.costliest.move, found.costliest.cost) == (1, 2)
    assert found.costliest.what.render(()) == "your 63 was left over and cost 2 cards."
    assert dicht_dran([EXAMPLE], 4, ANNA).costliest is None
    assert dicht_dran([EXAMPLE], 4, None).costliest is None


def test_no_thanks_counts_cards_and_rounds() -> None:
    turns = [each.facts for each in decisions(4, seed=6)]
    found = no_thanks(turns, 4, A)
    assert found.points[0] == (0, 0, 0, 0)
    assert len(found.points) == 1 + 24 + 1
    assert len(NAMES) >= len(found.points[-1])
    taken = [fact for facts in turns for fact in facts if isinstance(fact, Took) and fact.seat == A]
    assert (found.costliest is None) == (not taken)


def test_the_costliest_card_counts_its_run_and_its_chips() -> None:
    first, run = Took(A, 30, 9, (30,), 30), Took(A, 29, 3, (29, 30), 29)
    high = Took(A, 12, 0, (12,), 41)
    found = no_thanks([[first], [Passed(B, 29, 1)], [run], [high], [replace(SCORED, totals=(1, 2, 3))]], 3, A)
    assert found.costliest is not None
    assert (found.costliest.move, found.costliest.cost) == (1, 21)
    assert found.costliest.what.render(()) == "you took the 30 and 9 chips; your cards then counted 30."
    assert found.points[-2:] == [(41, 0, 0), (1, 2, 3)]


def test_chilli_chase_counts_points_and_gifts() -> None:
    def play(seat: Seat) -> Played:
        return Played(seat, 2, Op.PLUS, Left.TOTAL, 3, 5)

    turns = [[play(A), PointScored(B, A, 1)], [play(B)], [play(A), PointScored(A, A, 1)]]
    found = chilli_chase(turns, 2, A)
    assert found.points == [(0, 0), (0, 1), (0, 1), (1, 1)]
    assert found.costliest is not None
    assert found.costliest.move == 1
    assert found.costliest.what.render(("Anna", "Ben")) == "you hit the Chilli Score of Ben, who then had 1 point."
    assert chilli_chase(turns, 2, B).costliest is None


def test_a_sparkline_keeps_its_ends_and_its_scale() -> None:
    assert write_sparkline([0, 5, 10], 0, 10, 3) == BARS[0] + BARS[3] + BARS[-1]
    assert write_sparkline([0, 10], 0, 10, 5) == BARS[0] * 2 + BARS[-1] * 2
    long = write_sparkline(list(range(100)), 0, 99, 20)
    assert len(long) == 20
    assert (long[0], long[-1]) == (BARS[0], BARS[-1])
    assert write_sparkline([3, 3], 3, 3, 4) == BARS[0] * 4
    assert write_sparkline([], 0, 0, 9) == ""


def test_a_tall_course_fills_the_width_and_hangs_below_zero() -> None:
    course = Course(points=[(0, 0), (4, -4), (8, -8)])
    canvas = Canvas(60, 12)
    draw_course(canvas, (0, 0, 60, 11), course, ("Anna", "Paul"), (0, 1), 10)
    rows = str(canvas).splitlines()
    anna, paul = rows[1:5], rows[6:10]
    assert anna[0].rstrip().endswith("█"), "the best end reaches the top"
    assert len(anna[0].rstrip()) == 60, "up to the last column"
    assert "█" not in "".join(anna[2:]), "points above zero stand on the middle"
    assert "█" not in "".join(paul[:2]), "those below hang from it"
    assert paul[3].rstrip().endswith("█")
