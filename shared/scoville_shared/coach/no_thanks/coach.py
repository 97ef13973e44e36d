"""The coach of No Thanks!: it counts chips, plays the game out, and gives reasons for a move."""

from collections.abc import Iterable, Iterator, MutableSequence
from math import perm
from typing import Any, ClassVar, NamedTuple, Self

from msgspec.structs import replace

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.no_thanks.counting import Players
from scoville_shared.bots.no_thanks.heuristics import SENSIBLE
from scoville_shared.bots.no_thanks.kernel import PASS_FIRST, TAKE_FIRST, Seats, Turn, extends_run
from scoville_shared.bots.no_thanks.leanings import Habits
from scoville_shared.bots.no_thanks.opinions import Vague
from scoville_shared.bots.no_thanks.policies import (
    CAUTIOUS,
    COUNTING_WEIGHTS,
    LEANING,
    LEANINGS,
    MASTER,
    POPULATION,
    SPREAD,
    STANDING,
    STRONG,
    VAGUE,
)
from scoville_shared.bots.no_thanks.search import Counted, Expected, Opponents
from scoville_shared.bots.no_thanks.table import Round, list_numbers, read_round
from scoville_shared.coach.base import DRAWN, Coach, Policy, PublicDecision, SampledQuestion, Sums
from scoville_shared.coach.no_thanks import kernel
from scoville_shared.coach.sample import Aim, Figures, Sample, Weighed, add_price, certain_sample
from scoville_shared.coach.tally import COLUMNS
from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.games.no_thanks.facts import Fact, Passed, Took, TurnedUp
from scoville_shared.games.no_thanks.runs import weigh_taking
from scoville_shared.games.no_thanks.state import Action, Board, State, View, chips_each
from scoville_shared.ids import Seat
from scoville_shared.solvers.no_thanks import last_cards
from scoville_shared.values import Plain

FIRSTS = {"take": TAKE_FIRST, "pass": PASS_FIRST, "pass, then take": kernel.PASS_THEN_TAKE}
"""The kernel's first decision, by the action of a move, or by a plan for passing."""


class CardQuestion(SampledQuestion, frozen=True, kw_only=True):
    """Whether to take the card; `then_takes` is whether the mover, after a pass, takes it if it comes back."""

    round: Round
    learned: Expected
    known: list[int]
    vague: list[int]
    careless: list[int]
    then_takes: bool = False

    @property
    def all_worlds(self) -> int:
        """All orders of the cards face down; 0 if players are drawn, or another round is to be dealt."""
        table = self.round
        # Permutations: the cards face down come in an order, those that are removed have none.
        return (
            0
            if table.rounds or DRAWN in self.known or any(self.vague) or any(self.careless)
            else perm(len(table.unseen), table.left)
        )

    def add_worlds(self, machine: Machine, worlds: range, rng: MutableSequence[int] | None, to: Sums) -> None:
        """Play the moves out."""
        numbers = machine.numbers
        machine.load(kernel).compare_answers(
            *_list_arguments(machine, self),
            numbers(self._first_of(str(move["action"])) for move in self.moves), worlds.start, len(worlds),
            numbers([]) if rng is None else rng, _make_space(machine, self, len(self.moves)), *to,
        )  # fmt: skip

    def ask_plans(self) -> Self | None:
        """Ask how to go on after a pass: as usual, or with the card if it comes back."""
        table = self.round
        # Where somebody must take it, it does not come back.
        if self.policy is Policy.TRAINED or without_chips(table):
            return None
        return replace(self, moves=[{"action": plan} for plan in ("pass", "pass, then take")])

    def follow_plan(self, place: int) -> Self:
        return replace(self, then_takes=bool(place))

    def _first_of(self, action: str) -> int:
        """Return the kernel's first decision."""
        return FIRSTS["pass, then take" if self.then_takes and action == "pass" else action]

    def solve_exactly(self, machine: Machine) -> Sample | None:
        """Solve the last round where few cards are left."""
        table = self.round
        if self.policy is Policy.TRAINED or table.rounds:
            return None
        found = last_cards.solve_last_cards(machine, table, lead_only=self.aim is Aim.LEAD)
        if found is None:
            return None
        return certain_sample(self.moves, self.aim, [found[str(move["action"])] for move in self.moves])


