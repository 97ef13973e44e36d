"""Every method of the contract is guarded: whatever a package does in it, one named error comes out of it."""

import asyncio
import gc
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec import Struct

from scoville_outside import guard
from scoville_outside.guard import GameFailed, guard_game, guard_part, list_hooks
from scoville_outside.safe_text import SafeNotation, SafeText, with_safe_text
from scoville_runtime.clock import SYSTEM
from scoville_shared.bots.base import RandomBot
from scoville_shared.bots.registry import find_bot
from scoville_shared.coach.base import Coach
from scoville_shared.engine.codec import Codec, CodecError
from scoville_shared.engine.contract import Addressed, AnyGame, Game, Outcome, Refusal, Step, Text
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games import registry
from scoville_shared.ids import Seat
from tests.outside.faulty_games import on_path, write_package
from tests.support.tree import ROOT

PARTS = {"": Game, "text": Text, "codec": Codec}


class End(StrEnum):
    OVER = "over"


@pytest.fixture(autouse=True)
def collect_nothing() -> Iterator[None]:
    """Let no collection begin by itself: an alarm that rings in a finalizer of what earlier tests left is printed."""
    gc.disable()
    yield
    gc.enable()


HOOKS = [(part, name) for part, contract in PARTS.items() for name in list_hooks(contract)]


def raise_fault(*_: Any) -> None:
    raise KeyError("boom")


def exit_process(*_: Any) -> None:
    raise SystemExit(3)


def press_ctrl_c(*_: Any) -> None:
    raise KeyboardInterrupt


def nest_deeply(*_: Any) -> Any:
    return nest_deeply()


def need_memory(*_: Any) -> None:
    raise MemoryError


class Unreadable(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise SystemExit(1)


def raise_unreadable(*_: Any) -> None:
    raise Unreadable


def run_forever(*_: Any) -> None:
    while True:
        pass


def run_stubbornly(*_: Any) -> None:
    for _ in range(3):
        try:
            run_forever()
        except BaseException:  # noqa: BLE001 - as a careless author writes it
            continue
    run_forever()


@pytest.fixture
def counting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnyGame]:
    monkeypatch.setattr(guard, "CALL_SECONDS", 0.02)
    write_package(tmp_path, "counting")
    with on_path(monkeypatch, tmp_path):
        yield registry.load_game("counting")


def with_hook(game: AnyGame, part: str, name: str, work: Callable[..., Any]) -> AnyGame:
    """Return the game with another body of one method."""
    faulty: AnyGame = type("Faulty", (type(game),), {})()
    target = faulty if not part else getattr(game, part)
    body = {name: lambda _, *args: work(*args)}
    if not part:
        changed: AnyGame = type("Faulty", (type(game),), body)()
        return changed
    changed_part = object.__new__(type("FaultyPart", (type(target),), body))
    vars(changed_part).update(vars(target))
    setattr(faulty, part, changed_part)
    return faulty


def call_hook(game: AnyGame, part: str, name: str) -> Any:
    method = getattr(getattr(game, part) if part else game, name)
    wanted = signature(getattr(PARTS[part], name)).parameters
    return method(*[None for _ in list(wanted)[1:]])


@pytest.mark.parametrize("work", [raise_fault, exit_process, run_forever])
@pytest.mark.parametrize(("part", "name"), HOOKS)
def test_every_method_of_the_contract_is_guarded(
    part: str, name: str, work: Callable[..., Any], counting: AnyGame
) -> None:
    game = guard_game(with_hook(counting, part, name, work))
    with pytest.raises(GameFailed) as raised:
        call_hook(game, part, name)
    assert raised.value.call == (f"{part}.{name}" if part else name)
    assert "package counting 1.0" in raised.value.message
    assert raised.value.timed_out == (work is run_forever)


def test_every_attribute_of_the_contract_is_kept(counting: AnyGame) -> None:
    game = guard_game(counting)
    for part, contract in PARTS.items():
        kept, original = (getattr(each, part) if part else each for each in (game, counting))
        for name in contract.__annotations__:
            assert getattr(kept, name) == getattr(original, name) or name in PARTS


