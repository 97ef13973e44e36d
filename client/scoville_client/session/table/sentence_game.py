"""A game that this client does not have, played by the sentences that the server writes of it.

It takes the place of the game at a table: its View is what the server says in sentences, its moves are those that the
server lists, its facts are the sentences of the log. So boards, line mode and doors need to know nothing of it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

from msgspec import UNSET, Struct, UnsetType

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import current_language
from scoville_client.i18n.own_words import mark_foreign
from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import API_VERSION, Game, Info, Outcome, Refusal, Step, Text
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import GameInfo, MoveSentence, TableSentences
from scoville_shared.values import Plain

FEATURE: Final = "sentences"
"""The feature of servers that write sentences."""
RULES_MISSING: Final = "rules_missing"
"""Error code, never sent: what was asked needs the rules of the game, which this client does not have."""
_BY_SENTENCES: Final = Phrase(
    "{why} Until then you play it by the server's sentences; your client cannot check the deal."
)
_SAID: Final = Phrase("{sentence}")


class FactSentence(Struct, frozen=True, tag_field="fact", tag="sentence"):
    """A fact as the server describes it."""

    text: str


class _NoOptions(Struct, frozen=True):
    pass


class _NoState(Struct, frozen=True):
    pass


class _SentenceCodec(Codec[Any, Any, MoveSentence, TableSentences, FactSentence]):
    def __init__(self) -> None:
        super().__init__(
            options=_NoOptions, state=_NoState, moves=(MoveSentence,), view=TableSentences, fact=FactSentence
        )

    def decode_move(self, data: Plain) -> MoveSentence:
        return MoveSentence(text="", move=data)

    def encode_plain(self, value: Any) -> Plain:
        return value.move if isinstance(value, MoveSentence) else super().encode_plain(value)

    def check_names(self, facts: Sequence[Plain]) -> None:
        """Accept the facts of the game unread."""


class _SentenceText(Text[MoveSentence, TableSentences, FactSentence]):
    def describe_fact(self, fact: FactSentence) -> Phrase:
        return _quote_sentence(fact.text)

    def describe_move(self, move: MoveSentence) -> Phrase:
        return _quote_sentence(move.text)

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        # Never reached: a refusal of the server keeps its own sentence, see `MoveSender`.
        return _quote_sentence(str(refusal.reason))

    def describe_table(self, view: TableSentences) -> Iterable[Phrase]:
        return map(_quote_sentence, view.table_lines)

    def describe_hand(self, view: TableSentences) -> Iterable[Phrase]:
        return map(_quote_sentence, view.hand_lines)

    def describe_turn(self, view: TableSentences) -> Iterable[Phrase]:
        return map(_quote_sentence, view.turn_lines)

    def describe_scores(self, view: TableSentences) -> Iterable[Phrase]:
        return map(_quote_sentence, view.score_lines)


class SentenceGame(Game[Any, Any, MoveSentence, TableSentences, FactSentence]):
    """A game in the sentences of a server, which describes it as `info`.

    Args:
        info: The game, as the server offers it.
        why_missing: Why this client does not play by rules of its own.

    Attributes:
        language: The language in which the server writes.
        terms: The server's sentences about the game and its options, while the table waits.
    """

    def __init__(self, info: GameInfo, why_missing: ScovilleError) -> None:
        self.why_missing = why_missing
        self.language = current_language()
        self.terms: TableSentences | None = None
        self.info = Info(
            slug=info.slug,
            title=info.title,
            seats=info.seat_range,
            official=info.official_range,
            rules_version=info.rules_version,
            max_moves=0,
            api_version=API_VERSION,
        )
        self.codec = _SentenceCodec()
        self.text = _SentenceText()

    def take_sentences(self, sentences: TableSentences | UnsetType, *, started: bool) -> TableSentences | None:
        """Return the View in sentences; before the start, note what they say of the table."""
        if sentences is UNSET or not started:
            self.terms = None if sentences is UNSET else sentences
            return None
        return sentences

    def explain_itself(self) -> Phrase:
        """Explain why the game is played by sentences, and how."""
        return _BY_SENTENCES.with_fields({"why": error_text(self.why_missing)})

    def moves(self, view: TableSentences) -> Sequence[MoveSentence]:
        return view.named_moves

    def _refuse_rules(self) -> NoReturn:
        raise ScovilleError(RULES_MISSING, self.why_missing.message)

    def setup(self, options: Any, seats: int, dice: Any) -> NoReturn:  # noqa: ARG002
        self._refuse_rules()

    def pending(self, state: Any) -> frozenset[Seat]:  # noqa: ARG002
        self._refuse_rules()

    def check(self, state: Any, seat: Seat, move: MoveSentence) -> Refusal | None:  # noqa: ARG002
        self._refuse_rules()

    def apply(self, state: Any, seat: Seat, move: MoveSentence) -> Step[Any, FactSentence]:  # noqa: ARG002
        self._refuse_rules()

    def outcome(self, state: Any) -> Outcome | None:  # noqa: ARG002
        self._refuse_rules()

    def view(self, state: Any, seat: Seat | None) -> TableSentences:  # noqa: ARG002
        self._refuse_rules()

    def fallback(self, view: TableSentences) -> MoveSentence:  # noqa: ARG002
        self._refuse_rules()

    def imagine(self, view: TableSentences, dice: Any) -> Any:  # noqa: ARG002
        self._refuse_rules()


def _quote_sentence(sentence: str) -> Phrase:
    return _SAID.with_fields({"sentence": mark_foreign(sentence)})
