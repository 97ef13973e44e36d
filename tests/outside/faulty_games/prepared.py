# ruff: noqa: E501 - a fault is a row
"""Faults to put into the package that `scoville new-game` writes, each with the check that finds it."""

from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    """What is changed in a file of the template, the check that must find it, and words of what it says."""

    file: str
    before: str
    after: str
    check: str
    said: str = ""


def method(name: str, body: str, check: str, said: str = "") -> Fault:
    """Return the fault that a method of the rules begins with this."""
    found = {
        "setup": '"""Deal a bonus to each', "pending": '"""Return the seat whose', "check": '"""Judge a move',
        "apply": '"""Take the stones. Then', "outcome": '"""Add the prize', "view": '"""Show the heap and the own',
        "moves": '"""List what can be', "fallback": '"""Take one."""', "imagine": '"""Invent the bonuses',
    }[name]  # fmt: skip
    return Fault("game.py", f"        {found}", f"        {body}\n        {found}", check, said)


LOOP = "while True: pass"
STUBBORN = (
    "while True:\n            try:\n                while True: pass\n            except BaseException: continue\n"
)

FAULTS = {
    "setup loops": method("setup", LOOP, "play", "does not end in setup (game.py, line "),
    "setup raises": method("setup", "raise RuntimeError('boom')", "play", "RuntimeError: boom"),
    "setup exits": method("setup", "raise SystemExit(3)", "play", "SystemExit: 3"),
    "apply loops": method("apply", LOOP, "play", "does not end in apply"),
    "apply raises": method("apply", "raise ValueError('boom')", "play", "boom"),
    "apply catches everything": method("apply", STUBBORN, "play", "does not end in apply"),
    "apply exits": method("apply", "raise SystemExit(0)", "play", "SystemExit: 0"),
    "check raises": method("check", "raise KeyError(move)", "play", "KeyError"),
    "view raises": method("view", "raise ZeroDivisionError", "play", "ZeroDivisionError"),
    "pending raises": method("pending", "raise AssertionError", "play", "AssertionError"),
    "facts without end": Fault("game.py", "bonuses, state.key), facts)", "bonuses, state.key), (facts[0] for _ in iter(int, 1)))", "play", "more than 1,000 facts"),
    "huge facts": Fault("game.py", "bonuses, state.key), facts)", "bonuses, state.key), facts * 900_000)", "play", "more than 1,000 facts"),
    "check loops": method("check", LOOP, "play", "does not end in check"),
    "view loops": method("view", LOOP, "play", "does not end in view"),
    "pending loops": method("pending", LOOP, "play", "does not end in pending"),
    "outcome loops": method("outcome", LOOP, "play", "does not end in outcome"),
    "outcome raises": method("outcome", "raise RecursionError", "play", "RecursionError"),
    "moves without end": Fault("game.py", "        heap = view.heap\n        return [Take", "        return iter(lambda: Take(1), None)\n        heap = view.heap\n        return [Take", "play"),
    "moves raise": method("moves", "raise MemoryError", "play", "MemoryError"),
    "fallback loops": method("fallback", LOOP, "play", "does not end in fallback"),
    "a refusal loops": Fault("text.py", '"""Explain a refusal."""', "while True: pass", "every_refusal_is_explained", "does not end"),
    "a fact that loops": Fault("text.py", '"""Describe what happened."""', "while True: pass", "every_fact_is_a_sentence_or_silent", "does not end"),
    "an outcome of another size": Fault("game.py", "Outcome(scores, rank_places(scores)", "Outcome(scores[:1], (1,)", "an_outcome_ranks_every_seat"),
    "a View of megabytes": method("view", "return View(state.heap, seat, None, ('x' * 10**6,))", "play", "262,144 are allowed"),
    "points beyond all numbers": Fault("game.py", "Outcome(scores, rank_places(scores)", "Outcome((2**70,) * len(scores), rank_places(scores)", "play", "scores"),
    "rules of a text": Fault("game.py", "rules_version=1", 'rules_version="1"', "package", "$.rules_version"),
    "no import": Fault("__init__.py", "from stone_heap.game", "import no_such_module\nfrom stone_heap.game", "package", "no_such_module"),
    "exits at import": Fault("values.py", "MOST_STONES = 30", "MOST_STONES = 30\nraise SystemExit(1)", "package", "SystemExit"),
    "loops at import": Fault("values.py", "MOST_STONES = 30", "MOST_STONES = 30\nwhile True: pass", "package", "not end"),
    "another slug": Fault("game.py", 'slug="stone_heap"', 'slug="stones"', "package", "'stones'"),
    "another API": Fault("game.py", "api_version=1", "api_version=2", "package", "version 2 of the API"),
    "no API": Fault("game.py", "        api_version=1,\n", "", "package", "api_version=1"),
    "global chance": Fault("game.py", "chance.draw_below(WIND)", "__import__('random').randrange(WIND)", "the_same_key_and_moves_make_the_same_bytes", "chance"),
    "a seat sees the bonus of another": Fault("game.py", "else state.bonuses[seat]", "else state.bonuses[seat - 1]", "a_view_is_equal_in_all_its_worlds"),
    "the key shows": Fault("game.py", "def view(self, state: State, seat: Seat | None) -> View:", "def view(self, state, seat):\n        return View(state.heap, seat, state.key[0], ())\n\n    def former(self, state, seat):", "a_view_is_equal_in_all_its_worlds"),
    "a state that is changed": Fault("values.py", "class State(Struct, frozen=True)", "class State(Struct)", "every_value_is_frozen", "State"),
    "an illegal fallback": Fault("game.py", "        return Take(1)\n", "        return Take(0)\n", "play", "refused"),
    "a move too many": Fault("game.py", "min(MOST_TAKEN, heap.stones) + 1)]", "min(MOST_TAKEN, heap.stones) + 2)]", "play", "refused"),
    "no end": Fault("game.py", "max_moves=MOST_STONES", "max_moves=3", "play", "max_moves = 3"),
    "a move without a name": Fault("text.py", 'Phrase("take {n}", {"n": move.stones})', 'Phrase("take")', "every_legal_move_has_a_name_of_its_own"),
    "a field without a value": Fault("text.py", '{"left": left}', '{"rest": left}', "every_fact_is_a_sentence_or_silent"),
    "an option without a label": Fault("text.py", '        "wind": Phrase("Wind"),\n', "", "options", "wind has no label"),
    "an option without bounds": Fault("values.py", "Annotated[int, Meta(ge=6, le=MOST_STONES)] = 12", "int = 12", "options", "without bounds"),
    "a value without a name": Fault("text.py", '"prize": Phrase("is worth ten points"), ', "", "options", "prize"),
    "a bot raises": Fault("bots.py", "        heap = view.heap", "        raise KeyError('boom')", "bots", "sensible raises KeyError"),
    "a bot plays illegally": Fault("bots.py", "return Take(min(rest or 1, heap.stones))", "return Take(4)", "bots", "refused"),
    "a bot plays no move": Fault("bots.py", "return Take(min(rest or 1, heap.stones))", "return 2", "bots", "no move"),
    "a bot loops": Fault("bots.py", "        heap = view.heap", "        while True: pass", "bots", "does not end in choose_move (bots.py"),
    "a bot is slow": Fault("bots.py", "        heap = view.heap", "        heap = view.heap\n        __import__('time').sleep(3.3)", "bots", "s are good"),
    "a bot plays by global chance": Fault("bots.py", "chance.draw_below(len(moves))", "__import__('random').randrange(len(moves))", "bots", "with the same View"),
    "a slow call": Fault("text.py", '        """Describe the heap,', '        sum(range(20_000_000))\n        """Describe the heap,', "speed", "text.describe_table takes"),
    "a coach raises": Fault("coach.py", "        left = view", "        raise KeyError('boom')\n        left = view", "coach", "boom"),
    "a coach loops": Fault("coach.py", "        return view.heap", "        while True: pass", "coach", "does not end in public_board (coach.py"),
    "a coach says a field": Fault("coach.py", '{"n": left}', '{"m": left}', "coach", "explain_move says"),
    "a coach is slow": Fault("coach.py", "    headlines = (Took,)", "    headlines = (Took,)\n    advice_playouts = 200_000", "coach", "s or more"),
    "a key of every game": Fault("board.py", '"take_one", "1", "1 2 3"', '"take_one", "q", "q"', "screens", "q is the key of"),
    "a board raises": Fault("board.py", "        stones = ", "        raise KeyError('boom')\n        stones = ", "screens", "boom"),
    "a key raises": Fault("board.py", "        if Take(stones)", "        raise KeyError('boom')\n        if Take(stones)", "screens", "boom"),
    "a television raises": Fault("board.py", "        view, names = self", "        raise KeyError('boom')\n        view, names = self", "screens", "boom"),
    "a callout points nowhere": Fault("tutorial.py", 'Callout("heap", Phrase("These', 'Callout("pile", Phrase("These', "screens", "'pile'"),
    "a tutorial raises": Fault("tutorial.py", "    if rounds > 1", "    raise KeyError('boom')\n    if rounds > 1", "tutorial", "boom"),
    "a golden game changed": Fault("game.py", "PRIZE = 10", "PRIZE = 11", "golden", "is played in another way"),
    "a translation without its field": Fault("locales/de.po", 'msgstr "nimm {n}"', 'msgstr "nimm {m}"', "translations", "'take {n}'"),
    "a missing translation": Fault("text.py", 'Phrase("Wind")', 'Phrase("Strong wind")', "translations", "'Strong wind'"),
    "a page that is missing": Fault("rules/de.md", "{#end}", "{#ende}", "rules", "de.md"),
    "a page that does not exist": Fault("rules/__init__.py", '"turn"', '"move"', "rules", "'move'"),
}  # fmt: skip

WHOLE_RUNS = (
    "setup loops", "setup raises", "setup exits", "apply loops", "apply raises", "apply exits",
    "apply catches everything", "facts without end", "huge facts", "check loops", "check raises", "view loops",
    "view raises", "pending loops", "pending raises", "outcome loops", "outcome raises", "moves without end",
    "moves raise", "fallback loops", "a refusal loops", "an outcome of another size",
)  # fmt: skip
"""The faults that a server must survive, for which a whole run of all checks has to end in time as well."""


def put_fault(fault: str, code: Path) -> None:
    """Put a fault into the code of a package from the template."""
    file, before, after, _, _ = FAULTS[fault]
    path = code / file
    text = path.read_text(encoding="utf-8")
    title = code.name.replace("_", " ").title()
    before = before if before in text else before.replace("My", title)
    before, after = (part.replace("stone_heap", code.name) for part in (before, after))
    assert before in text, "the template has changed"
    path.write_text(text.replace(before, after), encoding="utf-8")