@pytest.mark.parametrize("name", [name for name in list_hooks(Text) if name != "read_move"])
def test_every_sentence_has_plain_data_in_its_place(name: str, counting: AnyGame) -> None:
    assert name in vars(SafeText), "a new method of Text would raise on screens"
    text = with_safe_text(with_hook(counting, "text", name, raise_fault)).text
    (move,) = counting.moves(None)
    values = {"describe_refusal": Refusal(End.OVER), "condense_log": [], "count_points": []}
    values_of = {"list_remarks": ([], 0, [1])}
    values_of |= dict.fromkeys(("describe_fact_of", "describe_table_of", "describe_hand_of"), (0, move))
    values_of["describe_move_at"] = (move, move)
    answer = getattr(text, name)(*values_of.get(name, (values.get(name, move),)))
    assert isinstance(answer, Phrase | list) or (name == "describe_decision" and answer is None)
    assert "read_move" in vars(SafeNotation)


def test_a_text_that_did_not_end_is_not_asked_again(counting: AnyGame) -> None:
    asked = []

    def ask_forever(_: Any) -> None:
        asked.append(1)
        run_forever()

    text = with_safe_text(with_hook(counting, "text", "describe_move", ask_forever)).text
    (move,) = counting.moves(None)
    assert [text.describe_move(move).render(()) for _ in range(5)] == ["take: 1"] * 5
    assert len(asked) == 1


def test_invalid_data_is_no_fault_of_the_game(counting: AnyGame) -> None:
    with pytest.raises(CodecError):
        guard_game(counting).codec.decode_move({"steal": 1})


def test_a_line_of_an_option_file_may_be_wrong(counting: AnyGame) -> None:
    def read_lines(text: str) -> list[str]:
        if text:
            raise ValueError("line 3 is no number")
        raise KeyError(text)

    class WithFiles(type(counting)):  # type: ignore[misc]
        option_files: ClassVar[dict[str, Any]] = {"deck": read_lines}

    reader = guard_game(WithFiles()).option_files["deck"]
    with pytest.raises(ValueError, match="line 3"):
        reader("x")
    with pytest.raises(GameFailed, match="option_files"):
        reader("")


def test_a_game_of_ours_is_not_wrapped() -> None:
    assert guard.load_game("no_thanks") is registry.load_game("no_thanks")


def test_two_readers_share_what_is_known_of_a_package(counting: AnyGame) -> None:
    assert guard.load_game("counting") is guard.load_game("counting") is not counting


async def test_a_call_in_another_thread_is_ended_too(counting: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finished games are checked in threads, which take no signals."""
    monkeypatch.setattr(guard, "LOOK_SECONDS", 0.01)
    game = guard_game(with_hook(counting, "", "apply", run_forever))
    with pytest.raises(GameFailed, match="apply: it did not end"):
        await asyncio.to_thread(game.apply, None, None, None)
    stubborn = guard_game(with_hook(counting, "", "apply", run_stubbornly))
    with pytest.raises(GameFailed, match="apply: it did not end"):
        await asyncio.to_thread(stubborn.apply, None, None, None)
    assert await asyncio.to_thread(game.pending, counting.setup(counting.codec.decode_options({}), 2, Dice(bytes(32))))


def test_callbacks_of_the_collector_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised in one is printed and ends no call; the next alarm does. Hypothesis sets such a callback."""
    dropped: list[object] = []

    def outlast_limit(*_: object) -> None:
        until = SYSTEM.working_seconds() + 0.03
        while SYSTEM.working_seconds() < until:
            pass

    def collect_and_hang() -> None:
        # Once: an alarm that waits for the end of a collection always rings in the callback.
        gc.collect()
        run_forever()

    # What earlier tests have left goes first: alarms that ring in its finalizers are printed as well.
    for _ in range(3):  # a finalizer may leave garbage, too
        gc.collect()
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)
    gc.callbacks.append(outlast_limit)
    try:
        with pytest.raises(guard.TookTooLong):
            guard.run_in_time(collect_and_hang, 0.01)
    finally:
        gc.callbacks.remove(outlast_limit)
    assert dropped == []


