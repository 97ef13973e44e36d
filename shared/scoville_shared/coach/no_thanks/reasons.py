"""Reasons of the coach of No Thanks!, one sentence for each move."""

from scoville_shared.bots.no_thanks.kernel import extends_run
from scoville_shared.bots.no_thanks.table import Round
from scoville_shared.coach.sample import Figures, Weighed, add_price
from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.games.no_thanks.runs import weigh_taking
from scoville_shared.games.no_thanks.state import Board, View
from scoville_shared.ids import Seat

UNIT = Phrase("points")

_TAKES = Phrase("{how}: score {now} (points {points}, chips +{chips}); {otherwise}")
_RUN = Phrase("it extends a run")
_JOINS = Phrase("it joins two runs")
_ALONE = Phrase("it stands alone")
_PASSED = Phrase("it costs a chip; {fate}")
_FEW_LEFT = Phrase("{why}; {count} chip left", many="{why}; {count} chips left")

_MUST = Phrase("after a pass {who} must take it for lack of chips")
_RETURNS = Phrase("after a pass it would come back in {percent} % of the games")
_GONE = Phrase("after a pass somebody else would take it")
_GONE_FOR_RUN = Phrase("after a pass it would fit a run of {who}", many="after a pass it would fit runs of {who}")

_LAST_CHIP = Phrase("{why}; that was the last one, so the next card that comes must be taken")
_FORCES = Phrase("{who} has no chips and must take it")
_NO_RETURN = Phrase("somebody else takes the card: {who} has no chips")
_BACK = Phrase("the card comes back with more chips in {percent} % of the games; {wanted}")
_TAKEN = Phrase("somebody else takes the card")
_TAKEN_FOR_RUN = Phrase("somebody else takes the card; {wanted}")
_WANTED = Phrase("it fits a run of {who}", many="it fits runs of {who}")
_UNWANTED = Phrase("nobody else has a run for it")

_EARLY = Phrase("takes a card too early")
_EARLY_WITH_FEW = Phrase("takes a card too early for fear of the last chips")
_OWN_RUN_EARLY = Phrase("takes a card of the own run before others have paid for it")
_RUN_LEFT = Phrase("gives away a card of the own run")
_RIVALS_RUN_LEFT = Phrase("leaves others a card for their run")
_CHIPS_SPENT = Phrase("pays the last chips instead of taking")
_POT_LEFT = Phrase("leaves a card whose chips were worth its points")

_PUZZLE_FORCES = Phrase("The next player has no chips.")
_PUZZLE_RETURNS = Phrase("It comes back with more chips.")
_PUZZLE_DEAR = Phrase("Its points cost more than a chip.")
_PUZZLE_FREE_RUN = Phrase("It fits your run and brings chips.")
_PUZZLE_WANTED_RUN = Phrase("It fits your run; others would take it.")
_PUZZLE_LAST_CHIPS = Phrase("Your last chips are worth more.")
_PUZZLE_DENIED = Phrase("It would help somebody else's run.")
_PUZZLE_POT = Phrase("The chips on it are worth its points.")
_PUZZLE_FIGURES = Phrase("It wins more often.")

DEAR = 1.0
"""Points by which a move is clearly dearer than another one."""

RARE = 0.05
"""A card that comes back less often is gone."""

OFTEN = 0.5
"""A card that comes back more often is expected to."""

FEW_CHIPS = 3
"""If fewer chips are left, that is worth a word."""


def explain_answer(view: View, table: Round, weighed: Weighed) -> Phrase:
    """Say what speaks for or against a move, from what was known of the table."""
    takes = weighed.figures.move["action"] == "take"
    why = _explain_taking(view.board, table, weighed) if takes else _explain_passing(table, weighed.figures)
    return add_price(why, weighed, UNIT, DEAR, fewer=True)


def _explain_taking(board: Board, table: Round, weighed: Weighed) -> Phrase:
    effect = weigh_taking(board.cards[board.mover], board.card_up, board.pot)
    inner = {board.card_up - 1, board.card_up + 1} <= set(effect.run)
    fields: Fields = {
        "how": _ALONE if len(effect.run) == 1 else _JOINS if inner else _RUN,
        "now": _with_sign(effect.change),
        "points": _with_sign(effect.after - effect.before),
        "chips": board.pot,
        "otherwise": _explain_alternative(table, weighed),
    }
    return _TAKES.with_fields(fields)


