"""The checks of a package of a game: what each demands, beside the laws.

A check raises CheckFailed with all that it has found, and returns a note: what it has seen, or that a package has
nothing to check. It calls `keep_alive` before each step that may take long: a step that does not end is interrupted.
"""

import inspect
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from msgspec import inspect as kinds

from scoville_client.authoring.recorded import (
    GOLDEN,
    Text,
    golden_texts,
    list_languages_of,
    list_written_languages,
    package_texts,
    record_golden_games,
    record_texts,
    texts_of_catalog,
)
from scoville_client.i18n.language import ENGLISH, LANGUAGES, OUTSIDE, list_languages, set_language
from scoville_client.rules import FIRST_PAGE, find_rules_folder, rules_pages
from scoville_client.rules import GROUP as RULES
from scoville_client.tutorial.guided_game import GuidedGame
from scoville_client.tutorial.lesson import MOST_CALLOUTS, has_lesson
from scoville_laws.golden import missing_options, missing_sizes, write_golden
from scoville_laws.law import BrokenAt, Law, list_sizes, try_law
from scoville_laws.laws import EVERY_LAW
from scoville_laws.tables import Deal, Moment, draw_deal, draw_position, walk_table
from scoville_outside.answers import check_answer
from scoville_outside.catalogs import find_plural_forms, read_entries
from scoville_runtime.clock import SYSTEM
from scoville_shared.bots.base import Bot
from scoville_shared.bots.registry import GROUP as BOTS
from scoville_shared.bots.registry import LEVELS, USUAL
from scoville_shared.coach.base import Coach
from scoville_shared.coach.registry import GROUP as COACHES
from scoville_shared.coach.sample import weigh_move
from scoville_shared.coach.study import chart_course, study_moves
from scoville_shared.engine.contract import AnyGame, Refusal, select_facts
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.options import list_choices
from scoville_shared.engine.phrases import Phrase, fits_text
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import list_slugs, load_game, package_of
from scoville_shared.ids import Seat
from scoville_shared.installed import list_conflicts, list_installed

KeepAlive = Callable[[], None]

LAW_SECONDS: Final = 0.6
"""How long a law is tried; at least once at every size of table."""
MOST_TRIALS: Final = 300
"""Tables at which a law is tried at most: a small game would have two thousand, for half a minute of all laws."""
CALL_SECONDS: Final = 0.05
"""Processor time of one call of a game. A server ends a call after five times as long; its machine may be slower."""
BOT_SECONDS: Final = 3.0
"""Seconds of one decision of a bot. A server waits for ten, and its machine may be slower."""
COACH_SECONDS: Final = 4.0
"""Processor time of what a coach is asked. It is ended after ten seconds, and a player waits for it."""
LEVEL_SECONDS: Final = 5.0
"""How long the bots of a level play; at least one game."""
_SEEDS: Final = 3
_FALLBACKS: Final = (1.0, 0.2, 0.0)
"""The part of fallbacks among the moves of each game: all where all players have left, none among quick players."""


class CheckFailed(Exception):
    """A check has found something; the message says what, in one sentence each."""


class Check(NamedTuple):
    """A check: its name, what it looks at, and what runs it, which returns a note.

    `needs` are checks without which it says nothing new: it is left out where one of them has failed.
    """

    name: str
    subject: str
    run: Callable[[str, KeepAlive], str]
    needs: tuple[str, ...] = ()


def _demand_met(met: object, otherwise: str) -> None:
    if not met:
        raise CheckFailed(otherwise)


# --- package, options, speed ------------------------------------------------------------------------------


def _check_package(slug: str, keep_alive: KeepAlive) -> str:  # noqa: ARG001 - all checks are called alike
    conflicts = [str(conflict) for conflict in list_conflicts() if conflict.name.partition(".")[0] == slug]
    _demand_met(not conflicts, " ".join(conflicts))
    _demand_met(slug in list_slugs(), f"no installed package names the game {slug} in the group scoville.games")
    game = load_game(slug)
    return f"{game.info.title} of {package_of(slug)}, API {game.info.api_version}, rules {game.info.rules_version}"


def _check_options(slug: str, keep_alive: KeepAlive) -> str:  # noqa: ARG001
    game = load_game(slug)
    found = [*_option_faults(game)]
    _demand_met(not found, "; ".join(found))
    return f"{len(_option_fields(game))} options"


