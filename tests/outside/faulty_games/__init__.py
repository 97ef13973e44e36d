"""Packages of games with prepared faults: each is written into a folder as pip would install it."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoville_client.i18n.language import load_catalog
from scoville_client.rules import rules_pages
from scoville_client.tui.boards import _load_guarded
from scoville_outside.catalogs import list_outside_languages, load_all_catalogs
from scoville_shared.bots import registry as bots
from scoville_shared.coach.registry import find_coach
from scoville_shared.games import registry
from scoville_shared.installed import forget_installed

HEALTHY = """
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from scoville_shared.bots.base import Bot
from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Addressed, Game, Info, Outcome, Refusal, Step, Text
from scoville_shared.engine.phrases import Phrase


class Penalty(StrEnum):
    NONE = "none"
    ONE_DIE = "one_die"


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    penalty: Penalty = Penalty.ONE_DIE
    rounds: int = 3


class State(msgspec.Struct, frozen=True):
    seats: int
    left: int
    mover: int


class View(msgspec.Struct, frozen=True):
    left: int
    mover: int


class Take(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    take: int


class Taken(msgspec.Struct, frozen=True, tag_field="fact", tag="taken"):
    seat: int
    left: int


class Reason(StrEnum):
    NOT_ONE = "not_one"


class End(StrEnum):
    OVER = "over"


class Words(Text):
    tagline = Phrase("Take one after the other.")
    option_names = {"penalty": Phrase("Penalty")}
    option_values = {"penalty": {"one_die": Phrase("one die"), "none": Phrase("no penalty")}}

    def describe_fact(self, fact):
        return Phrase("{n} are left.", {"n": fact.left})

    def describe_move(self, move):
        return Phrase("take 1")

    def describe_refusal(self, refusal):
        return Phrase("Take one.")

    def describe_table(self, view):
        return [Phrase("{n} are left.", {"n": view.left})]


class Counting(Game):
    info = Info(
        slug="SLUG", title="Counting", seats=(2, 4), official=(2, 4), rules_version=1, max_moves=40, api_version=1
    )
    codec = Codec(options=Options, state=State, moves=(Take,), view=View, fact=Taken)
    text = Words()

    def setup(self, options, seats, dice):
        return State(seats, 3 * options.rounds, 0)

    def pending(self, state):
        return frozenset() if not state.left else frozenset({state.mover})

    def check(self, state, seat, move):
        return None if move.take == 1 else Refusal(Reason.NOT_ONE)

    def apply(self, state, seat, move):
        after = State(state.seats, state.left - 1, (state.mover + 1) % state.seats)
        return Step(after, [Addressed(None, Taken(seat, after.left))])

    def outcome(self, state):
        if state.left:
            return None
        return Outcome((0,) * state.seats, (1,) * state.seats, End.OVER)

    def view(self, state, seat):
        return View(state.left, state.mover)

    def moves(self, view):
        return [Take(1)]

    def fallback(self, view):
        return Take(1)

    def imagine(self, view, dice):
        return State(2, view.left, view.mover)


class Steady(Bot):
    description = Phrase("takes one")

    def choose_move(self, view, chance):
        return Take(1)
"""

LOOP = "        while True:\n            pass\n"


def with_fault(method: str, body: str) -> str:
    """Return the healthy game with another body of one method."""
    head, start, rest = HEALTHY.partition(f"    def {method}(")
    line, _, after = rest.partition("\n")
    tail = after.partition("\n\n")[2]
    return f"{head}{start}{line}\n{body}\n\n{tail}"


def write_package(
    folder: Path,
    slug: str,
    source: str = HEALTHY,
    *,
    package: str = "",
    version: str = "1.0",
    attribute: str = "GAME",
    ending: str = "\n\nGAME = Counting()\n",
) -> None:
    """Write a package whose game has that slug and source into a folder."""
    module = f"{package or slug}_module"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(source.replace("SLUG", slug) + ending)
    info = folder / f"{package or slug}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package or slug}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(
        f"[scoville.games]\n{slug} = {module}:{attribute}\n\n[scoville.bots]\n{slug}.sensible = {module}:Steady\n"
    )


@contextmanager
def on_path(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> Iterator[None]:
    """Install the packages in these folders, for this process and its children."""
    for folder in folders:
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    forget_found_packages()
    try:
        yield
    finally:
        monkeypatch.undo()
        forget_found_packages()


def forget_found_packages() -> None:
    """Read the installed packages again, and their modules."""
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.endswith("_module")]:
        del sys.modules[name]
    forget_installed()
    registry.forget_loaded()
    catalogs = (load_catalog, load_all_catalogs, list_outside_languages)
    for look_up in (*catalogs, bots.list_levels, bots.find_bot, find_coach, rules_pages, _load_guarded):
        look_up.cache_clear()
