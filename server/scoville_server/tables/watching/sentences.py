"""A game in sentences, for watchers without its package: written from their own View and the facts that they may know.

The text of a package may be slow or wrong. Its sentences of one notice have a time together, and what fails is replaced
by plain data: a watcher who asks for sentences costs nobody their game.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from gettext import NullTranslations
from itertools import islice
from typing import Any, Final, TypeVar

from scoville_outside.catalogs import load_all_catalogs
from scoville_outside.guard import GameFailed, GuardedGame
from scoville_outside.safe_text import SafeText
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame, Refusal, Text
from scoville_shared.engine.options import list_choices, list_ranges
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import GameTexts, MoveSentence, OptionText, TableSentences, ValueText
from scoville_shared.values import Plain

T = TypeVar("T")

SENTENCES_SECONDS: Final = 0.2
"""CPU seconds of all sentences of one notice or snapshot; those of our games take some milliseconds."""
MOST_MOVES: Final = 200
"""Legal moves with a name; a game of more has a notation, or the most useful ones first."""
MOST_CHARACTERS: Final = 32_768
"""Characters of all sentences of one notice or snapshot."""
LONGEST: Final = 1_000
"""Characters of one sentence."""


class _SentenceWriter:
    """Renders phrases in one language, as many as fit."""

    def __init__(self, names: Sequence[str], catalog: NullTranslations) -> None:
        self._names = names
        self._catalog = catalog
        self._left = MOST_CHARACTERS

    def write_all(self, phrases: Iterable[Phrase]) -> list[str]:
        written = (self.write_one(phrase) for phrase in phrases)
        return [sentence for sentence in written if sentence]

    def write_one(self, phrase: Phrase) -> str:
        """Render a phrase; empty for one that no longer fits."""
        sentence = phrase.render(self._names, self._catalog)[:LONGEST]
        self._left -= len(sentence)
        return sentence if self._left >= 0 else ""


def describe_view(
    game: AnyGame,
    view: Any,
    seat: Seat | None,
    *,
    must_move: bool,
    playing: bool,
    names: Sequence[str],
    language: str,
    is_own: bool = True,
) -> TableSentences:
    """Describe a View of a seat (None: a spectator's) in a language; one without a catalog is English.

    `is_own` says whether the reader sits there; sentences call nobody else "you".
    """

    def describe() -> TableSentences:
        writer, text = _SentenceWriter(names, load_all_catalogs(language)), game.text
        describe_table, describe_hand = text.describe_table, text.describe_hand
        if seat is not None and not is_own:
            describe_table, describe_hand = partial(text.describe_table_of, seat), partial(text.describe_hand_of, seat)
        table = writer.write_all(describe_table(view))
        turn = writer.write_all(text.describe_turn(view)) if must_move else []
        moves = game.moves(view) if seat is not None and playing else ()
        listed = [
            MoveSentence(text=name, move=game.codec.encode_plain(move))
            for move in islice(moves, MOST_MOVES)
            if (name := writer.write_one(text.describe_move(move)))
        ]
        return TableSentences(
            table_lines=table,
            hand_lines=writer.write_all(describe_hand(view)) if seat is not None else [],
            turn_lines=turn,
            score_lines=writer.write_all(text.describe_scores(view)),
            named_moves=listed,
            more_moves=len(moves) - len(listed),
            has_notation=_has_notation(game),
        )

    def describe_plainly() -> TableSentences:
        # A text that took too long is not requested a second time: plain data stands for it, also for moves.
        try:
            return describe()
        except (GameFailed, CodecError):
            writer = _SentenceWriter(names, load_all_catalogs(language))
            return TableSentences(table_lines=writer.write_all(game.text.describe_table(view)))

    return ask_in_time(game, describe, describe_plainly)


def describe_terms(game: AnyGame, options: Plain, language: str) -> TableSentences:
    """Describe a game that has not started in a language: in one sentence, and its options."""

    def describe() -> TableSentences:
        writer, text = _SentenceWriter((), load_all_catalogs(language)), game.text
        return TableSentences(
            table_lines=[],
            tagline=None if text.tagline is None else writer.write_one(text.tagline),
            option_lines=writer.write_all(_option_phrase(text, key, value) for key, value in options.items()),
        )

    return ask_in_time(game, describe, lambda: TableSentences(table_lines=[]))


def describe_game(game: AnyGame, language: str) -> GameTexts:
    """Describe a game in a language: in one sentence, and its options with their labels, values and bounds."""
    kind, text = game.codec.options_type, game.text

    def describe() -> GameTexts:
        writer, few, ranges = _SentenceWriter((), load_all_catalogs(language)), list_choices(kind), list_ranges(kind)
        return GameTexts(
            game=game.info.slug,
            tagline=None if text.tagline is None else writer.write_one(text.tagline),
            option_texts=[
                OptionText(
                    key=key,
                    label=writer.write_one(_label_of(text, key)),
                    help=writer.write_one(text.option_help[key]) if key in text.option_help else None,
                    value_texts=[
                        ValueText(value=value, text=writer.write_one(_value_phrase(text, key, value)))
                        for value in few.get(key, ())
                    ],
                    number_range=ranges.get(key),
                )
                for key in game.codec.encode_plain(game.codec.decode_options({}))
            ],
        )

    return ask_in_time(game, describe, lambda: GameTexts(game=game.info.slug))


def _label_of(text: Text[Any, Any, Any], key: str) -> Phrase:
    return text.option_names.get(key) or Phrase("{key}", {"key": key.replace("_", " ").capitalize()})


def _value_phrase(text: Text[Any, Any, Any], key: str, value: int | str) -> Phrase:
    return text.option_values.get(key, {}).get(value) or Phrase("{value}", {"value": value})


def _option_phrase(text: Text[Any, Any, Any], key: str, value: Any) -> Phrase:
    name = text.option_names.get(key, key.replace("_", " ").capitalize())
    names = {} if isinstance(value, bool) else text.option_values.get(key, {})
    return Phrase("{option}: {value}", {"option": name, "value": names.get(value, value)})


def describe_facts(
    game: AnyGame, facts: Sequence[Plain], names: Sequence[str], language: str, seen_from: Seat | None = None
) -> list[str]:
    """Describe facts in a language; silent ones have no sentence.

    `seen_from` is the seat that was sent them, if it is not the reader's own.
    """

    def describe() -> list[str]:
        writer = _SentenceWriter(names, load_all_catalogs(language))
        text = game.text
        describe_fact = text.describe_fact if seen_from is None else partial(text.describe_fact_of, seen_from)
        phrases = (describe_fact(game.codec.decode_fact(fact)) for fact in facts)
        return writer.write_all(phrase for phrase in phrases if phrase is not None)

    return ask_in_time(game, describe, list)


def describe_refusal(game: AnyGame, refusal: Refusal, names: Sequence[str], language: str) -> str:
    """Explain in a language why a move was refused."""

    def describe() -> str:
        return _SentenceWriter(names, load_all_catalogs(language)).write_one(game.text.describe_refusal(refusal))

    return ask_in_time(game, describe, lambda: str(refusal.reason))


def read_typed_move(
    game: AnyGame, view: Any, typed: str, names: Sequence[str], language: str
) -> MoveSentence | Refusal | None:
    """Read a move in the game's own notation; None if the text is not in it."""

    def read() -> MoveSentence | Refusal | None:
        move = game.text.read_move(typed, view)
        if move is None or isinstance(move, Refusal):
            return move
        writer = _SentenceWriter(names, load_all_catalogs(language))
        return MoveSentence(text=writer.write_one(game.text.describe_move(move)), move=game.codec.encode_plain(move))

    return ask_in_time(game, read, lambda: None)


def _has_notation(game: AnyGame) -> bool:
    return type(game.text).read_move is not Text.read_move


def ask_in_time(game: AnyGame, ask: Callable[[], T], otherwise: Callable[[], T]) -> T:
    """Ask for sentences of a game; where they fail or take too long, note that and answer `otherwise`."""
    if not isinstance(game, GuardedGame):
        return ask()
    try:
        answer: T = game.call("text", ask, passing=(CodecError,), at_most=SENTENCES_SECONDS)
    except (GameFailed, CodecError) as error:
        if isinstance(error, GameFailed) and isinstance(game.text, SafeText):
            game.text.note_failure(error)
        return otherwise()
    return answer