def _option_fields(game: AnyGame) -> Sequence[kinds.Field]:
    info = kinds.type_info(game.codec.options_type)
    assert isinstance(info, kinds.StructType), "options are a struct"
    return info.fields


def _option_faults(game: AnyGame) -> Iterator[str]:
    text, choices = game.text, list_choices(game.codec.options_type)
    for field in _option_fields(game):
        name = field.encode_name
        if field.required:
            yield f"{name} has no usual value"
        if name not in text.option_names:
            yield f"{name} has no label in text.option_names"
        if isinstance(field.type, kinds.IntType) and None in (_least_of(field.type), _most_of(field.type)):
            yield f"{name} is a number without bounds: Annotated[int, Meta(ge=…, le=…)]"
        values = text.option_values.get(name, {})
        unnamed = [str(value) for value in choices.get(name, ()) if value not in values]
        if unnamed:
            yield f"{name} has values without a name in text.option_values: {', '.join(unnamed)}"
    extra = {*text.option_names, *text.option_help, *text.option_values} - {f.encode_name for f in _option_fields(game)}
    if extra:
        yield f"there is no option {', '.join(sorted(extra))}, which the text names"


def _least_of(kind: kinds.IntType) -> int | None:
    return kind.ge if kind.ge is not None else kind.gt


def _most_of(kind: kinds.IntType) -> int | None:
    return kind.le if kind.le is not None else kind.lt


def _check_play(slug: str, keep_alive: KeepAlive) -> str:
    """Play whole games at every size of table: without that no other check says much."""
    game, moves = load_game(slug), 0
    for seats in list_sizes(game):
        for seed, fallbacks in enumerate(_FALLBACKS):
            luck = Random(seed)
            deal = draw_deal(game, seats, luck)
            # A slow game is named by the check of speed; here only a call that never ends may be silent.
            for moment in walk_table(deal, deal.setup(), luck, fallbacks):
                keep_alive()
                _check_answers(game, moment)
                moves += 1
    return f"{moves} moves"


def _check_answers(game: AnyGame, moment: Moment) -> None:
    """Check answers as a server does before it sends them. Raises TypeError and ValueError."""
    assert moment.step is not None, "it follows a move"
    state = moment.step.state
    check_answer("apply", moment.step)
    for seat in check_answer("pending", game.pending(state)):
        check_answer("fallback", game.fallback(check_answer("view", game.view(state, seat))))
    check_answer("view", game.view(state, None))
    check_answer("outcome", game.outcome(state))
    check_answer("round", game.round(state))


def _check_speed(slug: str, keep_alive: KeepAlive) -> str:
    game, longest = load_game(slug), 0.0
    for seats in list_sizes(game):
        keep_alive()
        timed = _Stopwatch()
        deal = draw_deal(game, seats, Random(seats))
        state = timed.run("setup", deal.setup)
        luck = Random(0)
        while pending := sorted(timed.run("pending", game.pending, state)):
            keep_alive()
            seat = luck.choice(pending)
            view = timed.run("view", game.view, state, seat)
            move = luck.choice(timed.run("moves", lambda seen: list(game.moves(seen)[:200]), view))
            timed.run("check", game.check, state, seat, move)
            timed.run("imagine", game.imagine, view, Dice(bytes(32)))
            timed.run("text.describe_table", lambda seen: list(game.text.describe_table(seen)), view)
            state = timed.run("apply", game.apply, state, seat, move).state
            timed.run("outcome", game.outcome, state)
        longest = max(longest, timed.longest)
    return f"the longest call takes {longest * 1000:.1f} ms"


class _Stopwatch:
    """Measures calls of a game. Raises CheckFailed for one that takes too long."""

    longest = 0.0

    def run(self, name: str, call: Callable[..., Any], *args: Any) -> Any:
        before = SYSTEM.working_seconds()
        answer = call(*args)
        seconds = SYSTEM.working_seconds() - before
        self.longest = max(self.longest, seconds)
        _demand_met(seconds <= CALL_SECONDS, f"{name} takes {seconds:.2f} s; at most {CALL_SECONDS:g} s are good")
        return answer


# --- laws -------------------------------------------------------------------------------------------------