def _explain_alternative(table: Round, weighed: Weighed) -> Phrase:
    """Say what becomes of the card after a pass."""
    back = next((each.first for each in weighed.others if each.move["action"] == "pass"), 0.0)
    who, broke = name_rivals(table), without_chips(table)
    if broke and broke[0] == _name_next(table):
        return _MUST.with_fields({"who": broke[0]})
    if back >= RARE:
        return _RETURNS.with_fields({"percent": round(100 * back)})
    if who:
        return _GONE_FOR_RUN.with_fields({"who": who}, len(who))
    return _UNWANTED if back < 0 and not broke else _GONE


def _explain_passing(table: Round, figures: Figures) -> Phrase:
    why = _PASSED.with_fields({"fate": _fate_of_card(table, figures)})
    left = table.chips[table.mover] - 1
    if not left:
        return _LAST_CHIP.with_fields({"why": why})
    return _FEW_LEFT.with_fields({"why": why, "count": left}, left) if left < FEW_CHIPS else why


def _fate_of_card(table: Round, figures: Figures) -> Phrase:
    """Say what becomes of the card."""
    who, broke, back = name_rivals(table), without_chips(table), figures.first
    wanted = _WANTED.with_fields({"who": who}, len(who)) if who else _UNWANTED
    if broke:
        return (_FORCES if broke[0] == _name_next(table) else _NO_RETURN).with_fields({"who": broke[0]})
    if back >= RARE:
        return _BACK.with_fields({"percent": round(100 * back), "wanted": wanted})
    # Under perfect play it is not known how often the card comes back.
    if back < 0:
        return wanted
    return _TAKEN_FOR_RUN.with_fields({"wanted": wanted}) if who else _TAKEN


def name_wrong_answer(view: View, table: Round, played: Figures) -> Phrase:
    """Name the kind of a wrong answer to the card."""
    own_run = extends_run(table.owned[table.mover], table.card)
    few = (view.chips or 0) < FEW_CHIPS
    if played.move["action"] == "take":
        return _OWN_RUN_EARLY if own_run else _EARLY_WITH_FEW if few else _EARLY
    if own_run:
        return _RUN_LEFT
    return _CHIPS_SPENT if few else _RIVALS_RUN_LEFT if name_rivals(table) else _POT_LEFT


def name_right_answer(view: View, table: Round, weighed: Weighed) -> Phrase:
    """Say in a few words why the better answer to the card is right."""
    best = weighed.figures
    if best.move["action"] == "pass":
        broke = without_chips(table)
        if broke and broke[0] == _name_next(table):
            return _PUZZLE_FORCES
        return _PUZZLE_RETURNS if best.first >= OFTEN else _PUZZLE_DEAR
    if extends_run(table.owned[table.mover], table.card):
        return _PUZZLE_WANTED_RUN if weighed.rival.first < OFTEN else _PUZZLE_FREE_RUN
    if (view.chips or 0) < FEW_CHIPS:
        return _PUZZLE_LAST_CHIPS
    if name_rivals(table):
        return _PUZZLE_DENIED
    # Less than half of the card's points is paid for by its chips: what speaks for it is in the figures alone.
    cheap = 2 * weigh_taking(view.board.cards[view.board.mover], table.card, view.board.pot).change <= table.card
    return _PUZZLE_POT if cheap else _PUZZLE_FIGURES


def _with_sign(points: int) -> str:
    """Write a change with its sign."""
    return f"{points:+}".replace("-", "−")


def _name_next(table: Round) -> Who:
    return Who(Seat((table.mover + 1) % len(table.chips)))


def without_chips(table: Round) -> list[Who]:
    """Return the opponents who cannot pass, in the order in which a card reaches them."""
    seats = len(table.chips)
    order = [(table.mover + step) % seats for step in range(1, seats)]
    return [Who(Seat(seat)) for seat in order if not table.chips[seat]]


def name_rivals(table: Round) -> list[Who]:
    """Return the opponents who could add the card to a run."""
    seats = range(len(table.owned))
    return [Who(Seat(seat)) for seat in seats if seat != table.mover and extends_run(table.owned[seat], table.card)]
