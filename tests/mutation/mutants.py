"""The mutants of a game's rules: its modules with one small fault each, made by mutmut's operators.

mutmut's own runner leaves out what stands outside of functions and whatever is decorated. Here tables, enums, structs
and cached functions are part of the rules like everything else, so the operators are applied to the whole module.
Not mutated is what never acts: annotations (but for the bounds in `Meta`), type aliases, decorators, the sentences of
asserts, and the keywords `gc`, `strict` and `kw_only`, which guard or speed up and change no game.
"""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import libcst as cst
import libcst.matchers as m
from mutmut.mutation.mutators import mutation_operators

from tests.support.tree import ROOT

GAMES = ROOT / "shared/scoville_shared/games"
SILENT_KEYWORDS = frozenset({"gc", "strict", "kw_only"})
_IMPOSSIBLE = m.Raise(exc=m.Call(func=m.Name("AssertionError")))
REGISTRY = "registry"
"""The modules that belong to no game, as a target of their own."""


class Change(NamedTuple):
    """One mutant as a reader tells it from others: its file, and the lines before and after."""

    file: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"--- {self.file}", *(f"- {line}" for line in self.before), *(f"+ {line}" for line in self.after)]
        return "\n".join(lines)


class Mutant(NamedTuple):
    """A module with one fault; its source is generated on demand."""

    path: Path
    tree: cst.Module
    node: cst.CSTNode
    mutated: cst.CSTNode

    @property
    def module(self) -> str:
        """The module's name."""
        return module_name(self.path)

    @property
    def source(self) -> str:
        """The whole module with the fault."""
        changed = self.tree.deep_replace(self.node, self.mutated)
        assert isinstance(changed, cst.Module)
        return changed.code

    @property
    def change(self) -> Change:
        """What the fault changes, line by line."""
        lines = list(difflib.ndiff(self.tree.code.splitlines(), self.source.splitlines()))
        before = tuple(line[2:].strip() for line in lines if line.startswith("- "))
        after = tuple(line[2:].strip() for line in lines if line.startswith("+ "))
        return Change(str(self.path.relative_to(GAMES)), before, after)


class _Finder(cst.CSTVisitor):
    """Walks a module and notes every possible fault; in type annotations only inside of calls."""

    def __init__(self) -> None:
        self.found: list[tuple[cst.CSTNode, cst.CSTNode]] = []
        self._around: list[cst.CSTNode] = []
        self._said: cst.CSTNode | None = None

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _never_acts(node) or node is self._said:
            return False
        if isinstance(node, cst.Assert):
            self._said = node.msg
        if self._acts(node):
            self.found.extend((node, mutated) for mutated in _mutations(node))
        if _is_typing(node) or isinstance(node, cst.Call):
            self._around.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._around and self._around[-1] is original_node:
            self._around.pop()

    def _acts(self, node: cst.CSTNode) -> bool:
        innermost = self._around[-1] if self._around else None
        return not _is_typing(node) and (innermost is None or isinstance(innermost, cst.Call))


def targets() -> list[str]:
    """List the targets: every game of this distribution, and the code that finds games."""
    return [*sorted(path.parent.name for path in GAMES.glob("*/game.py")), REGISTRY]


def mutants(target: str) -> Iterator[Mutant]:
    """Find all mutants of a game, module by module."""
    for path in modules(target):
        yield from mutants_of(path)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Find all mutants of a module."""
    tree = cst.parse_module(path.read_text(encoding="utf-8"))
    finder = _Finder()
    tree.visit(finder)
    yield from (Mutant(path, tree, node, mutated) for node, mutated in finder.found)


def modules(target: str) -> list[Path]:
    """List the modules of a target; what bots say after a game is no rule, and has a test that replays games."""
    if target == REGISTRY:
        return [GAMES / "registry.py"]
    return sorted(path for path in (GAMES / target).glob("*.py") if path.name not in ("__init__.py", "remarks.py"))


def module_name(path: Path) -> str:
    """Name a module by its file."""
    return ".".join(("scoville_shared.games", *path.relative_to(GAMES).with_suffix("").parts))


def _mutations(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            yield from (mutated for mutated in operator(node) if _keeps_silent_keywords(node, mutated))


def _never_acts(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Arg):
        return node.keyword is not None and node.keyword.value in SILENT_KEYWORDS
    return isinstance(node, cst.Decorator) or m.matches(node, _IMPOSSIBLE)


def _is_typing(node: cst.CSTNode) -> bool:
    """Whether a node is an annotation or a type alias."""
    if isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Name):
        name = node.targets[0].target.value
        return name[0].isupper() and not name.isupper()
    return isinstance(node, cst.Annotation)


def _keeps_silent_keywords(node: cst.CSTNode, mutated: cst.CSTNode) -> bool:
    return _silent_arguments(node) == _silent_arguments(mutated)


def _silent_arguments(node: cst.CSTNode) -> list[int]:
    return [id(arg) for arg in node.args if _never_acts(arg)] if isinstance(node, cst.Call) else []