def _law_check(law: Law) -> Check:
    def run(slug: str, keep_alive: KeepAlive) -> str:
        until = SYSTEM.seconds() + LAW_SECONDS

        def goes_on(trials: int) -> bool:
            return trials < MOST_TRIALS and SYSTEM.seconds() < until

        try:
            trials = try_law(law, load_game(slug), goes_on, keep_alive)
        except BrokenAt as broken:
            raise CheckFailed(str(broken)) from broken
        return f"{trials} trials"

    return Check(law.name, law.group, run, ("package",) if law.once else ("package", "play"))


# --- golden games, bots -----------------------------------------------------------------------------------


def _check_golden(slug: str, keep_alive: KeepAlive) -> str:
    entry = list_installed(GOLDEN).get(slug)
    if entry is None:
        return f"the package keeps none: name their folder in the group {GOLDEN}"
    folder, game = entry.locate_folder(), load_game(slug)
    _demand_met(folder is not None, f"{entry.value} of the group {GOLDEN} is no folder of an installed package")
    texts = golden_texts(folder or Path())
    for path, text in texts.items():
        keep_alive()
        difference = _first_difference(text, write_golden(text))
        _demand_met(
            not difference, f"{path.name} is played in another way: {difference}; if that is meant, use --record"
        )
    sizes, options = missing_sizes(game, texts.values()), missing_options(game, texts.values())
    _demand_met(not sizes, f"no golden game has {', '.join(map(str, sizes))} players; --record makes them")
    _demand_met(not options, f"no golden game changes {', '.join(options)}; --record makes them")
    return f"{len(texts)} games"


def _first_difference(before: str, after: str) -> str:
    if before == after:
        return ""
    lines = zip([*before.splitlines(), "(end)"], [*after.splitlines(), "(end)"], strict=False)
    old, new = next(((old, new) for old, new in lines if old != new), ("", ""))
    return f"{old.strip()!r} is now {new.strip()!r}"


def _check_bots(slug: str, keep_alive: KeepAlive) -> str:
    prefix = f"{slug}."
    named = {
        name.removeprefix(prefix): entry for name, entry in list_installed(BOTS).items() if name.startswith(prefix)
    }
    if not named:
        return f"the package has none; bots play at random: name some in the group {BOTS}"
    unknown = [level for level in named if level not in LEVELS[1:]]
    _demand_met(not unknown, f"no table offers the levels {', '.join(unknown)}; levels are {', '.join(LEVELS[1:])}")
    slowest = 0.0
    for level, entry in named.items():
        keep_alive()
        bot: object = entry.load_object()
        _demand_met(isinstance(bot, type) and issubclass(bot, Bot), f"{level} is {bot!r}, not a subclass of Bot")
        if isinstance(bot, type) and issubclass(bot, Bot):
            described = isinstance(getattr(bot, "description", None), Phrase)
            _demand_met(described, f"{level} has no description, a Phrase")
            slowest = max(slowest, _play_level(load_game(slug), level, bot, keep_alive))
    return f"{', '.join(named)}; the slowest decision takes {slowest:.2f} s"


def _play_level(game: AnyGame, level: str, kind: type[Bot], keep_alive: KeepAlive) -> float:
    """Let bots of a level play for a while, at tables of every size; returns the seconds of the slowest decision."""
    until, slowest, trial = SYSTEM.seconds() + LEVEL_SECONDS, 0.0, 0
    sizes = list_sizes(game)
    while trial < len(sizes) or (SYSTEM.seconds() < until and trial < _SEEDS * len(sizes)):
        if trial and SYSTEM.seconds() >= 2 * LEVEL_SECONDS + until:
            break  # bots that take their time have played as much as there is time for
        deal = draw_deal(game, sizes[trial % len(sizes)], Random(trial))
        slowest = max(slowest, _play_bots(deal, level, [kind(game) for _ in deal.seated], keep_alive, until))
        trial += 1
    return slowest


def _choose_move(bot: Bot, level: str, view: Any, key: bytes) -> Any:
    try:
        return bot.choose_move(view, Dice(key).open_stream("bot"))
    except Exception as error:
        raise CheckFailed(f"{level} raises {type(error).__name__}: {error}, with the View {view}") from error