class ChanceQuestion(NamedTuple):
    """All players' chances in a round on the table."""

    round: Round
    learned: Expected
    known: list[int]
    vague: list[int]
    careless: list[int]

    @property
    def seats(self) -> int:
        return len(self.round.chips)

    def add_worlds(
        self, machine: Machine, worlds: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play the game out."""
        machine.load(kernel).expect_scores(
            *_list_arguments(machine, self), worlds, rng, _make_space(machine, self, 0), sums
        )


def _list_arguments(
    machine: Machine, question: CardQuestion | ChanceQuestion
) -> tuple[Seats, Turn, kernel.Later, Players, Vague, Habits]:
    """Return the table and the players of a question in a machine's numbers."""
    numbers, table, learned = machine.numbers, question.round, question.learned
    later = kernel.Later(numbers(table.totals), table.rounds, numbers(table.whole), table.chips_each)
    players = Players(numbers(COUNTING_WEIGHTS), numbers(learned.chances), learned.alike, numbers(question.known))
    # In a game of several rounds it is the sum of all that counts, not who leads in one.
    standing = numbers(STANDING if not table.rounds and not any(table.totals) else ())
    habits = Habits(standing, numbers(LEANING), numbers(number for leaning in LEANINGS for number in leaning))
    return *list_numbers(machine, table), later, players, Vague(numbers(question.vague), numbers(SPREAD)), habits


def _make_space(machine: Machine, question: CardQuestion | ChanceQuestion, moves: int) -> kernel.Space:
    table, seats = question.round, len(question.vague)
    cards = kernel.DEALT if any(question.vague) else 0
    one, two, three, policies, later = (machine.numbers([0] * seats) for _ in range(5))
    return kernel.Space(
        Seats(one, two, three),
        policies,
        later,
        machine.numbers([0] * (3 * seats)),
        machine.numbers([0] * (cards * seats)),
        machine.numbers(question.careless),
        machine.numbers([0] * (kernel.DEALT * seats if any(question.careless) else 0)),
        machine.numbers(table.unseen),
        machine.floats([0.0] * (COLUMNS * moves)),
    )


_HINT = Phrase(
    "Does the {card} join your cards or those of others? You have {chips} chip: who must take the card if it goes "
    "round once more?",
    many="Does the {card} join your cards or those of others? You have {chips} chips: who must take the card if it "
    "goes round once more?",
)


class CardCoach(Coach):
    """Advises whether to take the card in the middle."""

    fewer_is_better = True
    policy = Policy.LEARNED
    like_level: ClassVar = {  # of `EVERYBODY`; of other bots only their moves say how they play
        "easy": POPULATION.index(CAUTIOUS),
        "casual": POPULATION.index(SENSIBLE),  # the half of it; the other half lapses into the easy one
        "sensible": POPULATION.index(SENSIBLE),
        "strong": STRONG,
        "master": MASTER,
    }
    playouts = 24_000
    headlines = (Took, TurnedUp, Passed)
    puzzle_options: ClassVar = {"open_chips": True}

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._counted = Counted()
        self._opponents = Opponents()

    def observe_fact(self, fact: Any) -> None:
        self._counted.observe_fact(fact)
        self._opponents.observe_fact(fact)

    def make_question(self, view: View, policy: Policy | None = None, aim: Aim = Aim.WIN) -> CardQuestion | None:
        """Ask whether to take the card; without a chip there is no choice."""
        if not view.chips or view.seat != view.board.mover:
            return None
        moves = [self.game.codec.encode_plain(move) for move in self.game.moves(view)]
        learned, known, vague, careless = self._expect_policies(view.board)
        return CardQuestion(
            moves=moves,
            round=read_round(view.board, self._chips_by_seat(view)),
            learned=learned,
            known=known,
            vague=vague,
            careless=careless,
            policy=policy or self.policy,
            aim=aim,
        )

    def make_course_question(self, state: State) -> ChanceQuestion:
        return ChanceQuestion(read_round(state.board, state.chips), *self._expect_policies(state.board))

    def _expect_policies(self, board: Board) -> tuple[Expected, list[int], list[int], list[int]]:
        """Infer the policies of all players from their moves: the known ones of bots, how vague, and who lapses."""
        seats = len(board.cards)
        known = self.list_known_policies(seats)
        # Never empty, since nobody has no chances; with bots alone they are not drawn from.
        people = [seat for seat in range(seats) if known[seat] == DRAWN] or range(seats)
        vague = [VAGUE.get(policy, 0) for policy in known]
        careless = [int(self.level_of(seat) == "casual") for seat in range(seats)]
        return self._opponents.expect_policies(board.options, seats, people), known, vague, careless

    def write_hint(self, view: View) -> Phrase:
        chips = view.chips or 0
        return _HINT.with_fields({"card": view.board.card_up, "chips": chips}, chips)

    def explain_move(self, view: View, question: CardQuestion, weighed: Weighed) -> Phrase:
        return explain_answer(view, question.round, weighed)

    def name_error(self, view: View, question: CardQuestion, weighed: Weighed) -> Phrase:
        return name_wrong_answer(view, question.round, weighed.figures)

    def name_reason(self, view: View, question: CardQuestion, weighed: Weighed) -> Phrase:
        return name_right_answer(view, question.round, weighed)

    def public_moves(self, facts: Iterable[Fact]) -> Iterator[tuple[Seat, Plain]]:
        for fact in facts:
            if isinstance(fact, Passed | Took):
                action = Action.TAKE if isinstance(fact, Took) else Action.PASS
                yield fact.seat, {"action": action.value}

    def public_decision(self, board: Board, seat: Seat, move: Plain) -> PublicDecision | None:
        counted = list(board.chips or self._counted.chips_by_seat(board.options, len(board.cards)))
        # Below zero: the beginning of the round was missed, and nothing is known of anybody's chips.
        if seat != board.mover or min(counted) < 0:
            return None
        view = View(board=board, seat=seat, chips=counted[seat])
        question = self.make_question(view)
        return None if question is None else PublicDecision(view, question, question.moves.index(move))

    def _chips_by_seat(self, view: View) -> list[int]:
        """Return all players' chips as counted; of a seat that has not seen the whole round, what can be concluded."""
        board = view.board
        seats, mine = len(board.cards), view.chips or 0
        total = chips_each(board.options, seats) * seats - board.pot
        counted = list(board.chips or self._counted.chips_by_seat(board.options, seats))
        assert view.seat is not None, "a View with chips has a seat"
        if counted[view.seat] == mine and sum(counted) == total and min(counted) >= 0:
            return counted
        # Evenly, since only their sum is known.
        each, more = divmod(total - mine, seats - 1)
        others = iter([each + (place < more) for place in range(seats - 1)])
        return [mine if seat == view.seat else next(others) for seat in map(Seat, range(seats))]


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
_BACK_TO_TAKE = Phrase("the card comes back with more chips in {percent} % of the games: take it then; {wanted}")
_TAKEN = Phrase("somebody else takes the card")
_TAKEN_FOR_RUN = Phrase("somebody else takes the card; {wanted}")
_WANTED = Phrase("it fits a run of {who}", many="it fits runs of {who}")
_UNWANTED = Phrase("nobody else has a run for it")

_EARLY = Phrase("takes a card too early")
_EARLY_WITH_FEW = Phrase("takes a card too early for fear of the last chips")
_OWN_RUN_EARLY = Phrase("takes a card of their own run before others have paid for it")
_RUN_LEFT = Phrase("gives away a card of their own run")
_RIVALS_RUN_LEFT = Phrase("leaves others a card for their run")
_CHIPS_SPENT = Phrase("pays the last chips instead of taking")
_POT_LEFT = Phrase("leaves a card whose chips were worth its points")
_WAITED = Phrase("waits too long for more chips on a card")

_PUZZLE_FORCES = Phrase("The next player has no chips.")
_PUZZLE_RETURNS = Phrase("It comes back with more chips.")
_PUZZLE_DEAR = Phrase("Its points cost more than a chip.")
_PUZZLE_FREE_RUN = Phrase("It fits your run and brings chips.")
_PUZZLE_WANTED_RUN = Phrase("It fits your run; others would take it.")
_PUZZLE_LAST_CHIPS = Phrase("Your last chips are worth more.")
_PUZZLE_DENIED = Phrase("It would help somebody else's run.")
_PUZZLE_POT = Phrase("The chips on it are worth its points.")
_PUZZLE_CHIPS = Phrase("Without its chips you run out more often.")
_PUZZLE_FEEDS = Phrase("A rival would gain much by it.")
_PUZZLE_POINTS = Phrase("It costs fewer points in the end.")
_PUZZLE_FIGURES = Phrase("It wins more often.")

DEAR = 1.0
"""Points by which a move is clearly dearer than another one."""

RARE = 0.05
"""A card that comes back less often is gone."""

OFTEN = 0.5
"""A card that comes back more often is expected to."""

FEW_CHIPS = 3
"""If fewer chips are left, that is worth a word."""

RUNS_OUT = 0.05
"""In so many more of the games a seat must take a card for lack of chips: then chips are the reason."""


def explain_answer(view: View, table: Round, weighed: Weighed) -> Phrase:
    """Give the reason for or against a move, from the public state of the table."""
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
    """Tell the fate of the card after a pass."""
    # Of the pass: only for that is it known whether the card comes back.
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
    """Tell the fate of the card."""
    who, broke, back = name_rivals(table), without_chips(table), figures.first
    wanted = _WANTED.with_fields({"who": who}, len(who)) if who else _UNWANTED
    if broke:
        return (_FORCES if broke[0] == _name_next(table) else _NO_RETURN).with_fields({"who": broke[0]})
    if back >= RARE:
        text = _BACK_TO_TAKE if figures.second > 0 else _BACK
        return text.with_fields({"percent": round(100 * back), "wanted": wanted})
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
    if few:
        return _CHIPS_SPENT
    if name_rivals(table):
        return _RIVALS_RUN_LEFT
    return _POT_LEFT if _pays_half(view) else _WAITED


def name_right_answer(view: View, table: Round, weighed: Weighed) -> Phrase:
    """Say in a few words why the better answer to the card is right."""
    best = weighed.figures
    if best.move["action"] == "pass":
        broke = without_chips(table)
        if broke and broke[0] == _name_next(table):
            return _PUZZLE_FORCES
        return _PUZZLE_RETURNS if best.first >= OFTEN else _PUZZLE_DEAR
    if extends_run(table.owned[table.mover], table.card):
        # Under perfect play it is not known how often the card comes back, and so not whether others would take it.
        if 0 <= weighed.rival.first < OFTEN:
            return _PUZZLE_WANTED_RUN
        return _PUZZLE_FREE_RUN if view.board.pot else _name_gain(weighed)
    if (view.chips or 0) < FEW_CHIPS:
        return _PUZZLE_LAST_CHIPS
    if name_rivals(table):
        return _PUZZLE_DENIED
    return _PUZZLE_POT if _pays_half(view) else _name_gain(weighed)


def _name_gain(weighed: Weighed) -> Phrase:
    """Describe the effect of taking on the later game, where the cards and chips on the table do not show it."""
    best, rival = weighed.figures, weighed.rival
    if rival.third - best.third >= RUNS_OUT:
        return _PUZZLE_CHIPS
    # The best opponent's score is as much above the seat's as that leads.
    if best.score.mean + best.lead - rival.score.mean - rival.lead >= DEAR:
        return _PUZZLE_FEEDS
    return _PUZZLE_POINTS if rival.score.mean - best.score.mean >= DEAR else _PUZZLE_FIGURES


def _pays_half(view: View) -> bool:
    """Whether the chips on the card pay at least half of its points; of fewer nobody says that they are worth it."""
    board = view.board
    return 2 * weigh_taking(board.cards[board.mover], board.card_up, board.pot).change <= board.card_up


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