LATE_CALL = """
import sys
from threading import Thread
from scoville_outside import guard

def loop():
    while True:
        pass

def run():
    try:
        guard.run_in_time(loop)
    except guard.TookTooLong:
        print("ended", flush=True)

guard.SCREEN_SECONDS = 0.01
thread = Thread(target=run)
thread.start()
thread.join()
sys.setprofile(lambda *_: None)
(lambda: None)()
sys.setprofile(None)
print("profiled")
"""


def test_call_ended_in_a_thread_leaves_no_pending_exception() -> None:
    """An interpreter that believes one to be on its way looks for it forever; 3.11 then hangs under a profiler."""
    done = subprocess.run([sys.executable, "-c", LATE_CALL], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["ended", "profiled"]


async def test_calls_in_several_threads_do_not_end_each_other(
    counting: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LOOK_SECONDS", 0.01)
    looping = guard_game(with_hook(counting, "", "apply", run_forever))
    game = guard_game(counting)
    state = counting.setup(counting.codec.decode_options({}), 2, Dice(bytes(32)))

    def play_on() -> int:
        return sum(len(game.pending(state)) for _ in range(20_000))

    results = await asyncio.gather(
        asyncio.to_thread(looping.apply, None, None, None), asyncio.to_thread(play_on), return_exceptions=True
    )
    assert isinstance(results[0], GameFailed)
    assert results[1] == 20_000


class FaultyCoach(Coach):
    """A coach of a package: each method raises."""

    def make_question(self, *_: Any) -> None:
        raise KeyError("boom")

    make_course_question = explain_move = public_moves = public_decision = write_hint = make_question


@pytest.mark.parametrize(
    "name", ["make_question", "write_hint", "public_moves", "explain_move", "make_course_question"]
)
def test_a_coach_of_a_package_is_guarded(name: str, counting: AnyGame) -> None:
    game = guard_game(counting)
    coach = guard_part(Coach, game, "coach", lambda: FaultyCoach(game))
    with pytest.raises(GameFailed, match=f"failed in coach.{name}: KeyError"):
        getattr(coach, name)(None)
    with pytest.raises(GameFailed, match="failed in coach: ValueError"):
        guard_part(Coach, game, "coach", lambda: int("x"))
    assert coach.advice_playouts == Coach.advice_playouts


def test_every_method_of_a_coach_is_guarded(counting: AnyGame) -> None:
    game = guard_game(counting)
    body = dict.fromkeys(list_hooks(Coach), raise_fault)
    coach = guard_part(Coach, game, "coach", lambda: type("Bad", (Coach,), body)(game))
    for name in list_hooks(Coach):
        with pytest.raises(GameFailed, match=f"failed in coach.{name}: KeyError"):
            getattr(coach, name)(*[None for _ in list(signature(getattr(Coach, name)).parameters)[1:]])


def test_clients_and_servers_load_games_through_the_guard() -> None:
    """Checks of an author's package want its faults as they are; settings only ask whether there is a game."""
    allowed = (
        "client/scoville_client/authoring/",
        "server/scoville_server/settings/",
        "server/scoville_server/tables/catalog.py",
    )
    found = [
        str(path.relative_to(ROOT))
        for folder in ("client/scoville_client", "server/scoville_server")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"registry\.load_game|registry import .*load_game", path.read_text(encoding="utf-8"))
    ]
    listing = [
        str(path.relative_to(ROOT))
        for folder in ("client/scoville_client", "server/scoville_server")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"registry\.list_(usable|faults)|registry import .*list_(usable|faults)", path.read_text("utf-8"))
    ]
    assert listing == [], "the guard's list_usable and list_faults end imports"
    assert [path for path in found if not path.startswith(allowed) and "template" not in path] == []


def test_no_alarm_is_left_after_a_call(counting: AnyGame) -> None:
    """Also while the error is kept: an alarm that rings later would end whatever runs then."""
    game = guard_game(with_hook(counting, "", "apply", run_forever))
    handler = signal.getsignal(signal.SIGALRM)
    for _ in range(guard.MOST_ENDLESS - 1):
        with pytest.raises(GameFailed) as raised:
            game.apply(None, 0, None)
        assert raised.value.timed_out
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGALRM) is handler
    assert game.moves(None), "the next call has its own time"