def _play_bots(deal: Deal, level: str, bots: list[Bot], keep_alive: KeepAlive, until: float) -> float:
    game, state, slowest = deal.game, deal.setup(), 0.0
    for number in range(game.info.max_moves + 1):
        pending = sorted(game.pending(state))
        if not pending or SYSTEM.seconds() > until + LEVEL_SECONDS:
            break
        seat, key = pending[0], number.to_bytes(32)
        view = game.view(state, seat)
        keep_alive()
        before = SYSTEM.seconds()
        move = _choose_move(bots[seat], level, view, key)
        slowest = max(slowest, SYSTEM.seconds() - before)
        _demand_met(
            slowest <= BOT_SECONDS, f"{level} takes {slowest:.1f} s for a decision; at most {BOT_SECONDS:g} s are good"
        )
        keep_alive()
        # Twice with the same chance: a move that was searched for must be repeatable from the journal.
        again = _choose_move(bots[seat], level, view, key)
        _demand_met(again == move, f"{level} plays {move}, then {again}, with the same View, facts and chance")
        known = isinstance(move, tuple(game.codec.move_types))
        _demand_met(known, f"{level} chooses {move!r}, which is no move, with the View {view}")
        step = play_move(game, state, seat, move)
        if isinstance(step, Refusal):
            raise CheckFailed(f"{level} plays {move}, which is refused ({step.reason}), with the View {view}")
        for other, bot in enumerate(bots):
            for fact in select_facts(step.facts, Seat(other)):
                bot.observe_fact(fact)
        state = step.state
    return slowest


# --- coach ------------------------------------------------------------------------------------------------


def _check_coach(slug: str, keep_alive: KeepAlive) -> str:
    entry = list_installed(COACHES).get(slug)
    if entry is None:
        return "the package has none: name one in the group scoville.coaches"
    kind: object = entry.load_object()
    if not (isinstance(kind, type) and issubclass(kind, Coach)):
        raise CheckFailed(f"{entry.value} is {kind!r}, not a subclass of Coach")
    game, slowest, asked = load_game(slug), 0.0, 0
    for seats in list_sizes(game):
        deal = draw_deal(game, seats, Random(seats))
        coaches = [kind(game) for _ in deal.seated]
        for coach in coaches:
            coach.expect_players([USUAL] * seats)
        for number, position in enumerate(_walk_with_facts(deal, coaches, keep_alive)):
            coach = coaches[position.seat]
            _demand_met(isinstance(coach.write_hint(position.view), Phrase), "write_hint returns no Phrase")
            question = coach.make_question(position.view)
            if question is not None:
                keep_alive()
                # The first decision has the longest playouts, so it is what the time is measured by.
                playouts = 0 if number else coach.advice_playouts
                seconds = _study_decision(coach, position, question, playouts, keep_alive)
                slowest, asked = max(slowest, _demand_quickness(seconds)), asked + 1
        keep_alive()
        slowest = max(slowest, _demand_quickness(_study_course(coaches[0], deal)))
    _demand_met(asked, "it never has a question: make_question always returns None")
    return f"{asked} decisions; the slowest study takes {slowest:.2f} s"


def _demand_quickness(seconds: float) -> float:
    _demand_met(seconds <= COACH_SECONDS, f"it takes {seconds:.1f} s or more; at most {COACH_SECONDS:g} s are good")
    return seconds


class _Decided(NamedTuple):
    """A decision in a random game: who had it, on which View, and the move that was made."""

    seat: Seat
    view: Any
    move: Any


def _walk_with_facts(deal: Deal, coaches: list[Coach], keep_alive: KeepAlive) -> Iterator[_Decided]:
    """Play a random game; yields each decision before it is made, and lets the coaches observe what comes of it."""
    game, state, luck = deal.game, deal.setup(), Random(1)
    while pending := sorted(game.pending(state)):
        keep_alive()
        seat = luck.choice(pending)
        view = game.view(state, seat)
        move = luck.choice(list(game.moves(view)[:200]))
        yield _Decided(Seat(seat), view, move)
        step = play_move(game, state, Seat(seat), move)
        if isinstance(step, Refusal):
            raise CheckFailed(f"{move} is listed and refused ({step.reason})")
        for other, coach in enumerate(coaches):
            facts = select_facts(step.facts, Seat(other))
            for fact in facts:
                coach.observe_fact(fact)
            for mover, plain in coach.public_moves(facts):
                _demand_met(mover in range(len(coaches)), f"public_moves yields the seat {mover!r}")
                game.codec.decode_move(plain)
        state = step.state


