"""The reference of what a package of a game uses; `scripts/pages` writes it."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoville_client.authoring.recorded import SAYING
from scoville_client.i18n.language import render, tr
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import CARDS, MOVES
from scoville_client.tui.boards.board import Board, Parts
from scoville_client.tui.boards.picture import BigCard, BigMove, BigSeat, Picture
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tutorial.lesson import Callout, Lesson, seed_of
from scoville_shared.bots.base import Bot
from scoville_shared.coach.base import Coach
from scoville_shared.coach.rules import RulesCoach
from scoville_shared.coach.sample import Estimate, Figures, Weighed
from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import (
    API_VERSION,
    Addressed,
    Game,
    Info,
    Outcome,
    Refusal,
    Step,
    Text,
    WeighedRemark,
    order_remarks,
    rank_places,
    select_facts,
)
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.engine.play import play_move
from tests.support.tree import ROOT

PAGE = ROOT / "docs" / "game-reference.md"

HEAD = f"""# Reference for authors of games

Version {API_VERSION} of the API: what a package of a game may use, generated from the code.
[adding-a-game.md](adding-a-game.md) explains how the parts work together. `Seat`, of `scoville_shared.ids`, is a number
from 0, clockwise.
"""

CHAPTERS: dict[str, tuple[Any, ...]] = {
    "The contract": (
        Game,
        Info,
        Outcome,
        Refusal,
        Step,
        Addressed,
        Text,
        WeighedRemark,
        rank_places,
        select_facts,
        order_remarks,
    ),
    "Values, chance and sentences": (Codec, Dice, Stream, Phrase, Who, play_move, render, tr),
    "Bots and the coach": (Bot, RulesCoach, Coach, Weighed, Figures, Estimate),
    "The board": (Board, SentencesBoard, StoryBoard, Action, bindings, Canvas, Parts),
    "Television and guided rounds": (Picture, BigCard, BigMove, BigSeat, Lesson, Callout, seed_of),
}


def write_pages() -> dict[Path, str]:
    """Write the whole page."""
    assert SAYING, "texts are collected from calls"
    lines = [HEAD]
    for title, parts in CHAPTERS.items():
        lines.append(f"## {title}\n")
        for part in parts:
            lines += _describe(part)
    keys = ", ".join(f"`{action.id}`" for action in CARDS)
    few = ", ".join(f"`{action.id}`" for action in MOVES)
    lines.append(
        f"`scoville_client.tui.boards.actions` has common actions of boards: `CARDS` ({keys}) and `MOVES` ({few}).\n"
    )
    return {PAGE: "\n".join(lines)}


def _describe(part: Any) -> Iterator[str]:
    yield f"### `{part.__name__}`\n"
    yield f"`from {part.__module__} import {part.__name__}`\n"
    if inspect.isfunction(part):
        yield f"```\n{_signature(part.__name__, part)}\n```\n"
        yield _prose(part)
        return
    yield _prose(part)
    fields = _fields(part)
    if fields:
        yield "```\n" + "\n".join(fields) + "\n```\n"
    if part is Codec:  # the only class that a package makes with arguments that are no fields
        yield f"```\n{_signature('__init__', Codec.__init__)}\n```\n"
    for name, member in _methods(part):
        yield f"```\n{_signature(name, member)}\n```\n"
        yield _prose(member)


def _fields(part: type) -> list[str]:
    """List the annotated fields of a class, without private ones."""
    return [
        f"{name}: {_short(kind)}" for name, kind in inspect.get_annotations(part).items() if not name.startswith("_")
    ]


def _methods(part: type) -> Iterator[tuple[str, Any]]:
    for name, member in part.__dict__.items():
        shown = inspect.isfunction(member) or isinstance(member, property | staticmethod)
        if shown and not name.startswith(("_", "on_")) and _doc_of(member):
            yield name, member


def _signature(name: str, member: Any) -> str:
    if isinstance(member, property):
        answer = inspect.signature(member.fget).return_annotation if member.fget else Any
        return f"{name}: {_short(answer)}  # property"
    function = member.__func__ if isinstance(member, staticmethod) else member
    signature = inspect.signature(function)
    text = ", ".join(_short(str(each)) for each in signature.parameters.values())
    answer = signature.return_annotation
    returns = "" if answer is inspect.Signature.empty else f" -> {_short(answer)}"
    return f"def {name}({text}){returns}"


def _short(kind: Any) -> str:
    """Write a type without the modules of its parts."""
    text = kind if isinstance(kind, str) else inspect.formatannotation(kind)
    text = re.sub(r"<[^<>]* object at [^<>]*>", "…", text)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z~])", "", text).replace("~", "").replace("'", "")


def _doc_of(member: Any) -> str:
    function = member.fget if isinstance(member, property) else member
    return inspect.getdoc(function) or ""


def _prose(member: Any) -> str:
    return _doc_of(member).strip() + "\n"