@pytest.mark.parametrize("work", [press_ctrl_c, nest_deeply, need_memory, raise_unreadable])
def test_whatever_is_raised_names_the_package(
    work: Callable[..., Any], counting: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody handles the signal, as a server does, no Ctrl+C of the user can be meant."""
    monkeypatch.setattr(signal, "getsignal", lambda _: print)
    game = guard_game(with_hook(counting, "", "view", work))
    with pytest.raises(GameFailed, match=r"counting of the package counting 1\.0 failed in view"):
        game.view(None, None)


def test_the_users_ctrl_c_is_left_alone(counting: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.default_int_handler)
    game = guard_game(with_hook(counting, "", "view", press_ctrl_c))
    with pytest.raises(KeyboardInterrupt):
        game.view(None, None)


def test_a_long_excuse_is_cut(counting: AnyGame) -> None:
    def excuse(*_: Any) -> None:
        raise ValueError("x" * 10_000_000)

    with pytest.raises(GameFailed) as raised:
        guard_game(with_hook(counting, "", "view", excuse)).view(None, None)
    assert len(raised.value.reason) == guard.LONGEST_REASON


class Small(Struct):
    """A View, fact or move that can be sent."""

    number: Any = 0


ODD_ANSWERS: dict[str, tuple[str, Any]] = {
    "no state": ("setup", None),
    "no state dealt": ("deal", None),
    "a seat of no table": ("pending", {99}),
    "a seat before the first": ("pending", {-1}),
    "a seat that is a text": ("pending", {"a"}),
    "a dealer of no table": ("next_dealer", 16),
    "a yes for a refusal": ("check", True),
    "a refusal without reason": ("check", Refusal(7, 7)),  # type: ignore[arg-type]
    "a refusal of megabytes": ("check", Refusal(End.OVER, {"why": "x" * 10**6})),
    "a state for a step": ("apply", Small()),
    "a step without state": ("apply", Step(None, [])),
    "a fact that is a number": ("apply", Step(Small(), [Addressed(None, 7)])),
    "a fact to no seat": ("apply", Step(Small(), [Addressed(Seat(99), Small())])),
    "a place for an outcome": ("outcome", 7),
    "points beyond all numbers": ("outcome", Outcome((2**70,), (1,), End.OVER)),
    "points of letters": ("outcome", Outcome(("a",), (1,), End.OVER)),  # type: ignore[arg-type]
    "a place before the first": ("outcome", Outcome((0,), (0,), End.OVER)),
    "scores without places": ("outcome", Outcome((0, 0), (1,), End.OVER)),
    "an endless reason": ("outcome", Outcome((0,), (1,), "x" * 10**6)),  # type: ignore[arg-type]
    "a View that is a map": ("view", {1: 2}),
    "a View beyond all numbers": ("view", Small(2**70)),
    "a View of megabytes": ("view", Small("x" * 10**6)),
    "moves that are texts": ("moves", ["x"]),
    "no fallback": ("fallback", None),
    "a round of letters": ("round", "abc"),
}


@pytest.mark.parametrize("odd", ODD_ANSWERS)
def test_an_answer_that_nobody_could_use_is_a_failure(odd: str, counting: AnyGame) -> None:
    """It would cost everybody who is sent it their connection."""
    hook, answer = ODD_ANSWERS[odd]
    game = guard_game(with_hook(counting, "", hook, lambda *_: answer))
    with pytest.raises(GameFailed) as raised:
        call_hook(game, "", hook)
    assert raised.value.call == hook


class Odd(Phrase):
    """A phrase with code of its own."""


ODD_PHRASES = {
    "a generator without end": Phrase("{n}", {"n": iter(int, 1)}),  # type: ignore[dict-item]
    "an object": Phrase("{n}", {"n": object()}),  # type: ignore[dict-item]
    "no fields": Phrase("{n}", [1]),  # type: ignore[arg-type]
    "a class of its own": Odd("take"),
    "text without end": Phrase("{n}", {"n": ["x" * 10_000] * 10}),
}


@pytest.mark.parametrize("odd", ODD_PHRASES)
def test_a_phrase_that_no_screen_could_render_is_refused(odd: str, counting: AnyGame) -> None:
    game = guard_game(with_hook(counting, "text", "describe_move", lambda _: ODD_PHRASES[odd]))
    with pytest.raises(GameFailed, match=r"failed in text\.describe_move"):
        game.text.describe_move(None)


ENDLESS_IMPORTS = {
    "loops": ("while True: pass", "its import did not end within 0.05 seconds"),
    "exits": ("raise SystemExit(9)", "SystemExit: 9"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
}


@pytest.mark.parametrize("way", ENDLESS_IMPORTS)
def test_an_import_ends_and_names_its_package(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, why = ENDLESS_IMPORTS[way]
    monkeypatch.setattr(guard, "IMPORT_SECONDS", 0.05)
    monkeypatch.setattr(signal, "getsignal", lambda _: print)
    write_package(tmp_path / "bad", "endless", source, ending="\n")
    write_package(tmp_path / "good", "counting")
    with on_path(monkeypatch, tmp_path / "bad", tmp_path / "good"):
        assert registry.list_usable() == ["chilli_chase", "counting", "dicht_dran", "no_thanks"]
        with pytest.raises(registry.BrokenGame, match=f"endless.*endless 1.0.*{why}"):
            guard.load_game("endless")
        assert find_bot("endless", "sensible") is RandomBot


def test_a_bot_in_this_process_ends(counting: AnyGame) -> None:
    with pytest.raises(GameFailed, match=r"counting 1\.0 failed in its bot: it did not end within 0\.05 seconds"):
        guard.ask_bot(guard_game(counting), run_forever, 0.05)
    with pytest.raises(GameFailed, match="failed in its bot: SystemExit: 3"):
        guard.ask_bot(guard_game(counting), exit_process)
    assert guard.ask_bot(registry.load_game("no_thanks"), lambda: 7) == 7


def test_a_game_is_called_no_more_after_some_endless_calls(counting: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is made of it shares that: the server calls a copy with safe sentences, whose codec is the original's."""
    monkeypatch.setattr(guard, "SUSPECT_SECONDS", 0.01)
    asked: list[str] = []

    def count_and_loop(*_: Any) -> None:
        asked.append("view")
        run_forever()

    stopped: list[str] = []
    game = with_safe_text(guard_game(with_hook(counting, "", "view", count_and_loop), on_stopped=stopped.append))
    for nth in range(guard.MOST_ENDLESS):
        assert game.pending(counting.setup(counting.codec.decode_options({}), 2, Dice(bytes(32)))) == {0}
        assert stopped == []
        with pytest.raises(GameFailed, match="view: it did not end") as raised:
            game.view(None, None)
        assert len(asked) == nth + 1
    assert stopped == ["3 of its calls did not end, the last one in view"]
    for call in (lambda: game.view(None, None), lambda: game.codec.decode_options({}), lambda: game.moves(None)):
        with pytest.raises(GameFailed, match="3 of its calls did not end") as raised:
            call()
        assert raised.value.timed_out
    assert len(asked) == guard.MOST_ENDLESS
    assert len(stopped) == 1


def test_calls_that_raise_stop_no_game(counting: AnyGame) -> None:
    game = guard_game(with_hook(counting, "", "view", raise_fault))
    for _ in range(3 * guard.MOST_ENDLESS):
        with pytest.raises(GameFailed, match="view: KeyError"):
            game.view(None, None)
    assert game.moves(None)


def test_a_last_resort_knows_the_game_of_each_call(counting: AnyGame) -> None:
    heard: list[str] = []

    class Resort:
        def begin_call(self, game: str) -> None:
            heard.append(game)

        def end_call(self) -> None:
            heard.append("")

    guard.follow_calls(Resort())  # type: ignore[arg-type]
    try:
        game = guard_game(counting)
        game.call("text", lambda: game.moves(None))
        assert heard == ["counting", ""], "a call inside of another one is that one's"
        guard.run_in_time(lambda: heard.append("screen"))
        assert heard[2:] == ["screen"]
    finally:
        guard.follow_calls(None)