def _study_decision(coach: Coach, decided: _Decided, question: Any, playouts: int, keep_alive: KeepAlive) -> float:
    """Study a decision as another process does, and explain each move; returns the seconds, cut where they are many."""
    game, before = coach.game, SYSTEM.working_seconds()

    def is_late() -> bool:
        # On a busy machine the seconds of the processor take longer than a check may be silent.
        keep_alive()
        return SYSTEM.working_seconds() - before > COACH_SECONDS

    # There and back: a question that cannot be sent to another process would fail only in a client.
    asked = pickle.loads(pickle.dumps(question))  # noqa: S301 - what was pickled here
    study = study_moves(asked, playouts, 1, stop=is_late)
    seconds = SYSTEM.working_seconds() - before
    figures = study.sample.figures_of_moves()
    if (about := game.text.describe_decision(decided.view)) is not None:
        about.render(())
    for place in range(len(figures)):
        game.text.describe_move_at(decided.view, game.codec.decode_move(figures[place].move)).render(())
        weighed = weigh_move(figures, place)
        for name in ("explain_move", "name_error"):
            phrase = getattr(coach, name)(decided.view, question, weighed)
            _demand_met(isinstance(phrase, Phrase), f"{name} returns {phrase!r}, no Phrase")
            sentence = phrase.render(())
            _demand_met(sentence.strip() and "{" not in sentence, f"{name} says {sentence!r}")
    _, place = coach.locate_move(decided.view, question, game.codec.encode_plain(decided.move))
    _demand_met(place in range(len(figures)) or place == len(figures), f"locate_move returns the place {place!r}")
    board = coach.public_board(decided.view)
    if board is not None:
        coach.public_decision(board, decided.seat, game.codec.encode_plain(decided.move))
    return seconds


def _study_course(coach: Coach, deal: Deal) -> float:
    before = SYSTEM.working_seconds()
    chances = chart_course(coach.make_course_question(deal.setup()), coach.course_playouts, 1)
    _demand_met(len(chances) == len(deal.seated), f"the course has {len(chances)} chances for {len(deal.seated)} seats")
    return SYSTEM.working_seconds() - before


# --- words ------------------------------------------------------------------------------------------------


def _check_translations(slug: str, keep_alive: KeepAlive) -> str:  # noqa: ARG001
    entry = list_installed(OUTSIDE).get(slug)
    if entry is None:
        return f"none: its sentences are English in every language; name a folder in the group {OUTSIDE}"
    folder = entry.locate_folder()
    _demand_met(folder is not None, f"{entry.value} of the group {OUTSIDE} is no folder of an installed package")
    texts = package_texts(_code_of(slug))
    written = list_written_languages(folder or Path(), ".po")
    _demand_met(written, "there is no catalog such as de.po; an empty one is filled by --record")
    unknown = [code for code in written if code not in list_languages()]
    _demand_met(not unknown, f"{', '.join(unknown)}.po is not named by the code of a language, such as es.po")
    faults = []
    for code in written:
        try:
            _check_catalog(texts_of_catalog(texts, code), (folder or Path()) / f"{code}.po", code)
        except CheckFailed as error:
            faults.append(str(error))
    _demand_met(not faults, "; ".join(faults))
    others = [code for code in LANGUAGES if code not in (*written, ENGLISH)]
    english = f"; there is no {', '.join(others)}, so that they are English there" if others else ""
    sentences = {text.one for text in texts_of_catalog(texts, written[0])}
    return f"{len(sentences)} sentences in {', '.join(written)}{english}"


def _check_catalog(texts: Sequence[Text], file: Path, code: str) -> None:
    """Demand that a catalog is complete, with the fields and forms that its sentences need."""
    try:
        entries = {each.one: each for each in read_entries(file)}
        forms = find_plural_forms(code, entries.values()).forms
    except (ValueError, SyntaxError) as error:
        raise CheckFailed(f"{file.name} cannot be read: {error}") from None
    missing = [text.one for text in texts if not all(entries[text.one].translations if text.one in entries else [""])]
    _demand_met(not missing, f"{file.name} does not translate {_quote_some(missing)}; --record adds what is missing")
    wrong = [
        each.one
        for each in entries.values()
        if each.one and not all(fits_text(text, each.one, each.many) for text in each.translations)
    ]
    _demand_met(not wrong, f"fields of translations in {file.name} differ from {_quote_some(wrong)}")
    short = [each.one for each in entries.values() if each.many is not None and len(each.translations) != forms]
    _demand_met(not short, f"{file.name} has not all {forms} forms of {_quote_some(short)}")


def _quote_some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
    return ", ".join(f"'{text}'" for text in texts[:3]) + more


def _code_of(slug: str) -> Path:
    """Return the folder of the package that has a game's code."""
    module = sys.modules[type(load_game(slug)).__module__]
    top = sys.modules[module.__name__.partition(".")[0]]
    return Path(inspect.getfile(top)).parent


def _check_rules(slug: str, keep_alive: KeepAlive) -> str:
    folder = find_rules_folder(slug)
    if folder is None and slug not in list_installed(RULES):
        return f"none: name their folder in the group {RULES}"
    _demand_met(folder is not None, f"{slug} of the group {RULES} is no folder of an installed package")
    pages = rules_pages(slug, "en")
    _demand_met(pages, "there is no en.md with a heading such as '# The aim {#aim}'")
    ids = [page.id for page in pages]
    _demand_met(ids[0] == FIRST_PAGE, f"the first page of en.md is {ids[0]}, not {FIRST_PAGE}")
    for code in list_written_languages(folder or Path(), ".md"):
        others = [page.id for page in rules_pages(slug, code)]
        _demand_met(others == ids, f"{code}.md has the pages {', '.join(others)}, en.md {', '.join(ids)}")
    entry, game = list_installed(RULES).get(slug), load_game(slug)
    if entry is not None and entry.attribute:
        choose = entry.load_object()
        for seed in range(20):
            keep_alive()
            position = draw_position(game, game.info.seats[0], Random(seed))
            for watcher in position.deal.watchers:
                page = choose(game.view(position.state, watcher))
                _demand_met(page in ids, f"{entry.value} names the page {page!r}; there are {', '.join(ids)}")
    return f"{len(ids)} pages"


def _check_tutorial(slug: str, keep_alive: KeepAlive) -> str:
    if not has_lesson(slug):
        return "none: name a Lesson in the group scoville.tutorials"
    for code in list_languages_of(slug):
        set_language(code)
        for seed in range(_SEEDS):
            keep_alive()
            guided, luck = GuidedGame(slug), Random(seed)
            _check_callouts(guided)
            while not guided.is_over:
                keep_alive()
                moves = guided.at.legal_moves()
                _demand_met(moves, "the user has no move in the guided rounds, and they are not over")
                for _ in guided.play_move(luck.choice(list(moves[:200]))):
                    pass
                _check_callouts(guided)
    return "two rounds"


def _check_callouts(guided: GuidedGame) -> None:
    callouts = guided.list_callouts()
    _demand_met(
        len(callouts) <= MOST_CALLOUTS, f"a round has {len(callouts)} callouts; at most {MOST_CALLOUTS} are read"
    )
    for callout in callouts:
        sentence = callout.text.render(guided.at.names)
        _demand_met(sentence.strip() and "{" not in sentence, f"a callout is {sentence!r}")


def _check_screens(slug: str, keep_alive: KeepAlive) -> str:
    from scoville_client.authoring.screens import check_screens  # Textual is loaded for this check alone

    found = check_screens(slug, keep_alive)
    _demand_met(not found, " ".join(found))
    return "played in three windows and languages, on a television, and in the guided rounds"


_PLAYED: Final = ("package", "play")

CHECKS: Final = (
    Check("package", "package", _check_package),
    Check("options", "package", _check_options, ("package",)),
    Check("play", "package", _check_play, ("package",)),
    *map(_law_check, EVERY_LAW),
    Check("speed", "package", _check_speed, _PLAYED),
    Check("golden", "package", _check_golden, _PLAYED),
    Check("bots", "package", _check_bots, _PLAYED),
    Check("coach", "package", _check_coach, _PLAYED),
    Check("translations", "package", _check_translations, ("package",)),
    Check("rules", "package", _check_rules, _PLAYED),
    Check("tutorial", "package", _check_tutorial, _PLAYED),
    Check("screens", "package", _check_screens, _PLAYED),
)
"""All checks, in the order in which they are run."""


def record_all(slug: str) -> list[Path]:
    """Write the golden games and the missing texts of an installed package; returns the files that have changed."""
    changed: list[Path] = []
    golden, locales = list_installed(GOLDEN).get(slug), list_installed(OUTSIDE).get(slug)
    if golden is not None and (folder := golden.locate_folder()) is not None:
        changed += record_golden_games(load_game(slug), folder)
    if locales is not None and (folder := locales.locate_folder()) is not None:
        load_game(slug)
        changed += record_texts(package_texts(_code_of(slug)), folder)
    return changed
